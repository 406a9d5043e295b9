"""The files of deploy/ refer to existing files and settings, and the processes of compose.yaml run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from testkit.processes import free_port
from wedsql_site import environment, postgres
from wedsql_site.postgres import binaries

DEPLOY = environment.CHECKOUT / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
OPERATING = (environment.CHECKOUT / "docs" / "operating.md").read_text(encoding="utf-8")
UNIT = (DEPLOY / "wedsql.service").read_text(encoding="utf-8")
GIVEN = {"POSTGRES_PASSWORD": "p1", "ROLE_PASSWORD": "p2", "WEDSQL_SECRET_KEY": "k" * 60}
_WAIT_SECONDS = 60.0


def services(server: str = "@database/wedsql") -> dict[str, Any]:
    """Return the services with their variables filled in, and their database at `server`."""

    def value(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        return GIVEN[name] if default == ":?" else GIVEN.get(name, default.removeprefix(":-"))

    text = re.sub(r"\$\{(\w+)(:\?|:-[^}]*)\}", value, COMPOSE.read_text(encoding="utf-8"))
    found: dict[str, Any] = yaml.safe_load(text.replace("@database/wedsql", server))["services"]
    return found


@pytest.mark.parametrize("name", ["install", "web", "worker", "reaper"])
def test_every_variable_is_a_setting(name: str) -> None:
    """operating.md explains it (a role's URL as DATABASE_URL_WEB, `_WORKER`)."""
    explained = set(re.findall(r"\b[A-Z][A-Z_]+\b", OPERATING))
    for variable in services()[name]["environment"]:
        assert variable in explained or variable.removeprefix("DATABASE_URL") in explained


def test_the_image_is_made_of_what_exists() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert [name for names in copied for name in names if not (environment.CHECKOUT / name).exists()] == []
    project = tomllib.loads((environment.CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (entry,) = [line for line in lines if line.startswith("ENTRYPOINT")]
    assert yaml.safe_load(entry.split(maxsplit=1)[1])[0] in project["scripts"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    """Uses the command of this checkout in place of the installed one, which must exist."""
    unit = tmp_path / "wedsql.service"
    command = f"{sys.executable} -m wedsql_site wedsql up"
    unit.write_text(re.sub(r"(?m)^ExecStart=.*", f"ExecStart={command}", UNIT).replace("User=wedsql\n", ""))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert "wedsql.service" not in done.stderr, done.stderr
    assert done.returncode == 0
    grace = re.search(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert grace and int(grace[1]) >= 2 * environment.STOP_GRACE
    assert re.search(r"^KillMode=mixed$", UNIT, re.MULTILINE)


@pytest.fixture
def server(fresh: postgres.Cluster) -> postgres.Cluster:
    """A separate PostgreSQL with the superuser of compose.yaml; the database is `wedsql`."""
    postgres.ensure_running(fresh)
    with psycopg.connect(fresh.dsn(), autocommit=True) as conn:
        conn.execute("create role postgres superuser login")
    return fresh


def command(service: dict[str, Any], port: int) -> list[str]:
    """Return the command of the container, with the programs of this checkout."""
    wedsql = [sys.executable, "-c", "from wedsql_site.command_line import wedsql; wedsql()"]
    programs = {"python": [sys.executable], "psql": [str(binaries.find() / "psql")]}
    first, *rest = service.get("entrypoint", ["wedsql"])
    arguments = [*programs.get(first, wedsql), *rest, *service["command"]]
    return [{"0.0.0.0": "127.0.0.1", "8000": str(port)}.get(word, word) for word in arguments]  # noqa: S104


def environ(service: dict[str, Any], state: Path) -> dict[str, str]:
    ours = ("WEDSQL_", "DATABASE_", "DJANGO_", "Q_CLUSTER")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return clean | {"WEDSQL_STATE_DIR": str(state)} | service.get("environment", {})


@pytest.mark.slow
def test_the_processes_of_compose_run_each_as_its_role(
    server: postgres.Cluster, tmp_path: Path, until: Callable[..., None]
) -> None:
    found, port = services(f"@/wedsql?host={server.socket}"), free_port()
    started = []
    try:
        for name in ("install", "passwords", "web", "worker", "reaper"):
            log = tmp_path / f"{name}.log"
            with log.open("wb") as out:
                process = subprocess.Popen(
                    command(found[name], port), env=environ(found[name], tmp_path / "state"),
                    cwd=environment.CHECKOUT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                )  # fmt: skip
            if name in ("install", "passwords"):
                assert process.wait(_WAIT_SECONDS) == 0, log.read_text()
            else:
                started.append(process)
        until(lambda: ready(port), "the web process answers", _WAIT_SECONDS)
        roles = {"wed_web", "wed_worker", "wed_reaper"}
        until(lambda: connected(server) >= roles, "each process is connected as its role", _WAIT_SECONDS)
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(_WAIT_SECONDS)


def ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def connected(server: postgres.Cluster) -> set[str]:
    with psycopg.connect(server.dsn()) as conn:
        return {name for (name,) in conn.execute("select distinct usename from pg_stat_activity")}
