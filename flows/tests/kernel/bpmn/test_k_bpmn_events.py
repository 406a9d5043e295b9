"""Events in BPMN that do not interrupt, and event sub-processes."""

from __future__ import annotations

import pytest

from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish, signal, visited
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NAMED = '<bpmn:message id="m" name="more"/><bpmn:error id="x" errorCode="X"/>'
MESSAGE = event("message", messageRef="m")


def beside(id_: str, definition: str, host: str) -> str:
    """Return an event that does not interrupt."""
    return node("boundaryEvent", id_, definition, attachedToRef=host, cancelActivity="false")


def test_events_at_a_task_happen_beside_it(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("task", "after"), node("endEvent", "e"),
        beside("late", timer("PT1H"), "t"), beside("often", timer("R3/PT2H", "timeCycle"), "t"),
        beside("asked", MESSAGE, "t"), node("task", "remind"), node("task", "count"), node("task", "answer"),
        flows("s t", "t after", "after e", "late remind", "often count", "asked answer"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert signal(kit, "more", wid) == "delivered" and signal(kit, "more", wid) == "delivered"
    for hours in range(2, 14, 2):
        kit.reap(f"{hours} hours")
    assert {"answer", "count", "more", "remind", "t"} == {*kit.jobs(wid)}
    seen = visited(kit, wid)
    assert (seen["late"], seen["often"], seen["more"]) == (1, 3, 2)
    assert kit.state(wid)["tokens"] == 1 + 1 + 3 + 2
    kit.run("t", wid)
    assert "more" not in kit.jobs(wid) and kit.state(wid)["b_late"] == 0
    while kit.jobs(wid):
        kit.run(kit.jobs(wid)[0], wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_events_of_a_repeated_task_happen_again(kit: Kit) -> None:
    loop = '<bpmn:standardLoopCharacteristics loopMaximum="2"/>'
    publish(kit, file(
        node("startEvent", "s"), node("task", "t", loop), node("endEvent", "e"),
        beside("late", timer("PT1H"), "t"), node("boundaryEvent", "stop", MESSAGE, attachedToRef="t"),
        node("scriptTask", "n", "<bpmn:script>k = k + 1</bpmn:script>", scriptFormat="sql"),
        attributes(attribute("k", type="integer", default="0")),
        flows("s t", "t e", "late n", "stop e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.reap("2 hours")
    kit.reap("3 hours")
    kit.run("t", wid)
    kit.reap("5 hours")
    assert kit.state(wid)["k"] == 2
    assert signal(kit, "more", wid) == "delivered" and kit.status(wid) == "F" and broken(kit) == []


INSIDE = "".join((
    node("startEvent", "b"), node("task", "work"), node("endEvent", "z"), flows("b work", "work z"),
))  # fmt: skip


def test_events_at_a_sub_process_happen_beside_it(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("subProcess", "u", INSIDE), node("task", "after"),
        node("endEvent", "e"), beside("late", timer("PT1H"), "u"), beside("asked", MESSAGE, "u"),
        node("task", "remind"), flows("s u", "u after", "after e", "late remind", "asked remind"),
        named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.reap("2 hours")
    kit.reap("4 hours")
    assert signal(kit, "more", wid) == "delivered"
    assert {*kit.jobs(wid)} == {"more", "remind", "work"} and visited(kit, wid)["late"] == 1
    kit.run("work", wid)
    assert {*kit.jobs(wid)} == {"after", "remind"}
    while kit.jobs(wid):
        kit.run(kit.jobs(wid)[0], wid)
    assert kit.status(wid) == "F" and visited(kit, wid)["remind"] == 2 and broken(kit) == []


def handler(start: str, *, interrupting: bool = True) -> str:
    """Return an event sub-process with one task."""
    begin = node("startEvent", "hb", start, isInterrupting="true" if interrupting else "false")
    inner = begin + node("task", "handle") + node("endEvent", "hz") + flows("hb handle", "handle hz")
    return node("subProcess", "h", inner, triggeredByEvent="true")


def test_an_event_sub_process_takes_the_place_of_the_process(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "left"), node("task", "right"), node("parallelGateway", "g"),
        handler(timer("P1D")), flows("s g", "g left", "g right"),
    ))  # fmt: skip
    wid, in_time = kit.start(), kit.start()
    for each in ("left", "right"):
        kit.run(each, in_time)
    assert kit.status(in_time) == "F"
    kit.run("left", wid)
    kit.reap("2 days")
    kit.reap("5 days")
    assert (kit.jobs(wid), kit.state(wid)["tokens"], kit.state(wid)["interrupted"]) == (["handle"], 1, 1)
    kit.run("handle", wid)
    assert kit.status(wid) == "F" and visited(kit, wid)["handle"] == 1 and broken(kit) == []


@pytest.mark.parametrize("interrupting", [True, False])
def test_an_event_sub_process_of_a_sub_process(kit: Kit, interrupting: bool) -> None:
    again = '<bpmn:standardLoopCharacteristics loopMaximum="2"/>'
    inner = INSIDE + handler(MESSAGE, interrupting=interrupting) + again
    publish(kit, file(node("startEvent", "s"), node("subProcess", "u", inner), node("endEvent", "e"),
                      flows("s u", "u e"), named=NAMED))  # fmt: skip
    wid = kit.start()
    for number in (1, 2):
        assert {*kit.jobs(wid)} == {"more", "work"}
        assert signal(kit, "more", wid) == "delivered"
        assert {*kit.jobs(wid)} == ({"handle"} if interrupting else {"handle", "more", "work"})
        if not interrupting:
            kit.run("work", wid)
            assert "more" in kit.jobs(wid), "the sub-process goes on while a handler does"
        kit.run("handle", wid)
        assert visited(kit, wid)["handle"] == number
    assert kit.status(wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("nested", [True, False])
def test_an_error_starts_the_nearest_event_sub_process(kit: Kit, nested: bool) -> None:
    failing = node("endEvent", "z", event("error", errorRef="x"))
    inner = INSIDE.replace(node("endEvent", "z"), failing)
    caught = handler(event("error", errorRef="x"))
    publish(kit, file(
        node("startEvent", "s"), node("subProcess", "u", inner + caught * nested), node("task", "after"),
        node("endEvent", "e"), flows("s u", "u after", "after e"), caught * (not nested), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.run("work", wid)
    assert kit.jobs(wid) == ["handle"]
    kit.run("handle", wid)
    if nested:
        kit.run("after", wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_the_error_of_a_job_starts_an_event_sub_process(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), handler(event("error")),
        flows("s t", "t e"),
    ))  # fmt: skip
    wid = kit.start()
    kit.run("t", wid, error="LOST")
    assert kit.jobs(wid) == ["handle"] and kit.state(wid)["error"] is None
