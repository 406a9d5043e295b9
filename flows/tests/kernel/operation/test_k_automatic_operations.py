"""What the database sets and performs (X6) with operations of people: undoing, replay, re-match, signals."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, tgid

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="automatic jobs are not taken")]


def repair(kit: Kit, wid: int, operation: str, **arguments: Any) -> Any:
    return api.repairs.repair(wid, operation, arguments, "As it should be.", actor="olga", conn=kit.conn)


@pytest.fixture
def order(kit: Kit) -> Kit:
    """A task whose result the database moves on, and a check that the database performs."""
    kit.attr("step", kind="integer", default="1")
    kit.attr("amount", kind="integer", default="0")
    kit.attrs("size", "note")
    kit.trig(
        "enter",
        "step = 1",
        sets="step = step + 1, size = case when amount > 10 then 'large' else 'small' end",
        writes=["amount", "note"],
        replay="reuse",
        compensation="transition",
        compensated_by="forget",
    )
    kit.trig("check", "step = 2", sets="step = 3", performer="database")
    kit.trig("ship", "step = 3")
    kit.final("step = 4")
    return kit


def entered(kit: Kit) -> int:
    wid = kit.start()
    assert kit.run("enter", wid, amount=20).status == "R"
    return wid


def test_what_is_set_is_computed_on_the_state_that_the_result_gives(order: Kit) -> None:
    by_worker, by_hand, by_paper = entered(order), order.start(), order.start()
    (job,) = order.pending(by_hand)
    repair(order, by_hand, "complete", job=job.id, changes={"amount": 20})
    with order.conn.transaction():
        assert order.lock(order.conn, by_paper, tgid(order, "enter"))
        order.rows("update {f}.wed_flow set amount = 20 where wid = %s returning wid", [by_paper])
    for wid in (by_worker, by_hand, by_paper):
        assert order.state(wid) == {"step": 3, "amount": 20, "size": "large", "note": None}
        assert [step[0] for step in order.story(wid)] == ["_INIT", "enter", "check"]
    assert broken(order) == []


def test_a_compensation_is_no_result_of_the_transition(order: Kit) -> None:
    wid = entered(order)
    repair(order, wid, "rollback", seq=1)
    assert order.status(wid) == "X" and order.jobs(wid) == ["forget"]
    order.run("forget", wid, note="forgotten")
    assert order.state(wid) == {"step": 1, "amount": 0, "size": None, "note": "forgotten"}
    assert (order.status(wid), order.jobs(wid)) == ("R", ["enter"])
    assert broken(order) == []


def test_a_step_that_is_undone_before_an_automatic_one_leads_to_it_again(order: Kit) -> None:
    wid = entered(order)
    order.run("ship", wid, step=5)
    repair(order, wid, "rollback", seq=2)
    assert [step[0] for step in order.story(wid)[-2:]] == ["_RECOVER:rollback", "check"]
    assert (order.jobs(wid), order.state(wid)["step"]) == (["ship"], 3)
    assert broken(order) == []


def test_a_replay_uses_the_result_again_and_performs_what_follows(order: Kit) -> None:
    order.rows("update {f}.wed_trig set compensation = 'none', compensated_by = null where trname = 'enter'")
    wid = entered(order)
    found = repair(order, wid, "replay", seq=1, changes={"note": "again"})
    assert found.facts["reused"] == [{"seq": 2, "transition": "enter"}] and found.facts["called"] == []
    rows = order.trace(wid)
    since = max(row.seq for row in rows if row.trw == "_RECOVER:replay")
    assert [(row.trw, row.replays_seq) for row in rows if row.seq > since] == [("enter", 2), ("check", None)]
    assert order.state(wid)["size"] == "large"
    assert broken(order) == []


def test_a_re_match_that_leads_to_a_final_state_removes_no_work(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("other", "n = 0")
    kit.final("n < 0")
    wid = kit.start()
    with kit.conn.transaction():
        kit.trig("close", "n = 0", sets="n = -1", performer="database")
    assert (kit.status(wid), kit.jobs(wid), kit.state(wid)["n"]) == ("R", ["other"], -1)
    assert kit.run("other", wid).status == "F"
    assert broken(kit) == []


def test_a_signal_says_its_own_step(kit: Kit) -> None:
    kit.attrs("paid", "sent")
    kit.trig("payment", "paid is null", signal=True)
    kit.trig("note", "paid = 'yes' and sent is null", sets="sent = 'yes'", performer="database")
    kit.final("sent = 'yes'")
    wid = kit.start()
    assert api.signals.send(kit.name, "payment", to=wid, data={"paid": "yes"}, conn=kit.conn).seq == 2
    assert (kit.status(wid), len(kit.story(wid))) == ("F", 3)


def test_a_job_that_is_left_waits_for_the_database(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("count", "n < 3")
    kit.final("n = 3")
    wid = kit.start()
    kit.rows(
        "update {f}.wed_trig set sets = 'n = n + 1', performer = 'database' where trname = 'count'"
        " returning tgid"
    )
    (job,) = api.reasons.explain_jobs(wid, conn=kit.conn)
    assert job.waits_for == "database"


def test_a_trial_shows_what_the_database_performs(order: Kit) -> None:
    definition = api.flows.definition(order.name, conn=order.conn)
    started = api.trials.try_start(definition, {"step": 2}, conn=order.conn)
    assert (started.status, started.fired, started.pending) == ("R", [1], [2])
    (check,) = started.automatic
    assert (check.trigger, check.changes, check.fired, check.error) == (1, {"step": 3}, [2], "")
    assert api.trials.try_complete(definition, started, 2, {"step": 4}, conn=order.conn).status == "F"
    waits = api.trials.try_start(definition, conn=order.conn)
    done = api.trials.try_complete(definition, waits, 0, {"amount": 20}, conn=order.conn)
    assert done.state == {"step": 3, "amount": 20, "size": "large", "note": None} and done.fired == [1]
    assert [one["transition"] for one in done.stored["history"]] == ["_INIT", "enter", "check"]


def test_a_trial_of_an_endless_loop_and_of_a_set_that_fails_ends_as_an_exception(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("again", "n > 0", sets="n = n + 1", performer="database", max_firings=5)
    kit.trig("divide", "n < 0", sets="n = 1 / (n + 1)", performer="database")
    kit.final("n is null")
    definition = api.flows.definition(kit.name, conn=kit.conn)
    loop = api.trials.try_start(definition, {"n": 1}, conn=kit.conn)
    assert (loop.status, loop.reason, loop.state["n"], len(loop.automatic)) == ("E", "LOOP", 6, 5)
    failed = api.trials.try_start(definition, {"n": -1}, conn=kit.conn)
    assert (failed.status, failed.state["n"], failed.parked) == ("E", -1, [1])
    assert "division" in failed.automatic[0].error


def test_finished_instances_with_automatic_steps_are_replayed(order: Kit) -> None:
    wid = entered(order)
    order.run("ship", wid, step=4)
    definition = api.flows.definition(order.name, conn=order.conn)
    (found,) = api.trials.replay(order.name, definition, conn=order.conn)
    assert (found.steps, found.whole, found.deviation) == (3, True, None)


def test_a_set_that_is_not_valid_is_a_problem_of_the_definition(order: Kit) -> None:
    definition = api.flows.definition(order.name, conn=order.conn)
    definition["triggers"][1]["sets"] = "step = stp + 1"
    (problem,) = api.conditions.check_definition(order.name, definition, conn=order.conn)
    assert (problem.path, problem.code) == (("triggers", 1, "sets"), "WD211")
