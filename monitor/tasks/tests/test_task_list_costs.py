"""What lists of tasks cost: what they show, not what there is behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from flows import api
from flows.capabilities.tasks.api import ORDERS
from flows.filters import parse
from flows.queries import tasks as queries
from flows.queries.definitions import flow_by_name
from flows.queries.tasks import Listing
from monitor.tasks.rows import loads
from monitor.tasks.tests.test_tasks_pages import flow, page_of, person

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["flow"]

FEW, MANY = 300, 6_000
# Tasks like one that there is: open, held by a person, or completed by one.
FILL = """
insert into wedsql.task (job_id, wid, tgid, flow_id, state, audience, owner, arrived_at, due_at, rank, size,
                         ended_at, ended_by)
select t.job_id + n * 10 + %(offset)s, t.wid, t.tgid, t.flow_id, %(state)s, t.audience,
  case when %(state)s <> 'R' then 'ana' end, t.arrived_at + n * interval '1 s',
  t.arrived_at + (n %% 977) * interval '1 s', n %% 7, n %% 1009,
  case when %(state)s = 'D' then t.arrived_at + n * interval '1 s' end,
  case when %(state)s = 'D' then 'ana' end
from wedsql.task t cross join generate_series(%(first)s, %(last)s) n where t.job_id = %(task)s
"""
KEYS = ["r:Expert", *(f"r:None {n}" for n in range(11))]


def fill(task: int, first: int, last: int) -> None:
    """Add open tasks, and as many that were completed."""
    given = {"first": first, "last": last, "task": task}
    with connection.cursor() as cursor:
        cursor.execute(FILL, {**given, "state": "R", "offset": 1})
        cursor.execute(FILL, {**given, "state": "D", "offset": 2})
        cursor.execute("analyze wedsql.task")


def read(search: Callable[[], Any]) -> int:
    """Return how many rows of tasks some statements read."""
    figures = """select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables
                 where schemaname = 'wedsql' and relname = 'task'"""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(figures)
        (before,) = cursor.fetchone()
        search()
        cursor.execute(figures)
        (after,) = cursor.fetchone()
    return int(after) - int(before)


def lists(flow: str) -> dict[str, Callable[[], Any]]:
    """Return what the pages of tasks ask, each by its name."""
    flows = [info.id for info in [flow_by_name(flow)] if info]
    found: dict[str, Callable[[], Any]] = {
        "newest": lambda: api.tasks.newest("zoe", KEYS),
        "team load": lambda: api.tasks.team_load([flow]),
        "done": lambda: api.tasks.done("ana"),
    }
    for order in ORDERS:
        found[f"open by {order}"] = partial(api.tasks.open, "zoe", KEYS, order)
    chosen = queries.selection(parse("task.priority>=-100"), lambda one: one)
    for name, order in (("open", "arrival"), ("open", "deadline"), ("done", ""), ("team", "")):
        person = "ana" if name == "done" else "zoe"
        listing = Listing(name, person, KEYS, order, flows)  # type: ignore[arg-type]
        (*_, last) = queries.selected(listing, chosen, None, 50)
        found[f"{name} {order} filtered"] = partial(queries.selected, listing, chosen, None, 50)
        found[f"{name} {order} behind a page"] = partial(queries.selected, listing, chosen, last, 50)
        found[f"{name} counted"] = partial(queries.matching, listing, chosen, 100)
    return found


@pytest.fixture
def task(flow: str) -> int:
    api.instances.start(flow, {"policy": "P-1"})
    (found,) = api.tasks.of_flow(flow)
    return found.job_id


def test_a_list_costs_what_it_shows_however_many_tasks_are_open_or_done(flow: str, task: int) -> None:
    fill(task, 1, FEW)
    few = {name: read(ask) for name, ask in lists(flow).items()}
    fill(task, FEW + 1, MANY)
    many = {name: read(ask) for name, ask in lists(flow).items()}
    most = {"team load": 1_100}
    assert {
        name: (few[name], n) for name, n in many.items() if n > max(2 * few[name], most.get(name, 200))
    } == {}


def test_the_team_counts_open_tasks_up_to_a_limit(flow: str, task: int) -> None:
    fill(task, 1, 1_500)
    (found,) = loads(api.tasks.team_load([flow]))
    assert found.person is None and (found.held.n, found.held.capped) == (1_000, True)
    boss = person(f"flow:{flow}:operate")
    assert ">1,000+<" in page_of(boss, "/tasks/?show=team").replace("\n", "")
