"""Names and ids that tools write, however alike and long they are, are no reason to refuse a file."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, event, file, flows, node, timer

NAMES = {
    "equal": "Same",
    "none": "",
    "a blank": " ",
    "of no Latin letter": "日本",
    "a digit": "1",
    "long": "n" * 300,
}
IDS: dict[str, Callable[[int], str]] = {
    "of 100 characters, equal at first": lambda number: f"{'a' * 96}{number:04}",
    "of 100 characters, equal at last": lambda number: f"_{number:04}{'b' * 95}",
    "made up, of 100 characters": lambda number: f"Activity_{'a' * 87}{number:04}",
    "of one letter": lambda number: "A" * (number + 1),
}


def called(name: str) -> bytes:
    """Return a file with one name for all its elements, and messages and signals without one."""
    waiting = (timer("PT1H"), event("message"), event("signal"), event("message", messageRef="m2"))
    tasks = ("userTask", "serviceTask", "sendTask", "scriptTask", "businessRuleTask", "manualTask", "task")
    inner = node("startEvent", "us", name=name) + node("task", "ut", name=name) + flows("us ut")
    return file(
        *(f'<bpmn:dataObject id="d{number}" name="{name}"/>' for number in range(2)),
        node("startEvent", "s", event("message", messageRef="m1"), name=name),
        *(node(tag, f"t{number}", name=name) for number, tag in enumerate(tasks)),
        node("receiveTask", "r", messageRef="m1", name=name), node("subProcess", "u", inner, name=name),
        node("boundaryEvent", "b", event("message", messageRef="m2"), attachedToRef="t0", name=name),
        node("boundaryEvent", "c", event("error", errorRef="e1"), attachedToRef="t1", name=name),
        node("intermediateThrowEvent", "f", event("message", messageRef="m2"), name=name),
        node("callActivity", "k", name=name, calledElement="q"), node("exclusiveGateway", "x", name=name),
        node("eventBasedGateway", "g", name=name), node("endEvent", "z", name=name),
        *(node("intermediateCatchEvent", f"w{at}", what, name=name) for at, what in enumerate(waiting)),
        flows("s t0", *(f"t{number} t{number + 1}" for number in range(6)), "t6 r", "r u", "u f", "f k"),
        flows("k x", "x t0", "x g", "b z", "c z", *(f"g w{at}" for at in range(4))),
        named='<bpmn:message id="m1"/><bpmn:message id="m2"/><bpmn:error id="e1"/>', options=f'name="{name}"',
    )  # fmt: skip


def with_ids(content: bytes, made: Callable[[int], str]) -> bytes:
    """Return a file with other ids."""
    text = content.decode()
    found = {id_: made(number) for number, id_ in enumerate(re.findall(r' id="([^"]+)"', text))}
    ends = r'((?: id|Ref|default)=")([^"]+)"'
    return re.sub(ends, lambda each: f'{each[1]}{found.get(each[2], each[2])}"', text).encode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_elements_may_all_have_one_name(name: str) -> None:
    assert prepare_bpmn("some", called(NAMES[name])).compiled.triggers


@pytest.mark.django_db
@pytest.mark.parametrize("form", IDS)
@pytest.mark.parametrize("content", [ORDER, *map(called, NAMES.values())], ids=["an order", *NAMES])
def test_ids_may_have_any_length(content: bytes, form: str) -> None:
    assert prepare_bpmn("some", with_ids(content, IDS[form])).compiled.triggers


def names(*parts: str) -> dict[str, str]:
    """Return the attributes of data objects and declarations, with their labels."""
    made = prepare_bpmn("some", file(*parts, node("startEvent", "s"), node("task", "t"), flows("s t")))
    found = made.compiled.definition["attributes"]
    return {each["name"]: each.get("label", "") for each in found[: len(parts)]}


OBJECT = '<bpmn:dataObject id="{}" name="{}"/>'


@pytest.mark.django_db
def test_data_objects_with_one_label_are_one_attribute() -> None:
    assert next(iter(names(OBJECT.format("d1", "Bill"), OBJECT.format("d2", "Bill")))) == "bill"
    own = attributes(attribute("bill", type="integer"))
    made = prepare_bpmn("some", file(own, OBJECT.format("d1", "Bill"), node("task", "t"))).compiled
    found = [each for each in made.definition["attributes"] if each["name"] == "bill"]
    assert [each["type"] for each in found] == ["integer"]


@pytest.mark.django_db
def test_data_objects_whose_names_no_attribute_can_have_get_others() -> None:
    assert names(OBJECT.format("d1", "日本"), OBJECT.format("d2", "東京")) == {"n": "日本", "n_2": "東京"}
    reserved = names(OBJECT.format("d1", "Status"), OBJECT.format("d2", "tokens"))
    assert reserved == {"status_": "Status", "tokens_": "tokens"}
