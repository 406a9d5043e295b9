"""Permanent rejections of the paper's clients, whose UPDATE also rolls back the record of the error.

So the kernel records the rejection outside the transaction, and the reaper acts on it (K-26, K-55).
"""

from __future__ import annotations

import psycopg
import pytest

from flows.tests.kit import Kit, refused, tgid

pytestmark = pytest.mark.kernel


def update(kit: Kit, transition: str, wid: int, change: str, conn: psycopg.Connection | None = None) -> None:
    """Do a whole step as the paper's client does: lock, UPDATE, COMMIT."""
    used = conn or kit.conn
    with used.transaction():
        assert kit.lock(used, wid, tgid(kit, transition))
        kit.rows(f"update {{f}}.wed_flow set {change} where wid = %s", [wid], used)


def stale(kit: Kit, revalidate: str = "at_take") -> int:
    """Return an instance with a job of tr_a whose condition no longer holds, and one of tr_b."""
    kit.attrs("a", "b")
    kit.trig("tr_a", "a = '1'", revalidate=revalidate)
    kit.trig("tr_b", "b = '1'")
    kit.final("a = '2' and b = '2'")
    wid = kit.start(a="1", b="1")
    update(kit, "tr_b", wid, "a = '0'")
    return wid


def block(kit: Kit, policy: str = "reject") -> int:
    """Return an instance with two jobs, each of which could make it final while the other is pending."""
    kit.policy(final_when_pending=policy)
    kit.attrs("a", "b", "done")
    kit.trig("tr_a", "a = '1'", max_attempts=5)
    kit.trig("tr_b", "b = '1'", max_attempts=5)
    kit.final("done = 'yes'")
    return kit.start(a="1", b="1")


def test_k26_an_update_for_a_stale_job_is_refused(kit: Kit) -> None:
    wid = stale(kit)
    before = (kit.state(wid), kit.story(wid), kit.jobs(wid))
    with refused("WD205") as why:
        update(kit, "tr_a", wid, "a = '2'")
    assert "tr_a" in why.message and "no longer holds" in why.message
    assert (kit.state(wid), kit.story(wid), kit.jobs(wid)) == before


def test_k26_without_the_option_it_is_accepted(kit: Kit) -> None:
    wid = stale(kit, "none")
    update(kit, "tr_a", wid, "a = '2'")
    assert kit.state(wid)["a"] == "2"


def test_k26_a_job_whose_condition_holds_is_accepted(kit: Kit) -> None:
    wid = stale(kit)
    update(kit, "tr_b", wid, "a = '1'")
    update(kit, "tr_a", wid, "a = '2'")
    assert kit.state(wid)["a"] == "2"


def test_k26_the_reaper_drops_what_was_refused_as_stale(kit: Kit) -> None:
    wid = stale(kit)
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    kit.reap()
    assert kit.jobs(wid) == ["tr_b"] and kit.logged(wid) == ["withdrawn"]


def test_k26_the_last_job_makes_an_exception(kit: Kit) -> None:
    wid = stale(kit)
    update(kit, "tr_b", wid, "b = '0'")
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    kit.reap()
    assert (kit.status(wid), kit.jobs(wid)) == ("E", ["_EXCPT"])


def test_k26_what_holds_again_is_left_alone(kit: Kit) -> None:
    wid = stale(kit)
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    update(kit, "tr_b", wid, "a = '1'")
    kit.reap()
    assert kit.jobs(wid) == ["tr_a", "tr_b"]


def test_k26_a_held_job_is_left_for_another_round(kit: Kit) -> None:
    wid = stale(kit)
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    holder = kit.connect()
    with holder.transaction():
        assert kit.lock(holder, wid, tgid(kit, "tr_a"))
        kit.reap()
        assert kit.jobs(wid) == ["tr_a", "tr_b"]
    kit.reap()
    assert kit.jobs(wid) == ["tr_b"]


def test_k55_two_jobs_that_block_each_other_become_an_exception(kit: Kit) -> None:
    wid = block(kit)
    for transition in ("tr_a", "tr_b"):
        assert kit.status(wid) == "R", "one blocked job is no block yet"
        with refused("WD103"):
            update(kit, transition, wid, "done = 'yes'")
        kit.reap()
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "FINAL_BLOCKED")
    assert kit.jobs(wid) == ["_EXCPT", "tr_a", "tr_b"]
    assert [job.attempts for job in kit.pending(wid)] == [0, 0, 0], "a refusal is no failed attempt"
    assert kit.state(wid)["done"] is None


def test_k55_many_refusals_of_one_job_do_not_hide_the_other(kit: Kit) -> None:
    """A client that retries at once is rejected many times between two rounds; the other one once."""
    wid = block(kit)
    while len({job.id // 16 for job in kit.pending(wid)}) > 1:  # same id // 16: different slots
        wid = kit.start(a="1", b="1")
    for transition in ["tr_b", *["tr_a"] * 50]:
        with refused("WD103"):
            update(kit, transition, wid, "done = 'yes'")
    kit.reap()
    assert kit.status(wid) == "E"


def test_k55_a_refusal_counts_beside_a_reported_one(kit: Kit) -> None:
    wid = block(kit)
    kit.fail("tr_a", wid, why="refused", sqlstate="WD103")
    with refused("WD103"):
        update(kit, "tr_b", wid, "done = 'yes'")
    kit.reap()
    assert kit.instance(wid).reason == "FINAL_BLOCKED"


def test_k55_a_job_that_fired_again_was_not_refused(kit: Kit) -> None:
    """The rejection is of one job, not of the next one of its transition."""
    wid = block(kit)
    with refused("WD103"):
        update(kit, "tr_a", wid, "done = 'yes'")
    update(kit, "tr_a", wid, "a = '1'")
    kit.fail("tr_b", wid, why="refused", sqlstate="WD103")
    kit.reap()
    assert kit.status(wid) == "R"


def test_k55_another_reason_since_then_counts(kit: Kit) -> None:
    """A rejection is acted on once: an old one does not replace a later failure."""
    wid = block(kit)
    with refused("WD103"):
        update(kit, "tr_a", wid, "done = 'yes'")
    kit.reap()
    kit.fail("tr_a", wid, why="no network")
    kit.reap()
    kit.fail("tr_b", wid, why="refused", sqlstate="WD103")
    kit.reap()
    assert kit.status(wid) == "R"


def test_a_refusal_on_a_locked_instance_is_kept_for_the_next_round(kit: Kit) -> None:
    wid = stale(kit)
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    locker = kit.connect()
    with locker.transaction():
        kit.rows("select from {f}.wed_flow where wid = %s for update", [wid], locker)
        kit.reap()
    kit.reap()
    assert kit.jobs(wid) == ["tr_b"]


def test_f5_a_refusal_that_cannot_be_acted_on_is_reported(kit: Kit) -> None:
    wid = stale(kit)
    with refused("WD205"):
        update(kit, "tr_a", wid, "a = '2'")
    kit.rows(
        "create or replace function public.poison() returns trigger language plpgsql as $$"
        " begin raise exception 'a poisoned item'; end $$"
    )
    of = f"before delete on wedsql.job_pool for each row when (old.wid = {wid})"
    kit.rows(f"create trigger poison {of} execute function public.poison()")
    try:
        kit.reap()
    finally:
        kit.rows("drop trigger poison on wedsql.job_pool")
    trouble = "select kind, wid, message from wedsql.trouble where wid = %s"
    assert kit.rows(trouble, [wid]) == [("refused", wid, "a poisoned item")]
