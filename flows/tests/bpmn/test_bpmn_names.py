"""The names that people read of the elements of a process."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.names import unique
from flows.tests.bpmn.files.bpmn_conformance import SUPPORTED
from flows.tests.bpmn.files.bpmn_files import ORDER, file, flows, node


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("Activity_0x1y2z3", "pay"),
        ("sid-81ED1ADC-6D7B-4E2A-9C4B-0A1B2C3D4E5F", "pay"),
        ("_ec59e164-68b4-4f94-98de-ffb1c58a84af", "pay"),
        ("_6-12", "pay"),
        ("pay_the_bill", "pay_the_bill"),
        ("task_1", "task_1"),
    ],
)
def test_ids_that_modellers_make_up_give_way_to_names(id_: str, expected: str) -> None:
    assert unique([(id_, "Pay", "")]) == {id_: expected}


def shown(content: bytes) -> set[str]:
    """Return what people read of the attributes and rules that a process becomes."""
    definition = compile_process(read(content)[0]).compiled.definition
    attributes = {each.get("label") or each["name"] for each in definition["attributes"]}
    rules = {each.get("label") or each.get("name", "") for each in definition["triggers"]}
    return attributes | rules


def test_people_read_names_of_elements_not_of_what_they_become() -> None:
    labels = shown(ORDER)
    assert not [label for label in labels if "__" in label or label.startswith("t_")]
    assert labels >= {
        "Charge the card: performed", "Charge the card: result", "declined: error DECLINED",
        "fork → Charge the card", "fork → pack: waiting", "late: taken", "Approve the order → accepted",
        "tokens", "number",
    }  # fmt: skip


@pytest.mark.parametrize("what", SUPPORTED)
def test_no_label_has_a_made_up_name(what: str) -> None:
    assert not [label for label in shown(SUPPORTED[what][0]) if "__" in label]


def test_an_element_without_a_name_is_called_what_it_is() -> None:
    content = file(
        node("startEvent", "Event_0x1y2z3"), node("exclusiveGateway", "Gateway_0a1b2c3"),
        node("exclusiveGateway", "Gateway_1a1b2c3"), node("endEvent", "End_0x1y2z3", name="Paid"),
        flows("Event_0x1y2z3 Gateway_0a1b2c3", "Gateway_0a1b2c3 Gateway_1a1b2c3"),
        '<bpmn:sequenceFlow id="f" name="all  well" sourceRef="Gateway_1a1b2c3" targetRef="End_0x1y2z3"/>',
    )  # fmt: skip
    assert shown(content) >= {
        "Start → Exclusive gateway", "Exclusive gateway → Exclusive gateway 2",
        "Exclusive gateway 2 → Paid (all well)", "Exclusive gateway 2", "Paid",
    }  # fmt: skip
