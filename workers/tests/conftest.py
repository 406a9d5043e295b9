"""A runner in the test's own process, real worker processes, and functions that wait for them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from flows import api
from testkit.processes import Processes
from testkit.waiting import until
from workers.client.wire import Wire
from workers.jobs.runner import Runner
from workers.recovery.journal import Journal
from workers.registry import Entry, Registry

TWO = """
insert into wed_attr (aname, type) values ('a', 'text'), ('b', 'text'), ('n', 'integer');
insert into wed_trig (tgname, trname, cpred, timeout, backoff, max_attempts)
values ('one', 'tr_one', $$ a is null $$, '5 seconds', '1 hour', 3);
insert into wed_trig (cpred, cfinal) values ($$ a is not null $$, true);
"""


def pass_time(seconds: float) -> None:
    """Let time pass in which nothing is supposed to happen."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end)


@dataclass
class Shop:
    """A flow with its own registry and runner."""

    flow: str
    runner: Runner
    registry: Registry
    db: psycopg.Connection[Any]
    ledger: list[tuple[int, str]] = field(default_factory=list)

    def on(self, name: str, handler: Callable[..., Any], **options: Any) -> None:
        self.registry.add(Entry(name, handler, **options))

    def start(self, count: int = 1, **state: Any) -> list[int]:
        found = api.instances.start_many(self.flow, [state] * count, conn=self.db)
        assert all(result.error is None for result in found), found
        return [result.wid for result in found if result.wid is not None]

    def work(self, size: int = 1, names: tuple[str, ...] = ("tr_one",), **options: Any) -> int:
        return self.runner.work(self.flow, names, size, **options)

    def drain(self, size: int = 1, names: tuple[str, ...] = ("tr_one",)) -> int:
        """Work until nothing is ready, as a service does."""
        done = 0
        while found := self.work(size, names):
            done += found
        return done

    def finish(self, wids: list[int], size: int = 1) -> None:
        """Work until none of these instances is running."""
        until(lambda: (self.work(size), all(self.status(wid) != "R" for wid in wids))[1], what="all at rest")

    def one(self, query: str, *params: Any) -> Any:
        row = self.db.execute(query, params).fetchone()
        return row[0] if row else None

    def status(self, wid: int) -> str:
        return str(self.one("select status::text from wedsql.instance where wid = %s", wid))

    def state(self, wid: int) -> dict[str, Any]:
        found = self.one(f"select to_jsonb(w) - 'wid' from \"{self.flow}\".wed_flow w where wid = %s", wid)
        assert isinstance(found, dict)
        return found

    def log(self, wid: int) -> list[tuple[str, str, str]]:
        """Return the instance's rows of the job log: (outcome, SQLSTATE, message), in order."""
        return self.db.execute(
            "select outcome, coalesce(sqlstate, ''), message from wedsql.job_log where wid = %s order by id",
            [wid],
        ).fetchall()


@pytest.fixture
def shop(
    dsn: str, flow: str, loaded: Callable[[str], str], connect: Callable[..., Any], tmp_path: Path
) -> Iterator[Shop]:
    """The test's flow with one transition tr_one (a is null -> a is not null), and a runner for it."""
    loaded(TWO)

    def opener() -> psycopg.Connection[Any]:
        return psycopg.connect(dsn, autocommit=True, prepare_threshold=None, options="-c search_path=wedsql")

    registry = Registry()
    journal = Journal(tmp_path / "jobs")
    runner = Runner(Wire(opener), registry, "tester", journal)
    yield Shop(flow, runner, registry, connect())
    runner.wire.close()
    journal.close()


@pytest.fixture
def processes(dsn: str, tmp_path: Path) -> Iterator[Processes]:
    """Starts worker processes on the test database, as the role they have in production, and ends them."""
    own_server = "DATABASE_URL" not in os.environ
    uri = make_conninfo(dsn, user="wed_worker") if own_server else dsn
    started = Processes(uri, tmp_path)
    yield started
    started.end()
