"""The long lists of the admin reach every row in both directions, and read only one page at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows import api
from flows.admin.key_pages import rows_beyond
from flows.admin.records import OutcomeFilter
from flows.models import ConditionError, Flow, Instance, Job, JobLog, TraceEntry, WorkerProcess
from flows.queries.paging import Cursor
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
ORDER = {
    Instance: ("-wid",),
    Job: ("-wid", "-tgid"),
    TraceEntry: ("-wid", "-seq"),
    JobLog: ("-id",),
    ConditionError: ("-trigger_id",),
    WorkerProcess: ("-id",),
}
DEFINITION = {
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        *({"transition": f"tr_bad{n}", "predicate": f"1 / (length(b) - 4) = {n}"} for n in range(5)),
        {"transition": "tr_a", "predicate": "a is null", "backoff": "0"},
        {"transition": "tr_b", "predicate": "b is null", "backoff": "0"},
    ],
}


@pytest.fixture(scope="module")
def standing_orders(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_orders)


@pytest.fixture
def orders(standing_orders: str, db: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """A flow with five instances of two jobs and some steps, five failing conditions, five workers, and lists
    of two rows per page.
    """
    cache.clear()  # it has what other tests have done with the flow
    for model in ORDER:
        monkeypatch.setattr(type(admin.site._registry[model]), "list_per_page", 2)
    return standing_orders


def made_orders() -> str:
    name = unique("orders")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    for _ in range(5):
        api.instances.start(name)
    for _ in range(5):
        job = api.jobs.take(name, ["tr_a"])
        assert job is not None
        api.jobs.fail(job, "out of paper")
    for job in api.jobs.take_many(name, ["tr_b"], 3):
        api.jobs.complete(job, {"b": "done"})
    for number in range(5):
        api.workers.register("process", f"{name}#{number}", "here", number, [f"{name}:tr_a"])
    return name


def address(model: Any, name: str) -> str:
    flow = Flow.objects.get(name=name).pk
    own = "kind=process" if model is WorkerProcess else f"flow__id__exact={flow}"
    return f"/admin/flows/{model._meta.model_name}/?{own}"


def rows_of(model: Any, name: str) -> Any:
    return model.objects.filter(**({"kind": "process"} if model is WorkerProcess else {"flow__name": name}))


def walk(client: Client, first: str, rel: str) -> list[Any]:
    """Return the pages from this one on, each as (keys of its rows, URL)."""
    pages, path = [], first
    while path:
        assert len(pages) < 20, "it goes in a circle"
        response = client.get(path)
        pages.append(([row.pk for row in response.context["cl"].result_list], path))
        link = re.search(rf'rel="{rel}" href="(\?[^"]*)"', response.content.decode())
        path = path.split("?")[0] + link[1].replace("&amp;", "&") if link else ""
    return pages


@pytest.mark.parametrize("model", ORDER)
def test_every_row_is_met_once_on_the_way_to_the_end_and_back(alice: Client, orders: str, model: Any) -> None:
    every = [row.pk for row in rows_of(model, orders).order_by(*ORDER[model])]
    assert len(every) >= 5

    down = walk(alice, address(model, orders), "next")
    up = walk(alice, down[-1][1], "prev")

    assert [key for page, _ in down for key in page] == every
    assert all(len(page) == 2 for page, _ in down[:-1])
    assert sorted(key for page, _ in up for key in page) == sorted(every)
    assert up[-1][0] == every[:2]


@pytest.mark.parametrize("model", ORDER)
def test_a_page_reads_only_its_rows_without_count_or_offset(alice: Client, orders: str, model: Any) -> None:
    second = walk(alice, address(model, orders), "next")[1][1]

    with CaptureQueriesContext(connection) as queries:
        alice.get(second + "&_facets=True")

    statements = [
        query["sql"].lower() for query in queries if f'from "{model._meta.db_table}"' in query["sql"].lower()
    ]
    assert [sql for sql in statements if "limit 3" in sql and "offset" not in sql] == statements
    assert len(statements) == 1


@pytest.mark.parametrize("before", [None, 10])
@pytest.mark.parametrize("model", ORDER)
def test_an_index_serves_the_order_and_the_place(orders: str, model: Any, before: int | None) -> None:
    fields = tuple(name.removeprefix("-") for name in ORDER[model])
    key = None if before is None else (before,) * len(fields)
    with connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off")
        cursor.execute("set local enable_bitmapscan = off")

    plan = rows_beyond(model.objects.all(), fields, Cursor(before=key)).explain()

    assert not re.search(r"Sort  \(", plan)
    # Only an index condition with < or <= counts, not the lookups by = of a view's joins.
    served = re.findall(r"Index Cond: \(\(?(?:\w+\.)?\w+ <=? ", plan)
    assert bool(served) == (before is not None), plan


@pytest.mark.parametrize("model", ORDER)
def test_a_place_that_is_none_is_the_top(alice: Client, orders: str, model: Any) -> None:
    first = address(model, orders)
    top = walk(alice, first, "none")[0][0]

    for place in ("before=x", "before=1.2.3", "before=-1", "before=1.", "after=٣", "before=", "p=7", "all="):
        assert walk(alice, f"{first}&{place}", "none")[0][0] == top, place


def test_beyond_every_number_there_is_nothing_or_everything(alice: Client, orders: str) -> None:
    first, last = address(Instance, orders), "9" * 18

    assert walk(alice, f"{first}&before={last}", "none")[0][0] == walk(alice, first, "none")[0][0]
    assert walk(alice, f"{first}&after={last}", "none")[0][0] == []
    assert walk(alice, f"{first}&before=0", "none")[0][0] == []


def test_the_job_log_is_filtered_by_outcome(alice: Client, orders: str) -> None:
    first = address(JobLog, orders)

    assert len(walk(alice, f"{first}&outcome=failed", "next")) == 3
    assert walk(alice, f"{first}&outcome=lost", "next")[0][0] == []
    assert {entry.outcome for entry in JobLog.objects.all()} <= set(OutcomeFilter.labels)
