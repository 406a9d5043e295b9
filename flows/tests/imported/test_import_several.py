"""A file with several processes: chosen on the page, or imported together with their calls bound."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from flows import api
from flows.designer.imports.pdl import STARTING
from flows.languages.bpmn import BadBpmn
from flows.loading.bpmn import prepare_bpmn
from flows.models import Flow, Job
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, file, flows, node
from flows.tests.commands import refused, run, write
from flows.tests.designer import browser
from flows.tests.imported.test_import_page import IMPORT, again, send
from flows.tests.pages import unique
from flows.tests.publication.publish_page import text_of

pytestmark = pytest.mark.django_db
MANY = (
    '<bpmn:multiInstanceLoopCharacteristics wedsql:collection="papers" wedsql:item="paper">'
    "</bpmn:multiInstanceLoopCharacteristics>"
)
PASSED = (
    '<bpmn:extensionElements><wedsql:in target="{}" source="n"/><wedsql:out target="n" source="{}"/>'
    "</bpmn:extensionElements>"
)
FOREIGN = "<bpmn:extensionElements><x:y xmlns:x='u:x'/></bpmn:extensionElements>"


def several(first: str, second: str, inner: str = "", child: str = "total") -> bytes:
    """Return a file whose first process calls the second one."""
    called = file(
        attributes(attribute(child, type="integer")), node("startEvent", "b"),
        node("task", "count", name="Count"), node("endEvent", "z"), flows("b count", "count z"),
    ).decode()  # fmt: skip
    called = re.findall(r"<bpmn:process.*</bpmn:process>", called, re.DOTALL)[0]
    called = called.replace('id="p"', f'id="Child_1" name="{second}"')
    calling = file(
        attributes(attribute("n", type="integer"), attribute("papers", type="jsonb")),
        node("startEvent", "s"), node("callActivity", "call", inner, calledElement="Child_1", name="Call it"),
        node("endEvent", "e"), flows("s call", "call e"), after=called,
    )  # fmt: skip
    return calling.replace(b'id="p"', f'id="Parent_1" name="{first}"'.encode())


@pytest.fixture
def names() -> tuple[str, str]:
    return unique(), unique()


def test_the_page_lets_one_process_be_chosen(alice: Client, names: tuple[str, str]) -> None:
    content = several(*names, inner=PASSED.format("total", "total"))
    asked = send(alice, "", content)
    page, html = text_of(asked), asked.content.decode()
    assert "choose one, or all of them" in page and html.count('type="radio"') == 3
    assert page.count("accepted") == 2 and 'value="publish"' not in html
    name = unique()
    chosen = alice.post(IMPORT, fields(asked) | {"name": name, "process": "Child_1"})
    assert f"Flow {name} can be published, with" in text_of(chosen)
    assert re.search(r'value="Child_1"\s+checked', chosen.content.decode())
    wanted = {"name": name, "process": "Child_1", "do": "publish"}
    alice.post(IMPORT, fields(chosen) | wanted)
    assert "total" in {each["name"] for each in api.drafts.running_definition(name)[1]["attributes"]}
    unnamed = alice.post(IMPORT, fields(asked) | {"process": "Child_1"})
    assert "Name the flow that the process becomes." in text_of(unnamed)


def fields(answer: Any) -> dict[str, str]:
    html = answer.content.decode()
    found = dict(re.findall(r'type="hidden" name="(packed|file_name)" value="([^"]*)"', html))
    return {"do": "check", **found}


def test_all_processes_are_imported_with_their_calls_bound(alice: Client, names: tuple[str, str]) -> None:
    asked = send(alice, "", several(*names, inner=PASSED.format("total", "total")))
    checked = alice.post(IMPORT, fields(asked) | {"process": "*"})
    assert f"All processes can be published, as the flows {names[0]}, {names[1]}." in text_of(checked)
    assert not Flow.objects.filter(name__in=names).exists()
    done = again(alice, checked)
    assert f"These flows are published: {names[0]}, {names[1]}." in text_of(done)
    wid = api.instances.start(names[0], {"n": 3})
    assert Job.objects.get(wid=wid).transition == "call"
    call = next(
        each for each in api.flows.definition(names[0])["triggers"] if each.get("transition") == "call"
    )
    assert call["child"] == names[1]


def test_all_are_published_or_none_and_only_with_the_right(alice: Client, names: tuple[str, str]) -> None:
    wrong = several(*names, inner=PASSED.format("total", "strange"))
    asked = send(alice, "", wrong)
    checked = alice.post(IMPORT, fields(asked) | {"process": "*", "do": "publish"})
    page = text_of(checked)
    assert "has no attribute “strange”, which it would return" in page and "can be published" not in page
    assert "1 error" in page and not Flow.objects.filter(name__in=names).exists()
    user = User.objects.create_user(unique("u"))
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_flow", "view_flow"]))
    client, right = browser(user), several(*names)
    answer = client.post(IMPORT, fields(send(client, "", right)) | {"process": "*"})
    assert "You may not publish it yourself." in text_of(answer)
    answer = client.post(IMPORT, fields(answer) | {"process": "*", "do": "publish"})
    assert answer.status_code == 404 and not Flow.objects.filter(name__in=names).exists()


def test_the_command_imports_all_processes(tmp_path: Path, names: tuple[str, str]) -> None:
    path = write(tmp_path, several(*names, inner=MANY).decode(), "two.bpmn")
    said = run("importbpmn", path, "--all")
    assert f"{names[1]}: accepted\n" in said and f"Flow {names[1]} is at version 1." in said
    assert "Items are not passed" in said
    found = json.loads(run("importbpmn", path, "--all", "--json"))
    assert found["flows"] == dict.fromkeys(names, 1), "nothing has changed"
    assert "leave out --flow" in refused("importbpmn", path, "--all", "--flow", names[0], code=2)


def test_a_dry_run_says_of_each_process_what_prevents_it(tmp_path: Path, names: tuple[str, str]) -> None:
    content = several(*names, inner=PASSED.format("nothing", "total"), child="total").decode()
    path = write(tmp_path, content, "two.bpmn")
    message = refused("importbpmn", path, "--dry-run", "--json")
    assert message == f"Not accepted: {names[0]}."
    said = run_refused(path)
    (first, second) = json.loads(said)["processes"]
    assert [*first] == ["id", "name", "pool", "accepted", "problems"]
    assert (first["accepted"], second["accepted"]) == (False, True)
    problem = first["problems"][0]
    line = next(n for n, each in enumerate(content.splitlines(), 1) if 'id="call"' in each)
    assert problem == {
        "severity": "error", "kind": "unknown_input", "element": "call", "line": line,
        "text": f"The called flow “{names[1]}” has no attribute “nothing”, which it would get.",
    }  # fmt: skip


def run_refused(path: str) -> str:
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("importbpmn", path, "--dry-run", "--json", stdout=out)
    return out.getvalue()


def test_an_item_is_passed_only_to_a_flow_that_has_it(names: tuple[str, str]) -> None:
    api.flows.create("child_1")
    for attribute_, warned in (("other", True), ("paper", False)):
        definition: dict[str, Any] = {"attributes": [{"name": attribute_, "type": "text"}]}
        definition["triggers"] = [{"name": "fin", "final": True, "predicate": f"{attribute_} is null"}]
        api.flows.publish("child_1", definition)
        made = prepare_bpmn(names[0], several(*names, inner=MANY), "Parent_1")
        assert any(each.code == "no_item" for each in made.warnings) == warned
        call = next(t for t in made.compiled.definition["triggers"] if t.get("transition") == "call")
        assert any(line.startswith("paper = ") for line in call.get("child_set", [])) != warned


def test_an_input_may_be_the_item(names: tuple[str, str]) -> None:
    inner = MANY + PASSED.format("total", "total").replace('source="n"', 'source="paper"')
    made = prepare_bpmn(names[0], several(*names, inner=inner), "Parent_1")
    call = next(t for t in made.compiled.definition["triggers"] if t.get("transition") == "call")
    assert call["child_set"] == ["total = (papers) -> (child_number - 1)"]


@pytest.mark.parametrize(
    ("given", "returned", "code"), [("x", "total", "unknown_input"), ("total", "x", "unknown_output")]
)
def test_what_a_call_passes_is_checked_against_the_called_flow(
    names: tuple[str, str], given: str, returned: str, code: str
) -> None:
    content = several(*names, inner=PASSED.format(given, returned))
    assert [each.code for each in prepare_bpmn(names[0], content, "Parent_1").warnings] == [
        "not_used",
        "no_flow",
    ]
    api.flows.create("child_1")
    api.flows.publish("child_1", prepare_bpmn("child_1", content, "Child_1").compiled.definition)
    with pytest.raises(BadBpmn) as caught:
        prepare_bpmn(names[0], content, "Parent_1")
    assert [
        (each.code, each.element, each.name) for each in caught.value.problems if each.severity == "error"
    ] == [(code, "call", "Call it")]


def test_a_click_on_a_problem_selects_its_element(alice: Client) -> None:
    content = several(
        unique(), unique(), inner="<bpmn:extensionElements><x:y xmlns:x='u:x'/></bpmn:extensionElements>"
    )
    chosen = alice.post(
        IMPORT,
        fields(send(alice, "", content)) | {"name": unique(), "process": "Parent_1"},
    )
    html = chosen.content.decode()
    anchors = re.findall(r'<a href="#(element-\d+)"[^>]*>Call it</a>', html)
    assert anchors and f'id="{anchors[0]}"' in html and 'class="beside"' in html
    ids = re.findall(r'id="(element-\d+)"', html)
    assert len(ids) == len({*ids})


def test_the_diagram_is_beside_what_is_wrong(alice: Client) -> None:
    content = several(unique(), unique()).replace(b'="Child_1" name', b'="${x}" name')
    wanted = {"name": unique(), "process": "Parent_1"}
    asked = alice.post(IMPORT, fields(send(alice, "", content)) | wanted)
    anchors = re.findall(r'<a href="#(element-\d+)"[^>]*>Call it</a>', asked.content.decode())
    assert "The process of the call is computed" in text_of(asked)
    assert anchors and f'id="{anchors[0]}"' in asked.content.decode()


def test_the_checks_say_nothing_of_a_flow_that_the_user_may_not_see(alice: Client) -> None:
    name, called = unique(), unique()
    for flow in (name, called):
        api.flows.create(flow)
        rules = [{"transition": "tr_payroll", "predicate": "salary_of_boss = '1'"}]
        api.flows.publish(flow, {"attributes": [{"name": "salary_of_boss"}], "triggers": rules})
        api.instances.start(flow, {"salary_of_boss": "1"})
    adder = User.objects.create_user(unique("u"))
    adder.user_permissions.set(Permission.objects.filter(codename="add_flow"))
    client, processes = browser(adder), several(name, called)
    answers = [
        send(client, name, ORDER), send(client, name, b"R = [{r1, a, b}]", "r.txt", do="publish"),
        client.post("/admin/flows/flow/pdl/", {"name": name, "text": STARTING, "do": "check"}),
        client.post(IMPORT, {"name": "", "process": "*", "do": "check",
                             "file": SimpleUploadedFile("s.bpmn", processes)}),
    ]  # fmt: skip
    for answer in answers:
        assert f"There is a flow “{name}” already." in text_of(answer)
        assert not re.search("salary_of|tr_payroll|Living instances|be published", text_of(answer))
    assert "Living instances: 1." in text_of(send(alice, name, ORDER)), "shown to whom the flow is"
