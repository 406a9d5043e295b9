"""Lanes of BPMN become the roles of triggers, and the roles of a graph become lanes."""

from __future__ import annotations

from itertools import pairwise

from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.writer.document import write
from flows.languages.graph import compile_graph
from flows.languages.graph import read as read_graph
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer

MESSAGE = '<bpmn:message id="m" name="Paid"/>'


def lane(id_: str, name: str, refs: str = "", inner: str = "", **options: str) -> str:
    """Return a lane with these elements; `inner` are the lanes within."""
    listed = "".join(f"<bpmn:flowNodeRef>{ref}</bpmn:flowNodeRef>" for ref in refs.split())
    return node(
        "lane", id_, listed + (node("childLaneSet", f"{id_}_c", inner) if inner else ""), name=name, **options
    )


def lanes(*found: str) -> str:
    return f"<bpmn:laneSet>{''.join(found)}</bpmn:laneSet>"


def chain(*tasks: str, before: str = "", after: str = "") -> str:
    """Return a start event, these nodes in their order, and an end event."""
    ids = ["s", *(task.split('id="', 1)[1].split('"', 1)[0] for task in tasks), "e"]
    pairs = [f"{one} {next_}" for one, next_ in pairwise(ids)]
    ends = node("startEvent", "s") + node("endEvent", "e")
    return before + ends + "".join(tasks) + flows(*pairs) + after


def roles(content: bytes, process: str = "") -> dict[str, str | None]:
    """Return the role of each rule by its transition, None without one."""
    triggers = compile_process(read(content, process)[0]).compiled.definition["triggers"]
    return {each["transition"]: each.get("role") for each in triggers if each.get("performer")}


def task(id_: str, **options: str) -> str:
    return node("userTask", id_, **options)


def test_a_role_is_the_innermost_lane_that_has_a_name() -> None:
    found = lanes(
        lane("o", "Sales", "a b c d", lane("i", "Clerk\n of sales", "b") + lane("n", "", "c")),
        lane("w", " Warehouse ", "f"),
    )
    made = roles(file(chain(*(task(each) for each in "abcdfg"), before=found)))
    assert {each: made[each] for each in "abcdfg"} == {
        "a": "Sales", "b": "Clerk of sales", "c": "Sales", "d": "Sales", "f": "Warehouse", "g": None,
    }  # fmt: skip


def test_an_element_or_a_lane_can_name_another_role() -> None:
    found = lanes(
        lane("o", "Sales", "a b c"), lane("w", "Everything about the warehouse", "d", wedsql_role="Picker")
    )
    parts = (task("a"), task("b", wedsql_role="Boss"), task("c", wedsql_role=""), task("d"))
    made = roles(file(chain(*parts, before=found)))
    assert [made[each] for each in "abcd"] == ["Sales", "Boss", None, "Picker"]


def test_what_a_sub_process_contains_and_what_is_attached_has_its_lane() -> None:
    inner = chain(task("a"), task("b"), before=lanes(lane("i", "Inner", "b")))
    inner = inner.replace('id="s"', 'id="s2"').replace('id="e"', 'id="e2"')
    inner = inner.replace('"s_a" sourceRef="s"', '"s2_a" sourceRef="s2"').replace(
        'targetRef="e"', 'targetRef="e2"'
    )
    attached = node("boundaryEvent", "t", event("message", messageRef="m"), attachedToRef="p1") + flows("t e")
    found = lanes(lane("o", "Outer", "p1"))
    content = file(chain(node("subProcess", "p1", inner), before=found, after=attached), named=MESSAGE)
    made = roles(content)
    assert (made["a"], made["b"], made["paid"]) == ("Outer", "Inner", "Outer")


