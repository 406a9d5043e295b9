"""Helpers for tests of the kernel: define a flow, run it, read its rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import namedtuple_row
from psycopg.types.json import JsonbLoader

from flows import api
from flows.errors import WedError
from flows.tests.modes import BY_NAME, Batch, Single
from flows.types import ClaimedJob, Completion, FailResult, StepResult

Connection = psycopg.Connection[Any]
SELF = "{n}"  # a parameter that stands for the name of the kit's flow
NEW_KITS: WeakSet[Any] = WeakSet()  # those whose flow may not be made yet (flows/tests/new_kit.py)


@contextmanager
def refused(*codes: str) -> Iterator[SimpleNamespace]:
    """Assert that the block fails with one of these SQLSTATEs; yield an object for the error's fields.

    `facts` has those of the detail, without the templates of message and hint.
    """
    for kit in list(NEW_KITS):
        kit.make()  # what the block defines is executed in the block
    why = SimpleNamespace(code="", message="", hint="", detail="", facts={})
    with pytest.raises((WedError, psycopg.Error)) as caught:
        yield why
    error = caught.value
    if isinstance(error, psycopg.Error):
        why.code, why.message = error.sqlstate, error.diag.message_primary or ""
        why.hint, why.detail = error.diag.message_hint or "", error.diag.message_detail or ""
    else:
        why.code, why.message, why.hint, why.detail = error.code, error.message, error.hint, error.detail
    why.facts = WedError(detail=why.detail).where
    assert why.code in codes, f"{why.code}: {why.message}"


class _Json(JsonbLoader):
    """Reads jsonb in the encoding of the session, which psycopg takes for UTF-8."""

    def load(self, data: Any) -> Any:
        """Return the value that the text means."""
        encoding = self.connection.info.encoding if self.connection is not None else "utf-8"
        return json.loads(bytes(data).decode("utf-8" if encoding == "ascii" else encoding))


class Kit:
    """One flow of one test on one connection; `conn` selects another session for a call.

    The mode determines how `take`, `complete` and `run` take and complete a job.
    """

    def __init__(self, name: str, connect: Callable[..., Connection], mode: str = "single") -> None:
        self.name = name
        self.mode = BY_NAME[mode](self)
        self.connect = connect
        self.conn = connect()
        self.id: int = self.one("select id from wedsql.flow where name = %s", [name])

    # -- SQL
    def rows(self, text: str, params: Sequence[Any] = (), conn: Connection | None = None) -> list[Any]:
        """Return the rows of a statement as named tuples.

        {f} stands for the flow's schema and {n} for its name, as the parameter SELF does.
        """
        query = text.replace("{f}", sql.Identifier(self.name).as_string(None))
        query = query.replace("{n}", sql.Literal(self.name).as_string(None))
        if SELF in params:
            params = [self.name if each == SELF else each for each in params]
        with (conn or self.conn).cursor(row_factory=namedtuple_row) as cursor:
            cursor.adapters.register_loader("jsonb", _Json)
            cursor.execute(query, params or None)
            return cursor.fetchall() if cursor.description else []

    def one(self, text: str, params: Sequence[Any] = (), conn: Connection | None = None) -> Any:
        """Return the only value of a statement, None if it has no row."""
        found = self.rows(text, params, conn)
        return found[0][0] if found else None

    def clock(self, offset: str, conn: Connection | None = None) -> None:
        """Set the kernel's clock in this session, such as '1 hour' after the real time."""
        self.one("select set_config('wedsql.test_offset', %s, false)", [offset], conn)

    # -- definition, through the paper's views
    def attr(
        self, name: str, default: Any = None, kind: str = "text", options: list[str] | None = None
    ) -> None:
        """Add an attribute."""
        self.rows(
            "insert into {f}.wed_attr (aname, adv, type, options) values (%s, %s, %s, %s)",
            (name, default, kind, options),
        )

    def attrs(self, *names: str) -> None:
        """Add attributes of type text."""
        for name in names:
            self.attr(name)

    def trig(self, transition: str, predicate: str, **options: Any) -> None:
        """Add a trigger."""
        self.rows(*trigger(transition, predicate, options))

    def numbered_trig(self, transition: str, predicate: str, **options: Any) -> int:
        """Add a trigger and return its tgid."""
        text, values = trigger(transition, predicate, options)
        return self.one(text + " returning tgid", values)

    def final(self, predicate: str) -> None:
        """Add the final condition."""
        self.rows("insert into {f}.wed_trig (cpred, cfinal) values (%s, true)", [predicate])

    def policy(self, **columns: Any) -> None:
        """Set columns of the flow, such as final_when_pending."""
        for column, value in columns.items():
            self.rows(f"update wedsql.flow set {column} = %s where name = {{n}}", [value])

    def publish(self, definition: Mapping[str, Any]) -> None:
        """Publish a definition without a version, as a program does."""
        api.flows.publish(self.name, definition, conn=self.conn)

    def load(self, text: str) -> None:
        """Execute SQL with the flow's schema first in the search_path."""
        with self.conn.transaction():
            self.rows("set local search_path = {f}, wedsql")
            self.conn.execute(text)

    # -- running
    def start(self, **state: Any) -> int:
        """Start an instance and return its number."""
        return api.instances.start(self.name, state, conn=self.conn)

    def take(self, transition: str, wid: int | None = None, conn: Connection | None = None) -> ClaimedJob:
        """Take a ready job of a transition (of one instance) as the mode does."""
        found = self.mode.take(conn or self.conn, transition, wid)
        assert found, f"no job of {transition} is ready"
        return found

    def complete(
        self,
        job: ClaimedJob,
        changes: Mapping[str, Any] | None = None,
        *,
        set_text: str | None = None,
        actor: str = "",
        conn: Connection | None = None,
    ) -> StepResult:
        """Complete a job that was taken or leased."""
        return self.mode.complete(conn or self.conn, Completion(job, changes, set_text), actor)

    def step(self, conn: Connection | None = None) -> AbstractContextManager[Any]:
        """Return the context for taking and completing a job: a transaction, if the mode needs one."""
        return self.mode.step(conn or self.conn)

    def run(self, transition: str, /, wid: int | None = None, **changes: Any) -> StepResult:
        """Run a whole step: take, complete, commit."""
        with self.step():
            return self.complete(self.take(transition, wid), changes)

    def fail(
        self, transition: str, wid: int | None = None, why: str = "no", **options: Any
    ) -> FailResult | None:
        """Take a job and report a failed attempt while it is held; in mode batch, without a companion."""
        mode = Single(self) if isinstance(self.mode, Batch) else self.mode
        with self.step():
            job = mode.take(self.conn, transition, wid)
            assert job, f"no job of {transition} is ready"
            return api.jobs.fail(job, why, conn=self.conn, **options)

    def lease(self, transition: str, conn: Connection | None = None, **options: Any) -> ClaimedJob:
        """Lease the next ready job of a transition."""
        found = api.jobs.lease_many(self.name, [transition], 1, "tester", conn=conn or self.conn, **options)
        assert found, f"no job of {transition} is ready"
        return found[0]

    def reap(self, offset: str | None = None) -> dict[str, int]:
        """Run the reaper once, at an offset from the real time."""
        if offset:
            self.clock(offset)
        return api.maintenance.reap(conn=self.conn)

    def lock(self, conn: Connection, wid: int, tgid: int) -> bool:
        """Try to take the paper's lock in the open transaction of conn."""
        return self.one("select pg_try_advisory_xact_lock(%s, %s)", (wid, tgid), conn)

    # -- reading
    def state(self, wid: int) -> dict[str, Any]:
        """Return the instance's current values."""
        return self.one("select to_jsonb(w.*) - 'wid' from {f}.wed_flow w where wid = %s", [wid])

    def instance(self, wid: int) -> Any:
        """Return the instance's row."""
        return self.rows("select * from wedsql.instance where wid = %s", [wid])[0]

    def status(self, wid: int) -> str:
        """Return the instance's status letter."""
        return self.instance(wid).status

    def pending(self, wid: int) -> list[Any]:
        """Return the instance's jobs as rows, in the order of their triggers."""
        return self.rows("select * from wedsql.job_pool where wid = %s order by tgid", [wid])

    def jobs(self, wid: int) -> list[str]:
        """Return the names of the instance's pending transitions."""
        return [job.trname for job in self.pending(wid)]

    def trace(self, wid: int) -> list[Any]:
        """Return the instance's history as rows, in order."""
        return self.rows("select * from wedsql.wed_trace where wid = %s order by seq", [wid])

    def story(self, wid: int) -> list[tuple[str, list[str], str]]:
        """Return the history as (written by, fired, status) per row."""
        return [(row.trw, row.trf, row.status) for row in self.trace(wid)]

    def logged(self, wid: int) -> list[str]:
        """Return the outcomes in the job log, in order."""
        return [
            row.outcome
            for row in self.rows("select outcome from wedsql.job_log where wid = %s order by id", [wid])
        ]


def tgid(kit: Kit, transition: str) -> int:
    """Return the number of the transition's only trigger."""
    return kit.one("select tgid from {f}.wed_trig where trname = %s", [transition])


def broken(kit: Kit) -> list[str]:
    """Return the invariants that the flow's instances violate."""
    found = kit.rows("select name, examples from wedsql.violations(null, 1000)")
    mine = {row.wid for row in kit.rows("select wid from wedsql.instance where flow_id = %s", [kit.id])}
    return [row.name for row in found if any(example.get("wid") in mine for example in row.examples)]


def trigger(transition: str, predicate: str, options: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the statement that adds a trigger, and its parameters."""
    values = {"trname": transition, "cpred": predicate, "timeout": "1 minute"} | options
    columns, marks = ", ".join(values), ", ".join(["%s"] * len(values))
    return f"insert into {{f}}.wed_trig ({columns}) values ({marks})", list(values.values())
