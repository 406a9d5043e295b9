"""importbpmn and exportbpmn: a file becomes a flow that runs, with its source, and is written again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from flows import api
from flows.errors import NoMatch
from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.expressions import NotUnderstood, feel_names, sql
from flows.languages.bpmn.model import Expression
from flows.languages.bpmn.names import usable
from flows.languages.bpmn.writer.document import write as write_graph
from flows.languages.graph import compile_graph
from flows.languages.graph import read as read_graph
from flows.loading.graphs import Declaring, checked
from flows.models import Flow, Job
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, event, file, flows, node
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.commands import answer, refused, run, write
from flows.tests.pages import unique
from testkit.cases import some

pytestmark = pytest.mark.django_db
POOLS = Path(__file__).parents[1] / "corpus" / "modeller.bpmn"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write(tmp_path, ORDER.decode(), "order.bpmn")


def test_a_process_is_published_with_its_source(path: str) -> None:
    name = unique()
    said = run("importbpmn", path, "--flow", name)
    assert said.startswith(f"Flow {name} is at version 1: 19 elements, 21 flows;")
    source = api.flows.read_source(name)
    assert source is not None and (source["language"], source["text"]) == ("bpmn", ORDER.decode())
    assert source["map"]["transitions"]["delivered"] == "arrived" and source["map"]["process"] == "p"
    assert api.flows.definition(name)["label"] == "Order"
    wid = api.instances.start(name, {"amount": 2000})
    assert [*Job.objects.filter(wid=wid).values_list("transition", flat=True)] == ["approve"]


def test_a_dry_run_changes_nothing(path: str) -> None:
    name = unique()
    found = answer("importbpmn", path, "--flow", name, "--dry-run")
    assert (found["process"], found["warnings"]) == ("p", []) and "version" not in found
    assert "can be published" in run("importbpmn", path, "--flow", name, "--dry-run")
    assert not Flow.objects.filter(name=name).exists()


def test_each_problem_has_a_line_of_its_own(tmp_path: Path) -> None:
    wrong = ORDER.decode().replace("PT2H", "2 hours").replace("=amount &gt; 1000", "=nth(amount)")
    said = refused("importbpmn", write(tmp_path, wrong, "order.bpmn"), "--flow", unique(), "--dry-run")
    lines = said.splitlines()
    assert len(lines) == 2 and all(line.startswith("line ") for line in lines), said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "=amount &gt; 1000",
            "=amont &gt; 1000",
            'Conditions name attributes that are not declared: "amont" (sequence flow “check_approve”)',
        ),
        (
            "=amount &gt; 1000",
            "=nth(amount)",
            "at character 2: “nth(” is not in the subset; write the condition in SQL.",
        ),
        ('type="integer"', 'type="colour"', "[refused]"),
        ("PT2H", "2 hours", "late: error: The time of the event “2 hours” is not supported"),
        ('wedsql:max_attempts="2"', 'wedsql:timeout="x"', "charge “Charge the card”: error:"),
        ('wedsql:max_attempts="2"', f'wedsql:role="{"x" * 61}"', 'x" is not a name of at most 60'),
    ],
)
def test_what_is_wrong_is_said_with_its_element_and_nothing_is_made(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    name = unique()
    wrong = write(tmp_path, ORDER.decode().replace(old, new), "order.bpmn")
    message = refused("importbpmn", wrong, "--flow", name)
    assert said in message and "line " in message
    assert not Flow.objects.filter(name=name).exists()


def test_a_condition_on_what_is_not_declared_says_where_to_declare_it(tmp_path: Path) -> None:
    text = ORDER.decode().replace("=amount &gt; 1000", "=Width &gt; depth and width = 1 or colour = 2")
    broken = text.replace('id="pack"', 'id="pack" startQuantity="2"')
    for each in (text, broken):  # also where the structure is wrong
        said = refused("importbpmn", write(tmp_path, each, "other.bpmn"), "--flow", unique())
        owner = "sequence flow “check_approve”" if each is text else "“check_approve”"
        listed = ", ".join(f'"{name}" ({owner})' for name in ("width", "depth", "colour"))
        assert f"Conditions name attributes that are not declared: {listed}." in said
        assert said.count("not declared") == 1, "each once, however often it is used"
        assert '<wedsql:attribute name="..." />, or as data objects.' in said
        for name in ("width", "depth", "colour"):
            assert said.count(f'<wedsql:attribute name="{name}" type="numeric" />') == 1


def test_words_that_sql_reserves_are_listed_by_the_names_that_their_attributes_get(tmp_path: Path) -> None:
    text = ORDER.decode().replace(
        "=amount &gt; 1000", "=color = 1 and Check = 2 and user = größe and check = 3 and size = 4"
    )
    broken = text.replace('id="pack"', 'id="pack" startQuantity="2"')
    for each in (text, broken):
        said = refused("importbpmn", write(tmp_path, each, "other.bpmn"), "--flow", unique())
        owner = "sequence flow “check_approve”" if each is text else "“check_approve”"
        listed = ", ".join(f'"{name}" ({owner})' for name in ("color", "check_", "user_", "groe", "size"))
        assert f"Conditions name attributes that are not declared: {listed}." in said
        assert "bad_condition" not in said and '<wedsql:attribute name="check" />' not in said
        for name in ("color", "size", "check_"):
            assert said.count(f'<wedsql:attribute name="{name}" type="numeric" />') == 1
        for name in ("user_", "groe"):
            assert said.count(f'<wedsql:attribute name="{name}" />') == 1


def test_each_keyword_of_the_server_may_be_a_name_in_feel() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select word from pg_get_keywords() order by word")
        words = [word for (word,) in cursor.fetchall()]
    tried = 0
    for word in some(words, 4):
        expression = Expression(f"={word} = 1 and other = 2")
        try:
            condition = sql(expression, "feel", "x")
        except NotUnderstood:  # a keyword of FEEL, too
            continue
        names = feel_names(expression, "feel")
        listed = checked({}, condition, Declaring("", "", names))[0]
        assert sorted(listed) == sorted({usable(word), "other"} - {"true_", "false_", "null"}), condition
        tried += 1
    assert tried > 90


def test_a_keyword_in_sql_is_no_name() -> None:
    names, problem = checked({}, "case when color then check end", Declaring("", ""))
    assert (names, problem) == (["color"], None)
    names, problem = checked({"color": "text"}, "color = check", Declaring("", ""))
    assert names == [] and problem is not None and problem.reason == "reserved"


STARTS = file(
    attributes(attribute("amount", type="integer")),
    node("startEvent", "s", event("message", messageRef="asked")),
    node("{tag}", "g", name="Large?"),
    node("task", "a"),
    node("endEvent", "e"),
    flows("s g", "g a amount &gt; 100", "g e amount &lt; 101", "a e"),
    named='<bpmn:message id="asked" name="asked"/>\n',
).decode()
GATES = """
attributes: [{name: amount, type: integer}]
edges: [[r1, s, g], [r2, g, a, amount > 100], [r3, g, e, amount < 101], [r4, a, e]]
nodes: [{node: g, type: exclusive, options: {label: "Large?"}}]
"""


@pytest.mark.parametrize("tag", ["exclusiveGateway", "inclusiveGateway", "graph"])
def test_a_start_without_a_way_on_names_the_gateway(tmp_path: Path, tag: str) -> None:
    name = unique()
    if tag == "graph":
        run("importgraph", write(tmp_path, GATES, "gates.yaml"), "--flow", name)
    else:
        run("importbpmn", write(tmp_path, STARTS.replace("{tag}", tag), "starts.bpmn"), "--flow", name)
    said = f'At the gateway "Large?" of flow "{name}" no condition of a way on holds'
    ways: list[Any] = [
        lambda: api.instances.start(name, {}),
        lambda: run("startinstance", name),
        lambda: connection.cursor().execute(f"insert into {name}.wed_flow (amount) values (null)"),
    ]
    ways += [lambda: api.signals.send(name, "asked", {"amount": None})] if tag != "graph" else []
    for way in ways:
        with pytest.raises(Exception, match=re.escape(said)), transaction.atomic():
            way()
    assert said in str(api.instances.start_many(name, [{}, {"amount": 5}])[0].error)
    api.flows.keep_source(name, {"language": "bpmn", "format": "xml", "text": "", "map": {}})
    with pytest.raises(NoMatch, match="No condition of flow"), transaction.atomic():
        api.instances.start(name, {})


def test_an_export_is_imported_as_the_same_flow(path: str, tmp_path: Path) -> None:
    first, second = unique(), unique()
    run("importbpmn", path, "--flow", first)
    again = tmp_path / "again.bpmn"
    run("exportbpmn", first, "--output", str(again))
    run("importbpmn", str(again), "--flow", second)
    assert comparable(api.flows.definition(first)) == comparable(api.flows.definition(second))


def comparable(definition: Any) -> Any:
    """Return a definition without the numbers and the name that another flow has."""
    found = {key: value for key, value in definition.items() if key not in ("flow", "version")}
    for parts in ("attributes", "triggers"):
        found[parts] = [{key: value for key, value in part.items() if key != "id"} for part in found[parts]]
    return found


GRAPHS = {
    "orders": ORDERS,
    "inner": "edges: [[r1, a, s], [r2, s, k], [i1, b, f], [i2, f, g], [i3, f, h], [i4, g, l], [i5, h, l]]\n"
    "nodes: [{node: s, type: subprocess}, {node: b, within: s}, {node: f, within: s}, {node: g, within: s},"
    " {node: h, within: s}, {node: l, within: s}]\n",
    "complex": "attributes: [{name: x, default: 'a<b'}]\n"
    "edges: [[r1, a, s], [r2, s, b], [r3, s, c], [r4, b, j], [r5, c, j], [r6, j, n], [r7, n, z]]\n"
    "nodes: [{node: j, type: complex, need: 2}, {node: n, type: none}]\n",
    "roles": "edges: [[r1, a, b], [r2, b, c], [r3, c, z]]\n"
    "nodes: [{node: b, options: {role: Clerk}}, {node: c, options: {role: Boss}}]\n",
}


@pytest.mark.parametrize("which", GRAPHS)
def test_a_graph_is_exported_as_the_same_flow(which: str) -> None:
    graph = read_graph(GRAPHS[which], "yaml", which)
    text = write_graph(graph, which)
    process, warnings = read(text.encode())
    made = compile_process(process)
    ours, theirs = (found.definition for found in (compile_graph(graph), made.compiled))
    triggers = [{**each, "label": each.get("label", "")} for each in theirs["triggers"]]
    assert sorted(map(str, triggers)) == sorted(
        str({**each, "label": each.get("label", "")}) for each in ours["triggers"]
    )
    assert warnings == [] and len(process.planes[0].shapes) == len(process.elements)


def test_a_flow_without_a_diagram_is_not_exported() -> None:
    name = unique()
    api.flows.create(name)
    api.flows.publish(
        name, {"attributes": [{"name": "a"}], "triggers": [{"transition": "t", "predicate": "a is null"}]}
    )
    assert "was not imported from BPMN or a graph" in refused("exportbpmn", name)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('id="pack"', 'id="pack" startQuantity="2"', "unsupported"),
        ("PT2H", "2 hours", "bad_time"),
        ('wedsql:max_attempts="2"', 'wedsql:colour="2"', "bad_option"),
    ],
)
def test_conditions_are_checked_although_the_structure_is_wrong(
    tmp_path: Path, old: str, new: str, code: str
) -> None:
    text = ORDER.decode()
    assert old in text
    for wrong in ("=amont &gt; 1000", "=nth(amount) &gt; 1000"):
        content = text.replace(old, new).replace("=amount &gt; 1000", wrong)
        said = refused("importbpmn", write(tmp_path, content, "order.bpmn"), "--flow", unique())
        assert f"[{code}]" in said and "check_approve: error: " in said
        assert said.count("check_approve: error:") == 1


def test_attributes_are_checked_although_the_structure_is_wrong(tmp_path: Path) -> None:
    text = ORDER.decode().replace("PT2H", "soon").replace('type="integer"', 'type="colour"')
    said = refused("importbpmn", write(tmp_path, text, "order.bpmn"), "--flow", unique())
    assert "[bad_time]" in said and said.count("[refused]") == 1 and "colour" in said
    assert "check_approve" not in said


def test_conditions_that_are_right_have_no_problem_where_the_structure_is_wrong(tmp_path: Path) -> None:
    said = refused(
        "importbpmn",
        write(tmp_path, ORDER.decode().replace("PT2H", "soon"), "order.bpmn"),
        "--flow",
        unique(),
    )
    assert said.count(": error:") == 1 and "[bad_time]" in said


@pytest.mark.parametrize("process", ["sid-34746A54-1D7D-46CA-B219-0C4CEAE51170", "Clinic", " clinic"])
def test_a_process_is_named_by_its_id_or_its_pool(process: str) -> None:
    found = answer("importbpmn", str(POOLS), "--flow", unique(), "--dry-run", "--process", process)
    assert found["process"] == "sid-34746A54-1D7D-46CA-B219-0C4CEAE51170"


def test_the_processes_are_listed_where_the_name_is_of_none_or_of_several(tmp_path: Path) -> None:
    text = POOLS.read_text(encoding="utf-8").replace(
        '<participant id="sid-p1" name="Clinic"', '<participant id="sid-p1" name="Insurance"'
    )
    file = write(tmp_path, text, "pools.bpmn")
    listed = (
        "found: sid-34746A54-1D7D-46CA-B219-0C4CEAE51170 (“Clinic”, pool “Insurance”); "
        "claims-2.0 (“Insurance”, pool “Insurance”)."
    )
    for wanted, said in (("Bank", "no process “Bank”"), ("Insurance", "2 processes “Insurance”")):
        message = refused("importbpmn", file, "--flow", unique(), "--process", wanted)
        assert f"The file has {said}; {listed}" in message
    executable = write(tmp_path, text.replace('isExecutable="false"', 'isExecutable="true"'), "both.bpmn")
    message = refused("importbpmn", executable, "--flow", unique())
    assert f"Name the process that becomes the flow, with the option --process; {listed}" in message
