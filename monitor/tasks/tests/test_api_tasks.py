"""Tasks over HTTP: the same as on the pages, with the same rights."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from flows import api
from flows.tests.pages import unique
from monitor.tasks.tests.test_tasks_pages import DEFINITION
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tests.server.programs import Program, problem, program

pytestmark = pytest.mark.django_db(transaction=True)


def performer(*rights: str, role: str = "Expert", flows: tuple[str, ...] = ()) -> Program:
    """Return the program of a new user who has the role."""
    user = User.objects.create_user(unique("p"))
    user.groups.add(Group.objects.get_or_create(name=f"role:{role}")[0])
    made = program(user, *rights, flows=flows)
    made.name = user.username  # type: ignore[attr-defined]
    return made


def test_a_task_is_performed_by_a_program(flow: str) -> None:
    expert = performer("perform")
    wid = api.instances.start(flow, {"policy": "P-1"})
    (listed,) = expert.get(f"/tasks?flow={flow}").json()["items"]
    assert (listed["instance"], listed["role"], listed["state"]) == (wid, "Expert", "ready")
    held = expert.post("/tasks/next", {}).json()["task"]
    address = f"/tasks/{held['task']}"
    assert expert.post(f"{address}/take", {}).json() == held
    sheet = expert.get(address).json()
    assert sheet["claim"] == held["claim"] and sheet["values"]["policy"] == "P-1"
    assert "secret" not in sheet["values"]
    assert expert.post(f"{address}/start", {}).json()["state"] == "running"
    sent = {"data": {"amount": "12.50"}, "claim": held["claim"]}
    done = expert.post(f"{address}/complete", sent).json()
    assert done["fired"] == ["decide"] and not done["repeated"]
    assert expert.post(f"{address}/complete", sent).json() == done | {"repeated": True}
    (ended,) = expert.get("/tasks?list=done").json()["items"]
    assert (ended["task"], ended["state"], ended["outcome"]) == (held["task"], "succeeded", "SUCCEEDED")


def test_what_may_not_be_done_is_refused(flow: str) -> None:
    api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_flow(flow)
    address = f"/tasks/{task.job_id}"
    problem(performer().get("/tasks"), 403)
    problem(performer("perform", role="Clerk").get(address), 404)
    problem(performer("perform", role="Clerk").post(f"{address}/take", {}), 404)
    first, second = performer("perform"), performer("perform")
    first.post(f"{address}/take", {})
    found = problem(second.post(f"{address}/take", {}), 409)
    assert found["code"] == "WD592" and first.name in found["detail"]  # type: ignore[attr-defined]
    assert problem(first.post(f"{address}/complete", {"outcome": "Approve"}), 422)["code"] == "WD594"
    problem(first.post(f"{address}/complete", {"claim": "12"}), 409)
    problem(first.post(f"{address}/give", {"to": "nemo at all"}), 404)
    assert problem(first.post(f"{address}/take", {"lok": True}), 422)
    problem(first.get("/tasks?list=all"), 422)


def test_a_token_for_flows_sees_no_task_of_another(flow: str) -> None:
    other = unique("other")
    api.flows.create(other)
    api.flows.publish(other, DEFINITION)
    for number in range(21):
        api.instances.start(other, {"policy": f"P-{number}"})
    api.instances.start(flow, {"policy": "P-2"})
    user = User.objects.create_user(unique("p"))
    for name in ("role:Expert", f"flow:{flow}"):
        user.groups.add(Group.objects.get_or_create(name=name)[0])
    own, seen = program(user, "perform", flows=(flow,)), False
    assert {each["flow"] for each in own.get("/tasks").json()["items"]} == {flow}
    task = api.tasks.of_flow(other)[0]
    asked: dict[str, Any]
    for asked in ({"flow": other}, {}, {}):
        found = own.post("/tasks/next", {**asked, "order": "arrival"}).json()["task"]
        assert (found or {}).get("flow") == (flow if asked == {} and not seen else None)
        seen = seen or found is not None
    problem(own.get(f"/tasks/{task.job_id}"), 404)
    api.flows.drop(other, force=True)


def test_the_open_tasks_of_a_flow_and_who_holds_them(flow: str) -> None:
    user = User.objects.create_user(unique("boss"))
    user.groups.add(Group.objects.get_or_create(name=f"flow:{flow}:operate")[0])
    boss, expert = program(user, "operate", "perform"), performer("perform")
    for _number in range(3):
        api.instances.start(flow, {"policy": "P-1"})
    expert.post("/tasks/next", {})
    first = boss.get(f"/flows/{flow}/tasks?limit=2").json()
    rest = boss.get(f"/flows/{flow}/tasks?limit=2&cursor={first['next']}").json()
    assert len(first["items"] + rest["items"]) == 3 and rest["next"] is None
    load: list[Any] = boss.get(f"/flows/{flow}/tasks/load").json()["items"]
    assert load == [{"owner": expert.name, "held": 1, "late": 0}]  # type: ignore[attr-defined]
    held = next(each for each in first["items"] if each["owner"])
    for wrong in ({}, {"held_by": "nemo"}):
        said = problem(boss.post(f"/tasks/{held['task']}/release", wrong), 409)
        assert said["code"] == "WD592" and expert.name in said["detail"]  # type: ignore[attr-defined]
    given = {"held_by": expert.name}  # type: ignore[attr-defined]
    assert boss.post(f"/tasks/{held['task']}/release", given).json()["state"] == "ready"
