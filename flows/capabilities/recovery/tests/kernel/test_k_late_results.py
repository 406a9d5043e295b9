"""Results that come too late: merged where no other step changed what they write, else for people."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="leases are of no mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("step", "pay", "note")
    kit.attr("amount", kind="integer")
    kit.trig("tr_pay", "step = 'new' and pay is null", max_attempts=3, backoff="1 second")
    kit.trig("tr_other", "step = 'new' and note is null")
    kit.final("step = 'end'")
    return kit


def late(kit: Kit, job: ClaimedJob, **changes: Any) -> Any:
    """Deliver the result of a job, which is rejected, and return the number of the late result, if any."""
    with refused("WD105", "WD203", "WD204", "WD205") as why:
        kit.complete(job, changes)
    return why.facts.get("late")


def decided(kit: Kit, wid: int) -> list[str]:
    """Let the reaper decide, and return the states of all late results."""
    kit.rows("update wedsql.late_result set look_at = '-infinity' where wid = %s and state = 'kept'", [wid])
    api.repairs.decide_late(conn=kit.conn)
    return [one.state for one in api.repairs.late_results(wid, conn=kit.conn)]


def overdue(kit: Kit, **state: Any) -> tuple[int, ClaimedJob]:
    """Start an instance and return it with a lease of tr_pay that has expired."""
    wid = kit.start(step="new", **state)
    job = kit.lease("tr_pay")
    assert kit.reap("2 minutes")["expired"] == 1
    kit.clock("3 minutes")
    return wid, job


def cases(kit: Kit, wid: int) -> list[tuple[str, str, str]]:
    found = kit.rows(
        "select cause, transition, state from wedsql.repair_case where wid = %s order by number", [wid]
    )
    return [tuple(row) for row in found]


def test_a_late_result_of_a_pending_job_completes_it(shop: Kit) -> None:
    wid, job = overdue(shop)

    assert late(shop, job, pay="paid") > 0
    assert shop.state(wid)["pay"] is None
    assert decided(shop, wid) == ["merged"]

    assert shop.state(wid)["pay"] == "paid" and shop.jobs(wid) == ["tr_other"]
    step = shop.trace(wid)[-1]
    assert (step.trw, step.actor) == ("tr_pay", shop.conn.info.user)
    assert step.reason.startswith("Late result ")
    assert cases(shop, wid) == [] and broken(shop) == []


def test_a_late_result_ends_the_exception_of_its_parked_job(kit: Kit) -> None:
    kit.attrs("step", "pay")
    kit.trig("tr_pay", "step = 'new' and pay is null", max_attempts=1)
    kit.final("pay = 'paid'")
    wid = kit.start(step="new")
    job = kit.lease("tr_pay")
    kit.reap("10 minutes")
    assert kit.status(wid) == "E"

    late(kit, job, pay="paid")

    assert decided(kit, wid) == ["merged"] and kit.status(wid) == "F"
    assert [state for _, _, state in cases(kit, wid)] in (["closed"], ["applied"]) and broken(kit) == []


def test_a_late_result_waits_while_another_worker_has_the_job(shop: Kit) -> None:
    wid, old = overdue(shop)
    new = shop.lease("tr_pay")

    late(shop, old, pay="paid", amount=5)
    assert decided(shop, wid) == ["kept"]
    shop.complete(new, {"pay": "declined"})

    assert decided(shop, wid) == ["conflict"]
    assert shop.state(wid)["pay"] == "declined" and shop.status(wid) == "R"
    assert cases(shop, wid) == [("LATE_RESULT", "tr_pay", "new")] and broken(shop) == []
    (found,) = api.repairs.late_results(wid, undecided=True, conn=shop.conn)
    assert [(one.attribute, one.before, one.present, one.late, one.changed) for one in found.values] == [
        ("amount", None, None, 5, False), ("pay", None, "declined", "paid", True),
    ]  # fmt: skip


def test_the_same_result_of_two_workers_is_nobodys_work(shop: Kit) -> None:
    wid, old = overdue(shop)
    shop.complete(shop.lease("tr_pay"), {"pay": "paid"})

    late(shop, old, pay="paid")

    assert decided(shop, wid) == ["same"] and cases(shop, wid) == []


def test_a_result_that_is_sent_twice_is_kept_once(shop: Kit) -> None:
    wid, job = overdue(shop)

    numbers = [late(shop, job, pay="paid") for _ in range(2)]

    assert numbers[0] == numbers[1] and decided(shop, wid) == ["merged"]


def test_a_late_result_is_merged_where_others_changed_other_attributes(shop: Kit) -> None:
    wid, job = overdue(shop)
    shop.run("tr_pay", wid, step="gone", note="fragile")

    late(shop, job, pay="paid")

    assert decided(shop, wid) == ["merged"]
    assert shop.state(wid) == {"step": "gone", "pay": "paid", "note": "fragile", "amount": None}
    step = shop.trace(wid)[-1]
    assert step.trw == "_RECOVER:merge_late" and step.reason.startswith("tr_pay: Late result ")
    assert broken(shop) == []


def test_a_result_after_the_end_is_for_people(shop: Kit) -> None:
    wid, job = overdue(shop)
    shop.complete(shop.lease("tr_other"), {"note": "x"})
    api.instances.cancel(wid, "The customer left.", conn=shop.conn)

    late(shop, job, pay="paid")

    assert decided(shop, wid) == ["conflict"] and shop.status(wid) == "C"
    assert cases(shop, wid) == [("LATE_RESULT", "tr_pay", "new")] and broken(shop) == []
    late_id = api.repairs.late_results(wid, conn=shop.conn)[0].id
    with refused("WD105"):
        api.repairs.repair(wid, "merge_late", {"late": late_id}, "Paid.", conn=shop.conn)
    api.repairs.repair(wid, "discard_late", {"late": late_id}, "Paid back.", actor="ana", conn=shop.conn)
    (found,) = api.repairs.late_results(wid, conn=shop.conn)
    assert (found.state, found.decided_by, found.reason) == ("discarded", "ana", "Paid back.")
    assert cases(shop, wid) == [("LATE_RESULT", "tr_pay", "closed")] and broken(shop) == []
    with refused("WD543"):
        api.repairs.repair(wid, "discard_late", {"late": late_id}, "Again.", conn=shop.conn)


def test_a_person_takes_over_what_is_right(shop: Kit) -> None:
    wid, old = overdue(shop)
    shop.complete(shop.lease("tr_pay"), {"pay": "declined"})
    late(shop, old, pay="paid", amount=5)
    decided(shop, wid)
    late_id = api.repairs.late_results(wid, conn=shop.conn)[0].id

    shown = api.repairs.preview(wid, "merge_late", {"late": late_id}, conn=shop.conn)
    assert shown.after == {"pay": "paid", "amount": 5} and cases(shop, wid)[0][2] == "new"
    api.repairs.repair(
        wid, "merge_late", {"late": late_id, "changes": {"amount": 5}}, "Why.", actor="ana", conn=shop.conn
    )

    assert (shop.state(wid)["pay"], shop.state(wid)["amount"]) == ("declined", 5)
    assert cases(shop, wid) == [("LATE_RESULT", "tr_pay", "applied")] and broken(shop) == []
    for operation in ("merge_late", "discard_late"):
        with refused("WD543"):
            api.repairs.repair(wid, operation, {"late": late_id}, "Again.", conn=shop.conn)


def test_a_result_from_before_a_repair_is_for_people(shop: Kit) -> None:
    wid, job = overdue(shop)
    api.repairs.repair(wid, "withdraw", {"job": job.id}, "Not today.", conn=shop.conn)

    late(shop, job, pay="paid")

    assert decided(shop, wid) == ["conflict"] and shop.state(wid)["pay"] is None


def test_a_late_result_that_is_no_result_is_not_kept(shop: Kit) -> None:
    wid, job = overdue(shop)
    assert late(shop, job, nowhere="x") is None
    assert api.repairs.late_results(wid, conn=shop.conn) == []


def test_a_value_that_cannot_be_read_is_for_people(shop: Kit) -> None:
    wid, job = overdue(shop)
    late(shop, job, amount="many")

    assert decided(shop, wid) == ["conflict"]
    (found,) = api.repairs.late_results(wid, conn=shop.conn)
    assert "amount" in found.problem and found.values[0].late == "many" and broken(shop) == []


def test_a_suspended_instance_keeps_its_late_results(shop: Kit) -> None:
    wid, job = overdue(shop)
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    late(shop, job, pay="paid")
    assert decided(shop, wid) == ["kept"]

    api.operations.resume(wid, "Go on.", conn=shop.conn)
    assert decided(shop, wid) == ["merged"]


def test_a_result_without_a_job_of_that_instance_is_not_kept(shop: Kit) -> None:
    _wid, job = overdue(shop)
    other = shop.start(step="new", pay="paid")
    shop.rows(
        "select * from wedsql.complete_many(%s, array[%s]::integer[], array[%s]::bigint[], array[1::bigint],"
        ' array[\'{"pay": "x"}\'::jsonb])',
        [shop.name, other, job.id],
    )
    assert api.repairs.late_results(other, conn=shop.conn) == []
