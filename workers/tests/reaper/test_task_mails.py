"""Mails about tasks: what a digest says, and messages as they come, with the rights that the reaper has."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.db import connection, transaction

from flows import api, kernel
from flows.capabilities.tasks import reaper
from flows.capabilities.tasks.message_mails import Reader
from flows.errors import BadCase
from workers.alerts import deliveries
from workers.tests.reaper.test_alerts import as_reaper

pytestmark = pytest.mark.django_db

DEFINITION = {
    "label": "Claims from abroad",
    "responsible": "rui of mails",
    "attributes": [{"name": "damage"}, {"name": "done"}],
    "triggers": [
        {
            "transition": "assess", "label": "Assess the damage", "predicate": "done is null",
            "performer": "person", "role": "Mail expert", "deadline": "1 hour", "writes": ["done"],
        },
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def mail_server(settings: Any) -> None:
    settings.EMAIL_HOST, settings.WEDSQL_SITE_URL = "mail.example", "https://wed.example"


@pytest.fixture
def flow() -> str:
    api.flows.create("task_mails")
    api.flows.publish("task_mails", DEFINITION)
    return "task_mails"


def reader(name: str, *groups: str, **more: Any) -> User:
    user = User.objects.create_user(name, f"{name.split()[0]}@example.org", **more)
    user.groups.set([Group.objects.get_or_create(name=each)[0] for each in groups])
    return user


def choose(user: User, about: str, every: str, language: str = "en") -> None:
    api.persons.save_task_mail(Reader(user.pk, user.username, language), about, every, 6)


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def send() -> list[Any]:
    """Let the reaper queue and send what is due; return all mails."""
    yesterday = "wedsql.now() - interval '1 day'"
    run(f"update wedsql.case_digest set next_at = least(next_at, {yesterday}) where every <> 'now'")
    run(f"update wedsql.case_digest set since = {yesterday}")
    as_reaper(lambda: (reaper.beside_rounds(), deliveries.deliver_due()))
    return list(mail.outbox)


def test_a_digest_names_the_tasks_of_a_person_without_values(flow: str) -> None:
    user = reader("ana of mails", "role:Mail expert")
    choose(user, "tasks", "day")
    assert send() == [], "no task is open"
    wids = [api.instances.start(flow, {"damage": "secret"}) for _ in range(3)]
    tasks = {one.wid: one.job_id for one in api.tasks.of_flow(flow)}
    api.tasks.take(tasks[wids[0]], user.username, ["r:Mail expert"])
    (sent,) = send()
    assert sent.subject == "[WED-SQL] Tasks: 1 yours, 2 open" and sent.to == ["ana@example.org"]
    assert "1 yours, 2 open to you, 2 of them new, 0 late." in sent.body and "secret" not in sent.body
    for wid, task in tasks.items():
        assert f"Assess the damage, Claims from abroad {wid}, due " in sent.body
        assert f"https://wed.example/tasks/{task}/" in sent.body
    assert "Change or end these mails: https://wed.example/tasks/mails/" in sent.body
    choose(user, "tasks", "")
    assert len(send()) == 1, "it has ended"


def test_a_digest_is_in_the_language_of_its_reader(flow: str) -> None:
    choose(reader("ana of mails", "role:Mail expert"), "tasks", "week", "pt-br")
    api.instances.start(flow)
    (sent,) = send()
    assert sent.subject == "[WED-SQL] Atividades: 0 suas, 1 abertas"


def test_messages_are_sent_once_as_they_come_and_not_those_that_were_read(flow: str) -> None:
    user = reader("rui of mails")
    api.instances.start(flow, {}, actor="eva")
    choose(user, "messages", "now")
    assert send() == [], "what came before"
    first, second = api.instances.start(flow, {}, actor="eva"), api.instances.start(flow, {}, actor="eva")
    unread = api.persons.messages(user.username)
    api.persons.mark_messages_read(user.username, [one.id for one in unread if one.wid == first])
    (sent,) = send()
    assert sent.subject == "[WED-SQL] The instance was started by eva." and f"abroad {second}:" in sent.body
    assert f"abroad {first}:" not in sent.body and len(send()) == 1
    choose(user, "messages", "")
    api.instances.start(flow, {}, actor="eva")
    assert len(send()) == 1


def test_whatever_writes_a_message_asks_whether_it_is_sent_as_a_mail() -> None:
    found = [
        text for path in kernel.files() for text in path.read_text().split("insert into wedsql.message ")[1:]
    ]
    assert len(found) >= 3 and all("wedsql._wants_mail(" in text[:400] for text in found)


def test_many_messages_are_one_mail_and_a_minute_is_between_two(flow: str) -> None:
    user = reader("rui of mails")
    choose(user, "messages", "now")
    run("update wedsql.case_digest set since = wedsql.now() - interval '1 hour'")
    for _ in range(3):
        api.instances.start(flow, {}, actor="eva")
    as_reaper(reaper.beside_rounds)
    api.instances.start(flow, {}, actor="eva")
    as_reaper(lambda: (reaper.beside_rounds(), deliveries.deliver_due()))
    assert [each.subject for each in mail.outbox] == ["[WED-SQL] 3 messages about tasks"]
    assert len(send()) == 2, "the minute is over"


@pytest.mark.parametrize("gone", ["deleted", "inactive", "no address", "renamed"])
def test_who_gets_no_mails_stops_none_of_the_others(flow: str, gone: str) -> None:
    user, other = reader("rui of mails", "role:Mail expert"), reader("eva of mails", "role:Mail expert")
    for one in (user, other):
        choose(one, "messages", "now")
        choose(one, "tasks", "day")
    api.instances.start(flow, {}, actor="eva")
    if gone == "deleted":
        user.delete()
    else:
        change = {"inactive": {"is_active": False}, "no address": {"email": ""}, "renamed": {"username": "x"}}
        User.objects.filter(pk=user.pk).update(**change[gone])
    found = [each.to[0] for each in send()]
    assert "eva@example.org" in found and (gone == "renamed") == ("rui@example.org" in found)
    assert not any("started by" in each.subject for each in mail.outbox)
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from wedsql.message where mail")
        assert cursor.fetchone() == (int(gone == "deleted"),), "these are in no list any longer"


def test_a_mail_that_there_is_not_is_refused(flow: str) -> None:
    user = reader("ana of mails")
    for about, every in (("tasks", "now"), ("messages", "day"), ("weather", "day"), ("tasks", "hour")):
        with pytest.raises(BadCase, match=r"Mails"), transaction.atomic():
            choose(user, about, every)
    with pytest.raises(BadCase, match=r"Mails"), transaction.atomic():
        api.cases.save_digest(user.pk, flow, "", "now", "en", 6)
