"""The programs of the supervisor are forks of it: what they share, import, show and leave alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wedsql_site import environment
from workers.tests.processes.test_imports import needless

# Prints what the supervisor's modules bring with them.
SHARED = """
import sys
from wedsql_site.supervisor import preload
preload.import_all()
from django.apps import apps
from django.conf import settings
assert not settings.configured and not apps.ready
print(*sys.modules)
"""

# What workers share with the web process, though only that needs it.
SHARED_WITH_PAGES = (
    "django.contrib.admin",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
)

# A fork shows another command and environment.
RENAMED = """
import os, pathlib, sys
from wedsql_site.supervisor import title
shown = {**os.environ, "WEDSQL_SUPERVISED": "worker@" + "x" * int(sys.argv[1])}
os.environ.clear()
done = title.replace(("wedsql", "worker"), shown, ["WEDSQL_SUPERVISED"])
read = lambda name: pathlib.Path(f"/proc/self/{name}").read_bytes().rstrip(b"\\0").decode().split("\\0")
print(done, read("cmdline"), "WEDSQL_SUPERVISED=" + shown["WEDSQL_SUPERVISED"] in read("environ"))
print("LARGE=" in " ".join(read("environ")))
"""


def python(code: str, *arguments: str, **variables: str) -> list[str]:
    """Return the lines that a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=environment.CHECKOUT,
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def test_the_supervisor_shares_modules_that_need_no_settings() -> None:
    modules = set(python(SHARED)[0].split())
    assert {"django.db.backends.postgresql.base", "psycopg_binary", "flows.api"} <= modules
    assert [name for name in needless(modules) if not name.startswith(SHARED_WITH_PAGES)] == []


def test_the_bytecode_of_every_program_is_written(tmp_path: Path) -> None:
    places = {"WEDSQL_STATE_DIR": str(tmp_path / "var"), "PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "wedsql_site.supervisor.bytecode"]
    done = subprocess.run(
        command, cwd=environment.CHECKOUT, env=places, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = {path.relative_to(tmp_path / "cache").as_posix() for path in tmp_path.rglob("*.pyc")}
    for module in (
        "wedsql_site/urls",
        "workers/djangoq/tasks",
        "workers/reaper/rounds",
        "wedsql_site/supervisor/loop",
    ):
        assert any(f"/{module}." in f"/{path}" for path in written), module
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize("length", [8, 400])
def test_a_fork_shows_its_command_and_its_mark(length: int) -> None:
    shown = python(RENAMED, str(length), LARGE="l" * 500, SPARE="s" * 100)
    assert shown == ["True ['wedsql', 'worker'] True", str(length == 8)]


def test_a_fork_that_cannot_show_its_mark_says_so_and_changes_nothing() -> None:
    shown = python(RENAMED, "400", LARGE="l" * 10)
    assert shown[0].startswith("False ['") and shown[0].endswith("False") and shown[1] == "True"
