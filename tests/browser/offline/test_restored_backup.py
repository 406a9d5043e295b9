"""The site is restored from a real backup, taken before what it has acknowledged to a device."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows import api
from testkit.line import Line
from testkit.web import WebServer, environ_for
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps
from wedsql_site import environment

RESTORED = "wedsql_restored_for_devices"


def manage(dsn: str, *arguments: object) -> None:
    """Run a command of docs/operating.md on a database."""
    command = [sys.executable, str(environment.CHECKOUT / "manage.py"), *map(str, arguments)]
    done = subprocess.run(
        command, env=environ_for(dsn), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@dataclass(frozen=True)
class Backup:
    """A backup of the site, and the empty database into which it is restored."""

    dsn: str
    empty: str
    folder: Path

    def take(self) -> None:
        manage(self.dsn, "wedsql", "backup", self.folder)

    @contextmanager
    def restored(self, line: Line) -> Iterator[psycopg.Connection[Any]]:
        """Restore it, have the line lead to the restored site, and yield a session there."""
        manage(self.empty, "wedsql", "restore", self.folder)
        with WebServer.on(self.empty) as site, psycopg.connect(self.empty, autocommit=True) as session:
            line.to = site.port
            yield session
            line.cut()


@pytest.fixture
def backup(dsn: str, tmp_path: Path) -> Iterator[Backup]:
    name = sql.Identifier(RESTORED)
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(sql.SQL("drop database if exists {} with (force)").format(name))
        admin.execute(sql.SQL("create database {} template template0").format(name))
        yield Backup(dsn, make_conninfo(dsn, dbname=RESTORED), tmp_path / "backup")
        admin.execute(sql.SQL("drop database {} with (force)").format(name))


def opened(device: Device, count: int) -> None:
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == count)


def became(device: Device, *states: str) -> None:
    """Wait until the outbox has these states, the last result first."""
    device.go("outbox")
    device.wait(lambda page: device.states() == [*states])


def costs(session: psycopg.Connection[Any], tasks: tuple[int, ...]) -> list[tuple[int, str]]:
    """Return for each task how often it was done, and with which cost."""
    found = [(count_steps(session, one), api.tasks.read(one, "carol", conn=session)) for one in tasks]
    return [(steps, str(sheet.state_of["cost"])) for steps, sheet in found]


def another(session: psycopg.Connection[Any], flow: str) -> int:
    """Start an instance, lock its task for carol, and return the number of the task."""
    (task,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=session), conn=session)
    api.tasks.take(task.job_id, "carol", ["r:Technician"], lock=True, conn=session)
    return task.job_id


def test_results_acknowledged_after_the_backup_are_found_on_the_device_and_count_once(
    device: Device, line: Line, locked: Callable[[], int], backup: Backup, flow: str
) -> None:
    before, after, unsent = tasks = locked(), locked(), locked()
    opened(device, 3)
    device.complete(before, "1")
    became(device, "accepted")
    device.exchanged()
    backup.take()
    device.complete(after, "2")
    became(device, "accepted", "accepted")
    unknown = locked()  # started, locked and completed after the backup
    opened(device, 2)
    device.complete(unknown, "3")
    became(device, "accepted", "accepted", "accepted")
    line.cut()
    device.complete(unsent, "4")
    became(device, "waiting", "accepted", "accepted", "accepted")
    with backup.restored(line) as session:
        assert another(session, flow) > unknown + 900_000, "its number is not given to another task"
        line.restore()
        device.press("#send")
        became(device, "accepted", "refused", "accepted", "accepted")
        assert "lost results of this device: 2." in device.one("#restored").text
        assert costs(session, tasks) == [(1, "1"), (1, "2"), (1, "4")]
        assert "no such task" in device.one("tbody tr:nth-child(2)").text
        device.go("result/3")
        device.wait(lambda page: "3" in device.one("#result").text)
        broken = session.execute("select * from wedsql.violations() v where v.found > 0").fetchall()
        assert broken == []
        device.page.get("about:blank")
