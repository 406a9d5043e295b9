"""Events of BPMN that lead back to what they interrupt: it is withdrawn, and begins again."""

from __future__ import annotations

import pytest

from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NAMED = '<bpmn:message id="m" name="more"/><bpmn:message id="l" name="less"/>'
MORE, LESS = event("message", messageRef="m"), event("message", messageRef="l")
START, END, HOUR = node("startEvent", "s"), node("endEvent", "e"), timer("PT1H")
INNER = node("startEvent", "b") + node("task", "i") + node("endEvent", "z") + flows("b i", "i z")
HOSTS = {
    "task": node("task", "t"), "userTask": node("userTask", "t"),
    "subProcess": node("subProcess", "t", INNER), "receiveTask": node("receiveTask", "t", messageRef="l"),
}  # fmt: skip


def at(host: str, trigger: str) -> bytes:
    back = node("boundaryEvent", "h", trigger, attachedToRef="t")
    return file(START, HOSTS[host], back, END, flows("s t", "t e", "h t"), named=NAMED)


def race(trigger: str) -> bytes:
    return file(
        START, node("eventBasedGateway", "g"), node("intermediateCatchEvent", "c", MORE),
        node("intermediateCatchEvent", "h", trigger), END, flows("s g", "g c", "g h", "c e", "h g"),
        named=NAMED,
    )  # fmt: skip


def numbers(kit: Kit, wid: int) -> set[int]:
    return {job.id for job in kit.pending(wid)}


@pytest.mark.parametrize("host", HOSTS)
def test_a_message_at_an_activity_begins_it_again(kit: Kit, host: str) -> None:
    publish(kit, at(host, MORE))
    wid = kit.start()
    for _ in range(2):
        before, names = numbers(kit, wid), kit.jobs(wid)
        assert signal(kit, "more", wid) == "delivered"
        assert not before & numbers(kit, wid) and kit.jobs(wid) == names
    assert broken(kit) == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_timer_at_an_activity_counts_from_each_beginning(kit: Kit, host: str) -> None:
    publish(kit, at(host, HOUR))
    wid = kit.start()
    for offset, happens in (("61 minutes", True), ("119 minutes", False), ("122 minutes", True)):
        before = numbers(kit, wid)
        kit.reap(offset)
        assert bool(before & numbers(kit, wid)) is not happens, offset
    assert len([step for step in kit.story(wid) if step[0] == "h"]) == 2 and broken(kit) == []


def test_an_event_may_lead_back_to_its_gateway(kit: Kit) -> None:
    publish(kit, race(LESS))
    wid = kit.start()
    assert [signal(kit, "less", wid) for _ in range(3)] == ["delivered"] * 3
    assert signal(kit, "more", wid) == "delivered" and kit.status(wid) == "F" and broken(kit) == []


def test_a_timer_may_lead_back_to_its_gateway(kit: Kit) -> None:
    publish(kit, race(HOUR))
    wid = kit.start()
    for offset in ("61 minutes", "100 minutes", "122 minutes"):
        kit.reap(offset)
    assert [step[0] for step in kit.story(wid)].count("h") == 2
    assert signal(kit, "more", wid) == "delivered" and kit.status(wid) == "F" and broken(kit) == []