def test_what_no_person_or_worker_performs_has_no_role() -> None:
    parts = (
        node("intermediateCatchEvent", "w", timer("PT1H")),
        node("exclusiveGateway", "x"),
        node("scriptTask", "c", "<bpmn:script>n = 1</bpmn:script>", scriptFormat="sql"),
        node("callActivity", "k", calledElement="other"),
        task("a"),
    )
    made = roles(file(chain(*parts, before=lanes(lane("o", "Sales", "s w x c k a e")))))
    assert {name for name, role in made.items() if role} == {"a"}


def test_each_process_of_a_file_with_pools_has_its_own_lanes() -> None:
    first = chain(task("a"), before=lanes(lane("o", "Sales", "a")))
    second = first.replace('"a"', '"b"').replace('"s"', '"s2"').replace('"e"', '"e2"').replace("s_a", "s2_b")
    second = (
        second.replace("a_e", "b_e2").replace(">a<", ">b<").replace("Sales", "Buyer").replace('"o"', '"o2"')
    )
    pools = '<bpmn:collaboration id="c"><bpmn:participant id="p1" processRef="p"/>'
    pools += '<bpmn:participant id="p2" processRef="q"/></bpmn:collaboration>'
    after = f'<bpmn:process id="q">{second}</bpmn:process>'
    content = file(first, named=pools, after=after)
    assert roles(content, "p")["a"] == "Sales"
    assert roles(content, "q")["b"] == "Buyer"


GRAPH = """
edges: [[r1, a, b], [r2, b, s], [i1, x, y], [i2, y, v], [i3, v, z], [r3, s, d], [r4, d, done]]
nodes:
- {node: a, type: begin}
- {node: b, options: {role: 'Clerk & "Co"'}}
- {node: s, type: subprocess, options: {role: Judge}}
- {node: x, type: begin, within: s}
- {node: y, within: s, options: {role: Boss}}
- {node: v, within: s}
- {node: z, type: end, within: s}
- {node: d}
"""


def test_the_roles_of_a_graph_are_lanes_of_its_export() -> None:
    text = write(read_graph(GRAPH, "yaml", "g"), "g")
    process, warnings = read(text.encode())
    assert (process.lanes, warnings) == ({"b": 'Clerk & "Co"', "y": "Boss"}, [])
    made = roles(text.encode())
    assert {name: role for name, role in made.items() if role} == {"b": 'Clerk & "Co"', "y": "Boss"}
    ours = compile_graph(read_graph(GRAPH, "yaml", "g")).definition["triggers"]
    assert {each["transition"]: each["role"] for each in ours if "role" in each} == {
        "b": 'Clerk & "Co"', "y": "Boss",
    }  # fmt: skip


PEOPLE = """
edges: [[r1, a, b], [r2, b, c], [r3, c, d], [r4, d, done]]
attributes: [{name: n, type: integer}, {name: m, type: integer}]
nodes:
- {node: a, type: begin}
- {node: b, options: {performer: person, role: Clerk, deadline: 2 days, offline: true,
                      outcomes: ['Pay: n = 1, m = 2', 'FAILED: n = 0']}}
- {node: c, options: {performer: worker}}
- {node: d, options: {performer: person}}
"""


def test_a_task_of_a_person_in_a_graph_is_a_user_task_and_comes_back() -> None:
    graph = read_graph(PEOPLE, "yaml", "g")
    ours = compile_graph(graph).definition["triggers"]
    text = write(graph, "g")
    process, warnings = read(text.encode())
    assert warnings == [] and [process.elements[each].tag for each in "bcd"] == [
        "userTask",
        "task",
        "userTask",
    ]
    theirs = compile_process(process).compiled.definition["triggers"]
    names = ("performer", "role", "deadline", "offline", "outcomes")
    for one, two in zip(ours, theirs, strict=True):
        assert {name: one.get(name) for name in names} == {name: two.get(name) for name in names}
    found = {each["transition"]: each["performer"] for each in ours if each.get("name") in ("b", "c", "d")}
    assert found == {
        "b": "person", "c": "worker", "d": "person",
    }  # fmt: skip
