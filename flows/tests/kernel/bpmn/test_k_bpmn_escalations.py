"""Escalations: the nearest event with the code catches one, and without any nothing happens."""

from __future__ import annotations

import pytest

from flows.tests.bpmn.files.bpmn_files import event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kit import Kit, broken
from flows.tests.people import done

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

NAMED = (
    '<bpmn:escalation id="x" name="Too late" escalationCode="LATE"/>'
    '<bpmn:escalation id="y" escalationCode="Y"/>'
)
LATE, OTHER, ANY = (
    event("escalation", escalationRef="x"),
    event("escalation", escalationRef="y"),
    event("escalation"),
)


def escalating(*more: str, thrown: str = LATE, end: bool = False) -> bytes:
    """Return a process whose sub-process `u` escalates after `i` and goes on to `j`, or ends there."""
    throw = node("endEvent" if end else "intermediateThrowEvent", "say", thrown)
    ways = ["i say", "k l"] if end else ["i say", "say j", "k l"]
    inner = node("task", "i") + throw + node("task", "k") + node("task", "l") + flows(*ways)
    inner += "" if end else node("task", "j")
    return file(
        node("startEvent", "s"), node("subProcess", "u", inner), node("endEvent", "e"), node("task", "o"),
        flows("s u", "u e", "o e"), *more, named=NAMED,
    )  # fmt: skip


def caught(definition: str, **options: str) -> str:
    """Return an event at the border of the sub-process that leads to the task `o`."""
    return node("boundaryEvent", "b", definition, attachedToRef="u", **options) + flows("b o")


def finish(kit: Kit, wid: int) -> str:
    """Perform all jobs, and return the status of the instance."""
    while kit.status(wid) == "R" and kit.jobs(wid):
        done(kit, kit.jobs(wid)[0], wid)
    return kit.status(wid)


@pytest.mark.parametrize("definition", [LATE, ANY])
@pytest.mark.parametrize("end", [False, True])
def test_an_escalation_takes_the_subprocess(kit: Kit, definition: str, end: bool) -> None:
    publish(kit, escalating(caught(definition), end=end))
    wid = kit.start()
    kit.run("i", wid)
    assert kit.jobs(wid) == ["o"], "what else was performed in it is withdrawn"
    assert str(kit.run("o", wid).status) == "F" and broken(kit) == []


@pytest.mark.parametrize("end", [False, True])
def test_an_escalation_that_does_not_interrupt_adds_a_token(kit: Kit, end: bool) -> None:
    publish(kit, escalating(caught(ANY, cancelActivity="false"), end=end))
    wid = kit.start()
    kit.run("i", wid)
    assert sorted(kit.jobs(wid)) == sorted(["k", "o"] + ([] if end else ["j"]))
    assert finish(kit, wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("thrown", [OTHER, ANY])
def test_an_escalation_that_nothing_catches_has_no_effect(kit: Kit, thrown: str) -> None:
    publish(kit, escalating(caught(LATE), thrown=thrown))
    wid = kit.start()
    kit.run("i", wid)
    assert sorted(kit.jobs(wid)) == ["j", "k"] and finish(kit, wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("interrupting", ["true", "false"])
def test_an_escalation_starts_an_event_subprocess(kit: Kit, interrupting: str) -> None:
    handler = node("startEvent", "on", LATE, isInterrupting=interrupting) + node("task", "h") + flows("on h")
    publish(kit, escalating(node("subProcess", "ev", handler, triggeredByEvent="true")))
    wid = kit.start()
    kit.run("i", wid)
    assert sorted(kit.jobs(wid)) == (["h"] if interrupting == "true" else ["h", "j", "k"])
    assert finish(kit, wid) == "F" and broken(kit) == []


def test_a_person_escalates_a_task(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("userTask", "t"), node("task", "o"), node("endEvent", "e"),
        node("boundaryEvent", "b", LATE, attachedToRef="t", cancelActivity="false"),
        flows("s t", "t e", "b o", "o e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    done(kit, "b", wid)
    assert sorted(kit.jobs(wid)) == ["o", "t"]
    assert finish(kit, wid) == "F" and broken(kit) == []
