"""Gateways without conditions: whoever performs the task before chooses, or a person in a job of its own."""

from __future__ import annotations

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kit import Kit, broken
from flows.tests.people import PERSON, done, failed, pending, take

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

WAYS = (
    '<bpmn:sequenceFlow id="x_pay" name="Pay it" sourceRef="x" targetRef="pay"/>'
    '<bpmn:sequenceFlow id="x_ask" name="Ask: why?" sourceRef="x" targetRef="ask"/>'
    '<bpmn:sequenceFlow id="x_e" sourceRef="x" targetRef="e"/>'
)


def claim(before: str, *more: str, gateway: str = "") -> bytes:
    """Return a process that goes back from a question to what is before its gateway."""
    return file(
        node("startEvent", "s"), before, node("exclusiveGateway", "x", name="What now?", default=gateway),
        node("task", "pay"), node("task", "ask"), node("endEvent", "e", name="Closed"), WAYS,
        flows("s check", "check x", "pay e", "ask check"), *more,
    )  # fmt: skip


def choose(kit: Kit, name: str, wid: int, outcome: str) -> str:
    """Perform a task with one of its outcomes, and return the status of the instance."""
    job = pending(kit, name, wid)
    claim_ = take(kit, job).claim
    return str(api.tasks.complete(job, PERSON, {}, outcome, claim=claim_, conn=kit.conn).status)


@pytest.mark.parametrize("gateway", ["", "x_e"])
def test_the_person_before_a_gateway_chooses_one_of_its_flows_each_time(kit: Kit, gateway: str) -> None:
    publish(kit, claim(node("userTask", "check"), gateway=gateway))
    wid = kit.start()
    sheet = api.tasks.read(pending(kit, "check", wid), PERSON, conn=kit.conn)
    assert [*sheet.outcomes] == ["Pay it", "Ask why?", "Closed"]
    choose(kit, "check", wid, "Ask why?")
    assert kit.jobs(wid) == ["ask"] and kit.state(wid)["choice_what_now"] is None, "it is chosen again"
    kit.run("ask", wid)
    choose(kit, "check", wid, "Pay it")
    assert kit.jobs(wid) == ["pay"]
    assert str(kit.run("pay", wid).status) == "F"
    other = kit.start()
    assert choose(kit, "check", other, "Closed") == "F" and broken(kit) == []


def test_a_worker_before_a_gateway_returns_the_choice(kit: Kit) -> None:
    publish(kit, claim(node("serviceTask", "check")))
    wid = kit.start()
    for wrong in ({}, {"choice_what_now": "Burn it"}):
        with pytest.raises(WedError), kit.conn.transaction():
            kit.run("check", wid, **wrong)
        assert kit.jobs(wid) == ["check"], "the result is rejected"
    kit.run("check", wid, choice_what_now="Pay it")
    assert kit.jobs(wid) == ["pay"] and kit.state(wid)["choice_what_now"] is None
    assert broken(kit) == []


def test_a_choice_and_a_failure_are_outcomes_of_one_task(kit: Kit) -> None:
    lost = node("boundaryEvent", "lost", event("error"), attachedToRef="check")
    publish(kit, claim(node("userTask", "check"), lost, node("task", "warn"), flows("lost warn", "warn e")))
    wid = kit.start()
    assert failed(kit, "check", wid) == "FAILED" and kit.jobs(wid) == ["warn"]
    other = kit.start()
    choose(kit, "check", other, "Pay it")
    assert kit.jobs(other) == ["pay"] and broken(kit) == []


@pytest.mark.parametrize(
    "before",
    [
        node("intermediateThrowEvent", "check"),
        node("subProcess", "check", node("task", "inner")),
        node("userTask", "check", "<bpmn:standardLoopCharacteristics loopMaximum='1'/>"),
    ],
)
def test_a_person_is_asked_where_no_task_is_before_the_gateway(kit: Kit, before: str) -> None:
    publish(kit, claim(before))
    wid = kit.start()
    for name in ("inner", "check"):
        if name in kit.jobs(wid):
            done(kit, name, wid)
    assert kit.jobs(wid) == ["x_choice"]
    choose(kit, "x_choice", wid, "Pay it")
    assert kit.jobs(wid) == ["pay"] and broken(kit) == []


def test_the_only_flow_without_a_condition_is_the_usual_one(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("exclusiveGateway", "x"), node("task", "a"), node("task", "b"),
        flows("s x", "x a", "x b 1 = 2"),
    ))  # fmt: skip
    assert kit.jobs(kit.start()) == ["a"] and broken(kit) == []
