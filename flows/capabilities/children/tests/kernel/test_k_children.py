"""Child instances (X2): starting and joining; workflow patterns 12, 14, 15, 34, 35 and 36."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows import api
from flows.tests.children import children, go, order, split, statuses
from flows.tests.kit import Kit, broken, refused, tgid
from testkit.waiting import until

pytestmark = pytest.mark.kernel


def test_a_job_is_completed_by_the_ends_of_its_children(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 3)
    first, second, third = children(tree, wid)
    assert [tree.state(each)["part"] for each in (first, second, third)] == [1, 2, 3]
    assert tree.instance(first).parent_wid == wid and tree.jobs(wid) == ["split"]
    for each in (third, first):
        tree.run("pack", each, packed="x")
    go(tree)
    assert tree.jobs(wid) == ["split"]
    tree.run("pack", second, packed="x")
    go(tree)
    assert (tree.status(wid), tree.state(wid)["done"], tree.state(wid)["failed"]) == ("F", 3, 0)
    step = tree.trace(wid)[-1]
    assert (step.trw, step.actor, len(tree.trace(wid))) == ("split", "kernel", 2)
    assert broken(tree) == []


def test_no_worker_takes_a_job_that_starts_children(tree: Kit) -> None:
    split(tree)
    wid = tree.start(kind="order", parts=1)
    assert not api.jobs.lease_many(tree.name, ["split"], 1, "tester", conn=tree.conn)
    go(tree)
    assert not api.jobs.lease_many(tree.name, ["split"], 1, "tester", conn=tree.conn)
    job = tree.pending(wid)[0]
    with refused("WD212"):
        api.operations.reassign_job(wid, job.id, "me", "Mine.", conn=tree.conn)


def test_the_number_of_children_is_known_when_the_job_is_fired(tree: Kit) -> None:
    split(tree, child_count="least(parts, 2) + 0", child_result=["joined = 'yes'"])
    assert len(children(tree, order(tree, 5))) == 2
    none = order(tree, 0)
    assert tree.status(none) == "F", "no children, nothing to wait for"


@pytest.mark.parametrize("option", ["child_count", "child_wait"])
@pytest.mark.parametrize("number", ["-1", " -2.5 ", "100001", "+100001.0"])
def test_a_number_that_no_job_can_have_is_refused_where_it_is_written(
    tree: Kit, option: str, number: str
) -> None:
    with refused("WD009"):
        split(tree, **{option: number})


def test_one_child_is_the_default(tree: Kit) -> None:
    split(tree, child_count=None)
    wid = order(tree)
    assert len(children(tree, wid)) == 1
    assert tree.one("select wedsql.explain_instance(%s)", [wid])["jobs"][0]["waits"]["for"] == "children"


def test_children_are_started_in_slices(tree: Kit) -> None:
    split(tree)
    wid = tree.start(kind="order", parts=5)
    seen = []
    while tree.one("select wedsql.continue_children(2)") is not None:
        seen.append(len(children(tree, wid)))
    assert seen[:3] == [2, 4, 5]


def test_children_of_all_slices_have_the_values_with_which_the_job_was_fired(tree: Kit) -> None:
    split(tree, refresh_payload=True)
    tree.trig("other", "kind = 'order' and packed is null")
    wid = tree.start(kind="order", parts=3)
    tree.one("select wedsql.continue_children(1)")
    before = tree.pending(wid)
    tree.run("other", wid, packed="x", parts=9)
    assert [job.payload for job in tree.pending(wid)] == [
        job.payload for job in before if job.trname == "split"
    ]
    go(tree)
    assert len(children(tree, wid)) == 3


def test_more_children_are_added_while_the_job_is_pending(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 1)
    job = tree.pending(wid)[0].id
    assert api.children.add(wid, job, 2, actor="ana", conn=tree.conn) == 3
    step = tree.trace(wid)[-1]
    assert (step.trw, step.actor, step.reason) == ("_CHILDREN", "ana", "split +2")
    go(tree)
    assert [tree.state(each)["part"] for each in children(tree, wid)] == [1, 2, 3]
    for each in children(tree, wid):
        tree.run("pack", each, packed="x")
    go(tree)
    assert tree.state(wid)["done"] == 3
    with refused("WD105"):
        tree.one("select wedsql.add_children(%s, %s, 1)", [wid, job])


def test_a_job_without_children_gets_none(tree: Kit) -> None:
    wid = tree.start(kind="part")
    with refused("WD581"):
        tree.one("select wedsql.add_children(%s, %s, 1)", [wid, tree.pending(wid)[0].id])


@pytest.mark.parametrize(("code", "count"), [("WD009", 0), ("WD009", None), ("WD580", 99_999)])
def test_wrong_numbers_of_more_children_are_refused(tree: Kit, code: str, count: int | None) -> None:
    split(tree)
    wid = order(tree, 2)
    with refused(code):
        tree.one("select wedsql.add_children(%s, %s, %s)", [wid, tree.pending(wid)[0].id, count])


@pytest.mark.parametrize(("rest", "left"), [("leave", "RF"), ("cancel", "CF")])
def test_some_ends_complete_the_job(tree: Kit, rest: str, left: str) -> None:
    split(tree, child_wait="1", child_rest=rest)
    wid = order(tree, 2)
    tree.run("pack", children(tree, wid)[1], packed="x")
    go(tree)
    assert (tree.status(wid), statuses(tree, wid)) == ("F", left)
    if rest == "leave":
        tree.run("pack", children(tree, wid)[0], packed="x")
        go(tree)
    job = tree.rows("select * from wedsql.child_jobs(%s)", [wid])[0]
    assert (job.total, job.done, job.failed, job.open) == (
        2,
        2 if rest == "leave" else 1,
        rest == "cancel",
        False,
    )


def test_the_number_of_ends_follows_the_state_of_the_parent(tree: Kit) -> None:
    split(tree, child_wait="coalesce(part, children)")
    tree.trig("decide", "kind = 'order' and part is null")
    wid = order(tree, 3)
    tree.run("pack", children(tree, wid)[0], packed="x")
    tree.run("decide", wid, part=2)
    go(tree)
    assert tree.jobs(wid) == ["split"]
    tree.run("pack", children(tree, wid)[1], packed="x")
    go(tree)
    assert (tree.status(wid), statuses(tree, wid)) == ("F", "FFR")


def test_children_are_not_waited_for(tree: Kit) -> None:
    split(tree, child_wait="0")
    wid = order(tree, 2)
    assert (tree.status(wid), statuses(tree, wid), tree.state(wid)["done"]) == ("F", "RR", 0)


def test_values_of_children_come_back_in_their_order(tree: Kit) -> None:
    split(tree, child_result=["joined = (children_states -> 1) ->> 'packed'"])
    wid = order(tree, 2)
    for each, packed in zip(children(tree, wid), ["left", "right"], strict=True):
        tree.run("pack", each, packed=packed)
    go(tree)
    assert tree.state(wid)["joined"] == "right"


def test_children_of_a_flow_on_the_fast_path_are_counted(tree: Kit) -> None:
    name = f"{tree.name}_b"
    api.flows.create(name, conn=tree.conn)
    plain = Kit(name, tree.connect)
    plain.attrs("packed")
    plain.trig("pack", "packed is null")
    plain.final("packed is not null")
    split(tree, child=name, child_set=None, child_count="1")
    wid = order(tree)
    plain.run("pack", packed="x")
    go(tree)
    assert (tree.status(wid), tree.state(wid)["done"]) == ("F", 1)
    api.flows.drop(name, force=True, conn=tree.conn)


def test_children_have_keys_of_their_parent(tree: Kit) -> None:
    split(tree)
    wid = api.instances.start(tree.name, {"kind": "order", "parts": 2}, key="A-17", conn=tree.conn)
    go(tree)
    assert [tree.instance(each).key for each in children(tree, wid)] == ["A-17/split/1.1", "A-17/split/1.2"]


def test_a_key_that_is_taken_parks_the_job(tree: Kit) -> None:
    split(tree)
    api.instances.start(tree.name, {"kind": "part"}, key="B/split/1.2", conn=tree.conn)
    wid = api.instances.start(tree.name, {"kind": "order", "parts": 2}, key="B", conn=tree.conn)
    go(tree)
    assert (tree.status(wid), children(tree, wid)) == ("E", [])


def test_an_instance_that_another_session_starts_meanwhile_is_no_child(tree: Kit) -> None:
    """It has the key of a child when the parent's session comes to it."""
    split(tree)
    wid = api.instances.start(tree.name, {"kind": "order", "parts": 2}, key="B", conn=tree.conn)
    other, reaper = tree.connect(), tree.connect()
    with ThreadPoolExecutor() as pool:
        with other.transaction():
            taken = api.instances.start(tree.name, {"kind": "part"}, key="B/split/1.2", conn=other)
            done = pool.submit(tree.one, "select wedsql.continue_children()", (), reaper)
            waits = "select count(*) from pg_locks where not granted and pid = %s"
            until(lambda: done.done() or tree.one(waits, [reaper.info.backend_pid]) > 0)
        done.result()
    go(tree)
    assert (tree.status(wid), children(tree, wid)) == ("E", [])
    assert tree.one("select parent_wid from wedsql.instance where wid = %s", [taken]) is None


