"""Forms of Camunda 8 in a file: what a component says reaches the form of the task, or a warning names it."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import escape

import pytest

from flows.languages.bpmn import CompiledProcess, compile_process, read
from flows.languages.bpmn.reader.js_patterns import translated
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node

NAMED = '<bpmn:extensionElements><zeebe:formDefinition formKey="{}"/></bpmn:extensionElements>'


def process(form: Any, key: str = "camunda-forms:bpmn:f", declared: str = "", **given: str) -> bytes:
    """Return a process with one task, and a form that it names."""
    text = form if isinstance(form, str) else json.dumps({"type": "default", "components": form})
    there = f'<zeebe:userTaskForm id="f">{escape(text)}</zeebe:userTaskForm>{declared}'
    task = node("userTask", "h", NAMED.format(key), **given)
    return file(attributes(there), node("startEvent", "s"), task, node("endEvent", "e"), flows("s h", "h e"))


def made(*form: dict[str, Any], **given: Any) -> tuple[CompiledProcess, list[str]]:
    found, warnings = read(process([*form], **given))
    assert {(each.severity, each.element) for each in warnings} <= {("warning", "h")}
    return compile_process(found), [each.message for each in warnings]


def rule(found: CompiledProcess) -> dict[str, Any]:
    (one,) = (each for each in found.compiled.definition["triggers"] if each.get("transition") == "h")
    return dict(one)


def attributes_of(found: CompiledProcess) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in found.compiled.definition["attributes"]}


# A component without its key m, the attribute that it becomes, and the field of the form.
READ: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"type": "textfield", "validate": {"required": True}}, {"type": "text"}, {"required": True}),
    ({"type": "textfield", "validate": {"minLength": 2, "maxLength": 9, "pattern": r"^\d+$"}},
     {"type": "text"}, {"min_length": 2, "max_length": 9, "pattern": "^[0-9]+$"}),
    ({"type": "textfield", "validate": {"minLength": 0, "required": False}}, {"type": "text"}, {}),
    ({"type": "textarea", "description": "Why?"}, {"type": "text"}, {"kind": "long", "help": "Why?"}),
    ({"type": "number", "validate": {"min": 0.1, "max": 12345678901234567890}}, {"type": "numeric"},
     {"min": 0.1, "max": 12345678901234567890}),
    ({"type": "number", "decimalDigits": 0, "validate": {"min": -1}, "defaultValue": 5}, {"type": "integer"},
     {"min": -1, "default": "5"}),
    ({"type": "checkbox", "defaultValue": True}, {"type": "boolean"}, {"default": "true"}),
    ({"type": "select", "values": [{"label": "a", "value": "a"}, {"value": "b"}], "defaultValue": "b"},
     {"type": "enum", "options": ["a", "b"]}, {"default": "b"}),
    ({"type": "radio", "values": [{"label": "1", "value": 1}]}, {"type": "enum", "options": ["1"]}, {}),
    ({"type": "select", "values": [{"value": "a", "label": "Always = [all]"}, {"value": "n", "label": "n"}]},
     {"type": "enum", "options": ["a", "n"], "option_labels": ["a = Always = [all]"]}, {}),
    ({"type": "radio", "values": [{"value": 2, "label": " Two\nof it"}]},
     {"type": "enum", "options": ["2"], "option_labels": ["2 = Two of it"]}, {}),
    ({"type": "checklist", "values": [{"value": "a"}], "validate": {"required": True}}, {"type": "jsonb"},
     {"kind": "choices", "options": ["a"], "required": True}),
    ({"type": "taglist", "values": [{"value": "a"}]}, {"type": "jsonb"},
     {"kind": "choices", "options": ["a"]}),
    ({"type": "datetime", "subtype": "date", "dateLabel": "The day"}, {"type": "date", "label": "The day"},
     {}),
    ({"type": "datetime", "subtype": "datetime"}, {"type": "timestamptz"}, {}),
    ({"type": "number", "appearance": {"suffixAdorner": "EUR"}, "layout": {"columns": 8}},
     {"type": "numeric"}, {"unit": "EUR", "width": "half"}),
    ({"type": "filepicker"}, {"type": "jsonb"}, {"kind": "file"}),
    ({"type": "dynamiclist", "components": [
        {"key": "Part", "type": "textfield", "label": "The part", "validate": {"required": True}},
        {"key": "size", "type": "select", "values": [{"value": "S"}]}]},
     {"type": "jsonb"},
     {"kind": "table", "columns": [
         {"name": "part", "label": "The part", "type": "text", "required": True},
         {"name": "size", "label": "size", "type": "choice", "options": ["S"]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "attribute_", "field"), READ)
def test_a_component_is_an_attribute_and_a_field(given: Any, attribute_: Any, field: Any) -> None:
    found, warnings = made({"key": "m", **given})
    assert warnings == []
    assert attribute_.items() <= attributes_of(found)["m"].items() and rule(found)["writes"] == ["m"]
    form = rule(found).get("form") or {"sections": [{"fields": [{"attribute": "m"}]}]}
    (section,) = form["sections"]
    shown = json.loads(json.dumps(section["fields"], default=float))
    assert shown == [json.loads(json.dumps({"attribute": "m", **field}))]


# A component that says what has no effect, and what the warning says.
IGNORED: list[tuple[dict[str, Any], str]] = [
    ({"type": "textfield", "validate": {"pattern": "(?=a)"}}, "“pattern” of the field “m”"),
    ({"type": "textfield", "validate": {"validationType": "email"}}, "“validationType” of the field “m”"),
    ({"type": "textfield", "validate": {"min": 5}}, "“min” of the field “m”"),
    ({"type": "number", "validate": {"min": "=n"}}, "“min” of the field “m”"),
    ({"type": "number", "validate": {"min": 2, "max": 1}}, "“max” of the field “m”"),
    ({"type": "number", "validate": {"minLength": 2}}, "“minLength” of the field “m”"),
    ({"type": "number", "disabled": True, "validate": {"min": 2}}, "“min” of the field “m”"),
    *(({"type": "textfield", "conditional": given}, "“conditional” of the field “m”")
      for given in ({"hide": "=n"}, {"hide": "=other"}, {"hide": "=unheard > 1"}, {"hide": "=other ="},
                    {"hide": True}, {"hide": "=true", "show": "x"}, "=true", {"hide": "=lookup(other)"})),
    ({"type": "textfield", "readonly": "=n"}, "“readonly” of the field “m”"),
    ({"type": "textfield", "properties": {"a": "b"}}, "“properties” of the field “m”"),
    ({"type": "number", "increment": "2"}, "“increment” of the field “m”"),
    ({"type": "number", "appearance": {"prefixAdorner": "EUR"}}, "“prefixAdorner” of the field “m”"),
    ({"type": "number", "defaultValue": "=n"}, "The default “=n”"),
    ({"type": "checkbox", "defaultValue": "maybe"}, "The default “maybe”"),
    ({"type": "select", "valuesKey": "list"}, "“valuesKey” of the field “m”"),
    ({"type": "select"}, "has no values in the file"),
    ({"type": "taglist", "values": [{"value": "a", "label": "Always"}]}, "The labels of the values"),
    ({"type": "select", "values": [{"value": "a", "label": "x" * 300}]}, "The label of the value “a”"),
    ({"type": "radio", "values": [{"value": "a", "label": "\x07!"}]}, "The label of the value “a”"),
    ({"type": "textfield", "label": "=n"}, "“label” is computed"),
    ({"type": "datetime", "subtype": "time"}, "is a time of day"),
    ({"type": "filepicker", "accept": ".pdf"}, "“accept” of the field “m”"),
    ({"type": "filepicker", "multiple": True}, "“multiple” of the field “m”"),
    ({"type": "image", "source": "x"}, "The component “m” of type “image”"),
    ({"type": "unheard"}, "The component “m” of type “unheard”"),
    ({"type": "text", "text": "=n"}, "is computed"),
    ({"type": "dynamiclist", "components": [{"type": "table"}]}, "A component of the list “m”"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), IGNORED)
def test_what_has_no_effect_is_warned_of(given: Any, said: str) -> None:
    _found, warnings = made({"type": "textfield", "key": "other"}, {"key": "m", **given})
    assert any(said in each for each in warnings), warnings


def test_groups_and_paragraphs_are_sections() -> None:
    inner = [{"type": "textfield", "key": "b"}, {"type": "button", "action": "submit", "label": "Send"}]
    text = {"type": "text", "text": "## Read *this*\n<b>first</b>"}
    found, warnings = made(
        {"type": "textfield", "key": "a"}, {"type": "group", "label": "More", "components": inner}, text,
        {"type": "textfield", "key": "c", "disabled": True}, {"type": "separator"},
    )  # fmt: skip
    assert warnings == []
    assert rule(found)["form"]["sections"] == [
        {"fields": [{"attribute": "a"}]},
        {"title": "More", "fields": [{"attribute": "b"}]},
        {"help": "Read this first", "fields": [{"attribute": "c"}]},
    ]
    assert rule(found)["writes"] == ["a", "b"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"components": 5}', "[" * 100_000, "null"])
def test_a_text_that_is_no_form_is_warned_of(text: str) -> None:
    found, warnings = read(process(text))
    assert ["is no JSON of a form" in each.message for each in warnings] == [True]
    compile_process(found)


def test_a_form_that_is_elsewhere_is_warned_of() -> None:
    found, warnings = read(process([], key="camunda-forms:bpmn:none"))
    assert ["is not in the file" in each.message for each in warnings] == [True, False]
    assert "“userTaskForm” has no effect" in warnings[1].message
    compile_process(found)


def test_a_field_that_is_declared_with_another_type_keeps_what_fits_it() -> None:
    limits = {"validate": {"minLength": 2, "required": True}}
    declared = attribute("m", type="integer")
    found, warnings = made({"type": "textfield", "key": "m", **limits}, declared=declared)
    (field,) = rule(found)["form"]["sections"][0]["fields"]
    assert field == {"attribute": "m", "required": True}
    assert any("“min_length” of the field “m”" in each and "integer" in each for each in warnings)
    found, warnings = made({"type": "taglist", "key": "m", "values": [{"value": "a"}]}, declared=declared)
    assert any("“kind” of the field “m”" in each for each in warnings)
    assert not any({"kind", "options"} & {*each} for each in fields_of(found))


def fields_of(found: CompiledProcess) -> list[dict[str, Any]]:
    form = rule(found).get("form") or {"sections": []}
    return [each for section in form["sections"] for each in section["fields"]]


def test_a_form_of_the_file_itself_comes_first() -> None:
    own = '{"sections": [{"fields": [{"attribute": "m", "max": 5}]}]}'
    limits = {"validate": {"max": 9}}
    given = {"wedsql_form": escape(own, {'"': "&quot;"})}
    found, warnings = made({"type": "number", "key": "m", **limits}, **given)
    assert fields_of(found) == [{"attribute": "m", "max": 5}] and warnings


def test_a_form_of_very_many_fields_is_cut_with_a_warning() -> None:
    found, warnings = made(*({"type": "textfield", "key": f"k{n}"} for n in range(300)))
    assert len(rule(found)["writes"]) == 200 and ["more than 200 fields" in each for each in warnings] == [
        True
    ]


@pytest.mark.parametrize(
    "pattern",
    ["", "[", "(", "a)", r"\bx", "(?=a)", "(?<!a)b", "(?<n>a)", r"(a)\1", r"\p{L}", "a{256}", "a{3,2}", "^*",
     "((a{200}){200})", "[z-a]", "[]", "[^]", r"[\w-z]", "x" * 201, "(" * 30 + ")" * 30, "*", "a**", r"\c"],
)  # fmt: skip
def test_a_pattern_that_is_not_read_alike_is_not_translated(pattern: str) -> None:
    assert translated(pattern) == ""


@pytest.mark.parametrize(
    ("hide", "shown"),
    [
        ('=other = "x"', "coalesce(not (other = 'x'), true)"),
        ("=amount > 5 and not(sure)", "coalesce(not (amount > 5 and not (sure)), true)"),
        ("=sure", "coalesce(not (sure), true)"),
    ],
)
def test_a_field_is_shown_unless_its_condition_hides_it(hide: str, shown: str) -> None:
    form: list[dict[str, Any]] = [
        {"type": "textfield", "key": "other"},
        {"type": "number", "key": "amount"},
        {"type": "checkbox", "key": "sure"},
        {"type": "textfield", "key": "m", "conditional": {"hide": hide}, "validate": {"required": True}},
    ]
    found, warnings = made(*form)
    assert warnings == [] and fields_of(found)[-1] == {"attribute": "m", "shown": shown, "required": True}
