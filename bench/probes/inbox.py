"""What a list of open tasks and a taking cost at 100,000 open tasks, and beside a million finished ones."""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time

import psycopg
from psycopg.types.json import Jsonb

from bench import site
from bench.cluster import scalar
from bench.probes.base import Stage
from bench.targets import Measure
from flows import api

_FLOW = "inbox"
_ROLES = 48
_OURS = [f"r:Role {n}" for n in range(12)]
_PERSONS = 50
_DEFINITION = {
    "attributes": [{"name": "role"}, {"name": "done"}],
    "triggers": [
        {"transition": "tr_do", "predicate": "done is null", "performer": "person", "candidate": "role"},
        {"predicate": "done is not null", "final": True},
    ],
}
_FINISHED = """
insert into wedsql.task (job_id, wid, tgid, flow_id, state, audience, arrived_at, ended_at, ended_by,
  outcome, seq)
select 1000000000 + n, t.wid, t.tgid, t.flow_id, 'D', t.audience, now() - n * interval '1 s',
       now() - n * interval '1 s', 'person ' || n %% 100, 'SUCCEEDED', 2
from generate_series(%s::integer, %s::integer) n
join (select t.*, row_number() over () - 1 as place from wedsql.task t limit 1000) t on t.place = n %% 1000
"""

_AT_ONCE = "select count(distinct owner) from wedsql.task where owner like 'person at once %'"


def measure(stage: Stage) -> list[Measure]:
    """Measure the first page and taking, and the page again with finished tasks."""
    stage.database("inbox")
    size, finished = (5_000, 20_000) if stage.quick else (100_000, 1_000_000)
    with stage.cluster.session("inbox") as conn:
        conn.prepare_threshold = 1
        _fill(conn, size)
        found = [_page(stage, size, "inbox-page", f"{size:,} open tasks"), *_taking(stage, conn, size)]
        for first in range(1, finished + 1, 100_000):
            conn.execute(_FINISHED, [first, min(first + 99_999, finished)])
        conn.execute("vacuum (analyze) wedsql.task")
        found.append(_page(stage, size, "inbox-page-finished", f"the same, {finished:,} finished"))
    return found if not stage.quick else [one.unjudged(size) for one in found]


def _fill(conn: psycopg.Connection, size: int) -> None:
    """Start instances with a task each, in turns for all roles."""
    with conn.transaction():
        conn.execute("select wedsql.create_flow(%s)", [_FLOW])
        conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
    for first in range(0, size, 1_000):
        states = [{"role": f"role:Role {n % _ROLES}"} for n in range(first, first + 1_000)]
        api.instances.start_many(
            _FLOW, states, keys=[f"N{n}" for n in range(first, first + 1_000)], conn=conn
        )
    conn.execute("vacuum (analyze)")
    conn.execute(f"vacuum (analyze) {_FLOW}.wed_flow")


def _page(stage: Stage, size: int, key: str, label: str) -> Measure:
    """Compare the first page of a person with 12 roles with an instance by its key, both as pages ask."""
    command = [sys.executable, "-m", "bench.probes.inbox_times", _FLOW, str(size), str(len(_OURS))]
    found = json.loads(site.output(command, site.environment(stage.cluster, "inbox", "web")))
    detail = f"{found['page']:.2f} ms against {found['look_up']:.2f} ms"
    label = f"first page open to a person with 12 roles, {label}"
    return Measure(key, label, found["page"] / found["look_up"], "times", detail)


def _taking(stage: Stage, conn: psycopg.Connection, size: int) -> list[Measure]:
    """Compare taking the next task by 50 persons at once, all of whom see the same list, with one alone."""
    alone = statistics.median(_take_next(conn, "person alone") for _ in range(100))
    lines = [stage.cluster.session("inbox") for _ in range(_PERSONS)]
    for line in lines:
        line.prepare_threshold = 1
        _take_next(line, "person warm")  # plans and caches exist then
    owners: list[str] = [f"person at once {n}" for n in range(_PERSONS)]
    threads = [threading.Thread(target=_take_next, args=each) for each in zip(lines, owners, strict=True)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    each = (time.perf_counter() - began) / _PERSONS
    for line in lines:
        line.close()
    taken = scalar(conn, _AT_ONCE)
    if taken != _PERSONS:
        raise RuntimeError(f"{taken} of {_PERSONS} persons got a task")
    detail = f"{each * 1000:.2f} ms a taking against {alone * 1000:.2f} ms"
    label = f"taking the next of {size:,} tasks, {_PERSONS} persons at once, against one alone"
    return [Measure("inbox-taking", label, each / alone, "times", detail)]


def _take_next(conn: psycopg.Connection, person: str) -> float:
    """Take the first task that can be had, as a page does; return the seconds."""
    began = time.perf_counter()
    offered = [task.job_id for task in api.tasks.open(person, _OURS, limit=100, conn=conn)]
    if api.tasks.take_first(offered, person, _OURS, conn=conn) is None:
        raise RuntimeError("there was no task to take")
    return time.perf_counter() - began