def test_a_definition_that_changes_meanwhile_applies_to_what_follows(tree: Kit) -> None:
    split(tree)
    number = tgid(tree, "split")
    wid = order(tree, 1)
    tree.rows("update {f}.wed_attr set aname = 'count_done' where aname = 'done'")
    tree.rows("update {f}.wed_attr set aname = 'pieces' where aname = 'parts'")
    row = tree.rows("select child_count, child_result from wedsql.trig where tgid = %s", [number])[0]
    assert (row.child_count, row.child_result[1]) == ("pieces", "count_done = children_done")
    with refused("WD007"):
        tree.rows("delete from {f}.wed_attr where aname = 'pieces'")
    with refused("WD007"):
        tree.rows("update {f}.wed_trig set child = null where tgid = %s", [number])
    tree.run("pack", children(tree, wid)[0], packed="x")
    go(tree)
    assert tree.state(wid)["count_done"] == 1


def test_removing_the_rule_cancels_the_children(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 2)
    definition = api.flows.definition(tree.name, conn=tree.conn)
    definition["triggers"] = [each for each in definition["triggers"] if each.get("transition") != "split"]
    api.flows.publish(tree.name, definition, conn=tree.conn)
    go(tree)
    assert statuses(tree, wid) == "CC"


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("WD005", {"child_count": "parts +"}),
        ("WD005", {"child_count": "nothing"}),
        ("WD006", {"child_count": "kind"}),
        ("WD006", {"child_wait": "'1'"}),
        ("WD006", {"child_wait": "kind + 1"}),
        ("WD009", {"child_set": ["kind"]}),
        ("WD005", {"child_set": ["kind = "]}),
        ("WD002", {"child_result": ["nothing = 1"]}),
        ("WD002", {"child_result": ["children = 1"]}),
        ("WD005", {"child_count": "(select 1)"}),
    ],
)
def test_wrong_options_are_refused(tree: Kit, code: str, options: dict[str, Any]) -> None:
    with refused(code) as why:
        split(tree, **options)
    assert why.facts["column"] in options


