"""The reaper reports how much of the database's disk is free, only where it can read that."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from workers.client.wire import Wire
from workers.reaper import disk, rounds

Connection = psycopg.Connection[Any]


@pytest.fixture
def conn(connect: Callable[..., Connection]) -> Iterator[Connection]:
    """A connection over the server's socket; deletes the last report before and after."""
    found = connect()
    found.execute("delete from wedsql.disk")
    yield found
    found.execute("delete from wedsql.disk")


def reported(conn: Connection) -> list[Any]:
    return conn.execute("select free, total from wedsql.disk").fetchall()


def shown(conn: Connection) -> Path:
    row = conn.execute("show data_directory").fetchone()
    assert row
    return Path(row[0])


def test_a_server_on_this_machine_is_reported(conn: Connection) -> None:
    disk.DiskReporter().report(conn)
    ((free, total),) = reported(conn)
    assert total == shutil.disk_usage(shown(conn)).total and 0 < free < total


def test_it_reports_now_and_then_and_not_each_round(conn: Connection, monkeypatch: Any) -> None:
    reporter = disk.DiskReporter()
    reporter.report(conn)
    conn.execute("delete from wedsql.disk")
    reporter.report(conn)
    assert reported(conn) == []
    monkeypatch.setattr(disk, "EVERY", 0.0)
    disk.DiskReporter().report(conn)
    assert len(reported(conn)) == 1


def test_a_given_directory_is_used(conn: Connection, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("WEDSQL_DATA_DIR", str(tmp_path))
    assert disk.directories(conn) == [tmp_path, tmp_path / "pg_wal"]
    disk.DiskReporter().report(conn)
    assert len(reported(conn)) == 1


def test_what_cannot_be_seen_is_not_reported(conn: Connection, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("WEDSQL_DATA_DIR", str(tmp_path / "absent"))
    disk.DiskReporter().report(conn)
    assert reported(conn) == []


def test_the_fullest_disk_counts(tmp_path: Path) -> None:
    assert disk.fullest([(50, 100), (300, 1000)]) == (300, 1000)
    assert disk.fullest([]) is None
    assert len(list(disk.spaces([tmp_path, tmp_path / "absent"]))) == 1


@pytest.mark.parametrize(
    ("host", "address", "here"),
    [
        ("/run/socket", "", True),
        ("localhost", "127.0.0.1", True),
        ("localhost", "::1", True),
        ("db.example", "192.0.2.7", False),
        ("db.example", "", False),
    ],
)
def test_what_counts_as_this_machine(host: str, address: str, here: bool) -> None:
    assert disk.on_this_machine(host, address) is here


def test_the_reaper_reports(dsn: str, conn: Connection, monkeypatch: Any) -> None:
    wire = Wire(lambda: psycopg.connect(make_conninfo(dsn, user="wed_reaper"), autocommit=True))
    monkeypatch.setattr(rounds, "_reaper_wire", lambda: wire)
    monkeypatch.setattr(rounds, "_disk_reporter", disk.DiskReporter())
    rounds.reap()
    wire.close()
    assert len(reported(conn)) == 1
