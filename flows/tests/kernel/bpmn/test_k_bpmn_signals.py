"""Signal events: one signal is for every event that waits for it, and starts instances."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish, signal, visited
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

GO = event("signal", signalRef="g")
NAMED = '<bpmn:signal id="g" name="All clear"/>'


def test_a_signal_is_for_all_events_of_an_instance_that_wait(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("parallelGateway", "f"), node("endEvent", "e"), node("task", "t"),
        node("intermediateCatchEvent", "a", GO), node("intermediateCatchEvent", "b", GO),
        node("task", "after_a"), node("task", "after_b"), node("task", "before"),
        node("intermediateCatchEvent", "late", GO),
        node("boundaryEvent", "stop", GO, attachedToRef="t"), node("task", "stopped"),
        flows("s f", "f a", "f b", "f t", "f before", "before late", "late e", "a after_a", "b after_b",
              "after_a e", "after_b e", "t e", "stop stopped", "stopped e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert sorted({*kit.jobs(wid)}) == ["all_clear", "before", "t"]
    assert signal(kit, "all_clear", wid) == "delivered"
    assert sorted(kit.jobs(wid)) == ["after_a", "after_b", "before", "stopped"], (
        "each of them, and no job is left"
    )
    kit.run("before", wid)
    assert "all_clear" in kit.jobs(wid), "an event that waits later gets the next signal"
    assert signal(kit, "all_clear", wid) == "delivered"
    for name in ("after_a", "after_b", "stopped"):
        kit.run(name, wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_signal_that_an_instance_throws_is_for_its_own_events(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("parallelGateway", "f"), node("endEvent", "e"),
        node("intermediateThrowEvent", "say", GO), node("intermediateCatchEvent", "hear", GO),
        node("task", "heard"), node("task", "first"), node("endEvent", "z", GO),
        flows("s f", "f first", "first say", "f hear", "hear heard", "heard e", "say z"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.run("first", wid)
    assert sorted(kit.jobs(wid)) == ["all_clear", "send_all_clear"]
    kit.run("send_all_clear", wid)
    assert sorted(kit.jobs(wid)) == ["heard", "send_all_clear"], "the end event sends it, too"
    kit.run("send_all_clear", wid)
    assert str(kit.run("heard", wid).status) == "F" and visited(kit, wid)["hear__heard"] == 1
    assert kit.state(wid)["g_hear"] == 0 and broken(kit) == []


def test_a_signal_that_nothing_waits_for_is_not_kept(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("intermediateThrowEvent", "say", GO), node("endEvent", "e"),
        node("intermediateCatchEvent", "hear", GO), flows("s say", "say hear", "hear e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.run("send_all_clear", wid)
    assert kit.jobs(wid) == ["all_clear"] and signal(kit, "all_clear", wid) == "delivered"
    assert kit.status(wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("interrupting", ["true", "false"])
def test_a_signal_starts_event_subprocesses_and_leaves_subprocesses(kit: Kit, interrupting: str) -> None:
    started = node("startEvent", "on", GO, isInterrupting=interrupting)
    handler = started + node("task", "handle") + flows("on handle")
    inner = node("task", "i") + node("subProcess", "h", handler, triggeredByEvent="true")
    publish(kit, file(
        node("startEvent", "s"), node("parallelGateway", "f"), node("subProcess", "u", inner),
        node("subProcess", "v", node("task", "j")), node("boundaryEvent", "b", GO, attachedToRef="v"),
        node("task", "left"), node("endEvent", "e"),
        flows("s f", "f u", "f v", "u e", "v e", "b left", "left e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert signal(kit, "all_clear", wid) == "delivered"
    running = ["handle", "left"] if interrupting == "true" else ["all_clear", "handle", "i", "left"]
    assert sorted(kit.jobs(wid)) == running
    if interrupting == "false":
        assert signal(kit, "all_clear", wid) == "delivered"
        assert kit.state(wid)["n_h"] >= 1
    while kit.status(wid) == "R" and [each for each in kit.jobs(wid) if each != "all_clear"]:
        kit.run(next(each for each in kit.jobs(wid) if each != "all_clear"), wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_signal_after_an_event_gateway_and_beside_a_task(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("parallelGateway", "f"), node("task", "t"),
        node("eventBasedGateway", "w"),
        node("intermediateCatchEvent", "a", GO), node("intermediateCatchEvent", "c", timer("P1D")),
        node("boundaryEvent", "b", GO, attachedToRef="t", cancelActivity="false"), node("task", "noted"),
        node("endEvent", "e"),
        flows("s f", "f w", "f t", "w a", "w c", "a e", "c e", "t e", "b noted", "noted e"),
        named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert signal(kit, "all_clear", wid) == "delivered"
    assert sorted(kit.jobs(wid)) == ["all_clear", "noted", "t"], "the gateway is passed, and the task goes on"
    assert signal(kit, "all_clear", wid) == "delivered"
    kit.run("t", wid)
    kit.run("noted", wid)
    assert str(kit.run("noted", wid).status) == "F" and broken(kit) == []


def test_a_signal_starts_instances(kit: Kit) -> None:
    publish(kit, file(node("startEvent", "s", GO), node("task", "t"), flows("s t"), named=NAMED))
    started = api.signals.send(kit.name, "all_clear", {}, conn=kit.conn)
    assert started.outcome == "started" and kit.jobs(started.wid or 0) == ["t"] and broken(kit) == []
