"""Operations by which an instance goes on: patch (R2), complete (R4), accept (R12), branch (R14)."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.tests.kernel.test_k_repair import everything, job_of, park
from flows.errors import WedError
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.attr("n", kind="integer")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=1, writes=["a", "n"])
    kit.trig("tr_y", "b = '1'")
    kit.trig("tr_z", "a = '3'")
    kit.final("a = 'end'")
    return kit


def do(kit: Kit, wid: int, operation: str, reason: str = "Why.", **arguments: Any) -> Any:
    """Preview an operation, perform it, and compare what both say."""
    shown = api.repairs.preview(wid, operation, arguments, conn=kit.conn)
    done = api.repairs.repair(
        wid, operation, arguments, reason, actor="ana", expected_seq=shown.seq, conn=kit.conn
    )
    assert shown.refusal is None
    if "instance" not in done.facts:
        assert [row.trw for row in kit.trace(wid)][shown.seq :] == shown.steps
        assert shown.status_after == done.status == kit.status(wid)
        assert {name: kit.state(wid)[name] for name in shown.after} == shown.after
    assert broken(kit) == []
    return done


def denied(kit: Kit, code: str, wid: int, operation: str, **arguments: Any) -> None:
    """Assert that an operation is refused, in its preview as well, and changes nothing."""
    before = everything(kit)
    shown = api.repairs.preview(wid, operation, arguments, conn=kit.conn)
    assert shown.refusal is not None and shown.refusal.code == code, shown.refusal
    with refused(code):
        api.repairs.repair(wid, operation, arguments, "x", conn=kit.conn)
    assert everything(kit) == before


def stuck(kit: Kit) -> int:
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="7")
    return wid


def test_r2_patch_an_exception_runs_again(shop: Kit) -> None:
    wid = stuck(shop)
    shown = api.repairs.preview(wid, "patch", {"changes": {"a": "3", "n": "5"}}, conn=shop.conn)
    assert (shown.before, shown.after) == ({"a": "7", "n": None}, {"a": "3", "n": 5})
    assert [fired.transition for fired in shown.fires] == ["tr_z"]
    assert shown.became_true == [shown.fires[0].trigger] and shown.became_false == []
    assert do(shop, wid, "patch", changes={"a": "3", "n": "5"}).status == "R"
    row = shop.trace(wid)[-1]
    assert (row.trw, row.actor, row.reason, row.tgid) == ("_RECOVER:patch", "ana", "Why.", 0)
    assert (row.before, row.trf) == ({"a": "7", "n": None}, ["tr_z"])
    assert shop.jobs(wid) == ["tr_z"]


@pytest.mark.parametrize(("value", "status"), [("end", "F"), ("8", "E")])
def test_r2_patch_makes_it_final_or_an_exception_again(shop: Kit, value: str, status: str) -> None:
    wid = stuck(shop)
    assert do(shop, wid, "patch", changes={"a": value}).status == status
    assert shop.jobs(wid) == (["_EXCPT"] if status == "E" else [])


def test_r2_patch_removes_parked_jobs(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    parked = park(shop, wid)
    shown = api.repairs.preview(wid, "patch", {"changes": {"a": "3"}}, conn=shop.conn)
    assert [job.id for job in shown.withdrawn] == [parked] and len(shown.became_false) == 1
    assert do(shop, wid, "patch", changes={"a": "3"}).status == "R"
    assert shop.jobs(wid) == ["tr_y", "tr_z"]


def test_r2_patch_is_refused(shop: Kit) -> None:
    wid = stuck(shop)
    denied(shop, "WD002", wid, "patch", changes={"aa": "1"})
    denied(shop, "WD003", wid, "patch", changes={"n": "many"})
    denied(shop, "WD107", wid, "patch", changes={"a": "x" * 1_100_000})
    running = shop.start(a="1")
    denied(shop, "WD212", running, "patch", changes={"a": "3"})
    api.operations.suspend(wid, "x", conn=shop.conn)
    denied(shop, "WD105", wid, "patch", changes={"a": "3"})
    shop.run("tr_x", running, a="end")
    denied(shop, "WD105", running, "patch", changes={"a": "3"})


def test_r2_patch_writes_only_what_may_be_repaired(shop: Kit) -> None:
    wid = stuck(shop)
    shop.rows("update {f}.wed_attr set repairable = false where aname = 'n'")
    denied(shop, "WD210", wid, "patch", changes={"n": 5})
    assert do(shop, wid, "patch", changes={"a": "3"}).status == "R"


def test_r2_patch_is_refused_where_the_state_would_be_final_with_work_pending(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    park(shop, wid)
    denied(shop, "WD103", wid, "patch", changes={"a": "end"})


def test_r2_patch_waits_for_whoever_repairs_it_already(shop: Kit) -> None:
    wid = stuck(shop)
    held = shop.lease("_EXCPT")
    denied(shop, "WD203", wid, "patch", changes={"a": "3"})
    do(shop, wid, "release", job=held.id)
    assert do(shop, wid, "patch", changes={"a": "3"}).status == "R"
    with refused("WD205"):
        api.jobs.complete(held, {"a": "end"}, conn=shop.conn)
    other, session = stuck(shop), shop.connect()
    with session.transaction(force_rollback=True):
        assert shop.lock(session, other, 0)
        denied(shop, "WD203", other, "patch", changes={"a": "3"})


def test_r2_patch_restarts_the_firing_limit(shop: Kit) -> None:
    shop.policy(max_firings=2)
    wid = shop.start(a="1")
    while shop.status(wid) == "R":
        shop.run("tr_x", wid, a="1")
    assert shop.instance(wid).reason == "NO_PROGRESS"
    assert do(shop, wid, "patch", changes={"n": 1}).status == "R"
    assert shop.run("tr_x", wid, a="1").status == "R"


@pytest.mark.parametrize("parked", [False, True])
def test_r4_complete_on_behalf(shop: Kit, parked: bool) -> None:
    wid = shop.start(a="1")
    number = park(shop, wid) if parked else job_of(shop, wid)
    assert do(shop, wid, "complete", job=number, changes={"a": "3"}).status == "R"
    row = shop.trace(wid)[-1]
    assert (row.trw, row.actor, row.reason, row.job_id) == ("tr_x", "ana", "Why.", number)
    assert (row.cause_seq, row.before, row.trf) == (1, {"a": "1"}, ["tr_z"])
    assert shop.jobs(wid) == ["tr_z"]


def test_r4_complete_without_changes(shop: Kit) -> None:
    wid = shop.start(b="1")
    assert do(shop, wid, "complete", job=job_of(shop, wid, "tr_y")).status == "R"
    assert shop.trace(wid)[-1].trf == ["tr_y"], "its condition still holds"


def test_r4_complete_is_refused(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid)
    denied(shop, "WD210", wid, "complete", job=number, changes={"b": "2"})
    denied(shop, "WD002", wid, "complete", job=number, changes={"aa": "2"})
    denied(shop, "WD003", wid, "complete", job=number, changes={"n": "x"})
    denied(shop, "WD103", wid, "complete", job=number, changes={"a": "end"})
    denied(shop, "WD205", wid, "complete", job=number + 1_000_000)
    exception = stuck(shop)
    denied(shop, "WD212", exception, "complete", job=job_of(shop, exception, "_EXCPT"))
    api.operations.suspend(wid, "x", conn=shop.conn)
    denied(shop, "WD105", wid, "complete", job=number)


def test_r4_complete_of_a_job_that_runs_needs_its_release(shop: Kit) -> None:
    wid = shop.start(a="1")
    held = shop.lease("tr_x")
    denied(shop, "WD203", wid, "complete", job=held.id, changes={"a": "end"})
    do(shop, wid, "release", job=held.id)
    assert do(shop, wid, "complete", job=held.id, changes={"a": "end"}).status == "F"
    other, session = shop.start(a="1"), shop.connect()
    with session.transaction(force_rollback=True):
        job = shop.take("tr_x", other, conn=session)
        denied(shop, "WD203", other, "complete", job=job.id, changes={"a": "end"})


def test_r12_accept_ends_an_exception_as_it_is(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    park(shop, wid)
    state = shop.state(wid)
    assert do(shop, wid, "accept").status == "F"
    row = shop.trace(wid)[-1]
    assert (row.trw, row.actor, row.status, row.state) == ("_RECOVER:accept", "ana", "F", state)
    assert (shop.jobs(wid), shop.instance(wid).finished_at) == ([], row.tstmp)
    denied(shop, "WD105", wid, "accept")


def test_r12_accept_is_for_exceptions(shop: Kit) -> None:
    wid = shop.start(a="1")
    denied(shop, "WD212", wid, "accept")
    exception = stuck(shop)
    shop.lease("_EXCPT")
    denied(shop, "WD203", exception, "accept")
    api.operations.suspend(exception, "x", conn=shop.conn)
    denied(shop, "WD105", exception, "accept")


def test_r14_branch_from_a_step_of_an_ended_instance(shop: Kit) -> None:
    wid = shop.start(a="1", n=4)
    shop.run("tr_x", wid, a="3")
    shop.run("tr_z", wid, a="end")
    before = everything(shop)
    shown = api.repairs.preview(wid, "branch", {"seq": 2}, conn=shop.conn)
    assert everything(shop) == before, "not even the number of an instance is used"
    assert [fired.transition for fired in shown.fires] == ["tr_z"]
    assert (shown.status_before, shown.status_after, shown.after) == ("F", "R", {"a": "3"})
    new = do(shop, wid, "branch", seq=2).facts["instance"]
    assert new > wid and shop.state(new) == {"a": "3", "b": None, "n": 4}
    assert (shop.instance(new).derived_from, shop.status(new), shop.jobs(new)) == (wid, "R", ["tr_z"])
    row = shop.trace(new)[0]
    assert (row.trw, row.reason, row.actor, row.seq) == ("_RECOVER:branch", f"{wid}/2: Why.", "ana", 1)
    assert shop.run("tr_z", new, a="end").status == "F"
    assert (len(shop.trace(wid)), shop.status(wid)) == (3, "F"), "the other one is as it was"
    assert broken(shop) == []


def test_r14_branch_with_a_key_makes_one_instance(shop: Kit) -> None:
    wid = shop.start(a="1", n=4)
    new = do(shop, wid, "branch", seq=1, key="again").facts["instance"]
    before = everything(shop)
    assert do(shop, wid, "branch", seq=1, key="again").facts["instance"] == new
    assert everything(shop) == before
    assert shop.conn.execute("select key from wedsql.instance where wid = %s", [new]).fetchone() == ("again",)
    assert do(shop, wid, "branch", seq=1, key="another").facts["instance"] != new
    denied(shop, "WD009", wid, "branch", seq=1, key="x" * 501)


def test_r14_branch_where_nothing_follows_is_an_exception(shop: Kit) -> None:
    wid = stuck(shop)
    new = do(shop, wid, "branch", seq=2).facts["instance"]
    assert (shop.status(new), shop.jobs(new)) == ("E", ["_EXCPT"])
    assert do(shop, new, "patch", changes={"a": "end"}).status == "F"


def test_r14_branch_under_a_newer_definition(shop: Kit) -> None:
    wid = stuck(shop)
    shop.attr("c", default="new")
    assert shop.state(do(shop, wid, "branch", seq=1).facts["instance"])["c"] == "new"
    denied(shop, "WD104", wid, "branch", seq=9)


def race(kit: Kit, first: Connection, second: Any) -> None:
    """Run `second` in a thread while `first` has its transaction open, commit that, and wait."""
    thread = threading.Thread(target=second)
    thread.start()
    waits = "select exists (select 1 from pg_stat_activity where wait_event_type = 'Lock')"
    while thread.is_alive() and not kit.one(waits):
        time.sleep(0.01)
    first.commit()
    thread.join()


def test_r4_race_of_a_repair_and_the_result_of_the_worker(shop: Kit) -> None:
    """The worker has committed by the time the repair gets the lock: the job is gone."""
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid, "tr_y")
    worker, found = shop.connect(), []
    worker.autocommit = False
    job = shop.take("tr_x", wid, conn=worker)
    api.jobs.complete(job, {"a": "3"}, conn=worker)

    def repair() -> None:
        try:
            api.repairs.repair(wid, "complete", {"job": number}, "x", expected_seq=1, conn=shop.connect())
        except WedError as error:
            found.append(error.code)

    race(shop, worker, repair)
    assert found == ["WD108"] and shop.jobs(wid) == ["tr_y", "tr_z"]
    assert broken(shop) == []


def test_r2_race_of_two_repairs_of_one_exception(shop: Kit) -> None:
    wid = stuck(shop)
    first, found = shop.connect(), []
    first.autocommit = False
    api.repairs.repair(wid, "patch", {"changes": {"a": "3"}}, "first", conn=first)

    def repair() -> None:
        try:
            api.repairs.repair(wid, "patch", {"changes": {"a": "end"}}, "second", conn=shop.connect())
        except WedError as error:
            found.append(error.code)

    race(shop, first, repair)
    assert found == ["WD212"] and shop.state(wid)["a"] == "3"
    assert broken(shop) == []
