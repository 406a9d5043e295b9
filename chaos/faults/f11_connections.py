"""F11: a client opens connections until the server rejects more; the reaper must still connect."""

from __future__ import annotations

import threading
from typing import Any

import psycopg

from chaos.client import Client
from chaos.prepare import NAME, PASSWORD
from chaos.run import Row, Run
from chaos.system import System
from testkit.browser import Browser
from testkit.live import Gone
from testkit.waiting import until

TIMEOUT = 20.0


def connections(run: Run, row: Row) -> None:
    """Use up the web role's connections, end the reaper's session, and expect the reaper to reconnect."""
    with run.system(row) as system:
        for _ in range(run.number(3)):
            row.injection(lambda: _exhaust(system, row), "connections exhausted")


def _exhaust(system: System, row: Row) -> float:
    with system.connect() as admin, ConnectionHolder(system) as holder:
        holder.full.wait(TIMEOUT)
        row.notes.append(f"refused after {len(holder.held)} connections of the web's role")
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'wed_reaper'")
        beat = "select seen_at > %s from wedsql.beat where name = 'reaper'"
        _wait(admin, beat, "the reaper could not get in")
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'wed_worker'")
        _wait(admin, "select max(tx_at) > %s from wedsql.wed_trace", "no worker could get in")
        _log_in(system, row)
    return system.moves_again(TIMEOUT)


def _log_in(system: System, row: Row) -> None:
    """Log in, which may fail; the log-in page itself must be answered with 200 or 503."""
    browser = Browser(system.port)
    status, _ = browser.request("GET", "/accounts/login/")
    try:
        browser.log_in(NAME, PASSWORD)
        outcome = "got in"
    except Gone:
        outcome = "was asked to wait"
    row.notes.append(f"the log-in page was answered with {status}, who logged in {outcome}")
    if status not in (200, 503):
        row.fail(f"the log-in page was answered with {status}")


class ConnectionHolder(Client):
    """Opens connections in a loop, so that one that another session frees is taken at once."""

    def __init__(self, system: System) -> None:
        super().__init__("hoarder", 0.001)
        self.system = system
        self.held: list[psycopg.Connection[Any]] = []
        self.full = threading.Event()

    def act(self) -> None:
        """Open one connection more."""
        try:
            self.held.append(self.system.connect("web", name="hoarder"))
        except psycopg.OperationalError:
            self.full.set()

    def stop(self) -> None:
        """Close all connections."""
        super().stop()
        for conn in self.held:
            conn.close()


def _wait(admin: psycopg.Connection[Any], query: str, what: str) -> None:
    now = admin.execute("select clock_timestamp()").fetchone()
    until(lambda: admin.execute(query, now).fetchone() == (True,), TIMEOUT, what)
