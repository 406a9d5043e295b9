"""Compensation in BPMN: each performance of an activity is undone, whatever performs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node
from flows.tests.bpmn.files.bpmn_hosts import ACTIVITIES, LOOPS, NAMED
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.children import children, go
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def other(kit: Kit) -> Iterator[Kit]:
    """Another flow, which is called."""
    api.flows.create(f"{kit.name}_b", conn=kit.conn)
    found = Kit(f"{kit.name}_b", kit.connect)
    found.attr("done")
    found.trig("do", "done is null")
    found.final("done is not null")
    yield found
    api.flows.drop(found.name, force=True, conn=kit.conn)


@pytest.mark.parametrize("loop", ["", "sequential", "loop"])
@pytest.mark.parametrize("host", ["task", "receiveTask", "scriptTask", "callActivity"])
def test_each_performance_is_undone(kit: Kit, other: Kit, host: str, loop: str) -> None:
    inner, options = ACTIVITIES[host]
    options = options | ({"calledElement": other.name} if host == "callActivity" else {})
    publish(kit, file(
        attributes(attribute("n", type="integer")), node("startEvent", "s"),
        node(host, "a", inner + LOOPS[loop], **options), node("task", "c"), node("endEvent", "e"),
        node("boundaryEvent", "h", event("compensate"), attachedToRef="a"),
        node("task", "ua", isForCompensation="true"),
        '<bpmn:association id="l" sourceRef="h" targetRef="ua"/>', flows("s a", "a c", "c e"), named=NAMED,
    ))  # fmt: skip
    wid, times = kit.start(), 3 if loop else 1
    for number in range(times if host != "scriptTask" else 0):
        if host == "task":
            kit.run("a", wid)
        elif host == "receiveTask":
            assert signal(kit, "stop", wid) == "delivered"
        else:
            go(kit)
            other.run("do", children(kit, wid)[number], done="yes")
            go(kit)
    assert kit.jobs(wid) == ["c"]
    api.compensations.abort(wid, "x", conn=kit.conn)
    undone = 0
    while kit.jobs(wid) == ["ua"]:
        kit.run("ua", wid)
        undone += 1
    assert (undone, kit.status(wid), broken(kit)) == (times, "A", [])
