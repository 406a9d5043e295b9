"""No mail, webhook, alert or message stops the others beside the rounds, whatever error it meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection

from flows import api
from flows.capabilities.alerts import reaper as alerts
from flows.capabilities.alerts.api import AlertRule
from flows.capabilities.alerts.rules import save
from flows.capabilities.cases import reaper as cases
from flows.capabilities.webhooks import reaper as webhooks
from flows.capabilities.webhooks import subscriptions
from flows.capabilities.webhooks.api import Webhook
from flows.queries.definitions import FlowInfo, flow_by_name
from workers.alerts import deliveries

pytestmark = pytest.mark.django_db(transaction=True)
CODES = ("22P05", "23514", "3F000", "40001", "57014", "P0001", "XX000", "WD001")


def run(text: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def shop(settings: Any) -> Iterator[FlowInfo]:
    settings.EMAIL_HOST, settings.WEDSQL_SITE_URL = "mail.example", "https://wed.example"
    api.flows.create("going_shop")
    rules = [{"transition": "tr_pay", "predicate": "payment = 'open'"}]
    api.flows.publish(
        "going_shop", {"attributes": [{"name": "payment", "default": "open"}], "triggers": rules}
    )
    flow = flow_by_name("going_shop")
    assert flow is not None
    yield flow
    run("drop function if exists public.poison() cascade")
    run("delete from wedsql.delivery")
    api.flows.drop("going_shop", force=True)


@contextmanager
def failing(table: str, when: str, code: str) -> Iterator[None]:
    """Make a write of a table fail with this SQLSTATE."""
    body = f"begin raise exception 'made to fail' using errcode = '{code}'; end"
    run(f"create or replace function public.poison() returns trigger language plpgsql as $f$ {body} $f$")
    run(
        f"create trigger a_poison before insert or update on wedsql.{table} for each row when ({when})"
        " execute function public.poison()"
    )
    try:
        yield
    finally:
        run("drop function public.poison() cascade")


def digests(flow: FlowInfo) -> tuple[str, str, Callable[[], int], str]:
    job = run("select id from wedsql.job_pool where wid = %s", api.instances.start(flow.name))[0][0]
    api.operations.withdraw_job(
        run("select wid from wedsql.job_pool order by id desc limit 1")[0][0], job, "No."
    )
    for name in ("sick", "well"):
        user = User.objects.create_user(name, f"{name}@example.org", is_superuser=True)
        api.cases.save_digest(user.pk, flow.name, "", "day", "en", 6)
    past = "wedsql.now() - interval '1 day'"
    run(f"update wedsql.case_digest d set next_at = {past} + d.user_id * interval '1 s', since = {past}")
    done = "select exists (select from wedsql.delivery where target = 'well@example.org')"
    return "delivery", "new.target = 'sick@example.org'", cases.beside_rounds, done


def rules(flow: FlowInfo) -> tuple[str, str, Callable[[], int], str]:
    api.instances.start(flow.name)
    for name in ("sick", "well"):
        given = AlertRule(name, "count", ">", 0, "status:running", mail=["ana@example.org"])
        save(flow, given, "olga")
    first = "update wedsql.alert_rule set next_at = now() - interval '1 hour' where name = 'sick'"
    run(first)
    sick = f"new.rule_id = {run('select id from wedsql.alert_rule where name = %s', 'sick')[0][0]}"
    done = (
        "select exists (select from wedsql.alert a join wedsql.alert_rule r on r.id = a.rule_id"
        " where r.name = 'well')"
    )
    return "alert", sick, lambda: alerts.beside_rounds(3600), done


def hooks(flow: FlowInfo) -> tuple[str, str, Callable[[], int], str]:
    sick, well = (subscriptions.save(flow, Webhook("https://example.org/"), "olga")[0].id for _ in "ab")
    api.instances.start(flow.name)
    done = f"select exists (select from wedsql.delivery where hook_id = {well})"
    return "webhook", f"new.id = {sick}", webhooks.beside_rounds, done


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", [digests, rules, hooks])
def test_what_fails_stops_no_other(shop: FlowInfo, kind: Any, code: str) -> None:
    table, when, beside, done = kind(shop)
    with failing(table, when, code):
        beside()
        assert run(done) == [(True,)]


def test_a_message_whose_result_is_not_recorded_repeats_no_other(shop: FlowInfo) -> None:
    for name in ("sick", "well"):
        run(
            "insert into wedsql.delivery (channel, target, key, next_at, message) values ('mail', %s,"
            " gen_random_uuid(), now() - interval '1 minute', jsonb_build_object('event', 'digest', 'name',"
            " 'cases', 'flow', '', 'subject', 's', 'text', 't', 'id', 'x'))",
            f"{name}@example.org",
        )
    with failing("delivery", "new.target = 'sick@example.org' and new.status <> 'waiting'", "P0001"):
        deliveries.deliver_due()
    assert run("select target from wedsql.delivery where status = 'waiting'") == [("sick@example.org",)]
    assert sorted(each.to[0] for each in mail.outbox) == ["sick@example.org", "well@example.org"]
