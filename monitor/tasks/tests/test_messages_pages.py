"""The pages of messages, of what is chosen for an instance, and of substitutes (T-126 to T-139, T-229)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from flows import api
from flows.tests.pages import opened, unique
from monitor.tasks.tests.test_tasks_pages import page_of, person

pytestmark = pytest.mark.django_db(transaction=True)

DEFINITION: dict[str, Any] = {
    "label": "Repairs",
    "warnings": ["24"],
    "attributes": [{"name": "note", "label": "Note"}, {"name": "place"}],
    "triggers": [
        {
            "transition": "visit",
            "label": "Visit the customer",
            "predicate": "note is null",
            "performer": "person",
            "role": "Fitter",
            "deadline": "2 days",
            "writes": ["note"],
        },
        {"predicate": "note is not null", "final": True},
    ],
}


@pytest.fixture
def flow() -> Any:
    name = unique("repairs")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def name_of(client: Client) -> str:
    return str(client.user.get_username())  # type: ignore[attr-defined]


def started(flow: str, responsible: str, **more: Any) -> int:
    return api.persons.start_with_settings(flow, {}, {"responsible": responsible, **more}, actor="bob")


def reaped(time: str) -> None:
    """Let this time pass for the deadlines of tasks, and run the reaper."""
    with connection.cursor() as cursor:
        for table, column in (("task", "due_at"), ("task_watch", "due_at"), ("task_watch", "next_at")):
            cursor.execute(
                f"update wedsql.{table} set {column} = {column} - %s::interval where {column} < 'infinity'",
                [time],
            )
    api.maintenance.reap()


def posted(client: Client, address: str, **fields: Any) -> str:
    answer = client.post(address, fields, follow=True)
    assert answer.status_code == 200, answer.content[:500]
    return answer.content.decode()


def test_messages_are_listed_counted_in_the_header_and_marked_as_read(flow: str) -> None:
    boss = person("flow:" + flow)
    wid = started(flow, name_of(boss))
    shown = page_of(boss, "/messages/")
    assert "started by bob" in shown and f"Repairs {wid}" in shown and f'href="/instances/{wid}/"' in shown
    assert "<span data-count>1</span>" in shown
    assert boss.get("/messages/unread/").json() == {"unread": 1}
    read = posted(boss, "/messages/", read=api.persons.messages(name_of(boss))[0].id)
    assert "Mark as read" not in read and boss.get("/messages/unread/").json() == {"unread": 0}
    assert 'data-address="/messages/unread/" hidden' in page_of(boss, "/tasks/")


def test_the_message_of_a_dropped_flow_leads_nowhere(flow: str) -> None:
    """Also for an administrator, who may see every flow there is."""
    name = unique("gone")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    fitter = person("role:Fitter")
    User.objects.filter(username=name_of(fitter)).update(is_superuser=True)
    api.tasks.take(api.tasks.of_instance(started(name, "eva"))[0].job_id, name_of(fitter), ["r:Fitter"])
    api.flows.drop(name, force=True)
    shown = page_of(fitter, "/messages/")
    assert "deleted the flow “Repairs” with its instances; 1 task or case of it was yours." in shown
    assert name in shown and 'href="/instances/0/"' not in shown and "/flows/" + name not in shown
    (item,) = fitter.get("/api/v1/messages?kind=overtaken").json()["items"]
    assert (item["flow"], item["instance"], item["task"]) == (name, None, None)


def test_all_are_marked_up_to_the_last_that_was_shown(flow: str) -> None:
    boss = person()
    for _ in range(3):
        started(flow, name_of(boss))
    until = api.persons.messages(name_of(boss))[1].id
    assert "marked as read" in posted(boss, "/messages/", until=until)
    assert api.persons.unread_messages(name_of(boss)) == 1


def test_each_kind_has_its_words_in_both_languages(flow: str) -> None:
    boss, fitter = person(), person("role:Fitter")
    wid = started(flow, name_of(boss), warnings=["24", "6 transfer"])
    task = api.tasks.of_instance(wid)[0].job_id
    api.tasks.take(task, name_of(fitter), ["r:Fitter"])
    reaped("25 hours")
    shown = page_of(boss, "/messages/?kind=d")
    assert "“Visit the customer” is due at" in shown and "24 h before" in shown
    assert f"{name_of(fitter)} has it." in shown and "was started" not in shown
    api.tasks.fail(task, name_of(fitter), "no one at home")
    assert "could not be done: no one at home" in page_of(boss, "/messages/?kind=f")
    api.instances.cancel(wid, "moved away", actor="bob")
    assert "The instance was cancelled." in page_of(boss, "/messages/?kind=e")
    boss.cookies["django_language"] = "pt-br"
    shown = page_of(boss, "/messages/")
    for text in ("Mensagens", "vence em", "não pôde ser feita", "foi cancelada", "foi iniciada por"):
        assert text in shown


def test_who_lost_the_task_keeps_what_was_typed_as_a_late_result(flow: str) -> None:
    """K-56."""
    boss, fitter = person(), person("role:Fitter")
    wid = started(flow, name_of(boss), warnings=["6 transfer"])
    task = api.tasks.of_instance(wid)[0].job_id
    api.tasks.take(task, name_of(fitter), ["r:Fitter"])
    form = opened(fitter, f"/tasks/{task}/")
    reaped("43 hours")
    assert "Visit the customer" in page_of(boss, "/tasks/?show=mine")
    answer = fitter.post(f"/tasks/{task}/", {**form, "value-note": "fixed"}, follow=True)
    assert "kept as late result" in answer.content.decode()
    with connection.cursor() as cursor:
        cursor.execute("select changes from wedsql.late_result where wid = %s", [wid])
        assert cursor.fetchone() is not None


def test_the_responsible_person_sets_another_deadline_and_others_do_not(flow: str) -> None:
    boss, fitter = person(), person("role:Fitter")
    task = api.tasks.of_instance(started(flow, name_of(boss)))[0].job_id
    assert "Set the deadline" in page_of(boss, f"/tasks/{task}/")
    assert "Set the deadline" not in page_of(fitter, f"/tasks/{task}/")
    assert "another deadline" in posted(boss, f"/tasks/{task}/extend/", time="5d")
    due = api.tasks.read(task, "x").due_at
    assert due is not None and due > datetime.now(UTC) + timedelta(days=4)
    assert "decides about it" in posted(fitter, f"/tasks/{task}/extend/", time="9d")


def test_a_start_and_the_page_of_an_instance_choose_who_is_responsible(flow: str) -> None:
    boss, other = person(f"flow:{flow}:operate"), person()
    form = opened(boss, f"/flows/{flow}/start/")
    assert form["task_responsible"] == name_of(boss) and form["task_warnings"] == "24"
    wrong = posted(boss, f"/flows/{flow}/start/", **{**form, "task_responsible": "no such user"})
    assert "There is no user" in wrong and "no such user" in wrong
    wrong = posted(boss, f"/flows/{flow}/start/", **{**form, "task_warnings": "soon"})
    assert "is no number of hours" in wrong and 'value="soon"' in wrong
    answer = boss.post(f"/flows/{flow}/start/", {**form, "task_warnings": "12, 6 transfer"})
    wid = int(answer["Location"].split("/")[-2])
    chosen = api.persons.settings(wid)
    assert chosen is not None and chosen.responsible == name_of(boss)
    assert list(chosen.warnings) == ["12", "6 transfer"]
    assert f"/instances/{wid}/tasks/" in page_of(boss, f"/instances/{wid}/")
    form = opened(boss, f"/instances/{wid}/tasks/")
    saved = posted(boss, f"/instances/{wid}/tasks/", **{**form, "task_responsible": name_of(other)})
    assert "The settings are saved." in saved
    chosen = api.persons.settings(wid)
    assert chosen is not None and chosen.responsible == name_of(other)


def test_who_only_sees_the_flow_reads_the_settings(flow: str) -> None:
    seer = person("flow:" + flow)
    wid = started(flow, "eva")
    shown = page_of(seer, f"/instances/{wid}/tasks/")
    assert "eva" in shown and "task_responsible" not in shown
    assert seer.post(f"/instances/{wid}/tasks/", {"task_responsible": ""}).status_code == 403
    assert person().get(f"/instances/{wid}/tasks/").status_code == 404


def test_a_substitute_is_named_and_removed(flow: str) -> None:
    ana, bob = person(), person()
    today = datetime.now(UTC).date()
    days = {"begin": today.isoformat(), "end": (today + timedelta(days=2)).isoformat()}
    assert "There is no user" in posted(ana, "/tasks/absences/", to="no such user", **days)
    assert "may take your tasks" in posted(ana, "/tasks/absences/", to=name_of(bob), **days)
    assert f"p:{name_of(ana)}" in api.persons.keys(name_of(bob))
    assert name_of(ana) in page_of(bob, "/tasks/absences/")
    number = api.persons.absences(name_of(ana))[0].id
    posted(bob, "/tasks/absences/", remove=number)
    assert api.persons.absences(name_of(ana))
    posted(ana, "/tasks/absences/", remove=number)
    assert api.persons.absences(name_of(ana)) == []


def test_a_request_notes_that_the_user_is_connected(flow: str) -> None:
    fitter = person("role:Fitter")
    wid = started(flow, "eva", notified="last_connected")
    page_of(fitter, "/messages/unread/")
    (found,) = [one for one in api.persons.active() if one.name == name_of(fitter)]
    assert "r:Fitter" in found.keys
    task = api.tasks.of_instance(wid)[0]
    assert task.audience == f"n:{task.job_id}:Fitter"
    shown = page_of(fitter, "/tasks/?show=open")
    assert f"task-{task.job_id}" in shown and ">Fitter<" in shown.replace("\n", "").replace(" ", "")
    assert fitter.post(f"/tasks/{task.job_id}/take/").status_code == 302
    assert api.tasks.of_instance(wid)[0].owner == name_of(fitter)
