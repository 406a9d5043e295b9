"""Values that data objects begin with, as Activiti and Flowable write them, are defaults of attributes."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import read
from flows.languages.bpmn.problems import BpmnProblem
from flows.tests.bpmn.files.bpmn_files import file, flows, node

PLAIN = node("startEvent", "s") + node("task", "t") + node("endEvent", "e") + flows("s t", "t e")


def with_value(kind: str, value: str, *, tool: str = "activiti") -> bytes:
    return file(
        f'<bpmn:dataObject id="d" name="Amount due" itemSubjectRef="xsd:{kind}"><bpmn:extensionElements>'
        f'<tool:value xmlns:tool="http://{tool}.org/bpmn">{value}</tool:value>'
        f"</bpmn:extensionElements></bpmn:dataObject>", PLAIN,
    )  # fmt: skip


def default(content: bytes) -> tuple[object, list[BpmnProblem]]:
    process, problems = read(content)
    (datum,) = process.data
    return datum.options.get("default"), [each for each in problems if each.code == "not_used"]


@pytest.mark.parametrize("tool", ["activiti", "flowable"])
@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("string", "Ana &amp; Rui", "Ana & Rui"), ("string", "true", "true"), ("boolean", "True", "true"),
        ("int", " 12 ", "12"), ("double", "-1.5e3", "-1.5e3"), ("long", "9999999999", "9999999999"),
        ("date", "2026-06-01", "2026-06-01"), ("datetime", "2013-09-16T11:23:00", "2013-09-16T11:23:00Z"),
        ("string", "", None),
    ],
)  # fmt: skip
def test_a_value_is_the_default_of_the_attribute(tool: str, kind: str, value: str, kept: str | None) -> None:
    assert default(with_value(kind, value, tool=tool)) == (kept, [])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", "many"), ("int", "99999999999"), ("boolean", "yes"), ("date", "2026-02-30"),
        ("datetime", "tomorrow"), ("double", "NaN"), ("double", "1e999"), ("duration", "1 day"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_has_a_warning(kind: str, value: str) -> None:
    found, problems = default(with_value(kind, value))
    assert found is None and [each.severity for each in problems] == ["warning"]
    assert value in problems[0].message and problems[0].element == "d"


def test_a_default_of_the_file_itself_comes_first() -> None:
    content = with_value("int", "12").replace(b'name="Amount due"', b'name="a" wedsql:default="7"')
    assert default(content)[0] == "7"
