"""Tasks of flows that were dropped, of persons who left, and of persons with any name, by every door."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from flows import api
from flows.tests.commands import refused, run
from flows.tests.pages import opened, unique
from monitor.tasks.tests.test_tasks_pages import DEFINITION, page_of, person, taken
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tests.server.programs import problem, program

pytestmark = pytest.mark.django_db(transaction=True)

NOON = "2026-05-01T12:00:00Z"
KEY = "device-of-who-left-the-office"
ODD = (
    "a b", "o'neil", 'x"y', "<b>bold</b>", "r:Expert", "role:Expert", "p:ana", "n:5:Expert", "joão", "名前",
    "100%s", "{person}", "{0}", "a\\b", "x\u202ey", "a,b;c", "../x", "kernel", "null", "0", "-x", "z" * 150,
)  # fmt: skip


def package_of(caller: Any, task: int) -> dict[str, Any]:
    """Return the package of a task that the caller has locked."""
    caller.post("/offline/devices", {"device": KEY})
    return dict(caller.get(f"/offline/packages/{task}?device={KEY}").json())


def result(package: dict[str, Any], amount: str) -> dict[str, Any]:
    made = {"number": 1, "made_at": NOON, "data": {"amount": amount}}
    made |= {name: package[name] for name in ("task", "claim", "seq")}
    return {"device": KEY, "sent_at": NOON, "results": [made]}


def test_a_task_whose_flow_was_dropped_is_not_there_by_any_door() -> None:
    name, expert = unique("claims"), person("role:Expert")
    user = expert.user  # type: ignore[attr-defined]
    caller = program(user, "perform")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    api.persons.start_with_settings(name, {"policy": "P-1"}, {"responsible": user.username}, actor="x")
    address = taken(expert)
    task = int(address.rstrip("/").rpartition("/")[2])
    api.tasks.take(task, user.username, ["r:Expert"], lock=True)
    form, package = opened(expert, address), package_of(caller, task)
    expert.post(f"{address}draft/", {**form, "value-amount": "7"})
    assert "P-1" in page_of(expert, "/tasks/?show=mine")
    api.flows.drop(name, force=True)

    assert expert.get(address).status_code == 404
    answer = expert.post(address, {**form, "value-amount": "12", "value-note": "a long text"})
    shown = answer.content.decode()
    assert answer.status_code == 404 and "What you typed" in shown and "a long text" in shown
    for verb in ("take", "lock", "release", "give", "aside", "fail", "extend", "draft", "discard"):
        assert expert.post(f"{address}{verb}/", {"to": user.username}).status_code == 404, verb
    for verb in ("take", "release", "give"):
        given = {"task": [task], "to": user.username}
        assert (
            f"There is no task {task}." in expert.post(f"/tasks/{verb}/", given, follow=True).content.decode()
        )
    for show in ("mine", "open", "aside", "done", "team"):
        assert "P-1" not in page_of(expert, f"/tasks/?show={show}")
    page_of(expert, "/messages/")
    problem(caller.get(f"/tasks/{task}"), 404)
    for verb, body in (("take", {}), ("complete", {"data": {"amount": "1"}}), ("fail", {"reason": "x"})):
        problem(caller.post(f"/tasks/{task}/{verb}", body), 404)
    assert caller.get("/tasks?list=mine").json()["items"] == []
    assert caller.get("/messages").status_code == 200
    for verb in ("take", "start", "complete", "release"):
        assert "no task" in refused("tasks", verb, str(task), "--person", user.username)
    (sent,) = caller.post("/offline/results", result(package, "12")).json()["results"]
    assert (sent["state"], sent["problem"]["code"]) == ("refused", "WD590")


@pytest.mark.parametrize("removed", [True, False])
def test_who_was_removed_or_locked_does_nothing_more_by_any_door(flow: str, removed: bool) -> None:
    expert, other = person("role:Expert"), person("role:Expert")
    user = expert.user  # type: ignore[attr-defined]
    caller, name = program(user, "perform"), user.username
    wid = api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_instance(wid)
    api.tasks.take(task.job_id, name, ["r:Expert"], lock=True)
    package = package_of(caller, task.job_id)
    if removed:
        user.delete()
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)
    problem(caller.get("/tasks"), 401)
    problem(caller.post(f"/tasks/{task.job_id}/complete", {"data": {"amount": "1"}}), 401)
    problem(caller.post("/offline/results", result(package, "1")), 401)
    assert "/login/" in expert.post(f"/tasks/{task.job_id}/", {"value-amount": "1"})["Location"]
    for verb in ("complete", "release", "start"):
        assert name in refused("tasks", verb, str(task.job_id), "--person", name, code=2)
    to = other.user.username  # type: ignore[attr-defined]
    give = ("tasks", "give", str(task.job_id), "--person", to, "--to", to, "--force")
    assert "add --held-by" in refused(*give)
    given = run(*give, "--held-by", name)
    assert to in given and api.tasks.of_instance(wid)[0].audience == f"p:{to}"
    run("tasks", "take", str(task.job_id), "--person", to)
    other.post(f"/tasks/{task.job_id}/", {**opened(other, f"/tasks/{task.job_id}/"), "value-amount": "12"})
    assert str(api.reasons.explain_instance(wid).state["amount"]) == "12"


def named(name: str, *groups: str) -> Client:
    user = User.objects.create_user(name)
    user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", ODD, ids=[f"{number}" for number in range(len(ODD))])
def test_a_person_of_any_name_performs_a_task(flow: str, name: str) -> None:
    boss, odd = person(f"flow:{flow}:operate"), named(name, "role:Expert")
    try:
        wid = api.instances.start(flow, {"policy": "P-1"})
        (task,) = api.tasks.of_instance(wid)
        address = f"/tasks/{task.job_id}/"
        assert boss.post(f"{address}give/", {"to": name}).status_code == 302
        (task,) = api.tasks.of_instance(wid)
        assert task.audience == f"p:{name}"
        assert "P-1" in page_of(odd) and person("role:Expert").get(address).status_code == 404
        for asked in ("q=task.priority:0", "q=task.priority:0&sort=newest", "q=P-1"):
            assert "P-1" in page_of(odd, f"/tasks/?{asked}"), "psycopg takes % in a literal for a parameter"
        odd.post(f"{address}take/")
        assert api.tasks.of_instance(wid)[0].owner == name
        for page in (
            page_of(boss, f"/tasks/?show=team&flow={flow}"),
            page_of(boss, f"/instances/{wid}/tasks/"),
        ):
            assert html.escape(name) in page or html.escape(name).replace("&#x27;", "&#39;") in page
            assert "<b>bold</b>" not in page
        assert odd.post(address, {**opened(odd, address), "value-amount": "3"}).status_code == 302
        assert "P-1" in page_of(odd, "/tasks/?show=done")
        (done,) = [one for one in api.tasks.of_instance(wid) if one.job_id == task.job_id]
        assert done.ended_by == name and str(api.reasons.explain_instance(wid).state["amount"]) == "3"
        chosen = {"task_responsible": name, "task_warnings": "", "task_notified": "all"}
        page = boss.post(f"/instances/{wid}/tasks/", {**chosen, "task_notified_count": "1"}, follow=True)
        assert "The settings are saved." in page.content.decode()
        found = api.persons.settings(wid)
        assert found is not None and found.responsible == name
    finally:
        User.objects.filter(username=name).delete()
