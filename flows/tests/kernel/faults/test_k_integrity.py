"""Integrity conditions of a flow: always, and at final (SEMANTICS AWIC, R12)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.tests.kernel.test_k_forward import denied, do
from flows.capabilities.recovery.tests.kernel.test_k_repair import job_of
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def guard(kit: Kit, name: str, predicate: str, when: str, **options: Any) -> int:
    """Add an integrity condition and return its tgid."""
    values = {"tgname": name, "cpred": predicate, "integrity": when} | options
    marks = ", ".join(["%s"] * len(values))
    text = f"insert into {{f}}.wed_trig ({', '.join(values)}) values ({marks}) returning tgid"
    return int(kit.one(text, list(values.values())))


@pytest.fixture
def orders(kit: Kit) -> Kit:
    """A flow whose amount is never negative and whose final states are paid."""
    kit.attrs("step", "paid")
    kit.attr("amount", kind="integer")
    kit.trig("tr_ship", "step = 'new'", max_attempts=1, writes=["step", "amount", "paid"])
    kit.trig("tr_check", "step = 'check'")
    kit.final("step = 'done'")
    guard(kit, "not_negative", "amount >= 0", "always", label="The amount is not negative")
    guard(kit, "is_paid", "paid = 'yes'", "final")
    return kit


def test_a_state_that_holds_all_conditions_is_final(orders: Kit) -> None:
    wid = orders.start(step="new", amount=1)
    assert orders.jobs(wid) == ["tr_ship"]
    assert orders.run("tr_ship", wid, step="done", paid="yes").status == "F"
    assert orders.story(wid) == [("_INIT", ["tr_ship"], "R"), ("tr_ship", [], "F")]
    assert broken(orders) == []


def test_a_start_that_violates_a_condition_is_refused_and_uses_no_number(orders: Kit) -> None:
    first = orders.start(step="new")
    with refused("WD530") as error:
        orders.start(step="new", amount=-1)
    assert "not_negative (The amount is not negative)" in error.message
    with refused("WD530"):
        orders.start(step="done", paid="no")
    assert orders.start(step="done", paid="yes") == first + 1


def test_a_result_that_violates_a_condition_is_refused_and_ends_in_a_case(orders: Kit) -> None:
    wid = orders.start(step="new", amount=1)
    with refused("WD530") as error, orders.step():
        orders.complete(orders.take("tr_ship", wid), {"amount": -5, "step": "check"})
    assert error.facts["names"] == ["not_negative"]
    assert orders.state(wid)["amount"] == 1 and orders.status(wid) == "R"
    orders.fail("tr_ship", wid, "negative", sqlstate="WD530")
    assert (orders.status(wid), orders.instance(wid).reason) == ("E", "INTEGRITY")
    case = orders.rows("select cause, transition from wedsql.repair_case where wid = %s", [wid])[0]
    assert (case.cause, case.transition) == ("INTEGRITY", "tr_ship")
    assert broken(orders) == []


def test_unknown_does_not_violate_and_an_error_does(orders: Kit) -> None:
    guard(orders, "share", "100 / amount > 0", "always")
    wid = orders.start(step="new")
    with refused("WD530") as error:
        orders.run("tr_ship", wid, amount=0, step="check")
    assert error.facts["names"] == ["share"]
    assert orders.run("tr_ship", wid, amount=2, step="check").status == "R"


def test_a_final_state_that_violates_a_condition_is_an_exception(orders: Kit) -> None:
    wid = orders.start(step="new")
    assert orders.run("tr_ship", wid, step="done", paid="no").status == "E"
    assert orders.instance(wid).reason == "INTEGRITY"
    errors = orders.one("select errors from wedsql.wed_trace where wid = %s and seq = 2", [wid])
    assert [(each["trigger"], each["sqlstate"]) for each in errors] == [("is_paid", "WD531")]
    assert orders.one("select cause from wedsql.repair_case where wid = %s", [wid]) == "INTEGRITY"
    assert broken(orders) == []
    assert do(orders, wid, "patch", changes={"paid": "yes"}).status == "F"
    assert orders.one("select state from wedsql.repair_case where wid = %s", [wid]) == "applied"


def test_a_repair_that_violates_a_condition_is_refused(orders: Kit) -> None:
    wid = orders.start(step="new")
    orders.run("tr_ship", wid, step="odd")
    denied(orders, "WD530", wid, "patch", changes={"amount": -1})
    shown = api.repairs.preview(wid, "patch", {"changes": {"amount": -1}}, conn=orders.conn)
    assert shown.refusal and "not_negative" in shown.refusal.message
    other = orders.start(step="new")
    denied(orders, "WD530", other, "complete", job=job_of(orders, other, "tr_ship"), changes={"amount": -1})
    denied(orders, "WD530", other, "skip", job=job_of(orders, other, "tr_ship"), changes={"amount": -1})


def test_r12_accept_needs_the_conditions_or_an_override(orders: Kit) -> None:
    wid = orders.start(step="new", paid="yes")
    orders.run("tr_ship", wid, step="odd")
    assert do(orders, wid, "accept").status == "F"
    wid = orders.start(step="new")
    orders.run("tr_ship", wid, step="odd", paid="no")
    denied(orders, "WD531", wid, "accept")
    done = do(orders, wid, "accept", "Agreed.", override=True)
    assert (done.status, done.facts["violated"]) == ("F", ["is_paid"])
    assert orders.trace(wid)[-1].reason == "Agreed. (override: is_paid)"


def test_a_new_condition_leaves_running_instances_until_their_next_commit(orders: Kit) -> None:
    wid = orders.start(step="new", amount=1)
    guard(orders, "small", "amount > 10", "always")
    assert (orders.status(wid), orders.jobs(wid)) == ("R", ["tr_ship"])
    assert broken(orders) == []
    with refused("WD530"):
        orders.run("tr_ship", wid, step="check")
    assert orders.run("tr_ship", wid, step="check", amount=11).status == "R"


def test_a_disabled_condition_is_not_checked_and_a_deleted_one_neither(orders: Kit) -> None:
    orders.rows("update {f}.wed_trig set enabled = false where integrity = 'always'")
    wid = orders.start(step="new", amount=-1)
    orders.rows("delete from {f}.wed_trig where integrity is not null")
    assert orders.one("select guarded from wedsql.flow where id = %s", [orders.id]) is False
    assert orders.run("tr_ship", wid, step="done").status == "F"
    assert orders.one(f"select to_regproc('wed_match.i_{orders.id}') is null")


def test_pending_work_comes_before_the_exception(orders: Kit) -> None:
    orders.policy(final_when_pending="defer")
    orders.trig("tr_side", "amount = 7")
    wid = orders.start(step="new", amount=7)
    assert orders.run("tr_ship", wid, step="done", paid="no").status == "R"
    assert orders.run("tr_side", wid, amount=8).status == "E"
    assert orders.instance(wid).reason == "INTEGRITY"


def test_a_condition_follows_a_renamed_attribute(orders: Kit) -> None:
    orders.rows("update {f}.wed_attr set aname = 'total' where aname = 'amount'")
    with refused("WD530"):
        orders.start(step="new", total=-1)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"integrity": "sometimes"}, "WD009"),
        ({"tgname": ""}, "WD009"),
        ({"trname": "tr_x"}, "WD009"),
        ({"cfinal": True}, "WD009"),
        ({"cpred": "nothing = 1"}, "WD005"),
    ],
)
def test_a_wrong_condition_is_refused(orders: Kit, columns: dict[str, Any], code: str) -> None:
    values = {"tgname": "x", "cpred": "amount > 1", "integrity": "always"} | columns
    with refused(code):
        guard(orders, values.pop("tgname"), values.pop("cpred"), values.pop("integrity"), **values)


def definition(kit: Kit, *more: dict[str, Any]) -> dict[str, Any]:
    """Return the flow's definition with further triggers."""
    running = dict(api.flows.definition(kit.name, conn=kit.conn))
    return running | {"triggers": [*running["triggers"], *more]}


