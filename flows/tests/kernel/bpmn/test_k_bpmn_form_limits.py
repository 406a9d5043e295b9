"""Limits of forms in files in BPMN: the database checks what the engine would, and exports keep them."""

from __future__ import annotations

import re

import pytest
from psycopg.types.json import Jsonb

from flows import api, json_text
from flows.languages.bpmn.reader.js_patterns import translated
from flows.languages.bpmn.writer.document import write
from flows.languages.graph import read as read_graph
from flows.tests.bpmn.files.bpmn_files import file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.bpmn.test_bpmn_form_js import process
from flows.tests.kit import Kit, broken, refused
from flows.tests.people import done, pending

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

CONSTRAINTS = {
    "note": [("minlength", "2"), ("maxlength", "3"), ("pattern", "[A-Z]+")],
    "total": [("min", "1"), ("max", "9.5")],
}
CAMUNDA_7 = "".join(
    f'<camunda:formField id="{name}" type="{"string" if name == "note" else "long"}"><camunda:validation>'
    + "".join(f'<camunda:constraint name="{one}" config="{value}"/>' for one, value in given)
    + "</camunda:validation></camunda:formField>"
    for name, given in CONSTRAINTS.items()
)
CAMUNDA_8 = [
    {"type": "textfield", "key": "note", "label": "Note",
     "validate": {"minLength": 2, "maxLength": 3, "pattern": "^[A-Z]+$"}},
    {"type": "number", "key": "total", "label": "Total", "validate": {"min": 1, "max": 9.5}},
]  # fmt: skip


def camunda_7() -> bytes:
    form = f"<camunda:formData>{CAMUNDA_7}</camunda:formData>"
    task = node("userTask", "h", f"<bpmn:extensionElements>{form}</bpmn:extensionElements>")
    return file(node("startEvent", "s"), task, node("endEvent", "e"), flows("s h", "h e"))


@pytest.mark.parametrize("content", [camunda_7(), process(CAMUNDA_8)], ids=["Camunda 7", "Camunda 8"])
def test_the_database_checks_the_limits_of_an_engines_form(kit: Kit, content: bytes) -> None:
    publish(kit, content)
    wid = kit.start()
    for data, wrong in (
        ({"note": "A", "total": 0}, {"note": "min_length", "total": "min"}),
        ({"note": "ABCD", "total": 9.6}, {"note": "max_length", "total": "max"}),
        ({"note": "AbC", "total": 5}, {"note": "pattern"}),
    ):
        with refused("WD595") as error:
            done(kit, "h", wid, **data)
        assert error.facts["wrong"] == wrong and kit.state(wid)["note"] is None
    assert done(kit, "h", wid, note="ABC", total=9.5) == "F" and broken(kit) == []


HIDDEN = [
    {"type": "select", "key": "kind", "label": "Kind",
     "values": [{"value": "a", "label": "Always"}, {"value": "b", "label": "Never"}]},
    {"type": "number", "key": "total", "label": "Total"},
    {"type": "textfield", "key": "why", "label": "Why", "validate": {"required": True},
     "conditional": {"hide": '=kind = "a" and total < 5'}},
]  # fmt: skip


def test_a_field_that_its_condition_hides_is_not_asked_for(kit: Kit) -> None:
    """Where the condition is unknown, form-js shows the field, and so does the form here."""
    publish(kit, process(HIDDEN))
    for data, wrong in (
        ({"kind": "a", "total": 1}, {}),
        ({"kind": "a", "total": 1, "why": "x"}, {"why": "hidden"}),
        ({"kind": "b", "total": 1}, {"why": "required"}),
        ({"kind": "a"}, {"why": "required"}),
        ({"kind": "a", "why": "x"}, {}),
    ):
        wid = kit.start()
        if not wrong:
            assert done(kit, "h", wid, **data) == "F"
            continue
        with refused("WD595") as error:
            done(kit, "h", wid, **data)
        assert error.facts["wrong"] == wrong
    sheet = api.tasks.read(pending(kit, "h", wid := kit.start()), "ana", conn=kit.conn)
    assert sheet.form is not None and wid
    why = sheet.form["sections"][0]["fields"][2]
    assert why["conditions"]["shown"]["tree"] is not None, "the browser evaluates it without the server"
    (kind,) = (
        each for each in api.flows.definition(kit.name, conn=kit.conn)["attributes"] if each["name"] == "kind"
    )
    assert kind["option_labels"] == ["a = Always", "b = Never"] and broken(kit) == []


def test_the_sheet_has_what_the_file_says_and_an_exported_definition_has_it_too(kit: Kit) -> None:
    publish(kit, process(CAMUNDA_8))
    wid = kit.start()
    sheet = api.tasks.read(pending(kit, "h", wid), "ana", conn=kit.conn)
    assert sheet.form is not None
    fields = {each["attribute"]: each for each in sheet.form["sections"][0]["fields"]}
    assert fields["note"]["max_length"] == 3 and str(fields["total"]["max"]) == "9.5"
    made = api.flows.definition(kit.name, conn=kit.conn)
    (form,) = (each["form"] for each in made["triggers"] if each.get("transition") == "h")
    kit.publish(made)
    again = api.flows.definition(kit.name, conn=kit.conn)["triggers"]
    assert form in [each.get("form") for each in again]


def test_a_graph_that_is_written_as_bpmn_keeps_the_limits_of_its_forms(kit: Kit) -> None:
    form = '{"sections": [{"fields": [{"attribute": "n", "min": 0.1, "max": 12345678901234567890}]}]}'
    text = write(read_graph(GRAPH.replace("FORM", form), "yaml", "limits"), "limits")
    publish(kit, text.encode())
    found = [each.get("form") for each in api.flows.definition(kit.name, conn=kit.conn)["triggers"]]
    assert [each for each in found if each] == [json_text.decode(form.replace("0.1", '"0.1"'))]


GRAPH = """
attributes: [{name: n, type: numeric}]
edges: [[a, start, h], [b, h, end]]
nodes: [{node: h, options: {performer: person, form: FORM}}, {node: end, type: end}]
"""
TEXTS = ["", "a", "b", "ab", "AB-1", "a b", "a@b.co", "é", "_", "-", "1", "12", "a\nb", "[", "]", "{", "\\",
         "abcabc", "aab", "x" * 30, "A", "\t", "/", "a.b"]  # fmt: skip
PATTERNS = [
    r"^[A-Z]{2}-\d+$", r"\w", r"\W", r"^\S+@\S+\.\S+$", "a|b(c|d)*?", "a||b", "()", "(a|)b", "^(?:ab)+$",
    r"[^\w.-]", r"[a\-b]", "[.]", r"[\[\]]", r"\[", "x{3,}", "x{", "a{1,2}b", r"\u0061", r"\x61", ".", "^.$",
    "a.b", r"\/", r"\t", "^$", "a$|^b", "[é]", "é", r"[\d\w]", r"[^\s]", r"^a\.b$", "}", "]", "a+?b", r"\D",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_translated_pattern_finds_the_same_texts(kit: Kit, pattern: str) -> None:
    """Compare PostgreSQL with Python, whose expressions of this subset mean what those of JavaScript mean."""
    found = translated(pattern)
    assert found and kit.one("select wedsql._fits_limit('pattern', %s)", [Jsonb(found)])
    python = re.compile(pattern.replace("$", r"\Z"), re.ASCII)
    expected = [bool(python.search(text)) for text in TEXTS]
    assert [kit.one("select %s::text ~ %s", [text, found]) for text in TEXTS] == expected
