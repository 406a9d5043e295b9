"""The table of operations is right: a walk over all operations, their statuses and permissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, get_args

import pytest

from flows import api
from flows.capabilities.bulk.api import ManyRepair
from flows.capabilities.moves.api import Peer
from flows.capabilities.recovery.api import OperatingName, Operation, OperationName, RepairName
from flows.errors import WedError
from flows.tests.kit import Kit
from flows.tests.statuses import PUBLIC_KEY

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

Way = Callable[[Kit, int], Any]
# How an instance that has made a step gets into some status; some do it with a job that a worker holds, that
# waits for its next try, or by a repair that can be undone.
WAYS: Mapping[str, tuple[Way, ...]] = {
    "running": (),
    "running, held": (lambda kit, wid: lease(kit, wid, "tr_more"),),
    "running, waits": (lambda kit, wid: kit.fail("tr_again", wid, why="no"),),
    "running, patched": (lambda kit, wid: stop(kit, wid), lambda kit, wid: patch(kit, wid, c=None)),
    "exception": (lambda kit, wid: kit.fail("tr_work", wid, why="no"),),
    "exception, held": (
        lambda kit, wid: kit.fail("tr_work", wid, why="no"),
        lambda kit, wid: lease(kit, wid, "tr_more"),
    ),
    "exception, patched": (lambda kit, wid: stop(kit, wid), lambda kit, wid: patch(kit, wid, c="stuck")),
    "suspended": (lambda kit, wid: api.operations.suspend(wid, "Later.", conn=kit.conn),),
    "compensating": (lambda kit, wid: api.compensations.abort(wid, "No.", conn=kit.conn),),
    "compensating, held": (
        lambda kit, wid: api.compensations.abort(wid, "No.", conn=kit.conn),
        lambda kit, wid: lease(kit, wid, "tr_undo"),
    ),
    "compensating, failed": (
        lambda kit, wid: api.compensations.abort(wid, "No.", conn=kit.conn),
        lambda kit, wid: kit.fail("tr_undo", wid, why="no"),
    ),
    "final": (lambda kit, wid: kit.run("tr_work", wid, b="end"),),
    "final, accepted": (
        lambda kit, wid: stop(kit, wid),
        lambda kit, wid: api.repairs.repair(wid, "accept", {}, "So.", conn=kit.conn),
    ),
    "cancelled": (lambda kit, wid: api.instances.cancel(wid, "No.", conn=kit.conn),),
    "aborted": (
        lambda kit, wid: api.compensations.abort(wid, "No.", conn=kit.conn),
        lambda kit, wid: kit.run("tr_undo", wid, a="undone"),
    ),
}


def lease(kit: Kit, wid: int, transition: str) -> Any:
    job = next(one.id for one in kit.pending(wid) if one.trname == transition)
    return kit.lease(transition, job_ids=[job])


def stop(kit: Kit, wid: int) -> None:
    """Make an exception with nothing pending."""
    kit.run("tr_more", wid, c="stuck", b="stuck")


def patch(kit: Kit, wid: int, **changes: Any) -> None:
    api.repairs.repair(wid, "patch", {"changes": changes | {"note": "x"}}, "So.", conn=kit.conn)


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b", "c", "d", "note")
    kit.trig("tr_do", "a is null", compensation="transition", compensated_by="tr_undo")
    kit.trig("tr_work", "a = 'x' and b is null", max_attempts=1, revalidate="withdraw")
    kit.trig("tr_more", "a = 'x' and c is null", timeout="1 hour", revalidate="withdraw")
    kit.trig("tr_again", "a = 'x' and b is null and c is null", backoff="1 hour", revalidate="withdraw")
    kit.trig("tr_late", "a = 'x' and b is null and d is null", revalidate="withdraw")
    kit.final("b = 'end'")
    kit.policy(final_when_pending="cancel")
    there = Peer("51cd1084-945b-42fc-9bfd-8fca5d9dc300", "there", PUBLIC_KEY)
    api.moves.create_identity("here", replace=True, conn=kit.conn)
    api.moves.save_peer(there, "ana", conn=kit.conn)
    return kit


def instances(kit: Kit) -> Iterator[int]:
    """Yield an instance for each way, each with a late result that waits for a decision."""
    for ways in WAYS.values():
        wid = kit.start()
        kit.run("tr_do", wid, a="x")
        held = lease(kit, wid, "tr_late")
        api.operations.release_job(wid, held.id, "Slow.", conn=kit.conn)
        with pytest.raises(WedError):
            kit.complete(held, {"d": "late"})
        for way in ways:
            way(kit, wid)
        yield wid


def candidates(kit: Kit, wid: int, one: Operation) -> Iterator[dict[str, Any]]:
    """Yield arguments of an operation: each job, step and late result, and a value of each other kind."""
    values: dict[str, list[Any]] = {
        "job": [each.id for each in kit.pending(wid)] or [10**15],
        "seq": [*range(1, kit.instance(wid).seq + 1)],
        "late": [each.id for each in api.repairs.late_results(wid, conn=kit.conn)],
        "changes": [{"note": "y"}],
        "seconds": [60], "priority": [5], "worker": ["other"], "peer": ["there"],
    }  # fmt: skip
    needed = [name for name, kind in one.arguments.items() if not kind.endswith("?") or name == "job"]
    for given in product(*(values[name] for name in needed)):
        yield dict(zip(needed, given, strict=True))


def is_possible(kit: Kit, wid: int, one: Operation) -> bool:
    """Return whether the kernel does it with some arguments; what it does is rolled back."""
    for arguments in candidates(kit, wid, one):
        try:
            with kit.conn.transaction(force_rollback=True):
                api.repairs.repair(wid, one.operation, arguments, "Why.", actor="ana", conn=kit.conn)
                return True
        except WedError:
            continue
    return False


def test_each_operation_is_possible_in_the_statuses_of_the_table_and_in_no_other(shop: Kit) -> None:
    table = api.operations.offered(conn=shop.conn)
    found: dict[str, set[str]] = {name: set() for name in table}
    for wid in instances(shop):
        for name, one in table.items():
            if is_possible(shop, wid, one):
                found[name].add(shop.instance(wid).status)
    assert {name: sorted(each) for name, each in found.items()} == {
        name: sorted(one.statuses) for name, one in table.items()
    }


def test_the_names_are_those_of_the_types(shop: Kit) -> None:
    table = api.operations.offered(conn=shop.conn)
    assert set(table) == set(get_args(OperationName))
    assert {name for name, one in table.items() if one.form == "repair"} == set(get_args(RepairName))
    assert {name for name, one in table.items() if one.form == "operation"} == set(get_args(OperatingName))
    many = {name for name, one in table.items() if one.form == "repair" and one.many is not None}
    assert many == set(get_args(ManyRepair))


def test_an_operation_of_another_name_is_rejected_and_names_those_that_there_are(shop: Kit) -> None:
    wid = shop.start()
    with pytest.raises(WedError) as caught:
        api.repairs.repair(wid, "explode", {}, "Why.", conn=shop.conn)
    assert caught.value.code == "WD109"
    assert all(name in caught.value.hint for name in api.operations.offered(conn=shop.conn))
    assert api.operations.permissions(wid, "explode", conn=shop.conn) == []


def test_what_many_may_be_done_is_what_the_table_of_bulk_operations_takes(shop: Kit) -> None:
    """The constraint of the table has the same names as the operations of the kernel."""
    (row,) = shop.rows(
        "select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'bulk_operation_check'"
    )
    many = {name for name, one in api.operations.offered(conn=shop.conn).items() if one.many is not None}
    assert {name for name in get_args(OperationName) if f"'{name}'" in row.text} == many


def test_retrying_a_job_that_is_not_parked_takes_less(shop: Kit) -> None:
    wid = shop.start()
    shop.run("tr_do", wid, a="x")
    jobs = {one.trname: one.id for one in shop.pending(wid)}
    shop.fail("tr_work", wid, why="no")

    def needed(operation: str, arguments: dict[str, Any]) -> list[str]:
        return list(api.operations.permissions(wid, operation, arguments, conn=shop.conn))

    assert needed("retry", {"job": jobs["tr_work"]}) == ["handle"]
    assert needed("retry", {"job": jobs["tr_more"]}) == ["handle", "operate"]
    assert needed("retry", {"job": 10**15}) == ["handle", "operate"]
    assert needed("retry", {}) == needed("retry", {"job": "x"}) == needed("retry", {"job": 1.5}) == ["handle"]


def test_undoing_a_repair_takes_what_the_repair_took(shop: Kit) -> None:
    patched, accepted = shop.start(), shop.start()
    for wid in (patched, accepted):
        shop.run("tr_do", wid, a="x")
        stop(shop, wid)
    patch(shop, patched, c=None)
    api.repairs.repair(accepted, "accept", {}, "So.", conn=shop.conn)
    assert api.operations.permissions(patched, "undo", conn=shop.conn) == ["handle"]
    assert api.operations.permissions(accepted, "undo", conn=shop.conn) == ["repair"]
