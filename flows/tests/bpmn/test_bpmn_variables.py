"""Variables that a file declares with a type, as modellers write them, are attributes where they are used."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import read
from flows.languages.bpmn.reader.item_types import of_name
from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer

ITEM = '<bpmn:itemDefinition id="_item" structureRef="{}" {}/>'
PROPERTY = '<bpmn:property id="{}" itemSubjectRef="{}" {}/>'
CHOICE = (
    node("startEvent", "s") + node("exclusiveGateway", "g", default="g_e") + node("task", "t")
    + node("endEvent", "e")
)  # fmt: skip


def chosen(condition: str) -> str:
    return CHOICE + flows("s g", f"g t {condition}", "g e", "t e")


def types(content: bytes) -> dict[str, str]:
    """Return the attributes of a process as read, with their types."""
    return {str(each.options["name"]): str(each.options.get("type", "")) for each in read(content)[0].data}


# How tools declare a variable, what it is called in a condition, and the attribute that it becomes.
WRITTEN = {
    "an id": (ITEM.format("Integer", "") + "|" + PROPERTY.format("dueIn", "_item", ""), "dueIn", "integer"),
    "a name": (
        ITEM.format("java.lang.Boolean", "") + "|" + PROPERTY.format("v1", "_item", 'name="dueIn"'),
        "dueIn", "boolean",
    ),
    "a name, used by its id": (
        ITEM.format("feel:number", "") + "|" + PROPERTY.format("dueIn", "_item", 'name="Due in days"'),
        "dueIn", "numeric",
    ),
    "a type in place of an item": (
        "|" + PROPERTY.format("dueIn", "xsd:dateTime", ""), "dueIn", "timestamptz",
    ),
    "a list of items": (
        ITEM.format("feel:string", 'isCollection="true"') + "|" + PROPERTY.format("dueIn", "_item", ""),
        "dueIn", "jsonb",
    ),
    "an input of the process": (
        ITEM.format("xs:date", "") + "|<bpmn:ioSpecification><bpmn:dataInput id='i1' name='dueIn' "
        "itemSubjectRef='tns:_item'/></bpmn:ioSpecification>", "dueIn", "date",
    ),
    "a data object": (
        "|<bpmn:dataObject id='d1' name='dueIn' itemSubjectRef='xsd:double'/>", "dueIn", "numeric",
    ),
    "a data object, by a reference to it": (
        ITEM.format("string", "") + "|<bpmn:dataObject id='d1'/><bpmn:dataObjectReference id='r1' "
        "name='dueIn' dataObjectRef='d1' itemSubjectRef='_item'/>", "dueIn", "text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN)
def test_a_variable_with_a_type_is_an_attribute_where_it_is_used(how: str) -> None:
    written, name, type_ = WRITTEN[how]
    named, parts = written.split("|")
    content = file(parts, chosen(f"{name} = null"), named=named)
    assert types(content) == {"duein": type_}
    warned = {each.message for each in read(content)[1]}
    assert warned <= {"“ioSpecification” has no effect."}


def test_a_variable_that_nothing_uses_has_no_effect() -> None:
    parts = PROPERTY.format("other", "xsd:int", "") + PROPERTY.format("vip", "xsd:boolean", "")
    content = file(parts, chosen("vip and kind = 'other'"))
    assert types(content) == {"vip": "boolean"}
    assert [each.message for each in read(content)[1]] == ["“property” has no effect."]


def test_variables_of_timers_collections_and_sub_processes_are_used_too() -> None:
    loop = '<bpmn:multiInstanceLoopCharacteristics wedsql:collection="guests"/>'
    inner = PROPERTY.format("remindAt", "java.util.Date", "") + node("startEvent", "s2")
    inner += node("intermediateCatchEvent", "w", timer("${remindAt}", "timeDate")) + flows("s2 w")
    content = file(
        PROPERTY.format("guests", "java.util.List&lt;String>", ""), node("startEvent", "s"),
        node("subProcess", "u", inner), node("serviceTask", "t", loop), flows("s u", "u t"),
    )  # fmt: skip
    assert types(content) == {"guests": "jsonb", "remindat": "timestamptz"}


def test_a_declared_attribute_keeps_its_type() -> None:
    own = attributes(attribute("total", type="numeric"))
    content = file(own, PROPERTY.format("total", "xsd:string", ""), chosen("total &gt; 2"))
    assert types(content) == {"total": "numeric"}
    assert [each.message for each in read(content)[1]] == ["“property” has no effect."]


def test_a_data_object_without_a_type_has_that_of_a_variable_of_its_name() -> None:
    object_ = '<bpmn:dataObject id="d1" name="Total"/>'
    content = file(PROPERTY.format("total", "xsd:decimal", ""), object_, chosen("total &gt; 2"))
    assert types(content) == {"total": "numeric"}


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("java.util.Date", "timestamptz"), ("time", ""), ("Map<String, Object>", "jsonb"),
        ("String[]", "jsonb"), ("feel:days and time duration", "interval"),
        ("java.math.BigDecimal", "numeric"), ("com.example.Order", ""),
        ("java.lang.Object", ""), ("", ""), ("xs:tBool", "boolean"),
        ("feel:date and time", "timestamptz"), ("Xsd:NonNegativeInteger", "numeric"),
    ],
)  # fmt: skip
def test_types_of_many_languages_are_known(name: str, type_: str) -> None:
    assert of_name(name) == type_


@pytest.mark.django_db
def test_conditions_find_variables_in_a_file_that_declares_attributes() -> None:
    content = file(
        attributes(attribute("other")), PROPERTY.format("amountDue", "_item", ""), chosen("amountDue &gt; 5"),
        named=ITEM.format("java.lang.Integer", ""),
    )  # fmt: skip
    made = prepare_bpmn("some", content)
    found = {each["name"]: each.get("type") for each in made.compiled.definition["attributes"]}
    assert found["amountdue"] == "integer" and [*made.warnings] == []
