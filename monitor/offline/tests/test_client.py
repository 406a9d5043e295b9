"""What the client asks of the site: who is logged in, packages, results with the texts of a form."""

from __future__ import annotations

import json
import re
from os.path import normpath
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile
from django.templatetags.static import static
from django.test import Client

from flows import api
from flows.tests.pages import unique
from monitor.offline.views import FILES, STYLES
from monitor.tasks.tests.test_tasks_pages import flow as flow

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "browser-of-an-expert"
NOON = "2026-05-01T12:00:00Z"


@pytest.fixture
def client() -> Client:
    user, made = User.objects.create_user(unique("p")), Client()
    user.groups.add(Group.objects.get_or_create(name="role:Expert")[0])
    made.force_login(user)
    made.user = user  # type: ignore[attr-defined]
    return made


def person(client: Client) -> str:
    return str(client.user.username)  # type: ignore[attr-defined]


def synchronized(client: Client, **more: Any) -> dict[str, Any]:
    return dict(client.get("/offline/sync/", {"device": KEY, **more}).json())


def package(client: Client, flow: str) -> dict[str, Any]:
    """Return the package of a new task that the person has locked."""
    (task,) = api.tasks.of_instance(api.instances.start(flow, {"policy": "P-1", "secret": "4711-0815"}))
    api.tasks.take(task.job_id, person(client), ["r:Expert"], lock=True)
    synchronized(client)
    return dict(client.get(f"/offline/packages/{task.job_id}/", {"device": KEY}).json())


def made(number: int, found: dict[str, Any], *fields: tuple[str, str], **more: Any) -> dict[str, Any]:
    shown = ("shown", json.dumps({"value-amount": "", "value-note": ""}))
    result = {"number": number, "made_at": NOON, "fields": [shown, *fields], **more}
    return result | {name: found[name] for name in ("task", "claim", "seq")}


def send(client: Client, *results: dict[str, Any]) -> list[dict[str, Any]]:
    body = {"device": KEY, "sent_at": NOON, "results": results}
    return list(client.post("/offline/results/", body, "application/json").json()["results"])


def test_a_package_has_the_form_of_the_connected_page_and_no_masked_value(client: Client, flow: str) -> None:
    found = package(client, flow)
    assert 'name="value-amount"' in found["html"] and "P-1" in found["html"]
    assert "4711-0815" not in json.dumps(found) and "csrf" not in found["html"]


def test_a_device_that_asks_for_names_gets_them_and_no_masked_value(client: Client, flow: str) -> None:
    found = package(client, flow)
    (listed,) = synchronized(client, named="1")["tasks"]
    (plain,) = synchronized(client)["tasks"]
    words = ("title", "flow", "key", "instance", "due_at")
    assert {**plain, **{name: found[name] for name in words}} == listed
    assert listed["key"] == "P-1" and "4711-0815" not in json.dumps(listed)
    assert synchronized(client)["digest"] == synchronized(client, named="1")["digest"]


def test_the_texts_of_a_form_are_read_as_on_the_connected_page(client: Client, flow: str) -> None:
    found = package(client, flow)
    (answer,) = send(client, made(1, found, ("value-amount", "12.50"), ("value-note", "")))
    assert answer["state"] == "accepted"
    sheet = api.tasks.read(found["task"], person(client))
    assert str(sheet.state_of["amount"]) == "12.50" and sheet.state_of["note"] is None
    assert send(client, made(1, found, ("value-amount", "12.50"), ("value-note", ""))) == [answer]
    (listed,) = client.get("/offline/results/", {"device": KEY}).json()["results"]
    assert listed == answer


@pytest.mark.parametrize(
    "field", [("value-amount", "a lot"), ("value-nothing", "x"), ("value-verdict", "pay")]
)
def test_what_the_form_does_not_take_is_refused_and_not_left_out(
    client: Client, flow: str, field: tuple[str, str]
) -> None:
    found = package(client, flow)
    (answer,) = send(client, made(1, found, field))
    assert answer["state"] == "refused" and answer["problem"]["message"]


def test_a_failure_is_reported_and_answers_are_in_the_language_of_the_client(
    client: Client, flow: str
) -> None:
    found = package(client, flow)
    body = {"device": KEY, "sent_at": NOON, "results": [made(1, found, ("value-amount", "x"))]}
    answer = client.post("/offline/results/?language=pt-br", body, "application/json").json()["results"][0]
    english = client.get("/offline/results/", {"device": KEY}).json()["results"][0]
    assert answer["problem"]["message"] != english["problem"]["message"]
    assert send(client, made(2, found, reason="No light."))[0]["state"] == "accepted"


def test_the_client_knows_who_is_logged_in_and_what_is_unchanged(client: Client, flow: str) -> None:
    found = package(client, flow)
    answer = synchronized(client)
    assert answer["person"] == person(client) and answer["state"] == "active"
    assert [one["task"] for one in answer["tasks"]] == [found["task"]]
    assert synchronized(client, known=answer["digest"])["tasks"] is None
    assert synchronized(client, known=answer["digest"], language="pt-br")["tasks"] is not None
    secret = client.post("/offline/unlock/", {"device": KEY}).json()["secret"]
    assert len(secret) == 44 and secret not in json.dumps(answer)
    device = api.offline.devices(person(client))[0].id
    api.offline.set_device_state(device, "W", "eva")
    assert (synchronized(client)["state"], synchronized(client)["tasks"]) == ("withdrawn", [])
    api.offline.set_device_state(device, "L", "eva")
    assert client.post("/offline/unlock/", {"device": KEY}).json()["secret"] is None


