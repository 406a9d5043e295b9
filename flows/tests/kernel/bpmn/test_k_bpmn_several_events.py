"""Events of BPMN with several definitions, receivers that start instances, and names that events share."""

from __future__ import annotations

import pytest

from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, timer
from flows.tests.bpmn.files.bpmn_files import node as with_inner
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NAMED = (
    '<bpmn:message id="m" name="more"/><bpmn:message id="l" name="less"/><bpmn:error id="x" errorCode="X"/>'
)
MORE, LESS = event("message", messageRef="m"), event("message", messageRef="l")


def node(tag: str, id_: str, *inner: str, **attributes: str) -> str:
    return with_inner(tag, id_, "".join(inner), **attributes)


def ended(kit: Kit, wid: int) -> bool:
    return kit.status(wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("first", ["more", "less", "later"])
def test_one_of_several_events_is_enough(kit: Kit, first: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("intermediateCatchEvent", "c", MORE, LESS, timer("PT1H")),
        node("task", "t"), node("endEvent", "e"), flows("s c", "c t", "t e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    if first == "later":
        kit.reap("2 hours")
    else:
        assert signal(kit, first, wid) == "delivered"
    assert kit.jobs(wid) == ["t"]
    kit.run("t", wid)
    assert ended(kit, wid)


def test_an_event_that_waits_for_all_waits_for_each_in_any_order(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("intermediateCatchEvent", "c", MORE, LESS, parallelMultiple="true"),
        node("task", "t"), node("endEvent", "e"), flows("s c", "c t", "t e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert signal(kit, "less", wid) == "delivered" and kit.jobs(wid) == ["more"]
    assert signal(kit, "more", wid) == "delivered" and kit.jobs(wid) == ["t"]
    kit.run("t", wid)
    assert ended(kit, wid)


def test_an_event_that_waits_for_all_waits_once_for_each_way_to_it(kit: Kit) -> None:
    either = "<bpmn:conditionExpression>n = 1</bpmn:conditionExpression>"
    publish(kit, file(
        attributes(attribute("n", type="integer")), node("startEvent", "s"),
        node("exclusiveGateway", "g", default="other"), node("task", "u"),
        f'<bpmn:sequenceFlow id="one" sourceRef="g" targetRef="c">{either}</bpmn:sequenceFlow>',
        '<bpmn:sequenceFlow id="other" sourceRef="g" targetRef="u"/>',
        node("intermediateCatchEvent", "c", MORE, LESS, parallelMultiple="true"),
        node("task", "t"), node("endEvent", "e"), flows("s g", "u c", "c t", "t e"), named=NAMED,
    ))  # fmt: skip
    for n in (1, 2):
        wid = kit.start(n=n)
        if n == 2:
            kit.run("u", wid)
        assert [signal(kit, name, wid) for name in ("less", "more")] == ["delivered"] * 2
        assert kit.jobs(wid) == ["t"]
        kit.run("t", wid)
        assert ended(kit, wid)


def test_an_event_with_several_belongs_to_the_race_of_its_gateway(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("eventBasedGateway", "g"),
        node("intermediateCatchEvent", "c", MORE, LESS),
        node("intermediateCatchEvent", "d", timer("PT1H")), node("task", "t"), node("endEvent", "e"),
        node("endEvent", "f"), flows("s g", "g c", "g d", "c t", "t e", "d f"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    assert signal(kit, "less", wid) == "delivered" and kit.jobs(wid) == ["t"]
    kit.run("t", wid)
    assert ended(kit, wid)


@pytest.mark.parametrize("interrupts", ["true", "false"])
def test_each_of_several_events_at_a_task_is_taken(kit: Kit, interrupts: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), node("task", "u"),
        node("endEvent", "f"),
        node("boundaryEvent", "b", MORE, timer("PT1H"), attachedToRef="t", cancelActivity=interrupts),
        flows("s t", "t e", "b u", "u f"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.reap("2 hours")
    assert {*kit.jobs(wid)} - {"more"} == ({"u"} if interrupts == "true" else {"t", "u"})
    if interrupts == "false":
        assert signal(kit, "more", wid) == "delivered"
        kit.run("t", wid)
        kit.run("u", wid)
    kit.run("u", wid)
    assert ended(kit, wid)


def test_all_of_several_are_thrown_and_what_ends_is_last(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("subProcess", "sub",
            node("startEvent", "i"), node("intermediateThrowEvent", "w", MORE, LESS),
            node("endEvent", "j", event("error", errorRef="x"), event("message", messageRef="l")),
            flows("i w", "w j")),
        node("boundaryEvent", "b", event("error", errorRef="x"), attachedToRef="sub"), node("task", "t"),
        node("endEvent", "e"), node("endEvent", "f"), flows("s sub", "sub e", "b t", "t f"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    for expected in ("more", "less", "less", "t"):
        assert kit.jobs(wid) == [expected]
        kit.run(expected, wid)
    assert ended(kit, wid)


@pytest.mark.parametrize("by", ["more", "less"])
def test_each_of_several_events_starts_instances(kit: Kit, by: str) -> None:
    publish(kit, file(
        node("startEvent", "s", MORE, LESS), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"),
        named=NAMED,
    ))  # fmt: skip
    wid = kit.start(started_by=by)
    assert kit.jobs(wid) == ["t"]
    kit.run("t", wid)
    assert ended(kit, wid)


@pytest.mark.parametrize("by", ["more", "less"])
def test_a_gateway_and_a_receive_task_start_instances(kit: Kit, by: str) -> None:
    publish(kit, file(
        node("eventBasedGateway", "g", instantiate="true"), node("intermediateCatchEvent", "c", MORE),
        node("receiveTask", "r", messageRef="l"), node("task", "t"), node("task", "u"), node("endEvent", "e"),
        node("endEvent", "f"), flows("g c", "g r", "c t", "r u", "t e", "u f"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start(started_by=by)
    done = {"more": "t", "less": "u"}[by]
    assert kit.jobs(wid) == [done]
    kit.run(done, wid)
    assert ended(kit, wid)


def test_a_receive_task_starts_instances(kit: Kit) -> None:
    publish(kit, file(
        node("receiveTask", "r", messageRef="m", instantiate="true"), node("task", "t"),
        node("endEvent", "e"),
        flows("r t", "t e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.run("t", wid)
    assert ended(kit, wid)


@pytest.mark.parametrize("waits", ["true", "false"])
def test_a_token_waits_for_compensation_unless_it_says_otherwise(kit: Kit, waits: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"),
        node("boundaryEvent", "b", event("compensate"), attachedToRef="t"),
        node("task", "undo", isForCompensation="true"),
        '<bpmn:association id="a" sourceRef="b" targetRef="undo"/>',
        node("intermediateThrowEvent", "w", event("compensate", waitForCompletion=waits)), node("task", "u"),
        node("endEvent", "e"), flows("s t", "t w", "w u", "u e"),
    ))  # fmt: skip
    wid = kit.start()
    kit.run("t", wid)
    assert {*kit.jobs(wid)} == ({"undo"} if waits == "true" else {"undo", "u"})
    kit.run("undo", wid)
    kit.run("u", wid)
    assert ended(kit, wid)


def test_a_message_is_sent_and_awaited_and_an_event_has_its_name(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("intermediateThrowEvent", "w", MORE),
        node("intermediateCatchEvent", "c", MORE), node("intermediateCatchEvent", "more", timer("PT1H")),
        node("endEvent", "e", LESS), flows("s w", "w c", "c more", "more e"), named=NAMED,
    ))  # fmt: skip
    wid = kit.start()
    kit.run("send_more", wid)
    assert signal(kit, "more", wid) == "delivered"
    kit.reap("2 hours")
    kit.run("less", wid)
    assert ended(kit, wid)
