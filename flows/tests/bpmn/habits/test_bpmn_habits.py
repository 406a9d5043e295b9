"""What other tools write, and people draw though BPMN does not have it: accepted, with warnings."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import BpmnProblem, CompiledProcess, compile_process, read
from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.bpmn.habits.bpmn_completed import COMPLETED
from flows.tests.bpmn.habits.bpmn_habits import AD_HOC, HABITS, PARTS, REPEATED, decided
from testkit.cases import some


def compiled(content: bytes) -> tuple[CompiledProcess, list[BpmnProblem]]:
    process, problems = read(content)
    made = compile_process(process)
    return made, [*problems, *made.warnings]


@pytest.mark.parametrize("what", HABITS)
def test_a_habit_is_read_and_its_warnings_are_sentences_about_elements(what: str) -> None:
    made, warnings = compiled(HABITS[what])
    assert all(rule.get("sets") != "" for rule in made.compiled.definition["triggers"])
    for each in warnings:
        assert each.severity == "warning" and each.message.endswith(".") and "None" not in each.message
        assert f'"{each.element or "p"}"'.encode() in HABITS[what] or each.element == "task-1", each


@pytest.mark.django_db
@pytest.mark.parametrize("what", some([*HABITS], 7))
def test_a_habit_becomes_a_definition_that_the_database_accepts(what: str) -> None:
    assert prepare_bpmn("flow_of_tests", HABITS[what]).compiled.definition["attributes"]


@pytest.mark.parametrize("what", COMPLETED)
def test_what_bpmn_does_not_have_is_named_at_its_element(what: str) -> None:
    _made, warnings = compiled(COMPLETED[what])
    assert {each.element for each in warnings} & {"t", "h", "b", "g_t", "s_t"}


@pytest.mark.parametrize(
    "what", [each for each in PARTS if "starts" not in each and "definitions" not in each]
)
def test_a_part_that_is_read_in_another_way_has_a_warning(what: str) -> None:
    _made, warnings = compiled(HABITS[what])
    if what not in (
        "a node without an id",
        "a compensation against its direction",
        "a signal of another file",
    ):
        assert warnings, what


def test_a_file_that_declares_attributes_has_times_and_conditions_that_are_read() -> None:
    """A slip in a file that is made for this engine is refused, and not left to people."""
    declared = attributes(attribute("n", type="integer"))
    refused = [
        file(declared, node("startEvent", "s", timer("Every Monday", "timeCycle")), node("task", "t"),
             flows("s t")),
        decided("exclusiveGateway", "n &gt;&gt; 3", True).replace(
            b'<bpmn:startEvent id="s"', declared.encode() + b'<bpmn:startEvent id="s"'
        ),
    ]  # fmt: skip
    for content in refused:
        with pytest.raises(Exception, match="not"):
            compiled(content)


@pytest.mark.parametrize(
    "text", ["PT1", "R3/PT", "2030-13-01T00:00:00Z", "2026-06-01T14:00:00@Europe/Nowhere"]
)
def test_a_slip_in_a_time_of_iso_8601_is_refused(text: str) -> None:
    form = "timeDuration" if text.startswith("PT") else "timeCycle" if text.startswith("R") else "timeDate"
    content = file(
        node("startEvent", "s"), node("intermediateCatchEvent", "t", timer(text, form)), flows("s t")
    )
    with pytest.raises(Exception, match="is not supported"):
        compiled(content)


@pytest.mark.parametrize("order", ["true", "false"])
def test_items_of_a_collection_are_those_of_its_data_object(order: str) -> None:
    made, _warnings = compiled(REPEATED[f"items of a userTask, {order}"])
    loop = made.process.elements["t"].loop
    assert loop is not None and loop.items is not None
    assert (loop.items.text, loop.item) == ("papers", "paper")
    outputs = [(each.target, each.source.text) for each in made.process.elements["t"].outputs]
    assert outputs == ([("results", "result")] if order == "false" else [])


def test_people_begin_what_is_ad_hoc() -> None:
    made, warnings = compiled(AD_HOC["of workers"])
    rules = [each for each in made.compiled.definition["triggers"] if each.get("performer") == "person"]
    assert {each["transition"] for each in rules} == {"t_job_begin", "t_other_begin", "t_done"}
    assert "until a person says that it is complete" in warnings[0].message