BODIES = ["", "[]", "{}", '{"device": 1, "sent_at": 2, "results": 3}', '{"device": "x", "results": [{}]}',
          f'{{"device": "{KEY}", "sent_at": "{NOON}", "results": [7]}}',
          f'{{"device": "{KEY}", "sent_at": "{NOON}", "results": [{{"number": "x"}}]}}',
          "[" * 100_000]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_what_is_no_list_of_results_is_refused(client: Client, body: str) -> None:
    assert client.post("/offline/results/", body, "application/json").status_code == 400


NUMBERS = [{"number": 2**40}, {"number": -1}, {"claim": "x"}, {"task": "y"}, {"seq": None}, {"made_at": 5},
           {"fields": 7}, {"fields": [["a"], 3, [1, 2]]}, {"outcome": {"a": 1}}, {"reason": 9},
           {"task": 2**70}, {"outcome": "a\u0000b"}, {"reason": "a\u0000b"}]  # fmt: skip


@pytest.mark.parametrize("change", NUMBERS)
def test_a_result_with_other_values_is_no_error_of_the_server(
    client: Client, flow: str, change: dict[str, Any]
) -> None:
    found = package(client, flow)
    answer = client.post(
        "/offline/results/",
        {"device": KEY, "sent_at": NOON, "results": [made(1, found, ("value-amount", "1")) | change]},
        "application/json",
    )
    assert answer.status_code in (200, 400, 422)


def test_the_page_of_the_client_is_the_same_for_everybody_and_its_files_are_there(client: Client) -> None:
    known, unknown = client.get("/offline/pt-br/").content, Client().get("/offline/pt-br/").content
    assert known == unknown and person(client).encode() not in known
    facts = json.loads(client.get("/offline/worker.js").content.decode().partition("\n")[0][14:-1])
    for address in facts["files"]:
        assert Client().get(address).status_code == 200, address
    assert {"/offline/en/", "/offline/pt-br/"} < {*facts["files"]}


IMPORT = re.compile(r"""^(?:import|export \{)[^;]*? from "(\.[^"]+)";""", re.MULTILINE)
LATER = re.compile(r"""[ (]import\("(\.[^"]+)"\)""")
USED = re.compile(r"{% static '([^']+)' %}")


def imported(name: str, *more: re.Pattern[str]) -> set[str]:
    """Return the static files that a module imports: before it runs, and by `more`."""
    path = finders.find(name)
    assert isinstance(path, str), name
    text = Path(path).read_text("utf-8")
    return {
        normpath(f"{name.rpartition('/')[0]}/{each}") for one in (IMPORT, *more) for each in one.findall(text)
    }


def test_whatever_the_client_uses_is_there_without_a_connection() -> None:
    known, found = set[str](), {"monitor/offline/app.js"}
    while found:
        known |= found
        found = {each for name in found for each in imported(name, LATER)} - known
    assert {"monitor/task.js", "monitor/offline/sync.js", "pages/device.js"} < known <= {*FILES}
    assert {*USED.findall(Path("templates/monitor/offline/app.html").read_text("utf-8"))} <= {*FILES}


def test_the_styles_of_the_client_are_those_of_every_page_in_their_order_and_its_own(client: Client) -> None:
    every = USED.findall(Path("templates/pages/styles.html").read_text("utf-8"))
    assert [*STYLES[: len(every)]] == every
    text = client.get("/offline/styles.css").content.decode()
    places = [text.index(Path(str(finders.find(name))).read_text("utf-8")) for name in STYLES]
    assert places == sorted(places) and "@import" not in text and "url(" not in text


def test_the_page_names_the_modules_of_the_list_and_no_others(client: Client) -> None:
    """Else a cold start looks for one module after the other, or loads some that the list does not need."""
    page = client.get("/offline/en/").content.decode()
    known, found = set[str](), {"monitor/offline/app.js"}
    while found:
        known |= found
        found = {each for name in found for each in imported(name)} - known
    assert known == {name for name in FILES if f'rel="modulepreload" href="{static(name)}"' in page}
    assert "monitor/task.js" not in known


def test_results_and_files_of_another_person_than_the_one_who_is_logged_in_are_not_taken(
    client: Client, flow: str
) -> None:
    found, other = package(client, flow), User.objects.create_user(unique("p"))
    body = {"device": KEY, "sent_at": NOON, "results": [made(1, found, reason="No light.")]}
    for user, code in ((str(other.pk), 401), (7, 401), (str(client.user.pk), 200)):  # type: ignore[attr-defined]
        before = client.get("/offline/results/", {"device": KEY}).json()["results"]
        assert before == [], "nothing of another person was kept"
        assert client.post("/offline/results/", body | {"user": user}, "application/json").status_code == code
        given = {"device": KEY, "user": user, "file": SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n")}
        address = f"/offline/files/{found['task']}/amount/"
        assert (client.post(address, given).status_code == 401) == (code == 401)


def test_a_file_is_sent_for_a_task_that_the_device_was_given_only(client: Client, flow: str) -> None:
    found = package(client, flow)
    address = f"/offline/files/{found['task']}/amount/"
    given = {"device": KEY, "file": SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n")}
    answer = client.post(address, given)
    assert (answer.status_code, answer.json()["code"]) == (422, "WD596"), "no field of the form takes a file"
    assert client.post(address, {"device": KEY}).status_code == 400
    assert client.post(f"/offline/files/{2**70}/amount/", given).status_code == 404
    assert client.post(address, given | {"device": "another-device-of-hers"}).status_code == 404
    assert client.get(address).status_code == 405
