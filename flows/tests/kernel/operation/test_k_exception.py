"""The exception state and the ways out of it (K-12, K-61)."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def stuck(kit: Kit) -> tuple[Kit, int]:
    """A flow with an instance that is stuck: no condition holds."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = 'end'")
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="lost")
    return kit, wid


def test_w074_nothing_follows(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "STUCK")
    job = kit.pending(wid)[0]
    assert (job.trname, job.tgid, job.payload) == ("_EXCPT", 0, {"a": "lost"})
    row = kit.trace(wid)[-1]
    assert (row.trf, row.status) == ([], "E"), "the exception job is not listed as fired"


def test_k12_exception_again_then_running_then_final_by_the_api(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    first = kit.pending(wid)[0].id
    assert kit.run("_EXCPT", wid, a="still lost").status == "E"
    assert kit.pending(wid)[0].id > first, "a job of its own each time"
    assert kit.run("_EXCPT", wid, a="1").status == "R"
    assert kit.instance(wid).reason is None
    assert kit.run("tr_x", wid, a="end").status == "F"
    assert kit.story(wid) == [
        ("_INIT", ["tr_x"], "R"),
        ("tr_x", [], "E"),
        ("_EXCPT", [], "E"),
        ("_EXCPT", ["tr_x"], "R"),
        ("tr_x", [], "F"),
    ]


def test_k12_the_same_by_the_papers_lock(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    for value, status in (("still lost", "E"), ("1", "R")):
        with kit.conn.transaction():
            row = kit.rows("select wid, tgid from {f}.job_pool where trname = '_EXCPT'")[0]
            assert kit.lock(kit.conn, row.wid, row.tgid)
            kit.rows("update {f}.wed_flow set a = %s where wid = %s", (value, wid))
        assert kit.status(wid) == status
    assert [row.trw for row in kit.trace(wid)][2:] == ["_EXCPT", "_EXCPT"]


def test_k12_straight_to_final(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    assert kit.run("_EXCPT", wid, a="end").status == "F"
    assert kit.jobs(wid) == []


def test_k12_a_plain_update_of_an_exception_is_refused(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    with refused("WD201"):
        kit.rows("update {f}.wed_flow set a = '1' where wid = %s", [wid])
    assert kit.status(wid) == "E"


def test_k12_the_exception_job_may_be_leased(stuck: tuple[Kit, int]) -> None:
    kit, _ = stuck
    assert kit.complete(kit.lease("_EXCPT"), {"a": "end"}).status == "F"


def test_k12_a_failed_repair_is_tried_again_for_ever(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    for hours in range(1, 9):
        kit.clock(f"{hours * 2} hours")
        result = kit.fail("_EXCPT", wid, why="unknown")
        assert result is not None and not result.parked
    assert kit.jobs(wid) == ["_EXCPT"]


def test_k61_other_instances_go_on(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    other = kit.start(a="1")
    assert kit.run("tr_x", other, a="end").status == "F"
    assert kit.status(wid) == "E"


def test_w008_cancel_ends_an_exception(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    api.instances.cancel(wid, "obsolete", conn=kit.conn)
    assert (kit.status(wid), kit.jobs(wid)) == ("C", [])


def test_w078_the_exception_is_notified_on_its_channel(stuck: tuple[Kit, int]) -> None:
    kit, _ = stuck
    listener = kit.connect()
    listener.execute('listen "_EXCPT"')
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="lost")
    notifications = list(listener.notifies(timeout=60, stop_after=1))
    assert f'"wid" : {wid}' in notifications[0].payload or f'"wid": {wid}' in notifications[0].payload
