"""Conditions that only a program can compute: people choose, or the import is refused in words."""

from __future__ import annotations

from html import escape

import pytest

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node

DROOLS = "http://www.jboss.org/drools/rule"
PROGRAMS = [
    "${service.isHighRisk()}", "${a == 'yes' || country.isHighRisk() == true}", "=client.risk(a) > 1",
    "any([ p['a'] == 'N' for p in products.values() ])",
]  # fmt: skip
NONE = ['${a == "service.isHighRisk()"}', "${execution.getVariable('a') == 'yes'}", '= a = "x.y(z)"']


def way(name: str, condition: str, language: str = "") -> str:
    given = f' language="{language}"' if language else ""
    inner = f"<bpmn:conditionExpression{given}>{condition}</bpmn:conditionExpression>" if condition else ""
    ends = f'sourceRef="g" targetRef="{name}_t"'
    return f'<bpmn:sequenceFlow id="{name}" name="{name}" {ends}>{inner}</bpmn:sequenceFlow>'


def gateway(*ways: str, tag: str = "exclusiveGateway", default: str = "") -> bytes:
    given = {"default": default} if default else {}
    return file(
        attributes(attribute("a"), attribute("n", type="integer")), node("startEvent", "s"),
        node("task", "check"), node(tag, "g", name="Risk?", **given), *ways,
        *(node("task", f"{name}_t") for name in ("yes", "no", "big")), flows("s check", "check g"),
    )  # fmt: skip


def compiled(content: bytes) -> tuple[dict[str, object], list[str]]:
    process, problems = read(content)
    made = compile_process(process)
    return dict(made.compiled.definition), [each.message for each in (*problems, *made.warnings)]


def choices(definition: dict[str, object]) -> list[list[str]]:
    attributes = definition["attributes"]
    assert isinstance(attributes, list)
    return [each["options"] for each in attributes if str(each["name"]).startswith("choice_")]


@pytest.mark.parametrize("default", ["", "no"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_gateway_with_a_program_is_a_choice_of_whoever_performs_the_task_before(
    program: str, default: str
) -> None:
    content = gateway(way("yes", program), way("no", ""), default=default)
    definition, said = compiled(content)
    assert choices(definition) == [["yes", "no"]]
    assert sum("Only a program can compute the condition of “yes”" in each for each in said) == 1
    assert sum("whoever performs “check” chooses “yes”, “no”" in each for each in said) == 1


def test_conditions_that_the_database_can_compute_stay() -> None:
    ways = (way("big", "=n > 5"), way("yes", PROGRAMS[0]), way("no", "", ""))
    definition, _said = compiled(gateway(*ways, default="no"))
    assert choices(definition) == [["yes", "no"]] and "n > 5" in str(definition)


@pytest.mark.parametrize("text", NONE)
def test_a_text_or_a_variable_is_no_program(text: str) -> None:
    definition, said = compiled(gateway(way("yes", text.replace('"', "&quot;")), way("no", ""), default="no"))
    assert choices(definition) == [] and not [each for each in said if "program" in each]


@pytest.mark.parametrize(
    "content",
    [
        gateway(way("yes", PROGRAMS[0]), way("no", "=n > 1")),
        gateway(way("yes", PROGRAMS[0]), way("no", ""), tag="inclusiveGateway", default="no"),
        gateway(way("yes", PROGRAMS[0]), way("no", ""), tag="task", default="no"),
        gateway(way("yes", "x", DROOLS), way("no", "=n > 1")),
    ],
)  # fmt: skip
def test_a_person_says_whether_a_condition_of_a_program_holds_that_no_choice_replaces(content: bytes) -> None:
    definition, said = compiled(content)
    assert [each for each in said if "is not read here: a person says whether it holds" in each]
    rules = definition["triggers"]
    assert isinstance(rules, list)
    (asked,) = [each for each in rules if each.get("performer") == "person"]
    assert asked["writes"] == ["holds_yes"] and "holds_yes" in str(rules)


@pytest.mark.parametrize("place", ["intermediateCatchEvent", "boundaryEvent"])
@pytest.mark.parametrize(("text", "language"), [("Person(name == 1)", DROOLS), (PROGRAMS[0], "")])
def test_a_person_says_when_an_event_with_a_program_happens(place: str, text: str, language: str) -> None:
    given = f' language="{language}"' if language else ""
    condition = event("conditional", f"<bpmn:condition{given}>{text}</bpmn:condition>")
    border = {"attachedToRef": "t"} if place == "boundaryEvent" else {}
    _definition, said = compiled(file(
        node("startEvent", "s"), node("task", "t"), node(place, "w", condition, **border),
        node("endEvent", "e"), flows("s t", "w e", *([] if border else ["t w"])),
    ))  # fmt: skip
    assert [each for each in said if "a person says when it happens" in each]


@pytest.mark.parametrize(
    "script", ["=append(items, item)", "=now()", '={id: "A-1"}', '=context put(order, "state", "paid")']
)
@pytest.mark.parametrize("declared", [False, True])
def test_a_worker_computes_what_the_database_does_not_compute_of_feel(script: str, declared: bool) -> None:
    """In a file that declares its attributes, which was made for here, it is an error."""
    said = f'<zeebe:script expression="{escape(script)}" resultVariable="r"/>'
    inner = f"<bpmn:extensionElements>{said}</bpmn:extensionElements>"
    given = attributes(attribute("r")) if declared else ""
    content = file(given, node("startEvent", "s"), node("scriptTask", "t", inner), flows("s t"))
    if declared:
        with pytest.raises(BadBpmn):
            compiled(content)
        return
    definition, warned = compiled(content)
    assert "a worker computes “r”." in " ".join(warned)
    triggers = definition["triggers"]
    assert isinstance(triggers, list)
    (rule,) = [each for each in triggers if each.get("transition")]
    assert script[1:] in rule["description"] and rule["performer"] == "worker"
