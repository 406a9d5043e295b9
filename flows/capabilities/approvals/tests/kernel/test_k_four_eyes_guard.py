"""Four eyes: no way leads around the approvals, whoever repairs an instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from flows import api
from flows.api.repairs import repair
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.approvals.tests.kernel.test_k_four_eyes import (
    LARGE,
    approve,
    needed,
    proposed,
    rules,
    shop,
    stuck,
)
from flows.capabilities.bulk.tests.kernel.test_k_bulk import finish, request
from flows.capabilities.cases.tests.kernel.test_k_case_people import open_case
from flows.capabilities.recovery.tests.kernel.test_k_repair import everything, job_of
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
__all__ = ["shop"]

NEW = {"stage": "paid"}
DOORS: dict[str, tuple[str, Callable[[Kit, Connection, int], Any]]] = {
    "cancel": ("cancel", lambda kit, conn, wid: api.instances.cancel(wid, "x", conn=conn)),
    "suspend": ("suspend", lambda kit, conn, wid: api.operations.suspend(wid, "x", conn=conn)),
    "abort": ("abort", lambda kit, conn, wid: api.compensations.abort(wid, "x", conn=conn)),
    "roll back": ("rollback", lambda kit, conn, wid: api.compensations.roll_back(wid, 1, "x", conn=conn)),
    "compensate": ("compensate", lambda kit, conn, wid: api.compensations.compensate(wid, 2, "x", conn=conn)),
    "rematch": ("rematch", lambda kit, conn, wid: api.instances.rematch(kit.name, [wid], conn=conn)),
    "rematch all": ("rematch", lambda kit, conn, wid: api.instances.rematch(kit.name, conn=conn)),
    "accept": ("accept", lambda kit, conn, wid: repair(wid, "accept", {}, "x", conn=conn)),
    "branch": ("branch", lambda kit, conn, wid: repair(wid, "branch", {"seq": 1}, "x", conn=conn)),
    "patch": ("patch", lambda kit, conn, wid: repair(wid, "patch", {"changes": NEW}, "x", conn=conn)),
    "replay": ("replay", lambda kit, conn, wid: repair(wid, "replay", {"seq": 1}, "x", conn=conn)),
    "migrate": ("migrate", lambda kit, conn, wid: repair(wid, "migrate", {}, "x", conn=conn)),
    "repair": ("cancel", lambda kit, conn, wid: repair(wid, "cancel", {}, "x", conn=conn)),
    "re-match": ("rematch", lambda kit, conn, wid: repair(wid, "rematch", {}, "x", conn=conn)),
}  # fmt: skip


@pytest.mark.parametrize("name", DOORS)
def test_no_function_of_the_pages_repairs_without_the_approvals(
    shop: Kit, web: Connection, name: str
) -> None:
    operation, call = DOORS[name]
    wid = stuck(shop)
    rules(shop, ApprovalRule(1, operations=(operation,)))
    web.execute("select set_config('wedsql.bulk_size', '-9', false)")
    before = everything(shop)
    with refused("WD520"), web.transaction():
        call(shop, web, wid)
    assert everything(shop)["trace"] == before["trace"] and everything(shop)["instance"] == before["instance"]
    rules(shop)
    call(shop, web, wid)
    assert everything(shop)["trace"] != before["trace"] or "rematch" in operation


@pytest.mark.parametrize("operation", ["retry", "withdraw", "extend", "reassign", "skip", "complete"])
def test_nor_does_one_of_a_job(shop: Kit, web: Connection, operation: str) -> None:
    wid = shop.start()
    job = job_of(shop, wid, "tr_pay")
    if operation == "retry":
        shop.fail("tr_pay", wid)
    rules(shop, ApprovalRule(1, operations=(operation,)))
    calls: dict[str, Callable[[], Any]] = {
        "retry": lambda: api.operations.retry_job(wid, job, "x", conn=web),
        "withdraw": lambda: api.operations.withdraw_job(wid, job, "x", conn=web),
        "extend": lambda: api.operations.extend_job(wid, job, 9, "x", conn=web),
        "reassign": lambda: api.operations.reassign_job(wid, job, "ann", "x", conn=web),
        "skip": lambda: api.repairs.repair(wid, "skip", {"job": job}, "x", conn=web),
        "complete": lambda: api.repairs.repair(wid, "complete", {"job": job}, "x", conn=web),
    }
    with refused("WD520"):
        calls[operation]()
    assert needed(shop, wid, operation, **arguments_of(operation, job)) == 1


def arguments_of(operation: str, job: int) -> dict[str, Any]:
    return {"job": job} | {"extend": {"seconds": 9}, "reassign": {"worker": "ann"}}.get(operation, {})


@pytest.mark.parametrize("by", ["repair", "skip_compensation"])
def test_nor_does_one_that_skips_a_compensation(shop: Kit, web: Connection, by: str) -> None:
    shop.rows("update {f}.wed_trig set compensation = 'transition', compensated_by = 'tr_back'"
              " where trname = 'tr_pay'")  # fmt: skip
    wid = stuck(shop)
    assert api.compensations.roll_back(wid, 1, "x", conn=web) == "X"
    rules(shop, ApprovalRule(1, operations=("skip_compensation",)))
    calls: dict[str, Callable[[], Any]] = {
        "repair": lambda: api.repairs.repair(wid, "skip_compensation", {}, "x", conn=web),
        "skip_compensation": lambda: api.compensations.skip(wid, "x", conn=web),
    }
    with refused("WD520"), web.transaction():
        calls[by]()
    assert shop.status(wid) == "X"
    rules(shop)
    calls[by]()
    assert shop.status(wid) == "R" and broken(shop) == []


@pytest.mark.mode("single", "batch", "held", "lease", why="each way to commit")
def test_a_worker_cannot_commit_a_repair_that_needs_approvals(shop: Kit) -> None:
    wid = stuck(shop)
    with refused("WD520"):
        shop.run("_EXCPT", wid, refund=600)
    assert shop.state(wid)["refund"] == 0 and open_case(shop, wid).state == "new"
    shop.rows("rollback")
    shop.run("_EXCPT", wid, refund=500)
    assert shop.state(wid)["refund"] == 500


def test_undone_steps_are_matched_by_what_they_wrote(shop: Kit) -> None:
    wid = shop.start(refund=700)
    shop.run("tr_pay", wid, stage="lost", refund=1)
    for operation, arguments in (("rollback", {"seq": 1}), ("compensate", {"seq": 2}), ("abort", {})):
        seen = api.repairs.preview(wid, operation, arguments, conn=shop.conn)
        assert (seen.refusal, seen.approvals.needed) == (None, 1), operation
    other = stuck(shop, refund=700)
    assert needed(shop, other, "rollback", seq=1) == 0, "the refund was not written"
    made = proposed(shop, wid, operation="rollback", seq=1)
    assert approve(shop, made, "bob").state == "applied" and shop.state(wid)["refund"] == 700


def test_an_operation_on_many_that_needs_approvals_is_refused(shop: Kit) -> None:
    """By the number of instances, and by the state of one of them."""
    rules(shop, ApprovalRule(1, operations=("cancel",), bulk_above=1),
          ApprovalRule(1, operations=("cancel",), condition="refund > 500"))  # fmt: skip
    small, large = shop.start(), shop.start(refund=900)
    for wids in ([small, large], [large]):
        with refused("WD520"):
            request(shop, wids, "cancel")
    made = request(shop, [small], "cancel")
    finish(shop.conn)
    assert [row.result for row in api.bulk.rows(made.id, conn=shop.conn)] == ["done"]


def test_the_tables_are_written_by_the_kernel_only(shop: Kit, web: Connection) -> None:
    for table in ("approval_rule", "proposal", "proposal_vote", "proposal_person", "delegation", "applying"):
        for statement in ("select * from", "delete from", "truncate"):
            with refused("42501"):
                web.execute(f"{statement} wedsql.{table}")
        assert not shop.one(
            "select has_table_privilege('wed_web', %s, 'insert, update')", [f"wedsql.{table}"]
        )
    with refused("42501"):
        web.execute("select wedsql._repair(1, 'cancel', '{}', 'x', 'y', null)")


def test_the_undo_of_a_repair_needs_the_approvals_of_that_operation(shop: Kit) -> None:
    rules(shop, ApprovalRule(1, operations=("accept",)), ApprovalRule(2, "", ("patch",), ("stage",)))
    wid = stuck(shop)
    api.repairs.repair(wid, "patch", {"changes": {"refund": 5}}, "Why.", conn=shop.conn)
    assert needed(shop, wid, "undo") == 0, "the stage is not written"
    api.repairs.repair(wid, "undo", {}, "Why.", conn=shop.conn)
    for operation, arguments, votes in (("patch", {"changes": {"stage": "none"}}, 2), ("accept", {}, 1)):
        found = api.approvals.propose(wid, operation, arguments, "Why.", actor="ann", conn=shop.conn)
        for who in ("bob", "cid")[:votes]:
            approve(shop, found, who)
        before = everything(shop)
        assert needed(shop, wid, "undo") == votes
        with refused("WD520") as why:
            api.repairs.repair(wid, "undo", {}, "Why.", conn=shop.conn)
        assert why.facts["needed"] == votes and everything(shop) == before
        undo = api.approvals.propose(wid, "undo", {}, "Why.", actor="ann", conn=shop.conn)
        for who in ("bob", "cid")[:votes]:
            undo = approve(shop, undo, who)
        assert undo.state == "applied" and shop.status(wid) == "E"
    assert broken(shop) == []


@pytest.fixture
def spending(shop: Kit) -> Kit:
    """The flow, with an automatic transition that refunds 6,000 to what is big; it is not defined yet."""
    shop.attr("big", None, "boolean")
    return shop


@contextmanager
def unseen(kit: Kit, wid: int) -> Iterator[None]:
    """Hide an instance from what the block matches again."""
    set_status = "update wedsql.instance set status = %s where wid = %s"
    kit.rows(set_status, ["F", wid])
    yield
    kit.rows(set_status, ["E", wid])


def spend(kit: Kit) -> None:
    """Define the automatic transition."""
    kit.trig("tr_spend", "big and refund = 0", performer="database", sets="refund = 6000")


AUTOMATIC: dict[str, Callable[[Kit, int], Any]] = {
    "worker": lambda kit, wid: kit.run("_EXCPT", wid, big=True),
    "patch": lambda kit, wid: api.repairs.repair(
        wid, "patch", {"changes": {"big": True}}, "x", conn=kit.conn
    ),
    "roll back": lambda kit, wid: api.compensations.roll_back(wid, 1, "x", conn=kit.conn),
    "rollback": lambda kit, wid: api.repairs.repair(wid, "rollback", {"seq": 1}, "x", conn=kit.conn),
    "replay": lambda kit, wid: api.repairs.repair(wid, "replay", {"seq": 1}, "x", conn=kit.conn),
    "rematch": lambda kit, wid: api.instances.rematch(kit.name, [wid], conn=kit.conn),
    "rematch all": lambda kit, wid: api.instances.rematch(kit.name, conn=kit.conn),
    "re-match": lambda kit, wid: api.repairs.repair(wid, "rematch", {}, "x", conn=kit.conn),
    "branch": lambda kit, wid: api.repairs.repair(wid, "branch", {"seq": 1}, "x", conn=kit.conn),
}


@pytest.mark.parametrize("door", AUTOMATIC)
def test_what_the_database_writes_after_a_repair_is_a_part_of_it(spending: Kit, door: str) -> None:
    """The rules are asked after everything that the commit does, whoever repairs."""
    big = door not in ("worker", "patch")
    wid = stuck(spending, **({"big": True} if big else {}))
    with unseen(spending, wid) if big else nullcontext():  # the new rule does not fire at once
        spend(spending)
    rules(spending, LARGE)
    before = everything(spending)
    with refused("WD520"), spending.conn.transaction():
        AUTOMATIC[door](spending, wid)
    assert everything(spending)["trace"] == before["trace"]
    rules(spending)
    AUTOMATIC[door](spending, wid)
    written = spending.rows("select refund from {f}.wed_flow where refund = 6000")
    assert written, "without a rule it is performed"


@pytest.mark.parametrize("door", AUTOMATIC)
def test_what_a_long_chain_writes_after_a_repair_is_a_part_of_it(spending: Kit, door: str) -> None:
    """A commit performs 250 automatic transitions, and leaves the rest to the reaper, which asks no rule."""
    spending.attr("n", 0, "integer")
    big = door not in ("worker", "patch")
    wid = stuck(spending, **({"big": True} if big else {}))
    with unseen(spending, wid) if big else nullcontext():
        spending.trig("tr_n", "big and n < 260", performer="database", sets="n = n + 1", max_firings=1000)
        spending.trig("tr_spend", "n = 260 and refund = 0", performer="database", sets="refund = 6000")
    rules(spending, LARGE)
    before = everything(spending)
    with refused("WD520"), spending.conn.transaction():
        AUTOMATIC[door](spending, wid)
    spending.reap()
    assert everything(spending)["trace"] == before["trace"]
    assert not spending.rows("select refund from {f}.wed_flow where refund > 0")


def test_a_chain_that_is_too_long_to_be_checked_is_refused(spending: Kit) -> None:
    spending.attr("n", 0, "integer")
    spending.policy(max_firings=10000)
    wid = stuck(spending)
    spending.trig("tr_n", "big", performer="database", sets="n = n + 1", max_firings=10000)
    rules(spending, LARGE)
    with refused("WD520") as why:
        api.repairs.repair(wid, "patch", {"changes": {"big": True}}, "x", conn=spending.conn)
    assert why.facts["limit"] == 2500 and spending.state(wid)["n"] == 0


@pytest.mark.parametrize("by", ["retry", "repair"])
def test_what_the_database_writes_when_a_person_retries_is_a_part_of_it(spending: Kit, by: str) -> None:
    spending.attr("m", 0, "integer")
    wid = spending.start(big=True, stage="paid")
    spending.trig("tr_spend", "big and refund = 0 and m = 0", performer="database", sets="refund = 6000 / m")
    spending.trig("tr_other", "big and refund = 0")
    job = next(each for each in spending.pending(wid) if each.trname == "tr_spend")
    assert job.state == "K"
    spending.rows("update {f}.wed_trig set sets = 'refund = 6000' where trname = 'tr_spend'")
    rules(spending, LARGE)
    before = everything(spending)
    with refused("WD520"), spending.conn.transaction():
        if by == "retry":
            api.operations.retry_job(wid, job.id, "x", conn=spending.conn)
        else:
            api.repairs.repair(wid, "retry", {"job": job.id}, "x", conn=spending.conn)
    spending.reap()
    assert everything(spending)["trace"] == before["trace"] and spending.state(wid)["refund"] == 0


@pytest.mark.parametrize("stage", ["new", "lost"])
@pytest.mark.parametrize("by", ["resume", "repair"])
def test_what_the_database_writes_after_a_resumption_is_a_part_of_it(
    spending: Kit, web: Connection, by: str, stage: str
) -> None:
    wid = spending.start(big=True) if stage == "new" else stuck(spending, big=True)
    api.operations.suspend(wid, "x", conn=spending.conn)
    spend(spending)
    rules(spending, LARGE)

    def resume() -> None:
        if by == "resume":
            api.operations.resume(wid, "x", conn=web)
        else:
            api.repairs.repair(wid, "resume", {}, "x", conn=web)

    before = everything(spending)
    with refused("WD520"), web.transaction():
        resume()
    assert everything(spending)["trace"] == before["trace"] and spending.status(wid) == "S"
    rules(spending)
    resume()
    assert spending.state(wid)["refund"] == 6000


@pytest.mark.parametrize("size", ["abc", "-5", "1.5", "99999999999", "{}", " ", "2147483648", "9 9"])
def test_a_session_that_invents_the_size_of_an_operation_gets_the_rules_all_the_same(
    shop: Kit, web: Connection, size: str
) -> None:
    wid = stuck(shop)
    rules(
        shop, ApprovalRule(1, operations=("suspend",)), ApprovalRule(2, operations=("abort",), bulk_above=1)
    )
    web.execute("select set_config('wedsql.bulk_size', %s, false)", [size])
    with refused("WD520"):
        api.operations.suspend(wid, "x", conn=web)
    assert shop.status(wid) == "E"
