"""Instances, jobs and history are shown in the admin and cannot be written there or through the models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows import api
from flows.models import ConditionError, Instance, Job, JobLog, ReadOnly, TraceEntry, WorkerProcess
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

LISTS = ("instance", "job", "traceentry", "joblog", "conditionerror", "workerprocess")
FIGURE_TWO = {
    "attributes": [{"name": "a1", "default": "ready"}, {"name": "a2"}, {"name": "a3"}],
    "triggers": [
        {"transition": "tr_a2", "predicate": "a1='ready' and a2 is null"},
        {"transition": "tr_a3", "predicate": "a1='ready' and a3 is null"},
        {"final": True, "predicate": "a1 <> 'ready'"},
    ],
}


@pytest.fixture
def carol(db: None) -> Client:
    """The browser of Carol, a superuser."""
    client = Client()
    client.force_login(User.objects.create_superuser("carol"))
    return client


@pytest.fixture(scope="module")
def standing_orders(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_orders)


@pytest.fixture
def orders(standing_orders: str, db: None) -> str:
    """A flow with two instances, a completed job and a job that failed."""
    cache.clear()  # it has what other tests have done with the flow
    return standing_orders


def made_orders() -> str:
    name = unique("orders")
    api.flows.create(name)
    api.flows.publish(name, FIGURE_TWO)
    api.instances.start(name, {"a2": "<b>done</b>"})
    api.instances.start(name, actor="bob")
    job = api.jobs.take(name, ["tr_a2"])
    assert job is not None
    api.jobs.complete(job, {"a2": "done"})
    other = api.jobs.take(name, ["tr_a3"])
    assert other is not None
    api.jobs.fail(other, "out of paper")
    return name


@pytest.mark.parametrize("listed", LISTS)
def test_every_list_opens_filtered_and_searched(carol: Client, orders: str, listed: str) -> None:
    flow = Instance.objects.filter(flow__name=orders)[0].flow_id

    for query in ("", "?q=1", "?q=nothing'--", "?q=99999999999999", "?q=" + "9" * 5000, "?p=1", "?o=1"):
        assert carol.get(f"/admin/flows/{listed}/{query}").status_code in (200, 302)
    if listed != "workerprocess":
        assert carol.get(f"/admin/flows/{listed}/?flow__id__exact={flow}").status_code == 200


@pytest.mark.parametrize("listed", LISTS)
def test_nothing_can_be_added_changed_or_deleted(carol: Client, orders: str, listed: str) -> None:
    assert carol.get(f"/admin/flows/{listed}/add/").status_code == 403
    assert carol.post(f"/admin/flows/{listed}/", {"action": "delete_selected"}).status_code in (200, 403, 302)
    model = {"instance": Instance, "job": Job, "traceentry": TraceEntry, "joblog": JobLog}.get(listed)
    if model is not None:
        key = model.objects.filter(flow__name=orders)[0].pk
        assert carol.post(f"/admin/flows/{listed}/{key}/change/", {"status": "F"}).status_code == 403
        assert carol.post(f"/admin/flows/{listed}/{key}/delete/", {"post": "yes"}).status_code == 403
        assert model.objects.filter(pk=key).exists()


def test_an_instance_shows_its_state_its_history_and_its_jobs(carol: Client, orders: str) -> None:
    wid = Instance.objects.filter(flow__name=orders).order_by("wid")[0].wid

    html = carol.get(f"/admin/flows/instance/{wid}/change/").content.decode()

    assert "&lt;b&gt;done&lt;/b&gt;" in html
    assert "<b>done" not in html
    assert f'href="/admin/flows/traceentry/?q={wid}"' in html
    assert "tr_a3" in html


def test_a_step_has_a_page_of_its_own(carol: Client, orders: str) -> None:
    step = TraceEntry.objects.filter(flow__name=orders, written_by="tr_a2").get()

    html = carol.get(f"/admin/flows/traceentry/{step.pk}/change/").content.decode()

    assert step.pk == f"{step.wid}.{step.seq}"
    assert "replaced values" in html.lower()
    assert "tr_a2" in html


@pytest.mark.parametrize("key", ["nothing", "1", "1.x", "99999999999.1", "0.0"])
def test_a_step_that_is_not_there_leads_back_to_the_list(carol: Client, key: str) -> None:
    assert carol.get(f"/admin/flows/traceentry/{key}/change/").status_code in (302, 404)


def test_a_search_by_number_finds_that_instance_only(carol: Client, orders: str) -> None:
    first, second = Instance.objects.filter(flow__name=orders).order_by("wid")

    html = carol.get(f"/admin/flows/instance/?q={first.wid}").content.decode()

    assert f"/admin/flows/instance/{first.wid}/change/" in html
    assert f"/admin/flows/instance/{second.wid}/change/" not in html


def test_no_list_counts_a_whole_table(carol: Client, orders: str) -> None:
    for listed in LISTS:
        with CaptureQueriesContext(connection) as queries:
            carol.get(f"/admin/flows/{listed}/")
        statements = [query["sql"].lower() for query in queries if "flows_" not in query["sql"].lower()]
        assert not [sql for sql in statements if "count(" in sql]


def test_the_key_of_a_step_is_served_by_the_index(orders: str) -> None:
    step = TraceEntry.objects.filter(flow__name=orders)[0]

    assert TraceEntry.objects.get(pk=step.pk).seq == step.seq
    with connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off")
    assert "Index Cond" in TraceEntry.objects.filter(pk=step.pk).explain()


@pytest.mark.parametrize("model", [Instance, Job, TraceEntry, JobLog, WorkerProcess, ConditionError])
def test_models_that_mirror_refuse_to_write(model: Any, orders: str) -> None:
    with pytest.raises(ReadOnly):
        model().save()
    with pytest.raises(ReadOnly):
        model().delete()
    with pytest.raises(ReadOnly):
        model().save_base()
    for write in (
        lambda: model.objects.create(),
        lambda: model.objects.all().delete(),
        lambda: model.objects.update(flow_id=1),
        lambda: model.objects.bulk_create([model()]),
        lambda: model.objects.bulk_update([model()], ["flow"]),
        lambda: model.objects.get_or_create(pk=0),
        lambda: model.objects.update_or_create(pk=0),
    ):
        with pytest.raises(ReadOnly):
            write()


def test_every_mirror_has_the_columns_of_its_table() -> None:
    from django.apps import apps

    for model in apps.get_app_config("flows").get_models():
        list(model.objects.all()[:1])  # names every column, so a missing one fails here
        assert not model._meta.managed


def test_defaults_of_the_forms_are_those_of_the_tables() -> None:
    from flows.models import Attribute, Flow, Trigger

    for model in (Attribute, Flow, Trigger):
        for field in model._meta.concrete_fields:
            if field.has_default() and field.name != "version":
                with connection.cursor() as cursor:
                    cursor.execute(
                        "select column_default from information_schema.columns"
                        " where table_schema = 'wedsql' and table_name = %s and column_name = %s",
                        [model._meta.db_table, field.column],
                    )
                    default = cursor.fetchone()[0]
                    cursor.execute(
                        f"select ({default or 'null'})::text is not distinct from (%s)::text",
                        [_stored(field)],
                    )
                    assert cursor.fetchone()[0], f"{model.__name__}.{field.name}: {default}"


def _stored(field: Any) -> Any:
    value = field.get_default()
    if value in ("1 minute", "1 second"):
        return {"1 minute": "00:01:00", "1 second": "00:00:01"}[value]
    return str(value).lower() if isinstance(value, bool) else value
