"""The pages about devices: who may see them, what they show, and what is done there."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.tests.pages import unique
from monitor.offline.tests.test_client import KEY, NOON, flow, made, package, person, send
from monitor.offline.tests.test_client import client as client

__all__ = ["flow"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin() -> Client:
    user, client = User.objects.create_superuser(unique("a")), Client()
    client.force_login(user)
    return client


def number(client: Client) -> int:
    return api.offline.device_seen(person(client), KEY).device


def do(admin: Client, device: int, verb: str, **given: str) -> str:
    answer = admin.post(f"/devices/{device}/{verb}/", given, follow=True)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def state(client: Client) -> str:
    return api.offline.devices(person(client))[0].state


def test_an_administrator_sees_what_each_device_has_and_not_sent(
    client: Client, admin: Client, flow: str
) -> None:
    package(client, flow)
    api.offline.device_seen(person(client), KEY, {"unsent": 7, "energy": 41})
    listed = admin.get("/devices/", {"person": person(client)}).content.decode()
    assert person(client) in listed and ">7<" in listed
    shown = admin.get(f"/devices/{number(client)}/").content.decode()
    assert person(client) in shown and "41 %" in shown
    assert "There are no such devices" in admin.get("/devices/", {"person": "unknown"}).content.decode()


def test_devices_are_listed_by_key(client: Client, admin: Client) -> None:
    for place in range(60):
        api.offline.device_seen(f"{person(client)}-{place // 40}", f"device-number-{place:04}")
    first = admin.get("/devices/").content.decode()
    assert first.count('<tr role="row">') == 51 and "before=" in first
    last = api.offline.devices(limit=50)[-1].id
    assert admin.get("/devices/", {"before": last}).content.decode().count('<tr role="row">') >= 11


def test_a_device_is_withdrawn_reported_lost_and_activated(client: Client, admin: Client) -> None:
    device = number(client)
    for verb, made_of in (("withdraw", "W"), ("withdraw", "W"), ("lost", "L"), ("activate", "A")):
        do(admin, device, verb)
        assert state(client) == made_of
    for verb in ("delete", "x"):
        assert admin.post(f"/devices/{device}/{verb}/").status_code == 404
    for unknown in (0, 2**40, 2**80):
        assert admin.post(f"/devices/{unknown}/lost/").status_code == 404
        assert admin.get(f"/devices/{unknown}/").status_code == 404


def test_only_who_manages_accounts_may_do_so(client: Client) -> None:
    device = number(client)
    assert client.get("/devices/").status_code == client.get(f"/devices/{device}/").status_code == 404
    viewer = Client()
    viewer.force_login(User.objects.create_user(unique("v"), is_staff=True))
    assert "Report lost" not in viewer.get(f"/devices/{device}/").content.decode()
    assert viewer.post(f"/devices/{device}/lost/").status_code == 403
    assert client.post(f"/devices/{device}/lost/").status_code == 403 and state(client) == "A"


def test_results_that_wait_go_on_with_a_reason(client: Client, admin: Client, flow: str) -> None:
    found = package(client, flow)
    assert send(client, made(2, found, ("value-amount", "1")))[0]["state"] == "waiting"
    device = number(client)
    assert "Go on without the missing results" in admin.get(f"/devices/{device}/").content.decode()
    do(admin, device, "skip", reason="")
    assert [one.state for one in api.offline.results(device)] == ["W"]
    do(admin, device, "skip", reason="The phone is broken.")
    assert [one.state for one in api.offline.results(device)] == ["A", "S"]


def test_late_results_are_found_by_a_filter_with_who_decided(
    client: Client, admin: Client, flow: str
) -> None:
    found, other = package(client, flow), package(client, flow)
    send(client, made(1, other, ("value-amount", "1")))
    api.tasks.release(found["task"], "boss", force=True)
    api.tasks.take(found["task"], "bob", ["r:Expert"])
    assert send(client, made(2, found, ("value-amount", "2")))[0]["state"] == "late"
    device = number(client)
    page = admin.get(f"/devices/{device}/", {"show": "late"}).content.decode()
    assert "people decide" in page and page.count('<tr role="row">') == 2
    assert api.offline.devices(person(client))[0].conflicts == 1


def test_a_refused_result_is_given_to_the_desk_by_its_person_only(client: Client, flow: str) -> None:
    found: dict[str, Any] = package(client, flow)
    assert send(client, made(1, found, ("value-amount", "a lot")))[0]["state"] == "refused"
    asked = {"device": KEY, "number": 1}
    stranger = Client()
    stranger.force_login(User.objects.create_user(unique("s")))
    assert stranger.post("/offline/desk/", asked).status_code == 404
    for _turn in range(2):
        given = client.post("/offline/desk/", asked).json()["result"]
        assert (given["state"], given["late"]) == ("late", "conflict")
    assert client.post("/offline/desk/", asked | {"number": "x"}).status_code == 422
    listed = client.get("/offline/results/", {"device": KEY}).json()["results"][0]
    assert listed["state"] == "late" and NOON[:10] in listed["made_at"]


PLANS = ["", "[]", "7", '{"device": 1}', f'{{"device": "{KEY}", "lock": "x"}}', "[" * 100_000,
         f'{{"device": "{KEY}", "minutes": {2**80}}}',
         f'{{"device": "{KEY}", "back": ["a\\u0000"]}}']  # fmt: skip


@pytest.mark.parametrize("body", PLANS)
def test_what_is_no_plan_is_no_error_of_the_server(client: Client, body: str) -> None:
    api.offline.device_seen(person(client), KEY)
    answer = client.post("/offline/away/", body, "application/json")
    assert answer.status_code in (400, 404, 422) and answer.json()["message"]


def test_a_plan_is_answered_by_task_in_the_language_of_the_client(client: Client, flow: str) -> None:
    found = package(client, flow)
    body = {"device": KEY, "lock": [found["task"], 2**50], "minutes": 30}
    english, portuguese = (
        client.post(f"/offline/away/?language={code}", body, "application/json").json()["tasks"]
        for code in ("en", "pt-br")
    )
    assert english[0]["done"] == "locked" and english[0]["has"]
    assert english[1]["problem"]["message"] != portuguese[1]["problem"]["message"]


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"energy": "3"}, "3 percent of its energy"), ({"free": "1000000"}, "1 MB of free space"),
        ({"energy": "a lot"}, "no number"), ({"free": "-1"}, "no number"), ({"device": "short"}, "16 to 64"),
        ({"device": "nul\0"}, "16 to 64"), ({"energy": "80", "free": "99000000"}, ""), ({}, ""),
    ],
)  # fmt: skip
def test_t300_the_page_of_a_task_says_why_a_device_cannot_lock_it(
    client: Client, flow: str, report: dict[str, str], said: str
) -> None:
    (task,) = api.tasks.of_instance(api.instances.start(flow, {"policy": "P-1"}))
    address = f"/tasks/{task.job_id}/"
    shown = client.post(f"{address}lock/", {"device": KEY} | report, follow=True)
    assert shown.status_code == 200 and shown.redirect_chain[-1][0] == address
    assert said in shown.content.decode()
    assert api.tasks.read(task.job_id, person(client)).state == ("R" if said else "L")
