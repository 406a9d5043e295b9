"""Re-matching and publishing end exceptions whose reason is gone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.tests.kit import Kit, broken, tgid

pytestmark = pytest.mark.kernel


def parked(kit: Kit) -> int:
    """Return an instance with a parked job, and another job that is ready."""
    kit.attrs("a", "b")
    kit.trig("tr_bad", "a = '1'", max_attempts=1, backoff="0")
    kit.trig("tr_good", "b = '1'")
    kit.final("b = 'end'")
    wid = kit.start(a="1", b="1")
    with kit.conn.transaction():
        kit.fail("tr_bad", wid, why="no")
    assert (kit.status(wid), kit.jobs(wid)) == ("E", ["_EXCPT", "tr_bad", "tr_good"])
    kit.rows("update {f}.wed_trig set enabled = false where trname = 'tr_bad'")
    return wid


def withdraw(kit: Kit) -> None:
    kit.one("select wedsql.withdraw(%s, %s)", (kit.name, tgid(kit, "tr_bad")))


def publish(kit: Kit) -> None:
    definition = api.flows.definition(kit.name, conn=kit.conn)
    definition["triggers"] = [t for t in definition["triggers"] if t.get("transition") != "tr_bad"]
    kit.publish(definition)


@pytest.mark.parametrize("gone", [withdraw, publish])
@pytest.mark.parametrize(("end", "status"), [("end", "F"), ("1", "R")])
def test_k61_a_parked_job_goes_and_the_exception_with_it(
    kit: Kit, gone: Callable[[Kit], None], end: str, status: str
) -> None:
    wid = parked(kit)
    gone(kit)
    assert (kit.status(wid), kit.jobs(wid)) == ("R", ["tr_good"])
    assert kit.trace(wid)[-1].trw == "_REMATCH"
    kit.run("tr_good", wid, b=end)
    assert (kit.status(wid), "_EXCPT" in kit.jobs(wid)) == (status, False)
    assert broken(kit) == []


def test_k61_a_parked_job_that_its_own_commit_withdraws(kit: Kit) -> None:
    """With revalidate = withdraw a result of another job withdraws the parked one."""
    kit.attrs("a", "b")
    kit.trig("tr_bad", "a = '1'", max_attempts=1, backoff="0", revalidate="withdraw")
    kit.trig("tr_good", "b = '1'")
    wid = kit.start(a="1", b="1")
    with kit.step():
        job = kit.take("tr_bad", wid)
        api.jobs.fail(job, "no", conn=kit.conn)
    assert kit.status(wid) == "E"
    kit.run("tr_good", wid, a="0")
    assert (kit.status(wid), kit.jobs(wid)) == ("R", ["tr_good"])
    assert broken(kit) == []


def ghost(kit: Kit, status: str) -> int:
    """Return an instance with an `_EXCPT` job but no exception, as an older kernel could leave it."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = 'end'")
    wid = kit.start(a="1" if status == "R" else "end")
    kit.rows("set role wed_owner")
    kit.rows(
        "insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, version)"
        " values (%s, 0, %s, '_EXCPT', '{}', now(), 1, 1)",
        (wid, kit.id),
    )
    kit.rows("reset role")
    assert broken(kit) == ["I5"]
    return wid


@pytest.mark.parametrize("status", ["R", "F"])
def test_k61_rematch_removes_an_exception_job_without_an_exception(kit: Kit, status: str) -> None:
    wid = ghost(kit, status)
    steps = len(kit.trace(wid))
    api.instances.rematch(kit.name, conn=kit.conn)
    assert broken(kit) == []
    assert (kit.status(wid), len(kit.trace(wid))) == (status, steps)


def test_k61_rematch_ends_an_exception_that_has_only_ready_work(kit: Kit) -> None:
    """An older kernel deleted the parked job and left the instance an exception."""
    wid = parked(kit)
    kit.rows("set role wed_owner")
    kit.rows("delete from wedsql.job_pool where wid = %s and state = 'K'", [wid])
    kit.rows("reset role")
    api.instances.rematch(kit.name, conn=kit.conn)
    assert (kit.status(wid), kit.jobs(wid)) == ("R", ["tr_good"])
