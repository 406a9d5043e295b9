"""The reaper deletes sessions that ended and old records of log-ins, with the rights of its own role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from workers.reaper.tidy import tidy

Connect = Callable[..., psycopg.Connection[Any]]
SESSION = (
    "insert into django_session (session_key, session_data, expire_date)"
    " values (%s, '', now() + %s::interval)"
)
LOG_IN = (
    "insert into axes_accesslog (username, user_agent, http_accept, path_info, attempt_time, session_hash)"
    " values (%s, '', '', '', now() - %s::interval, '')"
)


def test_what_is_old_goes_and_the_rest_stays(connect: Connect) -> None:
    owner = connect()
    try:
        for key, ends in (("old", "-1 second"), ("living", "1 hour")):
            owner.execute(SESSION, [key, ends])
        for name, age in (("old", "400 days"), ("recent", "300 days")):
            owner.execute(LOG_IN, [name, age])
        tidy(connect("wed_reaper"))
        keys = {key for (key,) in owner.execute("select session_key from django_session")}
        names = {name for (name,) in owner.execute("select username from axes_accesslog")}
        assert keys & {"old", "living"} == {"living"} and names & {"old", "recent"} == {"recent"}
    finally:
        owner.execute("delete from django_session where session_key in ('old', 'living')")
        owner.execute("delete from axes_accesslog where username in ('old', 'recent')")


def test_a_table_that_cannot_be_tidied_stops_no_other(connect: Connect, caplog: Any) -> None:
    owner, reaper = connect(), connect("wed_reaper")
    owner.execute(LOG_IN, ["old", "400 days"])
    owner.execute("revoke delete on django_session from wed_reaper")
    try:
        tidy(reaper)
        assert owner.execute("select from axes_accesslog where username = 'old'").fetchone() is None
        assert "django_session was not tidied" in caplog.text
    finally:
        owner.execute("grant delete on django_session to wed_reaper")
