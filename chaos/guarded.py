"""A database with one flow, as many sessions as one asks for, and words for what must be refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from flows import api
from flows.errors import WedError
from flows.types import ClaimedJob

Connection = psycopg.Connection[Any]
FLOW = "guarded"
DEFINITION = """
insert into wed_attr (aname, adv) values ('a', '0'), ('b', '0'), ('c', null);
insert into wed_trig (trname, cpred, timeout, writes) values ('tr_a', 'a = ''0''', '1 minute', null),
  ('tr_b', 'b = ''0''', '1 minute', '{b,c}');
insert into wed_trig (cpred, cfinal) values ('a = ''end''', true);
"""
CLOCK = """
create or replace function wedsql.now() returns timestamptz language sql volatile as $$
select pg_catalog.clock_timestamp()
       + coalesce(nullif(current_setting('wedsql.test_offset', true), ''), '0')::interval
$$
"""


class Bench:
    """A database with the flow of the checks, and as many sessions as one asks for."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.opened: list[Connection] = []
        self.conn = self.session()
        self.conn.execute(CLOCK)
        api.create_flow(FLOW, conn=self.conn)
        self.sql(DEFINITION)

    def session(self) -> Connection:
        """One more session."""
        conn = psycopg.connect(
            self.dsn,
            autocommit=True,
            prepare_threshold=None,
            options=f"-c search_path={FLOW},wedsql -c lock_timeout=5s",
        )
        self.opened.append(conn)
        return conn

    def sql(self, text: str, *params: object) -> Any:
        """The only value of a statement, if it has one."""
        cursor = self.conn.execute(text, params or None)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    def start(self, **options: Any) -> int:
        return api.start(FLOW, {}, conn=self.conn, **options)

    def lease(self, name: str, conn: Connection | None = None) -> ClaimedJob:
        return api.lease_many(FLOW, [name], 1, "checks", conn=conn or self.conn)[0]

    def take(self, name: str, conn: Connection) -> list[ClaimedJob]:
        return api.take_many(FLOW, [name], 1, conn=conn)

    def close(self) -> None:
        for conn in self.opened:
            conn.close()


Check = Callable[[Bench], None]


@contextmanager
def refused(*codes: str) -> Iterator[None]:
    """The block is refused with one of these codes."""
    try:
        yield
    except (WedError, psycopg.Error) as error:
        code = error.code if isinstance(error, WedError) else error.sqlstate
        if code not in codes:
            raise AssertionError(f"refused with {code}, not {' or '.join(codes)}: {error}") from error
    else:
        raise AssertionError(f"not refused ({' or '.join(codes)} expected)")


def must(truth: object, sentence: str) -> None:
    """AssertionError when it is not true."""
    if not truth:
        raise AssertionError(sentence)


def until_waiting(b: Bench, who: Connection | None = None) -> None:
    """Until a session (this one, if given) waits for a lock."""
    until = time.monotonic() + 5
    query = "select count(*) from pg_locks where not granted and (%s::integer is null or pid = %s)"
    pid = who.info.backend_pid if who else None
    while not b.sql(query, pid, pid):
        must(time.monotonic() < until, "nobody waits for a lock")
        time.sleep(0.01)
