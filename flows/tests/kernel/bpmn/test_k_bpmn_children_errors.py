"""An error event with a code at an activity that children perform catches this error, and no other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.children import children, go
from flows.tests.kit import Kit, broken
from flows.tests.people import failed
from testkit.cases import pairs, some

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

SEVERAL = (
    "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>3</bpmn:loopCardinality>"
    "</bpmn:multiInstanceLoopCharacteristics>"
)
ERRORS = '<bpmn:error id="x" errorCode="it\'s X"/><bpmn:error id="y" errorCode="Y"/>'
X, Y = "it's X", "Y"
HOSTS = ("call", "calls", "tasks", "sub-processes", "call of a call", "call in sub-processes")


@pytest.fixture
def made(kit: Kit) -> Iterator[list[str]]:
    """The names of the flows that a test makes for its calls."""
    names: list[str] = []
    yield names
    for name in [kit.name, *names]:
        api.flows.drop(name, force=True, conn=kit.conn)
    api.flows.create(kit.name, conn=kit.conn)


def body(ident: str, element: str) -> str:
    return (
        node("startEvent", f"{ident}_b") + element + node("endEvent", f"{ident}_e")
        + flows(f"{ident}_b {ident}", f"{ident} {ident}_e")
    )  # fmt: skip


def failing() -> str:
    """Return a process whose task chooses the error with which it ends, or none."""
    ways = [
        f'<bpmn:sequenceFlow id="to_{each}" sourceRef="g" targetRef="end_{each}">'
        f'<bpmn:conditionExpression>=how = "{each}"</bpmn:conditionExpression></bpmn:sequenceFlow>'
        for each in ("x", "y")
    ]
    return "".join((
        '<bpmn:extensionElements><wedsql:attribute name="how"/></bpmn:extensionElements>',
        node("startEvent", "b"), node("task", "grant"), node("exclusiveGateway", "g", default="g_fine"),
        node("endEvent", "end_x", event("error", errorRef="x")),
        node("endEvent", "end_y", event("error", errorRef="y")), node("endEvent", "fine"),
        flows("b grant", "grant g", "g fine"), *ways,
    ))  # fmt: skip


def called(kit: Kit, made: list[str], content: str, ident: str) -> str:
    name = f"{kit.name}_{ident}"
    api.flows.create(name, conn=kit.conn)
    made.append(name)
    publish(Kit(name, kit.connect), file(content, named=ERRORS))
    return name


def host(kit: Kit, made: list[str], kind: str) -> str:
    """Return the activity `h`, whose children can end with an error."""
    if kind in ("tasks", "user tasks"):
        return node("task" if kind == "tasks" else "userTask", "h", SEVERAL)
    if kind == "sub-processes":
        return node("subProcess", "h", body("grant", node("task", "grant")) + SEVERAL)
    own = called(kit, made, failing(), "own")
    if kind == "call of a call":
        own = called(kit, made, body("c", node("callActivity", "c", calledElement=own)), "c")
    if kind == "call in sub-processes":
        return node("subProcess", "h", body("c", node("callActivity", "c", calledElement=own)) + SEVERAL)
    return node("callActivity", "h", SEVERAL if kind == "calls" else "", calledElement=own)


def build(kit: Kit, made: list[str], kind: str, caught: tuple[str, ...]) -> int:
    """Publish a process whose activity has an error event for each of these, each with a task after it."""
    given = {"x": event("error", errorRef="x"), "y": event("error", errorRef="y"), "any": event("error")}
    events = [node("boundaryEvent", f"on_{each}", given[each], attachedToRef="h") for each in caught]
    after = [node("task", f"after_{each}") for each in caught]
    publish(kit, file(
        '<bpmn:extensionElements><wedsql:attribute name="how"/></bpmn:extensionElements>',
        node("startEvent", "s"), host(kit, made, kind), node("task", "after"), *events, *after,
        flows("s h", "h after", *(f"on_{each} after_{each}" for each in caught)), named=ERRORS,
    ))  # fmt: skip
    wid = kit.start()
    for _ in range(2):
        go(kit)
    return wid


def lowest(kit: Kit, wid: int) -> int:
    below = children(kit, wid)
    return lowest(kit, below[-1]) if below else wid


def end(kit: Kit, wid: int, kind: str, how: str) -> None:
    """Let one of the lowest children end with an error."""
    below = lowest(kit, wid)
    flow = kit.one("select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id "
                   "where i.wid = %s", [below])  # fmt: skip
    its = kit if flow == kit.name else Kit(flow, kit.connect)
    if kind in ("tasks", "sub-processes"):
        its.run("h" if kind == "tasks" else "grant", below, error={"x": X, "y": Y}[how])
    else:
        its.run("grant", below, how=how)
    go(kit)


def open_children(kit: Kit, wid: int) -> list[object]:
    return kit.rows("select c.wid from wedsql.child c join wedsql.instance i using (wid) "
                    "where c.root_wid = %s and i.status not in ('F', 'C', 'A')", [wid])  # fmt: skip


CAUGHT = [("x",), ("x", "y"), ("x", "any")]
OTHERS = [("x", "y"), ("x", "any"), ("any",)]


@pytest.mark.parametrize(("kind", "caught"), pairs(HOSTS, CAUGHT, 3), ids=str)
def test_the_event_with_the_code_of_the_error_is_taken(
    kit: Kit, made: list[str], kind: str, caught: tuple[str, ...]
) -> None:
    wid = build(kit, made, kind, caught)
    end(kit, wid, kind, "x")
    assert (kit.jobs(wid), kit.state(wid)["error"]) == (["after_x"], None)
    assert (open_children(kit, wid), broken(kit)) == ([], [])


@pytest.mark.parametrize(("kind", "caught"), pairs(HOSTS, OTHERS, 3), ids=str)
def test_another_error_takes_its_own_event_or_that_of_any(
    kit: Kit, made: list[str], kind: str, caught: tuple[str, ...]
) -> None:
    wid = build(kit, made, kind, caught)
    end(kit, wid, kind, "y")
    assert kit.jobs(wid) == ["after_y" if "y" in caught else "after_any"]
    assert (open_children(kit, wid), broken(kit)) == ([], [])


CALLS = [each for each in HOSTS if "call" in each]


@pytest.mark.parametrize("kind", some(CALLS, 2))
def test_an_error_that_no_event_has_the_code_of_is_waited_for(kit: Kit, made: list[str], kind: str) -> None:
    wid = build(kit, made, kind, ("x",))
    end(kit, wid, kind, "y")
    assert kit.status(wid) == "R" and len(kit.jobs(wid)) == 1 and kit.jobs(wid) != ["after_x"]
    assert open_children(kit, wid) != [] and broken(kit) == []


@pytest.mark.parametrize("kind", some(["call", "calls", "call of a call"], 3, 2))
def test_a_failure_that_is_no_error_is_waited_for(kit: Kit, made: list[str], kind: str) -> None:
    wid = build(kit, made, kind, ("x",))
    below = lowest(kit, wid)
    its = Kit(f"{kit.name}_own", kit.connect)
    its.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'grant'")
    its.fail("grant", below)
    go(kit)
    assert (its.status(below), kit.status(wid), len(kit.jobs(wid))) == ("E", "R", 1)


@pytest.mark.parametrize("caught", [("x",), ("x", "any")], ids="-".join)
def test_a_failure_that_a_person_reports_is_an_error_of_many_tasks(
    kit: Kit, made: list[str], caught: tuple[str, ...]
) -> None:
    wid = build(kit, made, "user tasks", caught)
    assert failed(kit, "h", children(kit, wid)[1])
    go(kit)
    assert kit.jobs(wid) == ["after_any" if "any" in caught else "after_x"]
    assert (open_children(kit, wid), broken(kit)) == ([], [])


def test_a_cancelled_child_ends_a_call_whose_event_has_a_code_as_without_it(
    kit: Kit, made: list[str]
) -> None:
    wid = build(kit, made, "call", ("x",))
    api.instances.cancel(children(kit, wid)[0], "x", conn=kit.conn)
    go(kit)
    assert kit.jobs(wid) == ["after"]


def test_the_others_of_many_go_on_when_one_is_cancelled(kit: Kit, made: list[str]) -> None:
    wid = build(kit, made, "calls", ("x",))
    first, second, third = children(kit, wid)
    api.instances.cancel(first, "x", conn=kit.conn)
    its = Kit(f"{kit.name}_own", kit.connect)
    its.run("grant", second, how="fine")
    go(kit)
    assert kit.jobs(wid) == ["h"], "the third is performed"
    its.run("grant", third, how="x")
    go(kit)
    assert kit.jobs(wid) == ["after_x"] and open_children(kit, wid) == []


def test_an_error_counts_when_its_code_is_added(kit: Kit, made: list[str]) -> None:
    wid = build(kit, made, "call of a call", ("x",))
    end(kit, wid, "call of a call", "y")
    assert kit.jobs(wid) == ["h"]
    kit.rows("update {f}.wed_trig set child_errors = '{Y}' where trname = 'h'")
    go(kit)
    assert kit.one("select failed from wedsql.child_job where parent_wid = %s", [wid]) == 1
