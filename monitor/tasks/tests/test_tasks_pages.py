"""The pages of tasks: lists, the form of a task, and what a person does with one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.test import Client
from django.utils.html import escape

from flows import api
from flows.access import task_keys
from flows.capabilities.tasks.people import colleagues
from flows.tests.pages import Form, opened, unique

pytestmark = pytest.mark.django_db(transaction=True)

DEFINITION: dict[str, Any] = {
    "label": "Claims",
    "attributes": [
        {"name": "policy", "label": "Policy", "business_key": True},
        {"name": "amount", "type": "numeric", "label": "Amount"},
        {"name": "note", "label": "Note"},
        {"name": "verdict"},
        {"name": "secret", "visibility": "masked"},
    ],
    "triggers": [
        {
            "transition": "assess",
            "label": "Assess the damage",
            "description": "Look at the photos.",
            "predicate": "amount is null and policy is not null and secret is distinct from 'x'",
            "performer": "person",
            "role": "Expert",
            "writes": ["amount", "note"],
            "offline": True,
            "application": "https://photos.example/{policy}",
        },
        {
            "transition": "decide",
            "predicate": "amount is not null and verdict is null",
            "performer": "person",
            "writes": ["verdict", "note"],
            "outcomes": ["Pay: verdict = 'pay'", "Refuse: verdict = 'refuse'"],
        },
        {"transition": "mail", "predicate": "note = 'first'"},
        {"predicate": "verdict is not null", "final": True},
    ],
}


@pytest.fixture
def flow() -> Any:
    name = unique("claims")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def person(*groups: str) -> Client:
    """Return the browser of a user in these groups."""
    user = User.objects.create_user(unique("p"))
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in groups])
    client = Client()
    client.force_login(user)
    client.user = user  # type: ignore[attr-defined]
    return client


def page_of(client: Client, address: str = "/tasks/", status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.content[:500]
    return answer.content.decode()


def taken(client: Client) -> str:
    """Take the next task, and return the address of its page."""
    answer = client.post("/tasks/next/")
    assert answer.status_code == 302
    return str(answer["Location"]).partition("?")[0]


def test_a_task_is_taken_filled_in_and_completed_and_the_next_one_is_shown(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"policy": "P-1"})
    api.instances.start(flow, {"policy": "P-2"})
    listed = page_of(expert)
    assert "Assess the damage" in listed and "P-1" in listed and "Claims" in listed
    address = taken(expert)
    shown = page_of(expert, address)
    assert "Look at the photos." in shown and "P-1" in shown and "https://photos.example/P-1" in shown
    assert f"/instances/{wid}/" not in shown  # the expert does not see the flow
    fields = opened(expert, address)
    assert fields["value-amount"] == "" and "value-policy" not in fields
    second = taken(expert)
    done = expert.post(address, {**fields, "value-amount": "12.5", "value-note": "broken\r\nglass"})
    assert done.status_code == 302 and done["Location"] == second
    state = api.reasons.explain_instance(wid).state
    assert (str(state["amount"]), state["note"]) == ("12.5", "broken\nglass")
    assert "P-1" in page_of(expert, "/tasks/?show=done")


def test_who_goes_from_task_to_task_gets_the_next_one(flow: str) -> None:
    expert = person("role:Expert")
    for number in (1, 2):
        api.instances.start(flow, {"policy": f"P-{number}"})
    address = expert.post("/tasks/next/", {"order": "deadline"})["Location"]
    for _number in (1, 2):
        fields = opened(expert, address)
        assert fields["next"] == "deadline"
        address = expert.post(address, {**fields, "value-amount": "1"})["Location"]
    assert address == "/tasks/?show=open&order=deadline"


def test_the_next_task_of_a_flow_comes_behind_any_number_of_others(flow: str) -> None:
    other = unique("claims")
    api.flows.create(other)
    api.flows.publish(other, DEFINITION)
    for number in range(25):
        api.instances.start(other, {"policy": f"P-{number}"})
    wid = api.instances.start(flow, {"policy": "P-100"})
    expert = person("role:Expert")
    address = expert.post("/tasks/next/", {"order": "arrival", "flow": flow})["Location"]
    (task,) = api.tasks.of_instance(wid)
    assert address == f"/tasks/{task.job_id}/?next=arrival&flow={flow}"
    api.flows.drop(other, force=True)


def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost(flow: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"policy": "P-1"})
    address = taken(expert)
    typed = {**opened(expert, address), "value-amount": "a lot", "value-note": "my <b>note</b>"}
    answer = expert.post(address, typed)
    text = answer.content.decode()
    assert answer.status_code == 200 and 'role="alert"' in text
    again = Form(text).fields
    assert (again["value-amount"], again["value-note"]) == ("a lot", "my <b>note</b>")
    assert page_of(expert).count('id="task-') == 1


def test_what_was_not_touched_is_not_written_and_what_changed_meanwhile_is_said(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"policy": "P-1", "note": "first"})
    address = taken(expert)
    fields = opened(expert, address)
    with transaction.atomic():
        mail = api.jobs.take(flow, ["mail"])
        assert mail
        api.jobs.complete(mail, {"note": "of the boss"})
    answered = expert.post(address, {**fields, "value-amount": "1", "value-note": "mine"}).content.decode()
    assert escape("of the boss") in answered and Form(answered).fields["value-note"] == "mine"
    assert expert.post(address, {**fields, "value-amount": "1"}).status_code == 302
    assert api.reasons.explain_instance(wid).state["note"] == "of the boss"
    again = Form(answered).fields
    assert expert.post(address, again).status_code in (200, 302)


def test_outcomes_are_buttons(flow: str) -> None:
    expert, clerk = person("role:Expert"), person(f"flow:{flow}:handle")
    wid = api.instances.start(flow, {"policy": "P-1"})
    address = taken(expert)
    expert.post(address, {**opened(expert, address), "value-amount": "3"})
    address = taken(clerk)
    shown = page_of(clerk, address)
    assert 'name="outcome" value="Pay"' in shown and 'value="Refuse"' in shown
    assert f"/instances/{wid}/" in shown and "value-verdict" not in shown
    fields = opened(clerk, address)
    assert clerk.post(address, fields).status_code == 200  # without an outcome
    assert clerk.post(address, {**fields, "outcome": "Pay"}).status_code == 302
    assert api.reasons.explain_instance(wid).state["verdict"] == "pay"
    assert clerk.post(address, {**fields, "outcome": "Pay"}).status_code == 302  # sent twice


def test_who_may_not_take_a_task_does_not_see_it(flow: str) -> None:
    other, viewer, expert = person("role:Clerk"), person(f"flow:{flow}"), person("role:Expert")
    api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_flow(flow)
    address = f"/tasks/{task.job_id}/"
    page_of(other, address, 404)
    assert other.post(f"{address}take/").status_code == 404
    assert "Assess" not in page_of(other) and "role:Clerk" not in page_of(other)
    shown = page_of(viewer, address)
    assert "Take" not in shown.split("<main")[1]
    viewer.post(f"{address}take/")
    assert api.tasks.of_flow(flow)[0].owner is None
    page_of(expert, "/tasks/999999999999/", 404)
    assert expert.post(f"{address}dance/").status_code == 404


def test_who_is_second_reads_who_was_first(flow: str) -> None:
    first, second = person("role:Expert"), person("role:Expert")
    api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_flow(flow)
    address = f"/tasks/{task.job_id}/take/"
    first.post(address)
    answer = second.post(address, follow=True)
    assert f"{first.user.username} has task" in answer.content.decode()  # type: ignore[attr-defined]


def test_a_task_is_given_put_aside_and_given_back(flow: str) -> None:
    first, second = person("role:Expert"), person("role:Expert")
    api.instances.start(flow, {"policy": "P-1"})
    address = taken(first)
    assert second.user.username in page_of(first, address)  # type: ignore[attr-defined]
    assert "no user" in first.post(f"{address}give/", {"to": "nemo"}, follow=True).content.decode()
    assert "no user" not in page_of(first, address)
    first.post(f"{address}aside/", {"time": "2h"})
    assert "Assess" in page_of(first, "/tasks/?show=aside") and "Assess" not in page_of(
        first, "/tasks/?show=mine"
    )
    assert first.post(f"{address}aside/", {"time": "soon"}, follow=True).status_code == 200
    first.post(f"{address}aside/")
    assert "Assess" in page_of(first, "/tasks/?show=mine")
    first.post(f"{address}give/", {"to": second.user.username, "reason": "x"})  # type: ignore[attr-defined]
    assert "Assess" not in page_of(first) and "given by" in page_of(second)
    assert taken(second) == address
    second.post(f"{address}release/")
    assert taken(second) == address


@pytest.mark.parametrize("claim", ["12", "9" * 19, "x"])
def test_a_form_of_an_earlier_holding_is_refused(flow: str, claim: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"policy": "P-1"})
    address = taken(expert)
    old = opened(expert, address)
    expert.post(f"{address}release/")
    assert taken(expert) == address
    for each in (old, {**old, "claim": claim}):
        answered = expert.post(address, {**each, "value-amount": "7"})
        assert answered.status_code == 200 and "given task" in answered.content.decode()
        assert Form(answered.content.decode()).fields["value-amount"] == "7"
    expert.post(f"{address}fail/", {"claim": old["claim"], "reason": "x"})
    assert api.tasks.of_flow(flow)[0].owner


def test_a_failure_is_an_exception_for_the_desk(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"policy": "P-1"})
    address = taken(expert)
    assert "reason" in expert.post(f"{address}fail/", {"reason": ""}, follow=True).content.decode()
    expert.post(f"{address}fail/", {"reason": "no photos"})
    assert api.reasons.explain_instance(wid).status == "E"


def test_masked_values_are_not_shown_to_who_performs(flow: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"policy": "P-1", "secret": "of-nobody"})
    assert "of-nobody" not in page_of(expert, taken(expert))


def test_many_are_taken_at_once_and_who_was_first_is_said(flow: str) -> None:
    first, second = person("role:Expert"), person("role:Expert")
    for _number in range(3):
        api.instances.start(flow, {"policy": "P-1"})
    tasks = [one.job_id for one in api.tasks.of_flow(flow)]
    second.post(f"/tasks/{tasks[0]}/take/")
    answered = first.post("/tasks/take/", {"task": [*tasks, "x", "9" * 30]}, follow=True).content.decode()
    assert "2 tasks are yours." in answered and answered.count(">Assess the damage</a>") == 2
    assert "Mark the tasks first" in first.post("/tasks/take/", follow=True).content.decode()


def test_the_team_is_that_of_who_operates_the_flow(flow: str) -> None:
    expert, boss = person("role:Expert"), person(f"flow:{flow}:operate")
    for _number in range(3):
        api.instances.start(flow, {"policy": "P-1"})
    taken(expert)
    shown = page_of(boss, f"/tasks/?show=team&flow={flow}")
    assert expert.user.username in shown and shown.count(">Assess the damage</a>") == 3  # type: ignore[attr-defined]
    assert "show=team" not in page_of(expert)
    assert "Who has how many tasks" not in page_of(expert, "/tasks/?show=team")


def test_t127_the_team_shows_who_is_active_and_who_performed_how_many_tasks(flow: str) -> None:
    expert, boss = person("role:Expert"), person(f"flow:{flow}:operate")
    name = expert.user.username  # type: ignore[attr-defined]
    away = User.objects.create_user(unique("away")).username
    for _number in range(4):
        api.instances.start(flow, {"policy": "P-1"})
    for one in api.tasks.of_flow(flow)[:2]:
        api.tasks.take(one.job_id, name, ["r:Expert"])
        api.tasks.complete(one.job_id, name, {})
    api.tasks.take(api.tasks.of_flow(flow)[-1].job_id, away, ["r:Expert"])
    taken(expert)
    shown = page_of(boss, f"/tasks/?show=team&flow={flow}")
    row, other = (shown.split(f'data-key="{each}:"')[1].split("</tr>")[0] for each in (name, away))
    assert ">active<" not in other and ">0<" in re.sub(r"\s", "", other).replace("</span>", "<")
    assert ">active<" in row and ">2<" in re.sub(r"\s", "", row).replace("</span>", "<")
    (work,) = api.persons.work([name], [flow])
    assert (work.active, work.done) == (True, 2)
    assert api.persons.work([name], ["other"])[0].done == 0
    assert api.persons.work(["unknown"])[0] == ("unknown", False, 0)


def test_a_supervisor_takes_a_task_from_a_person(flow: str) -> None:
    expert, boss = person("role:Expert"), person(f"flow:{flow}:operate")
    api.instances.start(flow, {"policy": "P-1"})
    address = taken(expert)
    assert "As supervisor" in page_of(boss, address)
    boss.post(f"{address}release/")
    assert api.tasks.of_flow(flow)[0].owner is None


@pytest.mark.parametrize("order", ["arrival", "priority", "deadline", "nonsense"])
def test_the_list_has_orders_and_pages(flow: str, order: str) -> None:
    expert = person("role:Expert")
    for _number in range(52):
        api.instances.start(flow, {"policy": "P-1"})
    first = page_of(expert, f"/tasks/?show=open&order={order}")
    assert first.count('id="task-') == 50 and 'rel="next"' in first
    last = [one.job_id for one in api.tasks.of_flow(flow, limit=100)][49]
    assert page_of(expert, f"/tasks/?show=open&order={order}&after={last}").count('id="task-') == 2


def test_without_a_role_the_empty_page_says_how_to_get_one(flow: str) -> None:
    assert "You have no role." in page_of(person(), "/tasks/?show=open")
    assert "Your roles: Expert" in page_of(person("role:Expert"), "/tasks/?show=open")


def test_a_task_for_a_skill_is_open_to_those_of_the_role_who_have_it(flow: str) -> None:
    definition = {**DEFINITION, "attributes": [*DEFINITION["attributes"], {"name": "for_whom"}]}
    first, *rest = DEFINITION["triggers"]
    definition["triggers"] = [{**first, "candidate": "for_whom"}, *rest]
    api.flows.publish(flow, definition)
    both, role, skill = person("role:Expert", "skill:Fire"), person("role:Expert"), person("skill:Fire")
    api.instances.start(flow, {"policy": "P-1", "for_whom": "skill:Fire"})
    address = f"/tasks/{api.tasks.of_flow(flow)[0].job_id}/"
    shown = [">Assess the damage</a>" in page_of(one, "/tasks/?show=open") for one in (both, role, skill)]
    assert shown == [True, False, False]
    assert role.post(f"{address}take/").status_code == skill.post(f"{address}take/").status_code == 404
    assert both.post(f"{address}take/").status_code == 302
    name, other = both.user.username, person("role:Expert", "skill:Fire").user.username  # type: ignore[attr-defined]
    assert colleagues("r:Expert + Fire", name) == [other]
    assert set(colleagues("r:+ Fire", name)) == {other, skill.user.username}  # type: ignore[attr-defined]


def test_the_audiences_of_a_user_have_each_role_with_each_skill() -> None:
    user = person("role:A", "role:B", "skill:x", "skill:y").user  # type: ignore[attr-defined]
    found = [key for key in task_keys(user) if key.startswith("r:")]
    assert sorted(found) == sorted(
        ["r:A", "r:B", "r:+ x", "r:A + x", "r:B + x", "r:+ y", "r:A + y", "r:B + y"]
    )
