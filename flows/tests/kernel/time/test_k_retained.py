"""Retention removes no instance that something still reads, and leaves nothing of one that it removes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.tests.children import children, go, order, split
from flows.tests.kit import Kit, broken

pytestmark = pytest.mark.kernel

# Each column of the kernel's tables that has the number of an instance, and what retention does about it.
REMOVED = "its rows are removed with the instance"
READS = "the instance stays while a row is open"
ENDED = "an instance that has ended has no row"
NUMBER = "the row says by itself what it is about"
COLUMNS = {
    "applying.wid": ENDED,
    "bulk_row.wid": NUMBER,
    "child.parent_wid": READS,
    "child.root_wid": NUMBER,
    "child.wid": READS,
    "child_job.parent_wid": READS,
    "commit_by.wid": NUMBER,
    "condition_error_sum.wid": NUMBER,
    "condition_failure.wid": NUMBER,
    "device_package.wid": REMOVED,
    "device_result.wid": REMOVED,
    "failure_instance.wid": REMOVED,
    "instance.parent_wid": NUMBER,
    "instance.wid": REMOVED,
    "job_log.wid": REMOVED,
    "job_pool.wid": ENDED,
    "late_result.wid": READS,
    "lock_seen.wid": NUMBER,
    "look.wid": NUMBER,
    "message.wid": NUMBER,
    "move.wid": NUMBER,
    "moved.origin_wid": NUMBER,
    "move.origin_wid": NUMBER,
    "moved.wid": REMOVED,
    "moved_job.wid": REMOVED,
    "policy_run.wid": REMOVED,
    "proposal.wid": READS,
    "recovery.wid": ENDED,
    "rematch_held.wid": NUMBER,
    "rematch_run.last_wid": NUMBER,
    "repair_case.wid": READS,
    "repaired.wid": REMOVED,
    "signal.wid": NUMBER,
    "skipped.wid": REMOVED,
    "sla_clock.wid": REMOVED,
    "host_use.wid": NUMBER,
    "instance_number.wid": NUMBER,
    "sla_state.after_wid": NUMBER,
    "start_time.last_wid": NUMBER,
    "task.wid": REMOVED,
    "task_file.wid": REMOVED,
    "task_performers.wid": REMOVED,
    "task_setting.wid": REMOVED,
    "task_watch.wid": REMOVED,
    "timer.wid": ENDED,
    "trouble.wid": NUMBER,
    "wed_trace.wid": REMOVED,
}


def retire(kit: Kit, *wids: int) -> list[int]:
    """Let the retention release the instances; return those that it has removed."""
    kit.clock("2 days")
    kit.one("select wedsql.retire(%s, %s)", (kit.name, list(wids)))
    left = kit.rows("select wid from wedsql.instance where wid = any (%s)", [list(wids)])
    return sorted({*wids} - {row.wid for row in left})


@pytest.fixture
def shop(tree: Kit) -> Kit:
    """Orders whose parts are kept for a day, and that list what was packed."""
    tree.policy(retention="1 day")
    split(tree, child_result=["joined = jsonb_path_query_array(children_states, '$[*].packed')::text"])
    return tree


def test_each_column_with_the_number_of_an_instance_is_decided(kit: Kit) -> None:
    found = kit.rows(
        "select c.relname || '.' || a.attname as name"
        " from pg_attribute a join pg_class c on c.oid = a.attrelid"
        " where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition"
        " and a.attname ~ '(^|_)wid$' and a.attnum > 0 and not a.attisdropped"
    )
    assert {row.name for row in found} == {*COLUMNS}


def test_a_child_stays_while_its_parent_waits_for_its_brothers(shop: Kit) -> None:
    wid = order(shop, 3)
    first, second, third = children(shop, wid)
    shop.run("pack", first, packed="one")
    go(shop)
    assert retire(shop, first) == []
    for each, name in ((second, "two"), (third, "three")):
        shop.run("pack", each, packed=name)
    go(shop)
    assert (shop.status(wid), shop.state(wid)["joined"]) == ("F", '["one", "two", "three"]')
    shop.clock("4 days")
    assert shop.one("select wedsql.retire(%s, %s)", (shop.name, [first])) == 1
    assert broken(shop) == []


def test_the_place_of_a_child_that_is_missing_stays_empty(shop: Kit) -> None:
    """An earlier release has removed it while its parent waited."""
    wid = order(shop, 3)
    first, second, third = children(shop, wid)
    for each in (first, third):
        shop.run("pack", each, packed=str(each))
    go(shop)
    shop.rows("delete from wedsql.child where wid = %s", [first])
    shop.run("pack", second, packed=str(second))
    go(shop)
    assert shop.state(wid)["joined"] == f'["{second}", "{third}"]', "null has no value packed"
    row = shop.one(
        "select wedsql._child_row(c, '{}', %s, true) -> 'children_states' from wedsql.child_job c"
        " where c.parent_wid = %s",
        (shop.name, wid),
    )
    assert [each and each["packed"] for each in row] == [None, str(second), str(third)]


def waiting_parent(kit: Kit) -> tuple[int, Callable[[], object]]:
    wid = order(kit, 2)
    first, second = children(kit, wid)
    kit.run("pack", first, packed="x")
    go(kit)

    def end() -> None:
        kit.run("pack", second, packed="y")
        go(kit)

    return first, end


def open_children(kit: Kit) -> tuple[int, Callable[[], object]]:
    kit.rows("update {f}.wed_trig set child_wait = '0', child_rest = 'leave' where trname = 'split'")
    wid = order(kit, 1)
    (child,) = children(kit, wid)
    assert kit.status(wid) == "F" and kit.status(child) == "R"

    def end() -> None:
        kit.run("pack", child, packed="x")
        go(kit)

    return wid, end


def children_to_cancel(kit: Kit) -> tuple[int, Callable[[], object]]:
    wid = order(kit, 1)
    api.instances.cancel(wid, "Not wanted.", conn=kit.conn)
    return wid, lambda: go(kit)


def late_result(kit: Kit) -> tuple[int, Callable[[], object]]:
    wid = kit.start(kind="part")
    job = kit.lease("pack")
    api.instances.cancel(wid, "Not wanted.", conn=kit.conn)
    kit.one("select wedsql._keep_late({n}, %s, %s, %s, '{\"packed\": \"x\"}', null, 'w', 'WD102')",
            (wid, job.id, job.claim))  # fmt: skip
    late = kit.one("select id from wedsql.late_result where wid = %s", [wid])
    return wid, lambda: api.repairs.repair(wid, "discard_late", {"late": late}, "Too late.", conn=kit.conn)


def proposed_repair(kit: Kit) -> tuple[int, Callable[[], object]]:
    """A late result of an instance that has ended can be discarded, which may need an approval."""
    wid = kit.start(kind="part", packed="x")
    assert kit.status(wid) == "F"
    kit.rows(
        "insert into wedsql.proposal (flow_id, version, wid, operation, arguments, reason, maker,"
        " expected_seq, needed, title, approvers, proposed_at, expires_at)"
        " select flow_id, version, wid, 'discard_late', '{}', 'x', 'ana', seq, 1, '', '{}', wedsql.now(),"
        " wedsql.now() + interval '1 hour' from wedsql.instance where wid = %s",
        [wid],
    )
    number = kit.one("select number from wedsql.proposal where wid = %s", [wid])
    return wid, lambda: kit.rows(
        "select wedsql._end_proposal(%s, 'expired', 'expired', 'kernel', '')", [number]
    )


@pytest.mark.parametrize(
    "reader", [waiting_parent, open_children, children_to_cancel, late_result, proposed_repair]
)
def test_an_instance_stays_while_it_is_read(
    shop: Kit, reader: Callable[[Kit], tuple[int, Callable[[], object]]]
) -> None:
    wid, end = reader(shop)
    assert retire(shop, wid) == []
    end()
    shop.clock("4 days")
    assert retire(shop, wid) == [wid]
    for name, what in COLUMNS.items():
        if what in (REMOVED, ENDED):
            table, column = name.split(".")
            assert not shop.rows(f"select from wedsql.{table} where {column} = %s", [wid]), name
    assert broken(shop) == []
