"""Child instances of child instances, and what fails in them; workflow pattern 22."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.children import children, excepted, go, order, split, statuses
from flows.tests.kit import Kit, tgid
from testkit.api_functions import functions as api_functions

pytestmark = pytest.mark.kernel


def test_a_flow_starts_children_of_its_own_to_a_depth(tree: Kit) -> None:
    """Pattern 22: each order has an order with one part fewer below it."""
    split(tree, child_count="1", child_set=["kind = case when parts > 0 then 'order' else 'part' end",
                                            "parts = parts - 1"])  # fmt: skip
    wid = order(tree, 4)
    leaf = tree.rows("select * from wedsql.child where root_wid = %s order by depth desc", [wid])[0]
    assert leaf.depth == 5
    tree.run("pack", leaf.wid, packed="x")
    go(tree)
    assert tree.status(wid) == "F"


def test_the_depth_is_limited(tree: Kit) -> None:
    split(tree, child_count=None, child_set=["kind = 'order'"])
    order(tree)
    deepest = tree.rows("select * from wedsql.child order by depth desc limit 1")[0]
    job = tree.rows("select * from wedsql.job_pool where wid = %s and tgid > 0", [deepest.wid])[0]
    assert (deepest.depth, tree.status(deepest.wid), job.last_state) == (16, "E", "WD580")
    assert tree.instance(deepest.wid).reason == "CHILDREN"


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("WD001", {"child": "no_such_flow"}),
        ("WD002", {"child_set": ["nothing = parts"]}),
        ("WD101", {"child_set": ["kind = 'neither'"]}),
        ("WD003", {"child_set": ["kind = 'part'", "part = 'x' || parts::text"]}),
        ("WD580", {"child_count": "parts - 7"}),
        ("WD580", {"child_count": "part"}),
        ("WD580", {"child_count": "2 / (parts - 2)"}),
    ],
)
def test_children_that_cannot_be_started_park_the_job_until_it_is_retried(
    tree: Kit, code: str, options: dict[str, Any]
) -> None:
    split(tree, **options)
    number = tgid(tree, "split")
    wid = order(tree, 2)
    job = tree.pending(wid)[-1]
    assert (tree.status(wid), tree.instance(wid).reason, job.state) == ("E", "CHILDREN", "K")
    assert (job.last_state, children(tree, wid)) == (code, [])
    good = [tree.name, "parts", ["kind = 'part'"], number]
    tree.rows("update {f}.wed_trig set child = %s, child_count = %s, child_set = %s where tgid = %s", good)
    api.operations.retry_job(wid, job.id, "Corrected.", conn=tree.conn)
    go(tree)
    assert (tree.status(wid), statuses(tree, wid)) == ("R", "RR")


def test_a_result_that_cannot_be_written_parks_the_job(tree: Kit) -> None:
    split(tree, child_count="0", child_result=["joined = 'yes'", "done = 'x' || parts::text"])
    wid = order(tree)
    assert (tree.status(wid), tree.pending(wid)[-1].last_state) == ("E", "WD003")


def test_a_result_outside_the_write_set_parks_the_job(tree: Kit) -> None:
    split(tree, child_count="0", writes=["done"])
    wid = order(tree)
    assert (tree.status(wid), tree.pending(wid)[-1].last_state) == ("E", "WD210")


def test_an_exception_of_a_child_waits_for_its_repair(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 1)
    (child,) = children(tree, wid)
    excepted(tree, child)
    go(tree)
    assert tree.status(wid) == "R"
    api.repairs.repair(child, "patch", {"changes": {"packed": "x"}}, "By hand.", conn=tree.conn)
    go(tree)
    assert (tree.status(wid), tree.state(wid)["done"]) == ("F", 1)


def test_an_exception_of_a_child_counts_as_failed(tree: Kit) -> None:
    split(tree, child_exception="fail")
    wid = order(tree, 2)
    bad, good = children(tree, wid)
    excepted(tree, bad)
    tree.run("pack", good, packed="x")
    go(tree)
    state = tree.state(wid)
    assert (tree.status(wid), state["done"], state["failed"], statuses(tree, wid)) == ("F", 1, 1, "EF")
    api.repairs.repair(bad, "patch", {"changes": {"packed": "x"}}, "By hand.", conn=tree.conn)
    go(tree)
    assert tree.rows("select * from wedsql.child_jobs(%s)", [wid])[0].done == 1, "it was counted"


@pytest.mark.parametrize("end", ["cancel", "abort"])
def test_a_child_that_is_cancelled_or_aborted_counts_as_failed(tree: Kit, end: str) -> None:
    split(tree)
    wid = order(tree, 2)
    first, second = children(tree, wid)
    api_functions()[end](first, "Not needed.", conn=tree.conn)
    tree.run("pack", second, packed="x")
    go(tree)
    state = tree.state(wid)
    assert (tree.status(wid), state["done"], state["failed"]) == ("F", 1, 1)


def test_a_job_over_the_firing_limit_starts_its_children_when_it_is_retried(tree: Kit) -> None:
    split(tree, child_count="0", child_result=["done = children_done"], max_firings=1)
    wid = order(tree)
    job = tree.pending(wid)[-1]
    assert (tree.instance(wid).reason, job.state) == ("LOOP", "K")
    api.operations.retry_job(wid, job.id, "Once more.", conn=tree.conn)
    assert not api.jobs.lease_many(tree.name, ["split"], 1, "tester", conn=tree.conn)
    go(tree)
    assert [step.actor for step in tree.trace(wid) if step.trw == "split"] == ["kernel", "kernel"]


def test_other_rules_for_ends_apply_to_children_that_have_ended(tree: Kit) -> None:
    split(tree)
    number = tgid(tree, "split")
    wid = order(tree, 2)
    tree.run("pack", children(tree, wid)[0], packed="x")
    go(tree)
    assert tree.status(wid) == "R"
    tree.rows("update {f}.wed_trig set child_wait = '1' where tgid = %s", [number])
    go(tree)
    assert (tree.status(wid), tree.state(wid)["done"]) == ("F", 1)


def test_other_rules_for_exceptions_apply_to_children_that_are_some(tree: Kit) -> None:
    split(tree)
    number = tgid(tree, "split")
    wid = order(tree, 1)
    excepted(tree, children(tree, wid)[0])
    go(tree)
    assert tree.status(wid) == "R"
    tree.rows("update {f}.wed_trig set child_exception = 'fail' where tgid = %s", [number])
    go(tree)
    assert (tree.status(wid), tree.state(wid)["failed"]) == ("F", 1)


def test_a_job_that_cannot_be_parked_stops_no_other(tree: Kit) -> None:
    split(tree, child_set=["kind = case when parts = 1 then 'neither' else 'part' end"])
    bad, good = tree.start(kind="order", parts=1), tree.start(kind="order", parts=2)
    with psycopg.connect(tree.conn.info.dsn) as other:
        other.execute(f"select 1 from {tree.name}.wed_flow where wid = %s for update", [bad])
        go(tree)
        assert len(children(tree, good)) == 2
    go(tree, "10 minutes")
    assert (tree.status(bad), tree.instance(bad).reason) == ("E", "CHILDREN")


def test_children_are_started_though_the_clock_was_set_back(tree: Kit) -> None:
    split(tree)
    tree.clock("2 hours")
    wid = tree.start(kind="order", parts=2)
    go(tree, "1 hour")
    assert len(children(tree, wid)) == 2
