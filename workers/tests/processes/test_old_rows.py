"""The reaper deletes expired sessions and old records of log-ins, with the privileges of its role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from workers.reaper import rounds
from workers.reaper.old_rows import delete_old_rows

Connect = Callable[..., psycopg.Connection[Any]]
SESSION = (
    "insert into django_session (session_key, session_data, expire_date)"
    " values (%s, '', now() + %s::interval)"
)
COMMON = "(username, user_agent, http_accept, path_info, attempt_time"
LOG_IN = (
    f"insert into axes_accesslog {COMMON}, session_hash) values (%s, '', '', '', now() - %s::interval, '')"
)
FAILURE = (
    f"insert into axes_accessfailurelog {COMMON}, locked_out)"
    " values (%s, '', '', '', now() - %s::interval, false)"
)
ATTEMPT = (
    f"insert into axes_accessattempt {COMMON}, get_data, post_data, failures_since_start)"
    " values (%s, '', '', '', now() - %s::interval, '', '', 1)"
)
# Table, key column, insert statement, age of a row to delete, age of one to keep.
TABLES = [
    ("django_session", "session_key", SESSION, "-1 second", "1 hour"),
    ("axes_accesslog", "username", LOG_IN, "400 days", "300 days"),
    ("axes_accessfailurelog", "username", FAILURE, "400 days", "300 days"),
    ("axes_accessattempt", "username", ATTEMPT, "25 hours", "23 hours"),
]


def forget(owner: psycopg.Connection[Any], table: str, column: str) -> None:
    owner.execute(f"delete from {table} where {column} in ('old', 'recent')")


@pytest.mark.parametrize(("table", "column", "insert", "old", "recent"), TABLES)
def test_old_rows_are_deleted_and_others_kept(
    table: str, column: str, insert: str, old: str, recent: str, connect: Connect
) -> None:
    owner = connect()
    try:
        owner.execute(insert, ["old", old])
        owner.execute(insert, ["recent", recent])
        delete_old_rows(connect("wed_reaper"))
        left = {key for (key,) in owner.execute(f"select {column} from {table}")}
        assert left & {"old", "recent"} == {"recent"}
    finally:
        forget(owner, table, column)


def test_the_reaper_deletes_old_rows_in_its_first_round(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = connect()
    monkeypatch.setattr(rounds, "_maintained", -rounds._MAINTAIN_EVERY)
    try:
        owner.execute(SESSION, ["old", "-1 second"])
        rounds.reap()
        assert owner.execute("select from django_session where session_key = 'old'").fetchone() is None
    finally:
        forget(owner, "django_session", "session_key")
        rounds._reaper_wire().close()


def test_a_table_that_fails_does_not_stop_the_others(connect: Connect, caplog: Any) -> None:
    owner, reaper = connect(), connect("wed_reaper")
    owner.execute(LOG_IN, ["old", "400 days"])
    owner.execute("revoke delete on django_session from wed_reaper")
    try:
        delete_old_rows(reaper)
        assert owner.execute("select from axes_accesslog where username = 'old'").fetchone() is None
        assert "django_session was not tidied" in caplog.text
    finally:
        owner.execute("grant delete on django_session to wed_reaper")
