"""Persons perform tasks over HTTP while web processes, workers and the server are killed.

No acknowledged result is lost, none is applied twice, and no task is in two hands.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from chaos.faults.f2_processes import KILL, TERM, strike
from chaos.faults.f4_server import kill_and_start, kill_backend
from chaos.load import Actor
from chaos.persons import FLOW, NAMES, SECRETS, Answers, Person
from chaos.rng import rng
from chaos.run import Row, Run
from chaos.system import System
from flows import api
from testkit.waiting import until

SECONDS = 150
PROGRAMS = ("web", "pool", "reaper")
STRIKES = [("web", "main", KILL), ("pool", "child", KILL), ("pool", "main", KILL),
           ("web", "main", TERM), ("reaper", "main", KILL)]  # fmt: skip
_OPEN = "select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id" \
    " where f.name = 'office' and i.status = 'R'"  # fmt: skip
_TWICE = """
    select h.job_id::text, count(*) from wedsql.wed_trace h join wedsql.flow f on f.id = h.flow_id
    where f.name = 'office' and h.job_id is not null group by 1 having count(*) > 1
    union all
    select h.wid || ' ' || h.trw, count(*) from wedsql.wed_trace h join wedsql.flow f on f.id = h.flow_id
    where f.name = 'office' and left(h.trw, 1) <> '_' group by 1 having count(*) > 1
"""
_HELD = """
    select t.job_id, t.owner, j.lckid from wedsql.task t
    left join wedsql.job_pool j on j.wid = t.wid and j.id = t.job_id
    where t.ended_at is null and t.owner is distinct from j.lckid
"""
_DONE = """
    select t.job_id, t.ended_by, h.actor from wedsql.task t
    join wedsql.wed_trace h on h.wid = t.wid and h.job_id = t.job_id
    where t.ended_at is null or t.ended_by is distinct from h.actor
"""


class Arrivals(Actor):
    """Starts instances of the persons' flow, each under a key; waits while there is work enough."""

    count = 0

    def act(self) -> None:
        if self.conn().execute(_OPEN).fetchone()[0] > 60:  # type: ignore[index]
            return
        self.count += 1
        key = f"office-{self.count}"
        wid = self.until_known(
            lambda conn: api.instances.start(FLOW, {}, actor=self.name, key=key, conn=conn)
        )
        if wid is not None:
            self.record.started[key] = wid


def persons(run: Run, row: Row) -> None:
    """Strike at random while the persons work, and then let them finish what is open."""
    secrets = json.loads((secrets_of(run) / SECRETS).read_text())
    with run.system(row, programs=PROGRAMS, rate=1.0, designer=0) as system:
        answers = Answers()
        with working(system, answers, secrets) as arrivals:
            end = time.monotonic() + run.seconds(SECONDS)
            turn = 0
            while time.monotonic() < end:
                time.sleep(rng("persons", turn).uniform(1, 4))
                strike_one(system, row, turn)
                turn += 1
            arrivals.stop()
            drained(system, row)
        judge(system, row, answers)


def secrets_of(run: Run) -> Path:
    """Return the directory in which the preparation left the tokens of the persons."""
    return run.template.home / "state"


@contextmanager
def working(system: System, answers: Answers, secrets: dict[str, str]) -> Iterator[Arrivals]:
    """Let all persons work, and instances arrive until the client that is yielded is stopped."""
    arrivals = Arrivals("arrivals", lambda: system.server.connect("web"), system.load.record, 0.2)
    people = [Person(name, system.port, secrets[name], answers) for name in NAMES]
    for client in (arrivals, *people):
        client.start()
    try:
        yield arrivals
    finally:
        for client in (arrivals, *people):
            client.ended.set()
        for client in (arrivals, *people):
            client.stop()


def strike_one(system: System, row: Row, turn: int) -> None:
    """Kill the server, a session of it, or a process: each kind in turn, in the order of the seed."""
    chosen = rng("persons", "strike", turn).randrange(len(STRIKES) + 2)
    if chosen == len(STRIKES):
        row.injection(lambda: kill_and_start(system), "kill -9 of the server")
    elif chosen > len(STRIKES):
        row.injection(lambda: kill_backend(system), "kill -9 of a session")
    else:
        strike(system, row, *STRIKES[chosen])


def drained(system: System, row: Row) -> None:
    """Wait until the persons have completed everything; nothing arrives any more."""
    try:
        until(lambda: system.one(_OPEN) == 0, 180, ignored=(psycopg.Error,), pause=0.5)
    except TimeoutError:
        row.fail(f"{system.one(_OPEN)} instances wait for persons")


def judge(system: System, row: Row, answers: Answers) -> None:
    """Compare the answers with the tables."""
    for task, seq, person, name, value in answers.completed:
        found = system.rows(
            "select h.seq, h.actor, h.state ->> %s from wedsql.wed_trace h where h.job_id = %s", (name, task)
        )
        if found != [(seq, person, value)]:
            row.add_loss(f"task {task} was completed by {person} with {value}, the history has {found}")
    again = system.rows(_TWICE)
    row.twice += len(again)
    for what, times in again:
        row.fail(f"{what} was applied {times} times")
    for task, *hands in [*system.rows(_HELD), *system.rows(_DONE)]:
        row.fail(f"task {task} is in two hands: {hands}")
    for sentence in [*answers.two_hands, *answers.unexpected]:
        row.add_loss(sentence)
    counts = {"completed": len(answers.completed), **answers.counts}
    row.notes.append(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    row.finished += system.one(_OPEN.replace("'R'", "'F'"))