def test_the_impact_counts_the_running_instances_that_violate_a_new_condition(orders: Kit) -> None:
    wids = [orders.start(step="new", amount=amount) for amount in (1, 2, 30)]
    known = orders.start(step="new")
    new = definition(orders, {"name": "large", "predicate": "amount >= 10", "integrity": "always"})
    found = api.trials.impact(orders.name, new, conn=orders.conn)
    (rule,) = found.rules
    assert (rule.violates.count, rule.violates.sample) == (2, wids[:2])
    assert (rule.neither.count, found.new_exception.count, found.settled) == (3, 0, 0)
    report = api.flows.publish(orders.name, new, conn=orders.conn)
    assert (report.triggers_added, report.changed) == (1, 0)
    assert {orders.status(wid) for wid in (*wids, known)} == {"R"}


def test_the_impact_foresees_that_a_violated_condition_keeps_instances_from_their_end(orders: Kit) -> None:
    orders.trig("tr_late", "step = 'late'")
    wid = orders.start(step="late", paid="no")
    new = definition(orders)
    for trigger in new["triggers"]:
        if trigger.get("final"):
            trigger["predicate"] = "step in ('done', 'late')"
    new["triggers"] = [each for each in new["triggers"] if each.get("transition") != "tr_late"]
    found = api.trials.impact(orders.name, new, conn=orders.conn)
    assert (found.final.count, found.new_exception.sample) == (0, [wid])
    assert api.flows.publish(orders.name, new, conn=orders.conn).new_exception == 1
    assert (orders.status(wid), orders.instance(wid).reason) == ("E", "INTEGRITY")
    assert broken(orders) == []


