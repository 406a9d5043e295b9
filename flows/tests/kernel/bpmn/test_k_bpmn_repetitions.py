"""Repeated activities in BPMN: whatever way they are left, they begin again at the first performance."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish, signal, visited
from flows.tests.children import children, go
from flows.tests.kernel.bpmn.test_k_bpmn_children import cardinality, several
from flows.tests.kit import Kit, broken
from testkit.cases import pairs

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NAMED = '<bpmn:message id="m" name="stop"/><bpmn:error id="x" errorCode="X"/>'
DATA = attributes(attribute("papers", type="jsonb"), attribute("n", type="numeric"))
EACH = several("", 'wedsql:collection="papers" wedsql:item="paper"', sequential=True)
FIRST = '<bpmn:standardLoopCharacteristics testBefore="true" loopMaximum="3"/>'
AFTER = '<bpmn:standardLoopCharacteristics loopMaximum="3"/>'
PAPERS = ["p1", "p2", "p3"]


def inside(part: str) -> str:
    """Return the inner part of a sub-process that begins with an activity `review`."""
    return node("startEvent", "b") + part + node("endEvent", "z") + flows("b review", "review z")


HOSTS = {
    "task": lambda loop: (node("task", "review", loop), "review"),
    "sub-process": lambda loop: (
        node("subProcess", "whole", inside(node("task", "review")) + loop), "whole"
    ),
    "task in a sub-process": lambda loop: (
        node("subProcess", "whole", inside(node("task", "review", loop))), "whole"
    ),
}  # fmt: skip
LEAVING = {
    "message": event("message", messageRef="m"),
    "error": event("error", errorRef="x"),
    "timer": timer("P1D"),
    "condition": event("conditional", "<bpmn:condition>n = 9</bpmn:condition>"),
}
LOOPS: dict[str, tuple[str, list[str | None]]] = {
    "each": (EACH, PAPERS), "first": (FIRST, [None] * 3), "after": (AFTER, [None] * 3),
}  # fmt: skip


def again(host: str, loop: str, leaving: str) -> bytes:
    """Return a process whose repeated activity is left by an event that leads back to it."""
    part, name = HOSTS[host](loop)
    return file(
        DATA, node("startEvent", "s"), node("exclusiveGateway", "g"), part, node("task", "r"),
        node("boundaryEvent", "left", LEAVING[leaving], attachedToRef=name), node("endEvent", "e"),
        flows("s g", f"g {name}", f"{name} e", "left r", "r g"), named=NAMED,
    )  # fmt: skip


def leave(kit: Kit, wid: int, leaving: str) -> None:
    if leaving == "message":
        assert signal(kit, "stop", wid) == "delivered"
    elif leaving == "error":
        kit.run("review", wid, error="X")
    elif leaving == "timer":
        kit.reap("2 days")
    else:
        kit.run("review", wid, n=9)
    assert kit.jobs(wid) == ["r"]


@pytest.mark.parametrize(("place", "repeated"), pairs([*product(HOSTS, LEAVING)], LOOPS, 3))
def test_a_repeated_activity_that_is_left_by_an_event_begins_anew(
    kit: Kit, place: tuple[str, str], repeated: str
) -> None:
    (host, leaving), (loop, items) = place, LOOPS[repeated]
    publish(kit, again(host, loop, leaving))
    wid = kit.start(papers=PAPERS)
    kit.run("review", wid)
    leave(kit, wid, leaving)
    kit.run("r", wid, n=0)
    seen = []
    while kit.jobs(wid)[:1] and "review" in kit.jobs(wid):
        seen.append(kit.state(wid).get("paper"))
        kit.run("review", wid)
    assert (seen, kit.status(wid), broken(kit)) == (items, "F", [])


def test_the_items_are_those_of_the_beginning_in_both_orders(kit: Kit) -> None:
    for number, sequential in enumerate((True, False)):
        loop = several("", 'wedsql:collection="papers" wedsql:item="paper"', sequential=sequential)
        publish(kit, file(
            DATA, node("startEvent", "s"), node("parallelGateway", "g"), node("task", "edit"),
            node("task", "review", loop), node("task", "after"),
            flows("s g", "g edit", "g review", "review after"),
        ))  # fmt: skip
        for papers in (["q1", "q2", "q3", "q4"], [], None, "x", {}):
            wid = kit.start(papers=PAPERS)
            if sequential:
                kit.run("review", wid)
                kit.run("edit", wid, papers=papers)
                seen = ["p1"]
                while "review" in kit.jobs(wid):
                    seen.append(kit.state(wid)["paper"])
                    kit.run("review", wid)
            else:
                go(kit)
                kit.run("edit", wid, papers=papers)
                seen = [kit.state(each)["paper"] for each in children(kit, wid)]
                for each in children(kit, wid):
                    kit.run("review", each)
                go(kit)
            assert (seen, kit.jobs(wid), number) == (PAPERS, ["after"], number)
            kit.run("after", wid)
    assert broken(kit) == []


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize(
    ("of", "value", "performed"),
    [("papers", [], 0), ("papers", None, 0), ("papers", {}, None), ("papers", "x", None), ("papers", 5, None),
     ("n", 0, 0), ("n", 2, 2), ("n", 2.4, 2), ("n", 2.5, 3), ("n", None, None), ("n", -1, None)],
)  # fmt: skip
def test_the_number_of_repetitions_is_one_in_both_orders(
    kit: Kit, of: str, value: Any, performed: int | None, sequential: bool
) -> None:
    given = ("", 'wedsql:collection="papers"') if of == "papers" else (cardinality("=n"), "")
    publish(kit, file(
        DATA, node("startEvent", "s"), node("task", "before"),
        node("task", "review", several(*given, sequential=sequential), name="Review the papers"),
        node("task", "after"), flows("s before", "before review", "review after"),
    ))  # fmt: skip
    wid = kit.start()
    kit.run("before", wid, **{of: value})
    go(kit)
    if performed is None:
        assert kit.status(wid) == "E"
        why = kit.one(
            "select last_error from wedsql.job_pool where wid = %s and last_error is not null", [wid]
        )
        assert ("Review the papers" if sequential else "The number of children is") in why, why
        api.repairs.repair(wid, "patch", {"changes": {of: [1] if of == "papers" else 1}}, "x", conn=kit.conn)
        api.repairs.repair(wid, "retry", {}, "x", conn=kit.conn) if kit.status(wid) == "E" else None
        go(kit)
        performed = 1
    seen = 0
    while "after" not in kit.jobs(wid):
        target = wid if sequential else children(kit, wid)[seen]
        kit.run("review", target)
        go(kit)
        seen += 1
    assert seen == performed and broken(kit) == []


def test_a_second_token_waits_until_a_repeated_activity_is_left(kit: Kit) -> None:
    publish(kit, file(
        DATA, node("startEvent", "s"), node("parallelGateway", "g"), node("task", "a"), node("task", "b"),
        node("exclusiveGateway", "x"), node("task", "review", EACH), node("endEvent", "e"),
        flows("s g", "g a", "g b", "a x", "b x", "x review", "review e"),
    ))  # fmt: skip
    wid = kit.start(papers=PAPERS)
    kit.run("a", wid)
    kit.run("review", wid)
    kit.run("b", wid)
    seen = []
    while kit.jobs(wid):
        seen.append(kit.state(wid)["paper"])
        kit.run("review", wid)
    assert (seen, visited(kit, wid)["review"], kit.status(wid)) == ([*PAPERS[1:], *PAPERS], 6, "F")


@pytest.mark.parametrize("host", ["task", "sub-process", "task in a sub-process"])
def test_events_of_many_performances_belong_to_all_of_them(kit: Kit, host: str) -> None:
    part, name = HOSTS[host](several(cardinality("3"), sequential=True))
    publish(kit, file(
        DATA, node("startEvent", "s"), part, node("task", "after"), node("task", "late"),
        node("scriptTask", "k", "<bpmn:script>n = n + 1</bpmn:script>", scriptFormat="sql"),
        node("boundaryEvent", "halt", timer("PT20M"), attachedToRef=name),
        node("boundaryEvent", "once", timer("PT10M"), attachedToRef=name, cancelActivity="false"),
        node("boundaryEvent", "asked", event("message", messageRef="m"), attachedToRef=name,
             cancelActivity="false"),
        flows(f"s {name}", f"{name} after", "halt late", "once k", "asked k"), named=NAMED,
    ))  # fmt: skip
    wid, quick = kit.start(n=0), kit.start(n=0)
    for _each in range(3):
        kit.run("review", quick)
    assert kit.jobs(quick) == ["after"] and visited(kit, quick)["review"] == 3
    kit.reap("6 minutes")
    kit.run("review", wid)
    kit.reap("12 minutes")
    assert kit.state(wid)["n"] == 1
    assert signal(kit, "stop", wid) == "delivered" and signal(kit, "stop", wid) == "delivered"
    kit.run("review", wid)
    kit.reap("18 minutes")
    assert (kit.state(wid)["n"], visited(kit, wid)["late"]) == (3, 0)
    kit.reap("21 minutes")
    assert kit.jobs(wid) == ["late"] and broken(kit) == []
