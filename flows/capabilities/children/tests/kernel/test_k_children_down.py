"""What happens to a parent happens to its children (X5); workflow patterns 26, 27 and 43."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.children import children, go, nested, order, split, statuses
from flows.tests.kit import Kit, broken
from testkit.api_functions import functions as api_functions

pytestmark = pytest.mark.kernel


def test_suspending_and_resuming_go_down_the_tree(tree: Kit) -> None:
    wid, below = nested(tree)
    api.operations.suspend(wid, "Wait.", conn=tree.conn)
    go(tree)
    assert [tree.status(each) for each in below] == ["S", "S", "S"]
    api.operations.resume(wid, "Go on.", conn=tree.conn)
    go(tree)
    assert [tree.status(each) for each in below] == ["R", "R", "R"]
    tree.run("pack", below[-1], packed="x")
    go(tree)
    assert tree.status(wid) == "F"


def test_a_child_that_a_person_suspended_stays_suspended(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 2)
    own, other = children(tree, wid)
    api.operations.suspend(own, "Mine.", conn=tree.conn)
    api.operations.suspend(wid, "Wait.", conn=tree.conn)
    go(tree)
    api.operations.resume(wid, "Go on.", conn=tree.conn)
    go(tree)
    assert (tree.status(own), tree.status(other)) == ("S", "R")


def test_no_child_is_started_or_counted_into_a_suspended_parent(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 1)
    late = tree.start(kind="order", parts=1)
    (child,) = children(tree, wid)
    for each in (wid, late):
        api.operations.suspend(each, "Wait.", conn=tree.conn)
    tree.run("pack", child, packed="x")
    go(tree)
    assert (tree.status(wid), children(tree, late)) == ("S", [])
    for each in (wid, late):
        api.operations.resume(each, "Go on.", conn=tree.conn)
    go(tree)
    assert (tree.status(wid), len(children(tree, late))) == ("F", 1)


@pytest.mark.parametrize(("end", "status"), [("cancel", "C"), ("abort", "A")])
def test_the_end_of_a_parent_goes_down_the_tree(tree: Kit, end: str, status: str) -> None:
    wid, below = nested(tree)
    api_functions()[end](wid, "Over.", conn=tree.conn)
    go(tree, "1 minute")
    go(tree, "2 minutes")
    assert [tree.status(each) for each in [wid, *below]] == [status] * 4
    assert broken(tree) == []


def test_children_are_aborted_before_their_parent(tree: Kit) -> None:
    split(tree)
    wid = order(tree, 2)
    api.compensations.abort(wid, "Over.", conn=tree.conn)
    assert tree.status(wid) == "X"
    go(tree)
    assert (tree.status(wid), statuses(tree, wid)) == ("A", "AA")
    ends = [tree.trace(each)[-1].tx_at for each in [*reversed(children(tree, wid)), wid]]
    assert ends == sorted(ends)


def test_a_child_that_cannot_be_undone_holds_its_parent(tree: Kit) -> None:
    split(tree, child_count=None)
    tree.rows("update {f}.wed_trig set class = 'pivot' where trname = 'pack'")
    tree.rows("update {f}.wed_trig set cpred = 'packed = ''y'' or joined is not null' where cfinal")
    tree.trig("send", "kind = 'part' and packed is not null")
    wid = order(tree)
    (child,) = children(tree, wid)
    tree.run("pack", child, packed="x")
    api.compensations.abort(wid, "Over.", conn=tree.conn)
    go(tree)
    assert (tree.status(wid), tree.status(child)) == ("X", "R")
    trouble = tree.rows("select * from wedsql.trouble where kind = 'children' and wid = %s", [child])
    assert [row.sqlstate for row in trouble] == ["WD111"]
    api.instances.cancel(child, "It stays.", conn=tree.conn)
    go(tree, "1 minute")
    assert tree.status(wid) == "A"


def test_rolling_back_over_the_start_undoes_the_children(tree: Kit) -> None:
    tree.trig("accept", "kind is null")
    split(tree)
    wid = tree.start(parts=1)
    tree.run("accept", wid, kind="order")
    go(tree)
    (child,) = children(tree, wid)
    assert api.compensations.roll_back(wid, 1, "Again.", conn=tree.conn) == "X"
    go(tree)
    assert (tree.status(child), tree.status(wid), tree.jobs(wid)) == ("A", "R", ["accept"])


def test_a_step_that_joined_children_is_undone_like_any_other(tree: Kit) -> None:
    split(tree, compensation="inverse")
    tree.rows("update {f}.wed_trig set cpred = 'kind = ''part'' and packed is not null' where cfinal")
    tree.trig("bill", "joined is not null")
    wid = order(tree, 0)
    assert tree.jobs(wid) == ["bill"]
    api.compensations.roll_back(wid, 1, "Again.", conn=tree.conn)
    go(tree)
    assert tree.trace(wid)[-1].trw == "split"


@pytest.mark.parametrize("undo", ["withdraw", "complete"])
def test_what_people_do_to_the_job_decides_about_the_children(tree: Kit, undo: str) -> None:
    split(tree)
    wid = order(tree, 2)
    job = tree.pending(wid)[0].id
    given = {"job": job} | ({} if undo == "withdraw" else {"changes": {"joined": "no"}})
    api.repairs.repair(wid, undo, given, "By hand.", conn=tree.conn)
    go(tree)
    assert statuses(tree, wid) == ("CC" if undo == "withdraw" else "RR")


@pytest.mark.parametrize(("policy", "outcome"), [("cancel", ("F", "CC")), ("defer", ("R", "RR"))])
def test_a_final_state_ends_the_children_or_waits_for_them(
    tree: Kit, policy: str, outcome: tuple[str, str]
) -> None:
    split(tree)
    tree.trig("close", "kind = 'order'")
    tree.policy(final_when_pending=policy)
    wid = order(tree, 2)
    tree.run("close", wid, joined="no")
    go(tree)
    assert (tree.status(wid), statuses(tree, wid)) == outcome
    for each in children(tree, wid) if policy == "defer" else []:
        tree.run("pack", each, packed="x")
    go(tree)
    assert tree.status(wid) == "F"


def test_a_join_that_would_be_final_too_early_is_tried_again(tree: Kit) -> None:
    split(tree, child_count="0")
    tree.trig("close", "kind = 'order' and failed is null")
    wid = order(tree)
    assert (tree.status(wid), tree.jobs(wid)) == ("R", ["split", "close"])
    tree.run("close", wid, failed=0)
    go(tree, "1 hour")
    assert tree.status(wid) == "F"
