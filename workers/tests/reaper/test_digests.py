"""What a mail about cases says to its reader, with the rights that the reaper has."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core import mail
from django.db import connection

from flows import api
from flows.capabilities.cases import mails, reaper
from workers.alerts import deliveries
from workers.tests.reaper.test_alerts import as_reaper

pytestmark = pytest.mark.django_db

DEFINITION = {
    "label": "Orders from abroad",
    "attributes": [{"name": "payment", "default": "open"}],
    "triggers": [{"transition": "tr_pay", "predicate": "payment <> ''"}],
}


def exceptional(flow: str, count: int) -> list[int]:
    """Make a flow with exceptions, the values of which no mail may have."""
    api.flows.create(flow)
    api.flows.publish(flow, DEFINITION)
    wids = [api.instances.start(flow, {"payment": f"secret {n}"}) for n in range(count)]
    with connection.cursor() as cursor:
        cursor.execute("select wid, id from wedsql.job_pool where wid = any (%s)", [wids])
        for wid, job in cursor.fetchall():
            api.operations.withdraw_job(wid, job, "Not needed.")
    return wids


@pytest.fixture(autouse=True)
def mail_server(settings: Any) -> None:
    settings.EMAIL_HOST, settings.WEDSQL_SITE_URL = "mail.example", "https://wed.example"


def reader(*groups: str, **more: Any) -> User:
    user = User.objects.create_user("ana of digests", "ana@example.org", **more)
    user.groups.set([Group.objects.get_or_create(name=f"flow:{name}")[0] for name in groups])
    return user


def choose(user: User, flow: str | None = None, language: str = "en", queue: str = "") -> None:
    api.cases.save_digest(user.pk, flow, queue, "day", language, 6)


def send() -> list[Any]:
    """Let the reaper queue and send what is due; return the mails."""
    with connection.cursor() as cursor:
        yesterday = "wedsql.now() - interval '1 day'"
        cursor.execute(f"update wedsql.case_digest set next_at = {yesterday}, since = {yesterday}")
    as_reaper(lambda: (reaper.beside_rounds(), deliveries.deliver_due()))
    return list(mail.outbox)


def test_a_mail_has_counts_and_links_and_no_values() -> None:
    wids = exceptional("digest_orders", 12)
    choose(reader("digest_orders"), "digest_orders")
    [sent] = send()
    assert sent.to == ["ana@example.org"]
    assert sent.subject == "[WED-SQL] Cases: 12 open, 12 new"
    lines = sent.body.splitlines()
    assert lines[0] == "Orders from abroad"
    assert lines[1].startswith("12 cases are open; 12 new since ") and lines[1].endswith(" UTC.")
    assert lines[3:5] == ["By cause:", "- 12: Orders from abroad, job withdrawn"]
    links = [each.strip() for each in lines if each.startswith("  https://")]
    assert links == [f"https://wed.example/instances/{wid}/" for wid in wids[:10]]
    assert lines[-2:] == [
        "All cases: https://wed.example/cases/",
        "Change or end these mails: https://wed.example/cases/digests/",
    ]
    assert "secret" not in sent.subject + sent.body
    assert len(send()) == 2, "the next one is due again"


def test_a_mail_is_in_the_language_in_which_it_was_chosen() -> None:
    exceptional("digest_orders", 1)
    choose(reader("digest_orders"), "digest_orders", "pt-br")
    [sent] = send()
    assert sent.subject == "[WED-SQL] Casos: 1 abertos, 1 novos"
    assert "1 caso está aberto" in sent.body and "Por causa:" in sent.body and "All cases" not in sent.body


def test_a_mail_is_only_about_flows_that_its_reader_sees_when_it_is_sent() -> None:
    exceptional("digest_orders", 1)
    (hidden,) = exceptional("digest_hidden", 1)
    user = reader("digest_orders", "digest_hidden")
    choose(user)
    choose(user, "digest_hidden")
    user.groups.remove(Group.objects.get(name="flow:digest_hidden"))
    [sent] = send()
    assert sent.subject == "[WED-SQL] Cases: 1 open, 1 new" and sent.body.count("By cause:") == 1
    assert f"/{hidden}/" not in sent.body
    user.user_permissions.add(Permission.objects.get(codename="view_flow"))
    [_first, second] = send()
    assert f"/{hidden}/" in second.body and second.body.count("By cause:") == 2


@pytest.mark.parametrize("change", [{"is_active": False}, {"email": ""}, None])
def test_a_closed_account_or_one_without_address_gets_none(change: dict[str, Any] | None) -> None:
    exceptional("digest_orders", 1)
    user = reader(is_staff=True)
    choose(user, "digest_orders")
    key = user.pk
    if change is None:
        user.delete()
    else:
        User.objects.filter(pk=key).update(**change)
    assert send() == []
    assert len(api.cases.list_digests(key)) == (change is not None), "a deleted account has none any longer"
    assert not [one for one in api.cases.due_digests() if one.user == key], "the next time is noted"


def test_no_mail_is_sent_when_no_case_is_open() -> None:
    exceptional("digest_orders", 1)
    choose(reader("digest_orders"), "digest_orders", queue="empty")
    assert send() == []


def test_a_mail_that_cannot_be_made_delays_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    exceptional("digest_orders", 1)
    choose(reader("digest_orders"), "digest_orders")
    other = User.objects.create_user("bob of digests", "bob@example.org", is_staff=True)
    choose(other)
    moment = mails.moment
    made: list[Any] = []

    def fails_once(at: Any) -> str:
        made.append(at)
        if len(made) == 1:
            raise LookupError("no such thing")
        return moment(at)

    monkeypatch.setattr(mails, "moment", fails_once)
    assert [each.to for each in send()] == [["bob@example.org"]]
    assert "a mail about cases was not made" in caplog.text


def test_the_reaper_reads_addresses_and_groups_but_no_passwords(connect: Any) -> None:
    reaper = connect("wed_reaper")
    for allowed in ("select email from wedsql.auth_user", "select name from wedsql.auth_group"):
        reaper.execute(f"{allowed} limit 1")
    for denied in (
        "select password from wedsql.auth_user", "select last_login from wedsql.auth_user",
        "update wedsql.auth_user set email = ''", "delete from wedsql.auth_user_groups",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reaper.execute(denied)
