"""The kind of a process follows from its command; no process starts with a database of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from testkit.processes import free_port
from wedsql_site import environment

CHECKOUT = Path(settings.BASE_DIR)
URL = "postgresql://somebody@db.example/wedsql"
WEB = ["/venv/lib/daphne/__main__.py", "-b", "127.0.0.1", "wedsql_site.asgi:application"]


def run(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the checkout with these variables and none of the test run's."""
    ours = ("WEDSQL_", "DATABASE_", "Q_CLUSTER", "DJANGO_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=CHECKOUT,
        env=clean | {"WEDSQL_PORT": str(free_port())} | environ,  # a site may run at the usual port
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "cluster", "role"),
    [
        (WEB, "", "web"),
        (["manage.py", "runserver"], "", "web"),
        (["manage.py", "simulate"], "", "web"),
        (["manage.py", "qcluster"], "wedsql", "worker"),
        (["manage.py", "qcluster"], "", "worker"),
        (["manage.py", "qcluster"], "reaper", "reaper"),
        (["manage.py", "wedworker", "--flow", "orders"], "", "worker"),
        (["manage.py", "migrate"], "reaper", "admin"),
        (["manage.py"], "", "admin"),
    ],
)
def test_the_command_determines_the_kind_of_process(
    arguments: list[str], cluster: str, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEDSQL_PROCESS", raising=False)
    monkeypatch.setenv("Q_CLUSTER_NAME", cluster)
    monkeypatch.setattr(sys, "argv", arguments)
    assert environment.process() == role


def test_the_variable_comes_before_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_PROCESS", "monitor")
    monkeypatch.setattr(sys, "argv", WEB)
    assert environment.process() == "monitor"


@pytest.mark.parametrize("role", environment.ROLES)
def test_a_role_without_url_beside_roles_with_one_has_no_database(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    for other in environment.ROLES:
        monkeypatch.delenv(f"DATABASE_URL_{other.upper()}", raising=False)
    assert environment.database_url(role) == "", "no URL at all means the embedded server"
    for other in set(environment.ROLES) - {role}:
        monkeypatch.setenv(f"DATABASE_URL_{other.upper()}", URL)
    with pytest.raises(environment.BadEnvironment, match=f"DATABASE_URL_{role.upper()} or DATABASE_URL"):
        environment.database_url(role)
    monkeypatch.setenv("DATABASE_URL", URL)
    assert environment.database_url(role) == URL


@pytest.mark.parametrize(
    "command", [["wedsql", "up"], ["wedsql", "install"], ["migrate"], ["simulate"], ["wedworker"], ["flows"]]
)
def test_a_command_without_its_url_starts_no_server(command: list[str], tmp_path: Path) -> None:
    given = {f"DATABASE_URL_{role}": URL for role in ("MONITOR", "REAPER")}
    answer = run("manage.py", *command, WEDSQL_STATE_DIR=str(tmp_path), **given)
    assert answer.returncode == 1
    assert "DATABASE_URL" in answer.stderr and "Traceback" not in answer.stderr
    assert not (tmp_path / "postgres").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEDSQL_Q_WORKERS", "abc"),
        ("WEDSQL_Q_WORKERS", "0"),
        ("WEDSQL_Q_TIMEOUT", "-1"),
        ("WEDSQL_Q_BATCH", "1e3"),
        ("WEDSQL_Q_MODE", "steps"),
        ("WEDSQL_Q_LOG", "LOUD"),
        ("WEDSQL_PORT", "80800"),
        ("WEDSQL_PROCESS", "king"),
        ("WEDSQL_DEBUG", "maybe"),
        ("WEDSQL_LOG_FORMAT", "xml"),
        ("DATABASE_URL", "postgresql://%zz"),
        ("WEDSQL_STATE_DIR", "/dev/null/state"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: str, tmp_path: Path) -> None:
    answer = run("manage.py", "wedsql", "up", **{"WEDSQL_STATE_DIR": str(tmp_path), name: value})
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr and len(answer.stderr.strip().splitlines()) == 1
    assert (name if name != "DATABASE_URL" else "database URI") in answer.stderr
    assert not (tmp_path / "postgres").exists(), "it is named before a server is installed"


def test_the_web_process_names_a_wrong_value(tmp_path: Path) -> None:
    # With a database: without one the process would start a server, which outlives it.
    given = {"DATABASE_URL": URL, "WEDSQL_STATE_DIR": str(tmp_path), "WEDSQL_Q_WORKERS": "abc"}
    answer = run("-m", "daphne", "wedsql_site.asgi:application", **given)
    assert answer.returncode != 0
    assert "WEDSQL_Q_WORKERS" in answer.stderr and "Traceback" not in answer.stderr


def test_a_state_directory_of_another_user_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(environment.BadEnvironment, match="cannot write"):
        environment.ensure_directory(tmp_path)
