"""Messages, settings and deadlines of tasks over HTTP, with the rights of the pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User

from flows import api
from flows.tests.pages import unique
from monitor.tasks.tests.test_api_tasks import performer
from monitor.tasks.tests.test_messages_pages import flow as flow
from monitor.tasks.tests.test_messages_pages import reaped, started
from monitor.tests.server.programs import Program, problem

pytestmark = pytest.mark.django_db(transaction=True)


def name_of(one: Program) -> str:
    return str(one.name)  # type: ignore[attr-defined]


def user_of(one: Program) -> User:
    return User.objects.get(username=name_of(one))


def test_messages_are_read_page_by_page_and_marked(flow: str) -> None:
    boss = performer("perform")
    wids = [started(flow, name_of(boss)) for _ in range(3)]
    first = boss.get("/messages?limit=2").json()
    assert [one["instance"] for one in first["items"]] == [wids[2], wids[1]] and first["unread"] == 3
    assert first["items"][0]["kind"] == "start" and "bob" in first["items"][0]["text"]
    rest = boss.get(f"/messages?limit=2&cursor={first['next']}").json()
    assert [one["instance"] for one in rest["items"]] == [wids[0]] and rest["next"] is None
    number = first["items"][0]["number"]
    assert boss.post("/messages/read", {"messages": [number]}).json() == {"read": 1}
    assert len(boss.get("/messages?unread=true").json()["items"]) == 2
    assert boss.post("/messages/read", {"until": number}).json() == {"read": 2}
    problem(boss.post("/messages/read", {}), 422)
    assert boss.get("/messages?kind=deadline").json()["items"] == []
    problem(performer().get("/messages"), 403)


def test_a_token_for_another_flow_does_not_show_the_messages_of_this_one(flow: str) -> None:
    other = unique("other")
    api.flows.create(other)
    boss = performer("perform", flows=(other,))
    started(flow, name_of(boss))
    assert boss.get("/messages").json()["items"] == []
    api.flows.drop(other, force=True)


def test_settings_are_changed_by_the_responsible_person_and_by_who_operates(flow: str) -> None:
    boss = performer("perform", role="Boss")
    wid = started(flow, name_of(boss))
    address = f"/instances/{wid}/task-settings"
    problem(performer("perform", role="Boss").get(address), 404)  # who does not see the flow
    assert boss.get(address).json()["responsible"] == name_of(boss)
    assert boss.put(address, {"warnings": ["6", "12"]}).json()["warnings"] == ["12", "6"]
    assert problem(boss.put(address, {"warnings": ["soon"]}), 422)["code"] == "WD009"
    problem(boss.put(address, {"responsible": "no such user"}), 404)
    seer = performer("perform", role="Boss")
    user_of(seer).groups.add(Group.objects.get_or_create(name=f"flow:{flow}")[0])
    assert problem(seer.put(address, {"notified": "all"}), 403)["code"] == "WD591"


def test_a_deadline_is_set_and_a_lost_task_is_told(flow: str) -> None:
    boss, fitter = performer("perform", role="Boss"), performer("perform", role="Fitter")
    wid = started(flow, name_of(boss), warnings=["6 transfer"])
    task = api.tasks.of_instance(wid)[0].job_id
    until = datetime.now(UTC) + timedelta(days=3)
    sent = {"until": until.isoformat()}
    assert problem(fitter.post(f"/tasks/{task}/deadline", sent), 403)["code"] == "WD591"
    assert boss.post(f"/tasks/{task}/deadline", sent).json()["task"] == task
    assert api.tasks.read(task, "x").due_at == until
    fitter.post(f"/tasks/{task}/take", {})
    reaped("70 hours")
    found = problem(fitter.post(f"/tasks/{task}/complete", {"data": {"note": "done"}}), 409)
    assert found["code"] == "WD598"
    late = fitter.post(f"/tasks/{task}/late", {"data": {"note": "done"}}).json()["late"]
    assert late == fitter.post(f"/tasks/{task}/late", {"data": {"note": "done"}}).json()["late"] > 0
    assert problem(boss.post(f"/tasks/{task}/late", {}), 409)["code"] == "WD593"
