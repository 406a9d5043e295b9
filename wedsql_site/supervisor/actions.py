"""The actions of `manage.py wedsql`."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import django
from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, connections

from flows import kernel
from wedsql_site import backup, environment, postgres
from wedsql_site.supervisor import demo_logins, forks, preparation, processes, programs, report
from wedsql_site.supervisor.loop import Supervisor
from wedsql_site.supervisor.record import Running

Echo = Callable[[str], None]
# Seconds beyond the grace period of the workers: for the database, and for killing processes.
_STOP_MARGIN = 30.0
_WEB_TIMEOUT = 60.0


class ActionRefused(RuntimeError):
    """The action is not possible now; the message says what to do."""


@dataclass(frozen=True)
class Prepared:
    """What the preparation of the database found, or why it failed."""

    login: preparation.Login | None = None
    others: demo_logins.DemoLogins | None = None
    error: str = ""


def up(demo: bool, echo: Echo) -> int:
    """Start everything, and return when stopped."""
    where = programs.address()
    running = Running()
    if not running.take():
        echo(f"already running at {(running.read() or {}).get('url', where.url)} (stop it with: make stop)")
        return 0
    try:
        running.write(url=where.url, children=[])
        if left := processes.end():
            echo(f"ended {left} processes that an earlier start had left behind")
        _refuse_taken_port(where)
        return _run(where, demo, running, echo)
    finally:
        running.release()


def _run(where: programs.Address, demo: bool, running: Running, echo: Echo) -> int:
    supervisor = Supervisor(programs.all_programs(where, demo), where, running, echo)
    supervisor.catch_signals()
    try:
        supervisor.start_ahead()
        # In a fork: its memory is free afterwards, and the supervisor has no settings of its own.
        prepared = forks.result(partial(_prepare, where, demo, echo))
        if prepared.login is None:
            raise ActionRefused(prepared.error)
        if supervisor.stopping.is_set():
            return 0
        supervisor.start()
        _watch(supervisor, report.welcome(where, prepared.login, prepared.others), echo)
    finally:
        supervisor.stop()
        preparation.stop_database()
    echo("stopped")
    return 0


def _watch(supervisor: Supervisor, welcome: str, echo: Echo) -> None:
    """Watch the programs until stopped, and print the welcome as soon as the first page answers."""
    if supervisor.wait_for_web(_WEB_TIMEOUT):
        echo(welcome)
        supervisor.run()
        return
    if not supervisor.stopping.is_set():
        log = programs.log_dir() / "web.log"
        echo(f"The web process does not answer yet; its log is {log}. The address follows when it answers.")
    supervisor.run(lambda: echo(welcome))


def _prepare(where: programs.Address, demo: bool, echo: Echo) -> Prepared:
    try:
        len(settings.INSTALLED_APPS)  # reads all settings: a wrong one is named before a server is installed
        echo("Starting the database ..." if preparation.uses_embedded() else "Waiting for the database ...")
        with ThreadPoolExecutor(1) as beside:
            starts = beside.submit(preparation.start_database)
            django.setup()
        starts.result()
        return _prepare_database(where, demo, echo)
    except (CommandError, backup.BackupError, postgres.PostgresError, environment.BadEnvironment) as error:
        return Prepared(error=str(error))
    except DatabaseError as error:
        return Prepared(error=f"the database refused: {error}")
    finally:
        if settings.configured:  # not where a setting is wrong
            connections.close_all()


def _prepare_database(where: programs.Address, demo: bool, echo: Echo) -> Prepared:
    preparation.wait_for_database(echo)
    preparation.install()
    preparation.report_missing_grants(echo)
    # A password takes as long to encode as a flow to define.
    with ThreadPoolExecutor(1) as beside:
        log_ins = beside.submit(_ensure_log_ins, demo and where.private)
        if demo:
            preparation.load_demo()
    return log_ins.result()


def _ensure_log_ins(demo: bool) -> Prepared:
    """Create the missing log-ins, in a thread with a connection of its own."""
    try:
        return Prepared(preparation.ensure_login(), demo_logins.ensure() if demo else None)
    finally:
        connections.close_all()


def stop() -> bool:
    """Stop the supervisor, remaining processes and the embedded database; False if nothing was running."""
    ended = _end_supervisor()
    left = processes.end()
    return preparation.stop_database(always=True) or ended or left > 0


def reset() -> None:
    """Delete the embedded database, the secrets and the logs of this state directory, nothing else."""
    _end_supervisor()
    processes.end()
    postgres.reset()
    state = environment.state_dir()
    for name in ("log", "jobs"):
        shutil.rmtree(state / name, ignore_errors=True)
    for name in (
        "secret_key",
        "admin_password",
        demo_logins.PASSWORD_FILE,
        "supervisor.json",
        "postgres.owned",
    ):
        (state / name).unlink(missing_ok=True)


def install(echo: Echo) -> None:
    """Bring the database up to date without starting anything else."""
    preparation.start_database()
    preparation.wait_for_database(echo)
    preparation.install()
    preparation.report_missing_grants(echo)


def roles(echo: Echo) -> None:
    """Create the roles of an installed database."""
    preparation.start_database()
    preparation.wait_for_database(echo)
    if not preparation.install_roles():
        echo("The database has no kernel yet, so the roles have no rights there: manage.py wedsql install")
    preparation.report_missing_grants(echo)


def take_backup(directory: Path, echo: Echo) -> None:
    """Write a backup of the running database."""
    preparation.start_database()
    preparation.wait_for_database(echo)
    if kernel.status(connection).state == "MISSING":
        raise ActionRefused("the database has no kernel, so there is nothing to back up")
    manifest = backup.backup(directory)
    held = f"PostgreSQL {manifest['server']}, {len(manifest['roles'])} roles"
    echo(f"{directory}: {held}, as of {manifest['written_at']}")


def restore_backup(directory: Path, echo: Echo) -> None:
    """Restore a backup into an empty database and bring it up to date."""
    preparation.start_database()
    preparation.wait_for_database(echo)
    backup.restore(directory, echo)
    preparation.install()
    preparation.report_missing_grants(echo)


def logs(follow: bool) -> int:
    """Show the logs of all processes until interrupted; return the exit code of tail."""
    files = sorted(
        str(path) for path in programs.log_dir().glob("*.log") if not path.name.endswith(".old.log")
    )
    if not files:
        raise ActionRefused(f"no logs in {programs.log_dir()} yet; start with: make run")
    try:
        return subprocess.run(
            ["tail", "-n", "20", *(["-F"] if follow else []), *files], check=False
        ).returncode
    except KeyboardInterrupt:
        return 0


def _end_supervisor() -> bool:
    record = Running().read()
    if record is None:
        return False
    if "pid" not in record:
        raise ActionRefused("it is just starting; try again in a few seconds")
    os.kill(record["pid"], signal.SIGTERM)
    timeout = environment.stop_grace() + _STOP_MARGIN
    deadline = time.monotonic() + timeout
    # Its lock is free a moment before it has ended.
    while Running().read() is not None or processes.is_alive(record["pid"]):
        if time.monotonic() > deadline:
            raise ActionRefused(f"process {record['pid']} did not end in {timeout:.0f} s")
        time.sleep(0.05)
    return True


def _refuse_taken_port(where: programs.Address) -> None:
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((where.host, where.port))
        except OSError as error:
            raise ActionRefused(
                f"cannot listen on {where.host} port {where.port}: {error.strerror}. Stop what listens "
                f"there, or choose another port: WEDSQL_PORT={where.port + 1} make run"
            ) from None
