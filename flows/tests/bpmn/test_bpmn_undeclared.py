"""Names that are not declared are one list, with types by their use, wherever a BPMN file uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.languages.bpmn.feel import to_sql
from flows.loading.bpmn_files import check_processes
from flows.loading.inference import types_by_use
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.commands import refused, write
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

LOOP = (
    '<bpmn:multiInstanceLoopCharacteristics isSequential="true" {}>{}</bpmn:multiInstanceLoopCharacteristics>'
)
TIMES = LOOP.format("", "<bpmn:loopCardinality>rounds</bpmn:loopCardinality>")
UNTIL = LOOP.format(
    "",
    "<bpmn:loopCardinality>rounds</bpmn:loopCardinality><bpmn:completionCondition>"
    "enough and nrOfCompletedInstances &gt; 1</bpmn:completionCondition>",
)
AGAIN = (
    "<bpmn:standardLoopCharacteristics><bpmn:loopCondition>more and n &lt; 3</bpmn:loopCondition>"
    "</bpmn:standardLoopCharacteristics>"
)
# What names attributes besides the conditions of edges, with the names and their types by their use.
NAMING = {
    "a timer": (
        node("intermediateCatchEvent", "w", timer("remind_at", "timeDate")),
        {"remind_at": "timestamptz"},
    ),
    "a collection": (
        node("serviceTask", "w", LOOP.format('wedsql:collection="guests"', "")),
        {"guests": "jsonb"},
    ),
    "a cardinality": (node("serviceTask", "w", TIMES), {"rounds": "numeric"}),
    "when it is complete": (node("serviceTask", "w", UNTIL), {"rounds": "numeric", "enough": "boolean"}),
    "a loop": (node("serviceTask", "w", AGAIN), {"more": "boolean", "n": "numeric"}),
}


@pytest.mark.parametrize("kind", NAMING)
@pytest.mark.parametrize("whole", [True, False])
def test_names_that_are_not_declared_are_one_list_wherever_they_are(
    tmp_path: Path, kind: str, whole: bool
) -> None:
    part, wanted = NAMING[kind]
    choice = node("exclusiveGateway", "g", default="g_e" if whole else "nowhere")
    edges = flows("s g", "g w vip and kind = 'x'", "g e", "w e")
    declared = attributes(attribute("other"))  # a file that declares some attributes declares all
    text = file(declared, node("startEvent", "s"), choice, part, edges, node("endEvent", "e"))
    found = write(tmp_path, text.decode(), "naming.bpmn")
    said = refused("importbpmn", found, "--flow", unique(), "--dry-run")
    assert said.count("not declared") == 1, said
    for name, type_ in {"vip": "boolean", **wanted}.items():
        assert f'<wedsql:attribute name="{name}" type="{type_}" />' in said, said
    assert '<wedsql:attribute name="kind" />' in said


@pytest.mark.parametrize(
    ("uses", "types"),
    [
        (["a is null", "(a + 1) is null"], {"a": "numeric"}),
        (["(b) is null", "b > a", "(a + 1) > 2"], {"a": "numeric", "b": "numeric"}),
        (["a = b", "a is null", "b > timestamptz '2026-01-01'"], {"a": "timestamptz", "b": "timestamptz"}),
        ([to_sql("sum(a) > 5"), "a is null"], {"a": "jsonb"}),
        ([to_sql("mean(for x in a return x.n * 2) < 3"), "a is null"], {"a": "jsonb"}),
        (["a = 'x'", "a > 5"], {"a": "text"}),  # no type suits both: the check of the second one says so
    ],
)
def test_a_type_suits_all_uses_of_a_name(uses: list[str], types: dict[str, str]) -> None:
    named = [
        (use, [name for name in ("a", "b") if name in use.replace("null", "").split("'")[0]]) for use in uses
    ]
    found = types_by_use({}, [(use, [*{*names} & types.keys()]) for use, names in named])
    assert found == types


def test_a_data_object_whose_items_are_not_defined_has_the_type_by_its_use() -> None:
    data = node("dataObject", "o", name="Loan Request") + node("exclusiveGateway", "g", default="g_e")
    edges = flows(
        "s g", "g w Loan Request.amount &gt; 1000 and sum(Loan Request.rates.part) &lt; 5", "g e", "w e"
    )
    text = file(data, node("startEvent", "s"), node("task", "w"), edges, node("endEvent", "e"))
    (found,) = check_processes(text)
    assert found.accepted and found.made is not None, found.problems
    types = {each["name"]: each["type"] for each in found.made.compiled.definition["attributes"]}
    assert types["loan_request"] == "jsonb"


@pytest.mark.parametrize("parallel", [False, True])
def test_what_a_completion_condition_names_is_an_attribute_but_no_counter(parallel: bool) -> None:
    several = UNTIL.replace('isSequential="true"', f'isSequential="{str(not parallel).lower()}"')
    parts = node("startEvent", "s") + node("serviceTask", "w", several) + node("endEvent", "e")
    (found,) = check_processes(file(parts, flows("s w", "w e")))
    assert found.accepted and found.made is not None, found.problems
    types = {each["name"]: each["type"] for each in found.made.compiled.definition["attributes"]}
    assert (types["enough"], types["rounds"]) == ("boolean", "numeric")
    assert not [name for name in types if name.startswith("nrof")]
