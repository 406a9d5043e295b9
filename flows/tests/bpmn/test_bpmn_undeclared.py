"""Names that are not declared are one list, with types by their use, wherever a BPMN file uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.commands import refused, write
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

LOOP = (
    '<bpmn:multiInstanceLoopCharacteristics isSequential="true" {}>{}</bpmn:multiInstanceLoopCharacteristics>'
)
TIMES = LOOP.format("", "<bpmn:loopCardinality>rounds</bpmn:loopCardinality>")
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