def test_a_trial_has_integrity_conditions(orders: Kit) -> None:
    given = definition(orders)
    with refused("WD530") as error:
        api.trials.try_start(given, {"step": "new", "amount": -1}, conn=orders.conn)
    assert error.facts["names"] == ["not_negative"]
    begun = api.trials.try_start(given, {"step": "new", "amount": 1}, conn=orders.conn)
    after = api.trials.try_complete(given, begun, 0, {"step": "done", "paid": "no"}, conn=orders.conn)
    assert (after.status, after.reason) == ("E", "INTEGRITY")
    assert [given["triggers"][place].get("name") for place in after.errors] == ["is_paid"]


def test_a_client_of_the_paper_is_refused_too(orders: Kit) -> None:
    before = orders.start(step="new")
    with refused("WD530"):
        orders.rows("insert into {f}.wed_flow (step, amount) values ('new', -1)")
    assert orders.start(step="new") == before + 1


def test_a_violation_refuses_only_its_own_start_of_a_call(orders: Kit) -> None:
    states = [{"step": "new"}, {"step": "new", "amount": -1}, {"step": "new", "amount": 1}]
    found = api.instances.start_many(orders.name, states, conn=orders.conn)
    assert [one.error.code if one.error else one.status for one in found] == ["R", "WD530", "R"]
    assert found[2].wid == (found[0].wid or 0) + 1


def test_the_invariant_finds_a_final_instance_that_violates_a_condition(orders: Kit) -> None:
    wid = orders.start(step="done", paid="yes")
    orders.rows("alter table {f}.wed_flow disable trigger user")
    orders.rows("update {f}.wed_flow set paid = 'no' where wid = %s", [wid])
    orders.rows("alter table {f}.wed_flow enable trigger user")
    assert "I2" in broken(orders)


def test_a_trigger_with_pending_jobs_does_not_become_an_integrity_condition(orders: Kit) -> None:
    orders.start(step="new")
    with refused("WD007"):
        orders.rows(
            "update {f}.wed_trig set integrity = 'always', tgname = 'x', trname = null"
            " where trname = 'tr_ship'"
        )
