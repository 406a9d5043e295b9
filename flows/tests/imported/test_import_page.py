"""The page that imports a process from a file: its checks, and what is published."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from flows import api
from flows.languages.bpmn.document.xml import LARGEST
from flows.models import Flow
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.designer import browser
from flows.tests.pages import Form, unique
from flows.tests.pdl.pdl import texts
from flows.tests.publication.publish_page import address, text_of

pytestmark = pytest.mark.django_db
IMPORT = "/admin/flows/flow/import/"


def send(client: Client, flow: str, content: bytes, name: str = "order.bpmn", do: str = "check") -> Any:
    return client.post(IMPORT, {"name": flow, "file": SimpleUploadedFile(name, content), "do": do})


def again(client: Client, answer: Any, do: str = "publish") -> Any:
    """Press a button of the page that shows what was found, without choosing the file again."""
    return client.post(IMPORT, Form(answer.content.decode()).fields | {"do": do}, follow=True)


def test_a_process_is_checked_and_published_with_its_file(alice: Client) -> None:
    name = unique()
    assert f'href="{IMPORT}"' in alice.get("/admin/flows/flow/new/").content.decode()
    checked = send(alice, name, ORDER)
    html = checked.content.decode()
    assert f"Flow {name} can be published, with" in text_of(checked) and "Approve the order" in html
    assert html.count('class="panel scroll bpmn"') == 1 and not Flow.objects.filter(name=name).exists()

    done = again(alice, checked)
    assert "Version 1 is published." in text_of(done)
    source = api.flows.read_source(name)
    assert source is not None and source["text"] == ORDER.decode()
    page = alice.get(address("picture", name))
    assert 'class="panel scroll bpmn"' in page.content.decode()
    assert f"/flows/{name}/diagram/" in page.content.decode() and "Charge the card: result" in text_of(page)

    assert "is published." in text_of(again(alice, send(alice, name, ORDER.replace(b"PT2H", b"PT3H"))))
    triggers = api.flows.definition(name)["triggers"]
    times = {each["due_after"] for each in triggers if each.get("transition") == "late"}
    assert times == {"03:00:00"}


def test_what_is_wrong_is_listed_with_line_and_element(alice: Client) -> None:
    name = unique()
    wrong = ORDER.replace(b"PT2H", b"2 hours").replace(b"=amount &gt; 1000", b"=count(amount)")
    answer = send(alice, name, wrong, do="publish")
    text = text_of(answer)
    line = next(n for n, each in enumerate(wrong.decode().splitlines(), 1) if 'id="late"' in each)
    rows = re.findall(r"<tr role=\"row\">\s*<td.*?</tr>", answer.content.decode(), re.DOTALL)
    assert any(str(line) in row and "late" in row and "2 hours" in row for row in rows), rows
    assert "check_approve" in text and "can be published" not in text
    assert not Flow.objects.filter(name=name).exists()


def test_a_graph_is_imported_and_warnings_do_not_prevent_it(alice: Client) -> None:
    name = unique()
    checked = send(alice, name, ORDERS.encode(), "orders.yaml")
    assert "can be published" in text_of(checked) and "bpmn-tip" not in checked.content.decode()
    assert "Version 1 is published." in text_of(again(alice, checked))
    warned = ORDER.replace(b"<bpmn:sendTask ", b'<bpmn:sendTask camunda:asyncBefore="x" ')
    answer = send(alice, unique(), warned)
    said = text_of(answer)
    assert "Warning : “asyncBefore” has no effect." in said and "can be published" in said


def test_a_workflow_in_pdl_is_imported_with_the_picture_of_its_dependencies(alice: Client) -> None:
    name = unique()
    whole = "\n".join(each.text for each in texts()).encode()
    wrong = send(alice, name, whole.replace(b"DEPENDS VisitarCliente", b"DEPENDS Visitar"), "m.pdl")
    assert "33 13 GerarOrdemPagamento Error : There is no activity “Visitar” here" in text_of(wrong)
    checked = send(alice, name, whole, "m.pdl")
    said = text_of(checked)
    assert "can be published, with 9 attributes and 10 rules." in said and re.search(
        r"16 \d+ CriarOrdemServico Warning", said
    )
    html = checked.content.decode()
    assert html.count('class="panel scroll bpmn"') == 1 and "CriarOrdemServico" in html.split("bpmn", 1)[1]
    page = again(alice, checked)
    assert "Version 1 is published." in text_of(page)
    assert 'class="panel scroll bpmn"' in page.content.decode()


def test_a_check_says_what_publishing_would_reject_and_remove(alice: Client, fig2: str) -> None:
    refused = send(alice, "wedsql", ORDER)
    assert "can be published" not in text_of(refused) and "wedsql" in text_of(refused)
    assert 'value="publish"' not in refused.content.decode()
    api.instances.start(fig2)
    text = text_of(send(alice, fig2, ORDER))
    assert "Attributes that are removed with their values: 3." in text and "Living instances: 1." in text
    assert api.drafts.running_definition(fig2)[0] == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"file": SimpleUploadedFile("x.bpmn", b" " * (LARGEST + 1))}, "Choose a file"),
        ({}, "Choose a file"),
        ({"packed": "%%%", "file_name": "x.bpmn"}, "Choose a file"),
        ({"packed": base64.b64encode(zlib.compress(b" " * (LARGEST + 1))).decode()}, "Choose a file"),
        ({"file": SimpleUploadedFile("x.exe", b"x")}, "Read are files whose names end in"),
        ({"file": SimpleUploadedFile("x.yaml", b"\xff")}, "not text in UTF-8"),
        ({"file": SimpleUploadedFile("x.bpmn", b"<!DOCTYPE d [<!ENTITY a 'b'>]><d>&a;</d>")}, "DOCTYPE"),
        ({"name": "No Name", "file": SimpleUploadedFile("x.bpmn", ORDER)}, "is no name of a flow"),
    ],
    ids=range(8),
)
def test_hostile_files_and_names_are_refused(alice: Client, given: dict[str, Any], said: str) -> None:
    for file in given.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    assert said in text_of(alice.post(IMPORT, {"name": unique(), "do": "publish"} | given))


def test_publishing_needs_the_right_to_publish(alice: Client, fig2: str) -> None:
    user = User.objects.create_user(unique("u"))
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_flow", "view_flow"]))
    client = browser(user)
    for flow in (unique(), fig2):
        answer = send(client, flow, ORDER)
        assert "You may not publish it yourself." in text_of(answer)
        assert 'value="publish"' not in answer.content.decode()
        assert send(client, flow, ORDER, do="publish").status_code == 404
    assert api.drafts.running_definition(fig2)[0] == 1


def test_what_a_flow_that_needs_approval_gets_waits_for_it(alice: Client, fig2: str) -> None:
    definition = api.drafts.running_definition(fig2)[1]
    api.flows.publish(fig2, definition | {"needs_approval": True})
    version = api.drafts.running_definition(fig2)[0]
    assert "can be published" in text_of(send(alice, fig2, ORDER, do="check"))
    assert api.publications.list(fig2, only_open=True) == []
    send(alice, fig2, ORDER, do="publish")
    (waiting,) = api.publications.list(fig2, only_open=True)
    assert waiting.status == "requested" and api.drafts.running_definition(fig2)[0] == version
    assert api.flows.read_source(fig2) is None
