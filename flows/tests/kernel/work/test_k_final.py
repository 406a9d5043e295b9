"""Final states and pending jobs (K-05, K-06, K-38, K-55)."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.tests.modes import Held

pytestmark = pytest.mark.kernel


def branches(kit: Kit, policy: str) -> int:
    """Define two parallel branches, either of which can make the state final; return an instance."""
    kit.policy(final_when_pending=policy)
    kit.attrs("a", "b", "done")
    kit.trig("tr_a", "a = '1'")
    kit.trig("tr_b", "b = '1'")
    kit.final("done = 'yes'")
    return kit.start(a="1", b="1")


def test_k05_final_wins_over_other_conditions_at_the_start(kit: Kit) -> None:
    kit.attr("a", "0", "integer")
    other = kit.numbered_trig("tr_x", "a > 0")
    kit.final("a >= 1")
    wid = kit.start(a=1)
    row = kit.trace(wid)[0]
    assert (kit.status(wid), kit.jobs(wid)) == ("F", [])
    assert (row.trf, row.suppressed) == ([], [other])


def test_k05_final_wins_at_an_update(kit: Kit) -> None:
    kit.attr("a", "0", "integer")
    other = kit.numbered_trig("tr_x", "a < 9")
    kit.final("a = 1")
    wid = kit.start()
    assert kit.run("tr_x", wid, a=1).status == "F"
    assert kit.trace(wid)[-1].suppressed == [other]
    assert kit.instance(wid).finished_at is not None


def test_k38_an_initial_state_may_be_final(kit: Kit) -> None:
    kit.attrs("a")
    kit.final("a = '1'")
    wid = kit.start(a="1")
    assert kit.story(wid) == [("_INIT", [], "F")]
    with refused("WD101"):
        kit.start(a="2")


def test_k06_reject_the_commit_is_refused(kit: Kit) -> None:
    wid = branches(kit, "reject")
    with refused("WD103") as why:
        kit.run("tr_a", wid, done="yes")
    assert "tr_b" in why.message
    assert kit.jobs(wid) == ["tr_a", "tr_b"]
    assert kit.state(wid)["done"] is None
    kit.run("tr_b", wid, b="0")
    assert kit.run("tr_a", wid, done="yes").status == "F"


def test_k06_defer_waits_for_the_others(kit: Kit) -> None:
    wid = branches(kit, "defer")
    step = kit.run("tr_a", wid, done="yes")
    assert (step.status, step.fired) == ("R", [])
    assert kit.jobs(wid) == ["tr_b"]
    assert kit.run("tr_b", wid, b="0").status == "F"


def test_k06_defer_fires_nothing_new(kit: Kit) -> None:
    wid = branches(kit, "defer")
    kit.trig("tr_late", "a = '2'")
    assert kit.run("tr_a", wid, done="yes", a="2").fired == []
    assert kit.jobs(wid) == ["tr_b"]


def test_k06_cancel_withdraws_the_others(kit: Kit) -> None:
    wid = branches(kit, "cancel")
    other = kit.connect()
    with refused("WD102"), kit.step(other):
        job = kit.take("tr_b", wid, other)
        assert kit.run("tr_a", wid, done="yes").status == "F"
        assert kit.jobs(wid) == []
        assert kit.logged(wid) == ["withdrawn"]
        kit.complete(job, {"b": "0"}, conn=other)


def test_k55_mutual_final_block_becomes_an_exception(kit: Kit) -> None:
    wid = branches(kit, "reject")
    for transition in ("tr_a", "tr_b"):
        with kit.step():
            job = kit.take(transition, wid)
            with refused("WD103") as why:
                kit.complete(job, {"done": "yes"})
            if isinstance(kit.mode, Held):  # the rejection released the session's lock on the job
                job = kit.take(transition, wid)
            api.jobs.fail(job, why.message, sqlstate=why.code, conn=kit.conn)
    assert kit.status(wid) == "E"
    assert kit.instance(wid).reason == "FINAL_BLOCKED"
    assert kit.jobs(wid) == ["_EXCPT", "tr_a", "tr_b"]
    assert [job.state for job in kit.pending(wid)] == ["P", "K", "K"]


def test_k55_one_blocked_job_is_no_block_yet(kit: Kit) -> None:
    wid = branches(kit, "reject")
    kit.fail("tr_a", wid, why="refused", sqlstate="WD103")
    assert kit.status(wid) == "R"


def test_w080_a_final_instance_is_not_modified(kit: Kit) -> None:
    wid = branches(kit, "cancel")
    other = kit.connect()
    with kit.step(other):
        job = kit.take("tr_b", wid, other)
        kit.run("tr_a", wid, done="yes")
        for changes in ({"b": "0"}, {}):
            with refused("WD102"):
                kit.complete(job, changes, conn=other)
    with refused("WD105"):
        api.instances.cancel(wid, "too late", conn=kit.conn)


def test_w053_exception_when_nothing_follows(kit: Kit) -> None:
    wid = branches(kit, "reject")
    kit.run("tr_a", wid, a="0")
    assert kit.status(wid) == "R", "the other branch is pending (W-075)"
    assert kit.run("tr_b", wid, b="0").status == "E"
    assert kit.jobs(wid) == ["_EXCPT"]