def test_a_counter_may_not_have_the_name_of_an_attribute(tree: Kit) -> None:
    tree.attr("children", kind="integer")
    with refused("WD009"):
        split(tree)


def test_children_of_a_removed_flow_count_as_failed(tree: Kit) -> None:
    api.flows.create(f"{tree.name}_b", conn=tree.conn)
    other = Kit(f"{tree.name}_b", tree.connect)
    other.trig("work", "true")
    split(tree, child=other.name, child_set=None)
    wid = order(tree, 2)
    assert statuses(tree, wid) == "RR"
    api.flows.drop(other.name, force=True, conn=tree.conn)
    go(tree)
    assert (tree.status(wid), tree.state(wid)["failed"]) == ("F", 2)


def test_an_operation_that_goes_down_needs_no_approvals_of_its_own(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 1)
    tree.rows(
        "insert into wedsql.approval_rule (flow_id, position, title, operations, attributes, condition,"
        " compiled, reads, approvals, approvers, changed_by, changed_at)"
        " values (%s, 1, 'x', '{cancel}', '{}', '', 'true', '{}', 1, '', 'x', now())",
        [tree.id],
    )
    with refused("WD520"):
        api.instances.cancel(children(tree, wid)[0], "No.", conn=tree.conn)
    api.repairs.repair(wid, "withdraw", {"job": tree.pending(wid)[0].id}, "No.", conn=tree.conn)
    go(tree)
    assert statuses(tree, wid) == "C"
    assert tree.rows("select * from wedsql.applying") == []


def test_the_example_of_the_documentation_runs(kit: Kit) -> None:
    text = (Path(__file__).parents[5] / "docs/children.md").read_text(encoding="utf-8")
    definition = yaml.safe_load(text.split("```yaml")[1].split("```")[0])
    definition["triggers"][0]["child"] = kit.name
    api.flows.publish(kit.name, {k: v for k, v in definition.items() if k != "flow"}, conn=kit.conn)
    wid = kit.start(kind="order", items=3)
    go(kit)
    for each in children(kit, wid):
        assert kit.status(wid) == "R"
        kit.run("pack", each, packed="x")
        go(kit)
    assert (kit.status(wid), kit.state(wid)["ready"]) == ("F", 3)
