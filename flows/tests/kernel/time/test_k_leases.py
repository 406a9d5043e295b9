"""Leases outlive their session, expire, can be extended and given back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_k08_lease_survives_the_session(one: Kit) -> None:
    wid = one.start(a="1")
    holder = one.connect()
    job = one.lease("tr_x", conn=holder)
    holder.close()
    assert (job.claim is not None, one.pending(wid)[0].lckid) == (True, "tester")
    assert one.complete(job, {"a": "2"}).status == "F"


def test_k08_no_other_worker_gets_a_leased_job(one: Kit) -> None:
    wid = one.start(a="1")
    one.lease("tr_x")
    assert api.jobs.take_many(one.name, ["tr_x"], 5, conn=one.conn) == []
    assert api.jobs.lease_many(one.name, ["tr_x"], 5, "other", conn=one.conn) == []
    assert api.jobs.offer(one.name, ["tr_x"], conn=one.conn) == []
    with refused("WD203"), one.conn.transaction():
        one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid])


def test_k09_a_late_lease_is_refused_without_any_reaper(one: Kit) -> None:
    wid = one.start(a="1")
    job = one.lease("tr_x")
    one.clock("61 seconds")
    with refused("WD204"):
        one.complete(job, {"a": "2"})
    with refused("WD204"):
        api.jobs.extend(job, timedelta(minutes=1), conn=one.conn)
    with refused("WD204"):
        api.jobs.release(job, conn=one.conn)
    assert one.state(wid) == {"a": "1"}


def test_k11_an_expired_lease_is_offered_again(one: Kit) -> None:
    wid = one.start(a="1")
    old = one.lease("tr_x")
    assert one.reap("59 seconds")["expired"] == 0
    assert one.reap("61 seconds")["expired"] == 1
    assert one.logged(wid) == ["expired"]
    new = one.lease("tr_x")
    assert (new.id, new.attempts) == (old.id, 1)
    assert new.claim is not None and old.claim is not None and new.claim != old.claim
    with refused("WD203"):
        one.complete(old, {"a": "0"})
    assert one.complete(new, {"a": "2"}).status == "F"


def test_k11_attempts_used_up_by_the_reaper(one: Kit) -> None:
    wid = one.start(a="1")
    for minutes in (2, 4, 6):
        one.lease("tr_x")
        assert one.reap(f"{minutes} minutes")["expired"] == 1
    assert (one.status(wid), one.instance(wid).reason) == ("E", "ATTEMPTS")


def test_k27_a_token_of_an_earlier_firing_is_refused(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n < 9", timeout="1 minute", backoff="0")
    wid = kit.start()
    stale = kit.lease("tr_n")
    kit.reap("2 minutes")
    kit.complete(kit.lease("tr_n"), {"n": 1})
    fresh = kit.lease("tr_n")
    for forged in (stale, stale._replace(id=fresh.id), fresh._replace(claim=None)):
        with refused("WD203", "WD205"):
            kit.complete(forged, {"n": 1})
        assert api.jobs.fail(forged, "no", conn=kit.conn) is None
    assert kit.state(wid) == {"n": 1}
    assert kit.complete(fresh, {"n": 2}).seq == 3


def test_k57_release_is_no_attempt(one: Kit) -> None:
    wid = one.start(a="1")
    job = one.lease("tr_x")
    api.jobs.release(job, actor="ann", conn=one.conn)
    row = one.pending(wid)[0]
    assert (row.state, row.attempts, row.claim, row.lckid) == ("P", 0, None, None)
    assert one.logged(wid) == ["released"]
    with refused("WD203"):
        api.jobs.release(job, conn=one.conn)
    assert one.lease("tr_x").claim != job.claim


def test_k08_extend_moves_the_expiry(one: Kit) -> None:
    one.start(a="1")
    job = one.lease("tr_x", duration=timedelta(minutes=1))
    one.clock("50 seconds")
    until = api.jobs.extend(job, timedelta(minutes=5), conn=one.conn)
    assert job.deadline is not None and until > job.deadline
    assert one.reap("2 minutes")["expired"] == 0
    assert one.complete(job, {"a": "2"}).status == "F"
    with refused("WD205"):
        api.jobs.extend(job, timedelta(minutes=5), conn=one.conn)


@pytest.mark.parametrize("duration", [timedelta(0), timedelta(seconds=-1)])
def test_k22_leases_are_longer_than_nothing(one: Kit, duration: timedelta) -> None:
    one.start(a="1")
    with refused("WD009"):
        api.jobs.lease_many(one.name, ["tr_x"], 1, "h", duration=duration, conn=one.conn)
    job = one.lease("tr_x")
    with refused("WD009"):
        api.jobs.extend(job, duration, conn=one.conn)
