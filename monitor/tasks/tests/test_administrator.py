"""The ten operations of an administrator (T-127), each on the page on which it is done."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from flows import api
from flows.models import Flow
from flows.tests.pages import Form, opened, unique
from flows.tests.publication.publish_page import address
from monitor.tasks.tests.test_tasks_pages import DEFINITION, page_of, person

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "a-long-password-of-a-colleague-7"
NEW = "/admin/flows/flow/pdl/"
PDL = """WORKFLOW {name} {{ TASK Ask: Form {{ ROLE Clerk; }} }}
TASK Form {{ TYPE SEMI_AUTOMATIC; APPLICATION Editor; PRIORITY {priority}; DISCONNECTED_OPERATION FALSE; }}
APPLICATION Editor {{ FILENAME "{application}"; SIZE 3; OS "Linux"; CPU "486"; HOSTS "a.example.org"; }}"""
PAPER = "TASK Paper { TYPE MANUAL; PRIORITY 1; DISCONNECTED_OPERATION FALSE; }"


@pytest.fixture
def administrator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser(unique("admin")))
    return client


@pytest.fixture
def flow() -> Any:
    name = unique("claims")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def sent(client: Client, address: str, **values: Any) -> str:
    """Fill in the form of a page and send it; return the page that follows."""
    chosen = {
        "permissions",
        "user_permissions",
        "groups",
    }  # nothing of which is chosen unless `values` say it
    shown = {name: value for name, value in opened(client, address).items() if name not in chosen}
    answer = client.post(address, {**shown, **values}, follow=True)
    page = answer.content.decode()
    assert answer.status_code == 200 and "errornote" not in page, re.findall(r"errorlist.*", page)
    return page


def test_t127_1_users_are_added_removed_and_read(administrator: Client) -> None:
    name = unique("u")
    sent(administrator, "/admin/auth/user/add/", username=name, password1=PASSWORD, password2=PASSWORD)
    user = User.objects.get(username=name)
    assert name in page_of(administrator, f"/admin/auth/user/?q={name}")
    assert name in page_of(administrator, f"/admin/auth/user/{user.pk}/change/")
    assert name in page_of(administrator, f"/people/{user.pk}/")
    sent(administrator, f"/admin/auth/user/{user.pk}/delete/", post="yes")
    assert not User.objects.filter(username=name).exists()


def test_t127_2_roles_are_added_removed_and_read(administrator: Client) -> None:
    name = f"role:{unique('Clerk')}"
    sent(administrator, "/admin/auth/group/add/", name=name)
    group = Group.objects.get(name=name)
    assert name in page_of(administrator, "/admin/auth/group/?q=Clerk")
    sent(administrator, f"/admin/auth/group/{group.pk}/delete/", post="yes")
    assert not Group.objects.filter(name=name).exists()


def test_t127_3_users_are_put_into_roles_and_taken_out(administrator: Client) -> None:
    """The tasks of the role are in the lists of a user as long as the user has it."""
    role = unique("Clerk")
    group = Group.objects.create(name=f"role:{role}")
    clerk = person()
    change = f"/admin/auth/user/{clerk.user.pk}/change/"  # type: ignore[attr-defined]
    sent(administrator, change, groups=[group.pk])
    assert f"Your roles: {role}" in page_of(clerk, "/tasks/?show=open")
    sent(administrator, change, groups=[])
    assert "You have no role." in page_of(clerk, "/tasks/?show=open")


def test_t127_4_the_users_of_a_role_are_listed(administrator: Client) -> None:
    name = f"role:{unique('Clerk')}"
    one, two, other = (person(each).user for each in (name, name, "role:Other"))  # type: ignore[attr-defined]
    number = Group.objects.get(name=name).pk
    shown = page_of(administrator, f"/admin/auth/user/?groups__id__exact={number}")
    assert [each.username in shown for each in (one, two, other)] == [True, True, False]


def row_of(administrator: Client, flow: str, name: str) -> dict[str, str]:
    """Return the cells of a person in the team of a flow, by their titles."""
    page = page_of(administrator, f"/tasks/?show=team&flow={flow}")
    row = page.split(f'data-key="{name}:"')[1].split("</tr>")[0]
    cells = re.findall(r'<td[^>]*data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
    return {title: " ".join(re.sub(r"<[^>]+>", " ", cell).split()) for title, cell in cells}


def held_by(flow: str, name: str, count: int) -> list[int]:
    """Give a person these many tasks of a flow."""
    for _ in range(count):
        api.instances.start(flow, {"policy": "P-1"})
    tasks = [one.job_id for one in api.tasks.of_flow(flow, limit=100) if one.owner is None][:count]
    for task in tasks:
        api.tasks.take(task, name, ["r:Expert"])
    return tasks


def test_t127_5_active_users_are_listed(administrator: Client, flow: str) -> None:
    here, away = person("role:Expert"), person("role:Expert")
    for one in (here, away):
        held_by(flow, one.user.username, 1)  # type: ignore[attr-defined]
    page_of(here, "/tasks/")  # a request makes the person active
    page = page_of(administrator, f"/tasks/?show=team&flow={flow}")
    names = [one.user.username for one in (here, away)]  # type: ignore[attr-defined]
    rows = [page.split(f'data-key="{name}:"')[1].split("</tr>")[0] for name in names]
    assert [">active<" in row for row in rows] == [True, False]


def test_t127_6_the_tasks_that_each_user_has_performed_are_counted(administrator: Client, flow: str) -> None:
    name = person("role:Expert").user.username  # type: ignore[attr-defined]
    for task in held_by(flow, name, 3)[:2]:
        api.tasks.complete(task, name, {"amount": 7})
    assert row_of(administrator, flow, name)["Performed in 7 days"] == "2"
    (counted,) = api.persons.work([name], [flow])
    assert counted.done == 2


def test_t127_7_the_tasks_that_each_user_may_take_and_has_taken_are_counted(
    administrator: Client, flow: str
) -> None:
    name = person("role:Expert").user.username  # type: ignore[attr-defined]
    held_by(flow, name, 4)
    assert row_of(administrator, flow, name)["Tasks"] == "4"
    assert [one.held for one in api.tasks.load(flow) if one.owner == name] == [4]


def written(administrator: Client, page: str, name: str, **options: str) -> str:
    """Publish a text in PDL on its page, and return the text."""
    text = PDL.format(**{"name": name, "priority": "1", "application": "editor.bin"} | options)
    first = administrator.post(page, {"text": text, "do": "check", "name": name})
    fields = Form(first.content.decode()).fields
    done = administrator.post(page, {**fields, "do": "publish"}, follow=True).content.decode()
    assert "is published." in done
    return text


def test_t127_8_types_are_added_changed_read_and_removed(administrator: Client) -> None:
    name = unique("office")
    text = written(administrator, NEW, name)
    page = address("pdl", name)
    assert Form(page_of(administrator, page)).fields["text"].strip() == text.strip()
    assert name in page_of(administrator, "/admin/flows/flow/")
    written(administrator, page, name, priority="9")
    (rule,) = [
        one for one in api.drafts.running_definition(name)[1]["triggers"] if one.get("performer") == "person"
    ]
    assert rule["priority"] == 9
    delete = f"/admin/flows/flow/{Flow.objects.get(name=name).pk}/delete/"
    sent(administrator, delete, post="yes", name=name)
    assert not Flow.objects.filter(name=name).exists()


def test_t127_9_models_and_applications_are_added_changed_read_and_removed(administrator: Client) -> None:
    """They are parts of a text in PDL, which has those that it names."""
    name = unique("office")
    written(administrator, NEW, name)
    page = address("pdl", name)
    shown = Form(page_of(administrator, page)).fields["text"]
    assert "TASK Form {" in shown and "APPLICATION Editor {" in shown
    written(administrator, page, name, priority="9", application="other.bin")
    assert "other.bin" in Form(page_of(administrator, page)).fields["text"]
    without = f"WORKFLOW {name} {{ TASK Ask: Paper {{ ROLE Clerk; }} }}\n" + PAPER
    first = administrator.post(page, {"text": without, "do": "check", "name": name})
    fields = Form(first.content.decode()).fields
    administrator.post(page, {**fields, "do": "publish"}, follow=True)
    shown = Form(page_of(administrator, page)).fields["text"]
    assert "TASK Paper {" in shown and "Form" not in shown and "APPLICATION" not in shown
    api.flows.drop(name, force=True)


def test_t127_10_the_state_of_running_and_finished_processes_is_read(
    administrator: Client, flow: str
) -> None:
    running, finished = (api.instances.start(flow, {"policy": f"P-{n}"}) for n in range(2))
    for values, outcome in (({"amount": 1}, None), ({}, "Pay")):
        (task,) = [one for one in api.tasks.of_flow(flow) if one.wid == finished]
        api.tasks.take(task.job_id, "eva", [task.audience])
        api.tasks.complete(task.job_id, "eva", values, outcome)
    every = page_of(administrator, f"/flows/{flow}/")
    assert f"/instances/{running}/" in every and f"/instances/{finished}/" in every
    for wid, state in ((running, "R"), (finished, "F")):
        assert api.reasons.explain_instance(wid).status == state
        assert f"P-{int(wid == finished)}" in page_of(administrator, f"/instances/{wid}/")
    ended = page_of(administrator, f"/flows/{flow}/?status=F").split('id="instances"')[-1]
    assert f'href="/instances/{finished}/"' in ended and f'href="/instances/{running}/"' not in ended
