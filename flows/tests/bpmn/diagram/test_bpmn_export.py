"""Files that are exported: their form, their ids, and that those of several processes come back."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.document.processes import processes
from flows.languages.bpmn.document.vocabulary import MODEL, SCHEMA
from flows.languages.bpmn.document.xml import marked
from flows.languages.bpmn.writer.document import write as write_graph
from flows.languages.graph import read as read_graph
from flows.tests.command.test_command_importbpmn import GRAPHS, POOLS
from flows.tests.commands import answer, run, write
from flows.tests.imported.test_import_several import several
from flows.tests.pages import unique

# Nodes and edges have the same names, and those that the file needs itself.
COLLIDING = """
attributes: [{name: x, type: integer}]
edges: [[a, start, a], [b, a, b, x > 1], {edge: "1", from: a, to: n_1, default: true}, [n_1, b, Diagram], [Plane, n_1, Diagram]]
nodes: [{node: a, type: exclusive, options: {label: "a < b"}}, {node: b}, {node: n_1}]
"""  # noqa: E501 - a list of edges


@pytest.mark.parametrize("which", [*GRAPHS, "colliding"])
def test_conditions_have_their_type_and_ids_are_unique(which: str) -> None:
    graph = read_graph(GRAPHS.get(which, COLLIDING), "yaml", which)
    text = write_graph(graph, "Diagram" if which == "colliding" else which)
    root = ElementTree.fromstring(text)  # noqa: S314 - written here
    ids = Counter(each.get("id") for each in root.iter() if each.get("id"))
    assert [id_ for id_, number in ids.items() if number > 1] == []
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", str(id_)) for id_ in ids)
    conditions = [*root.iter(f"{{{MODEL}}}conditionExpression")]
    assert {each.get(f"{{{SCHEMA}}}type") for each in conditions} <= {"tFormalExpression"}
    assert len(conditions) == sum(edge.condition is not None for edge in graph.edges.values())
    process, warnings = read(text.encode())
    assert warnings == [] and len(process.flows) == len(graph.edges)
    compile_process(process)


@pytest.mark.parametrize("which", [*GRAPHS, "colliding"])
def test_each_element_names_its_sequence_flows(which: str) -> None:
    """bpmn-auto-layout 1.3.0 draws no sequence flow that its elements do not name."""
    graph = read_graph(GRAPHS.get(which, COLLIDING), "yaml", which)
    root = ElementTree.fromstring(write_graph(graph, "p"))  # noqa: S314 - written here
    flows = [*root.iter(f"{{{MODEL}}}sequenceFlow")]
    named: dict[str, list[tuple[str, str]]] = {"incoming": [], "outgoing": []}
    for element in root.iter():
        for way, found in named.items():
            found += [
                (element.get("id", ""), each.text or "") for each in element.findall(f"{{{MODEL}}}{way}")
            ]
    for way, end in (("incoming", "targetRef"), ("outgoing", "sourceRef")):
        assert sorted(named[way]) == sorted((flow.get(end, ""), flow.get("id", "")) for flow in flows)
    first = [element[0].tag for element in root.iter() if element.get("id") in dict(named["incoming"])]
    assert {*first} == {f"{{{MODEL}}}incoming"}  # the order of BPMN's schema


@pytest.mark.django_db
@pytest.mark.parametrize("process", ["sid-34746A54-1D7D-46CA-B219-0C4CEAE51170", "claims-2.0"])
def test_a_file_with_several_processes_comes_back_as_the_one(tmp_path: Path, process: str) -> None:
    name, second = unique(), unique()
    run("importbpmn", str(POOLS), "--flow", name, "--process", process)
    exported = run("exportbpmn", name)
    found = answer("importbpmn", write(tmp_path, exported, "one.bpmn"), "--flow", second)
    assert found["process"] == process
    assert run("exportbpmn", second) == exported


def test_a_mark_is_replaced_and_names_only_what_is_there() -> None:
    text = several("One", "Two").decode()
    for process in ("Parent_1", "Child_1"):
        text = marked(text, process)
        assert [each.id for each in processes(text.encode()) if each.meant] == [process]
    assert text.count("<?wedsql-process") == 1
    assert marked(text, "a?>b") == text
    lost = marked(text, "nowhere").encode()
    assert [each.id for each in processes(lost) if each.meant] == []
    for before in ("\ufeff", "", "  "):
        assert processes(marked(before + text.partition("?>")[2].strip(), "Child_1").encode())[1].meant
