"""R6 and R7: steps are undone down to a step, or one step with what depends on it."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def line(kit: Kit) -> Kit:
    """Three steps in a row: x by a transition, y without a compensation, z by the kernel."""
    kit.attrs("x", "y", "z", "seen")
    kit.trig("tr_x", "x is null", compensation="transition", compensated_by="tr_un_x")
    kit.trig("tr_y", "x = '1' and y is null", fire_once=True)
    kit.trig("tr_z", "y is not null and z is null", compensation="inverse")
    kit.trig("tr_end", "z is not null")
    kit.final("z = 'end'")
    return kit


def ran(kit: Kit) -> int:
    wid = kit.start()
    for transition, changes in (("tr_x", {"x": "1"}), ("tr_y", {"y": "1"}), ("tr_z", {"z": "1"})):
        kit.run(transition, wid, **changes)
    return wid


def test_r6_the_state_of_the_step_returns_and_its_conditions_fire_again(line: Kit) -> None:
    wid = ran(line)
    assert api.compensations.roll_back(wid, 2, "Wrong y.", actor="olga", conn=line.conn) == "R"
    assert line.state(wid) == {"x": "1", "y": None, "z": None, "seen": None}
    assert [(row.trw, row.status, row.compensates_seq, row.cause_seq) for row in line.trace(wid)[4:]] == [
        ("_RECOVER:rollback", "X", None, 2),
        ("_COMP:tr_z", "X", 4, 5),
        ("_RECOVER:rollback", "R", None, 2),
    ]
    assert line.jobs(wid) == ["tr_y"]  # although it fires once: its firing was undone
    assert broken(line) == []
    line.run("tr_y", wid, y="2")
    line.run("tr_z", wid, z="2")
    assert line.run("tr_end", wid, z="end").status == "F"
    assert broken(line) == []


def test_r6_what_a_compensation_wrote_stays(line: Kit) -> None:
    wid = ran(line)
    assert api.compensations.roll_back(wid, 1, "No.", conn=line.conn) == "X"
    line.run("tr_un_x", wid, seen="refunded")
    assert line.state(wid) == {"x": None, "y": None, "z": None, "seen": "refunded"}
    assert (line.status(wid), line.jobs(wid)) == ("R", ["tr_x"])
    assert broken(line) == []


def test_r6_held_at_the_step_until_it_is_resumed(line: Kit) -> None:
    wid = ran(line)
    assert api.compensations.roll_back(wid, 2, "Look first.", hold=True, conn=line.conn) == "S"
    assert (line.status(wid), line.jobs(wid)) == ("S", [])
    assert broken(line) == []
    api.operations.resume(wid, "Go on.", conn=line.conn)
    assert (line.status(wid), line.jobs(wid)) == ("R", ["tr_y"])
    assert broken(line) == []


def test_r6_a_step_is_compensated_once(line: Kit) -> None:
    wid = ran(line)
    api.compensations.roll_back(wid, 1, "No.", conn=line.conn)
    line.run("tr_un_x", wid, x=None)
    assert api.compensations.roll_back(wid, 1, "No.", conn=line.conn) == "R"
    compensated = [row.compensates_seq for row in line.trace(wid) if row.compensates_seq]
    assert compensated == [4, 2]
    line.run("tr_x", wid, x="1")
    planned = api.compensations.list(wid, "rollback", 1, conn=line.conn)
    assert [one.seq for one in planned] == [line.instance(wid).seq]


@pytest.mark.parametrize("seq", [0, 5, -1])
def test_r6_a_step_that_does_not_exist(line: Kit, seq: int) -> None:
    wid = ran(line)
    for operation in (api.compensations.roll_back, api.compensations.compensate):
        with refused("WD110"):
            operation(wid, seq, "No.", conn=line.conn)
    assert (line.status(wid), len(line.trace(wid))) == ("R", 4)


def test_r6_a_pivot_lies_between(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null", **{"class": "pivot"})
    kit.trig("tr_y", "a = '1' and b is null")
    kit.trig("tr_z", "b = '1'")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    kit.run("tr_y", wid, b="1")
    with refused("WD111"):
        api.compensations.roll_back(wid, 1, "No.", conn=kit.conn)
    assert api.compensations.roll_back(wid, 2, "Only y.", conn=kit.conn) == "R"
    assert (kit.state(wid)["b"], kit.jobs(wid)) == (None, ["tr_y"])


def test_r6_an_instance_that_has_ended(line: Kit) -> None:
    wid = ran(line)
    line.run("tr_end", wid, z="end")
    for operation in (api.compensations.roll_back, api.compensations.compensate):
        with refused("WD105"):
            operation(wid, 2, "No.", conn=line.conn)
    with refused("WD104"):
        api.compensations.roll_back(2_000_000_000, 1, "No.", conn=line.conn)
    with refused("WD009"):
        api.compensations.roll_back(wid, 1, " ", conn=line.conn)


def test_r6_an_exception_and_its_repairs_are_undone(line: Kit) -> None:
    wid = ran(line)
    line.rows("update {f}.wed_trig set enabled = false where trname = 'tr_end'")
    line.run("tr_end", wid, seen="1")
    assert line.status(wid) == "E"
    line.run("_EXCPT", wid, z="3")
    assert api.compensations.roll_back(wid, 2, "No.", conn=line.conn) == "R"
    assert line.state(wid) == {"x": "1", "y": None, "z": None, "seen": None}
    assert broken(line) == []


@pytest.fixture
def fork(kit: Kit) -> Kit:
    """Two branches, p and q, that meet in tr_join."""
    kit.attrs("p", "q", "p2", "joined")
    undo = {"compensation": "transition"}
    kit.trig("tr_p", "p is null", compensated_by="tr_un_p", **undo)
    kit.trig("tr_q", "q is null", compensated_by="tr_un_q", **undo)
    kit.trig("tr_p2", "p = '1' and p2 is null", compensation="inverse")
    kit.trig("tr_join", "p2 = '1' and q = '1' and joined is null", compensated_by="tr_un_join", **undo)
    kit.trig("tr_late", "q = '1'", due_after="2 hours", fire_once=True)
    return kit


def job_of(kit: Kit, wid: int, transition: str) -> Any:
    return next(job for job in kit.pending(wid) if job.trname == transition)


@pytest.mark.mode("single", "held", "lease", why="batch compares times of jobs that waited")
def test_r7_the_other_branch_stays_untouched(fork: Kit) -> None:
    wid = fork.start()
    fork.run("tr_p", wid, p="1")
    fork.run("tr_p2", wid, p2="1")
    before = job_of(fork, wid, "tr_q").id
    assert api.compensations.compensate(wid, 2, "Wrong p.", conn=fork.conn) == "X"
    assert [(job.trname, job.state) for job in fork.pending(wid)] == [("tr_un_p", "P"), ("tr_q", "S")]
    assert broken(fork) == []
    with refused("WD212"):
        api.operations.retry_job(wid, before, "Now.", conn=fork.conn)
    fork.run("tr_un_p", wid, p=None)
    assert fork.status(wid) == "R"
    assert job_of(fork, wid, "tr_q").id == before
    assert fork.jobs(wid) == ["tr_p", "tr_q"]
    assert broken(fork) == []


def test_r7_what_depends_on_the_step_is_undone_with_it(fork: Kit) -> None:
    wid = fork.start()
    for transition, changes in (("tr_p", {"p": "1"}), ("tr_p2", {"p2": "1"}), ("tr_q", {"q": "1"})):
        fork.run(transition, wid, **changes)
    fork.run("tr_join", wid, joined="1")  # fired by tr_q, and reads what tr_p2 wrote
    assert [one.seq for one in api.compensations.list(wid, "compensate", 2, conn=fork.conn)] == [5, 3, 2]
    assert [one.seq for one in api.compensations.list(wid, "compensate", 4, conn=fork.conn)] == [5, 4]
    api.compensations.compensate(wid, 2, "Wrong p.", conn=fork.conn)
    fork.run("tr_un_join", wid)
    fork.run("tr_un_p", wid)
    assert fork.state(wid) == {"p": None, "q": "1", "p2": None, "joined": None}
    assert fork.jobs(wid) == ["tr_p"]
    assert broken(fork) == []
    fork.run("tr_p", wid, p="1")
    fork.run("tr_p2", wid, p2="1")
    assert fork.jobs(wid) == ["tr_join"]


def test_r7_clocks_of_the_other_branch_stand_still(fork: Kit) -> None:
    wid = fork.start()
    fork.run("tr_p", wid, p="1")
    fork.run("tr_q", wid, q="1")
    fork.clock("1 hour")
    api.compensations.compensate(wid, 2, "Wrong p.", conn=fork.conn)
    assert fork.reap("100 hours")["timers"] == 0
    fork.run("tr_un_p", wid, p=None)
    assert (fork.reap("100 hours 59 minutes")["timers"], fork.reap("101 hours 1 minute")["timers"]) == (0, 1)
    assert "tr_late" in fork.jobs(wid)
    assert broken(fork) == []


def test_r7_what_another_branch_wrote_later_stays(kit: Kit) -> None:
    kit.attrs("a", "b", "c")
    kit.trig("tr_x", "a is null", compensation="inverse")
    kit.trig("tr_y", "b is null")
    kit.trig("tr_z", "a is not null and c is null")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    kit.run("tr_y", wid, a="2", b="1")
    assert api.compensations.compensate(wid, 2, "No.", conn=kit.conn) == "R"
    assert kit.state(wid) == {"a": "2", "b": "1", "c": None}
    with refused("WD110"):
        api.compensations.compensate(wid, 2, "Again.", conn=kit.conn)
    with refused("WD110"):
        api.compensations.compensate(wid, 1, "Not a transition's.", conn=kit.conn)
    assert broken(kit) == []


def test_r7_what_the_step_fired_is_undone_although_it_read_nothing_of_it(kit: Kit) -> None:
    kit.attrs("b", "c")
    kit.trig("tr_y", "c is null", compensation="inverse")
    wid = kit.start()
    kit.run("tr_y", wid, b="1")
    kit.run("tr_y", wid, b="2")
    assert [one.seq for one in api.compensations.list(wid, "compensate", 2, conn=kit.conn)] == [3, 2]
    api.compensations.compensate(wid, 2, "No.", conn=kit.conn)
    assert (kit.state(wid), kit.jobs(wid)) == ({"b": None, "c": None}, ["tr_y"])
    assert broken(kit) == []
