"""Names that a file does not declare become attributes, and all processes of a file are checked at once."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from flows import api
from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.commands import refused, run, write
from flows.tests.imported.test_import_page import again, send, text_of
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

PARTS = (
    node("startEvent", "s"), node("exclusiveGateway", "g", default="g_e"), node("task", "t"),
    node("intermediateCatchEvent", "w", timer("${dueAt}", "timeDate")),
    node("intermediateCatchEvent", "c", event("conditional", "<bpmn:condition>risk > 2</bpmn:condition>")),
    node("callActivity", "k", '<bpmn:extensionElements><camunda:in source="orderId" target="orderId"/>'
         "</bpmn:extensionElements>", calledElement="other"),
    node("endEvent", "e"), '<bpmn:dataObject id="d" name="Is Vip"/>',
    flows("s g", "g w kind = 'x' and Is Vip", "g e", "w c", "c k", "k t", "t e"),
)  # fmt: skip
OPEN = file(*PARTS)
OTHERS = {"kind": "text", "is_vip": "boolean", "dueat": "timestamptz", "risk": "numeric", "orderid": "text"}


def test_names_of_a_file_without_declarations_have_types_by_their_use() -> None:
    made = prepare_bpmn(unique(), OPEN)
    found = {each["name"]: each["type"] for each in made.compiled.definition["attributes"]}
    assert {name: found[name] for name in OTHERS} == OTHERS
    (warning,) = (each for each in made.warnings if each.code == "declared")
    assert "“kind” (text)" in warning.message and "“dueat” (timestamptz)" in warning.message
    assert "Other types fit, too: “orderid”." in warning.message, "it is only passed on"
    assert '<wedsql:attribute name="risk" type="numeric" />' in warning.message


def test_a_file_with_declarations_declares_all_unless_one_asks(tmp_path: Path, alice: Client) -> None:
    text = file(attributes(attribute("other")), *PARTS)
    name, path = unique(), write(tmp_path, text.decode(), "some.bpmn")
    said = refused("importbpmn", path, "--flow", name, "--dry-run")
    assert '"kind" (“g_w”)' in said and '<wedsql:attribute name="dueat" type="timestamptz" />' in said
    assert "Flow " in run("importbpmn", path, "--flow", name, "--dry-run", "--declare")
    checked = send(alice, name, text)
    assert "can be published" not in text_of(checked) and "Declare them" in text_of(checked)
    declared = again(alice, checked, do="declare")
    assert "can be published" in text_of(declared) and "“kind” (text)" in text_of(declared)
    assert "Version 1 is published." in text_of(again(alice, declared))
    assert "risk" in {each["name"] for each in api.flows.definition(name)["attributes"]}


def test_all_processes_of_a_file_are_checked(tmp_path: Path) -> None:
    wrong = node("startEvent", "s9") + node("task", "t9", startQuantity="2") + flows("s9 t9")
    after = f'<bpmn:process id="q" name="Second">{wrong}</bpmn:process>'
    pool = '<bpmn:participant id="pa" name="Shop" processRef="p"/>'
    pool = f'<bpmn:collaboration id="co">{pool}</bpmn:collaboration>'
    path = write(tmp_path, file(*PARTS, after=after + pool).decode(), "two.bpmn")
    output = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("importbpmn", path, "--dry-run", "--json", stdout=output)
    assert caught.value.returncode == 1 and str(caught.value) == "Not accepted: Second."
    first, second = json.loads(output.getvalue())["processes"]
    assert (first["id"], first["pool"], first["accepted"]) == ("p", "Shop", True)
    assert (second["id"], second["name"], second["accepted"]) == ("q", "Second", False)
    assert {(p["severity"], p["kind"]) for p in first["problems"]} >= {("warning", "declared")}
    (problem,) = (each for each in second["problems"] if each["severity"] == "error")
    assert (problem["element"], problem["kind"]) == ("t9", "unsupported") and problem["line"] > 1
    alone = write(tmp_path, OPEN.decode(), "one.bpmn")
    assert json.loads(run("importbpmn", alone, "--dry-run", "--json"))["processes"][0]["accepted"]
    assert "p: accepted" in run("importbpmn", alone, "--dry-run")
    assert "Name the flow with --flow" in refused("importbpmn", alone, code=2)
