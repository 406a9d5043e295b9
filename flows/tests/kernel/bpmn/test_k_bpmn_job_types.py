"""Tasks of BPMN with one type of job, and events with one message: one transition, whose tokens differ."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
JOB = '<bpmn:extensionElements><zeebe:taskDefinition type="mail"/></bpmn:extensionElements>'
BOTH = file(
    node("startEvent", "s"), node("parallelGateway", "split"), node("parallelGateway", "join"),
    node("serviceTask", "left", JOB), node("serviceTask", "right", JOB), node("serviceTask", "last", JOB),
    node("task", "a"), node("task", "b"), node("endEvent", "e"),
    flows("s split", "split left", "split right", "left a", "right b", "a join", "b join", "join last",
          "last e"),
)  # fmt: skip


@pytest.mark.parametrize("first", [0, 1])
def test_a_worker_performs_the_jobs_of_all_tasks_with_one_type(kit: Kit, first: int) -> None:
    publish(kit, BOTH)
    wid = kit.start()
    held = [kit.lease("mail"), kit.lease("mail")]  # both are performed at the same time
    api.jobs.complete(held[first], {}, conn=kit.conn)
    assert {*kit.jobs(wid)} == {"ab"[first], "mail"}, "the token of its own task goes on"
    api.jobs.complete(held[1 - first], {}, conn=kit.conn)
    assert {*kit.jobs(wid)} == {"a", "b"} and kit.state(wid)["tokens"] == 2
    for name in ("b", "a", "mail"):
        kit.run(name, wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_each_signal_is_for_one_of_the_events_with_its_message(kit: Kit) -> None:
    message = event("message", messageRef="m")
    publish(kit, file(
        node("startEvent", "s"), node("parallelGateway", "split"), node("endEvent", "e"),
        node("intermediateCatchEvent", "one", message), node("receiveTask", "two", messageRef="m"),
        node("task", "a"), node("task", "b"),
        flows("s split", "split one", "split two", "one a", "two b", "a e", "b e"),
        named='<bpmn:message id="m" name="paid"/>',
    ))  # fmt: skip
    wid = kit.start()
    assert kit.jobs(wid) == ["paid", "paid"]
    assert signal(kit, "paid", wid) == "delivered" and "paid" in kit.jobs(wid)
    assert signal(kit, "paid", wid) == "delivered" and {*kit.jobs(wid)} == {"a", "b"}
    assert signal(kit, "paid", wid) == "ignored" and broken(kit) == []
