"""Devices over HTTP: locked tasks are transferred, and results arrive once and in order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from flows import api
from flows.tests.pages import unique
from monitor.tasks.tests.test_api_tasks import performer
from monitor.tasks.tests.test_tasks_pages import DEFINITION
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tests.server.programs import Program, problem, program

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "device-of-an-expert"
NOON = "2026-05-01T12:00:00Z"


def locked(program: Program, flow: str) -> dict[str, Any]:
    """Return the package of a new task that the program has locked."""
    program.post("/offline/devices", {"device": KEY})
    wid = api.instances.start(flow, {"policy": "P-1", "secret": "hidden"})
    (task,) = api.tasks.of_instance(wid)
    program.post(f"/tasks/{task.job_id}/take", {"lock": True})
    return dict(program.get(f"/offline/packages/{task.job_id}?device={KEY}").json())


def result(number: int, package: dict[str, Any], **data: Any) -> dict[str, Any]:
    names = ("task", "claim", "seq")
    return {"number": number, "data": data, "made_at": NOON} | {name: package[name] for name in names}


def send(program: Program, *results: dict[str, Any]) -> list[dict[str, Any]]:
    body = {"device": KEY, "sent_at": NOON, "results": results}
    return list(program.post("/offline/results", body).json()["results"])


def test_a_device_transfers_locked_tasks_and_sends_results_once(flow: str) -> None:
    expert = performer("perform")
    package = locked(expert, flow)
    assert package["values"]["policy"] == "P-1" and "secret" not in package["values"]
    first, again = (send(expert, result(1, package, amount="12.50"))[0] for _ in range(2))
    assert first["state"] == "accepted" and again == first
    assert first["made_at"] == NOON and first["arrived_at"] > NOON
    (listed,) = expert.get(f"/offline/results?device={KEY}").json()["results"]
    assert listed == first
    assert send(expert, {"number": 2, "discarded": True})[0]["state"] == "discarded"


def test_one_request_tells_that_nothing_has_changed(flow: str) -> None:
    expert = performer("perform")
    package = locked(expert, flow)
    found = expert.get(f"/offline/tasks?device={KEY}").json()
    assert found["tasks"] == [{"task": package["task"], "version": package["version"]}]
    answer = expert.get(f"/offline/tasks?device={KEY}&known={found['digest']}")
    assert answer.json() == {"digest": found["digest"], "tasks": None}
    size = len(answer.content) + sum(len(f"{name}: {text}\r\n") for name, text in answer.headers.items())
    assert size < 2000
    (device,) = api.offline.devices(expert.name)  # type: ignore[attr-defined]
    assert device.tasks == 1


def test_results_are_sorted_and_one_that_is_missing_holds_the_others_back(flow: str) -> None:
    expert = performer("perform")
    packages = [locked(expert, flow) for _ in range(3)]
    made = [result(place + 1, one, amount="1") for place, one in enumerate(packages)]
    (waits,) = send(expert, made[2])
    assert (waits["state"], waits["waits_for"]) == ("waiting", 1)
    assert [one["state"] for one in send(expert, made[1], made[0])] == ["accepted", "accepted"]
    assert {one["state"] for one in expert.get(f"/offline/results?device={KEY}").json()["results"]} == {
        "accepted"
    }


def test_what_is_refused_names_the_reason_and_what_cannot_be_kept_ends_the_list(flow: str) -> None:
    expert = performer("perform")
    package = locked(expert, flow)
    refused = send(expert, result(1, package, amount="a lot"))[0]
    assert refused["state"] == "refused" and "a lot" in refused["problem"]["message"]
    other, behind = result(1, package, amount="2"), result(2, package, amount="3")
    (rejected,) = send(expert, behind, other)
    assert (rejected["state"], rejected["problem"]["code"]) == ("rejected", "WD613")
    assert send(expert, result(2, package, amount="3"))[0]["state"] == "accepted"


def test_who_lost_the_task_sends_a_late_result(flow: str) -> None:
    expert, colleague = performer("perform"), performer("perform")
    package = locked(expert, flow)
    api.tasks.release(package["task"], "boss", force=True)
    colleague.post(f"/tasks/{package['task']}/take", {})
    (late,) = send(expert, result(1, package, amount="5"))
    assert (late["state"], late["late"], late["problem"]["code"]) == ("late", "conflict", "WD592")


def test_a_token_of_some_flows_gets_the_answer_again_and_sends_late_results(flow: str) -> None:
    expert, colleague = performer("perform", flows=(flow,)), performer("perform")
    package, lost = locked(expert, flow), locked(expert, flow)
    first = send(expert, result(1, package, amount="5"))
    assert first[0]["state"] == "accepted" and send(expert, result(1, package, amount="5")) == first
    api.tasks.release(lost["task"], "boss", force=True)
    colleague.post(f"/tasks/{lost['task']}/take", {})
    assert send(expert, result(2, lost, amount="5"))[0]["state"] == "late"
    listed = expert.get(f"/offline/results?device={KEY}").json()["results"]
    assert [each["task"] for each in listed] == [lost["task"], package["task"]]
    user = User.objects.get(username=expert.name)  # type: ignore[attr-defined]
    api.flows.create(another := unique("other"))
    elsewhere = program(user, "perform", flows=(another,))
    assert elsewhere.get(f"/offline/results?device={KEY}").json()["results"] == []


def test_what_may_not_be_done_is_refused(flow: str) -> None:
    another = unique("other")
    api.flows.create(another)
    expert, other = performer("perform"), performer("perform", flows=(another,))
    package = locked(expert, flow)
    problem(performer().get(f"/offline/tasks?device={KEY}"), 403)
    problem(performer("perform").get(f"/offline/packages/{package['task']}?device={KEY}"), 404)
    problem(other.post("/offline/results", {"device": KEY, "sent_at": NOON,
                                            "results": [result(1, package)]}), 404)  # fmt: skip
    assert other.get(f"/offline/tasks?device={KEY}").json()["tasks"] == []
    problem(expert.get(f"/offline/packages/{package['task']}?device=device-that-is-new"), 404)
    device = api.offline.devices(expert.name)[0].id  # type: ignore[attr-defined]
    api.offline.set_device_state(device, "L", "eva")
    assert send(expert, result(1, package))[0]["problem"]["code"] == "WD611"
    assert expert.post("/offline/devices", {"device": KEY}).json()["secret"] is None


def page_of_package(performing: Program, flow: str) -> tuple[str, dict[str, Any]]:
    """Return the form of a new task as the device of its person shows it, and its package."""
    package = locked(performing, flow)
    client = Client()
    client.force_login(User.objects.get(username=performing.name))  # type: ignore[attr-defined]
    answer = client.get(f"/offline/packages/{package['task']}/?device={KEY}")
    return str(answer.json()["html"]), package


def test_t297_the_rows_of_a_query_are_taken_along_and_one_is_chosen_without_a_connection(flow: str) -> None:
    """Those that the person may see; what is chosen is checked when the result arrives."""
    shops = unique("shops")
    api.flows.create(shops)
    attributes = [{"name": name} for name in ("code", "name", "town")]
    final = {"predicate": "code is not null", "final": True}
    api.flows.publish(shops, {"attributes": attributes, "triggers": [final]})
    for number, town in enumerate(("P-1", "P-2", "P-1")):
        api.instances.start(shops, {"code": f"S{number}", "name": f"Shop <{number}>", "town": town})
    query = {"flow": shops, "where": "town = my_policy", "value": "code", "columns": ["name"]}
    fields = [{"attribute": "policy"}, {"attribute": "note", "kind": "query", "query": query}]
    first, *rest = DEFINITION["triggers"]
    triggers = [{**first, "form": {"sections": [{"fields": fields}]}}, *rest]
    api.flows.publish(flow, {**DEFINITION, "triggers": triggers})
    expert, stranger = performer("perform"), performer("perform")
    User.objects.get(username=expert.name).groups.add(Group.objects.get_or_create(name=f"flow:{shops}")[0])  # type: ignore[attr-defined]
    shown = [page_of_package(client, flow) for client in (expert, stranger)]
    rows = [re.findall(r'<option value="(\w+)">([^<]*)</option>', html) for html, _package in shown]
    assert rows == [[("S2", "Shop &lt;2&gt;"), ("S0", "Shop &lt;0&gt;")], []]
    assert 'list="rows-note"' in shown[0][0]
    package = shown[0][1]
    (wrong,) = send(expert, result(1, package, note="S1"))
    assert wrong["state"] == "refused" and wrong["problem"]["code"] == "WD595"
    assert send(expert, result(2, package, note="S0"))[0]["state"] == "accepted"
    api.flows.drop(shops, force=True)
