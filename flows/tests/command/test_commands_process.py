"""The commands as processes: output and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]


def run(dsn: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": dsn}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def url(dsn: str) -> str:
    """Return the URL of the test database, for DATABASE_URL."""
    from psycopg.conninfo import conninfo_to_dict

    facts = conninfo_to_dict(dsn)
    return f"postgresql://{facts['user']}@/{facts['dbname']}?host={facts['host']}"


def test_exit_codes_and_streams(url: str, flow: str) -> None:
    done = run(url, "flow", "load", "workers/demo/flows/fig2.sql", "--flow", flow)
    assert (done.returncode, done.stderr) == (0, "")

    refused = run(url, "startinstance", flow, "nowhere=1")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "nowhere" in refused.stderr and "Traceback" not in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1

    usage = run(url, "startinstance", flow, "nothing")
    assert usage.returncode == 2
    assert run(url, "startinstance").returncode == 2

    started = run(url, "startinstance", flow, "--json")
    assert json.loads(started.stdout)["fired"] == ["tr_a2", "tr_a3"]


def test_a_database_that_is_gone_is_one_sentence() -> None:
    gone = run("postgresql://wed@/nowhere?host=/nonexistent", "flow", "list")

    assert gone.returncode == 1
    assert "Traceback" not in gone.stderr
    assert "DATABASE_URL" in gone.stderr
    assert len(gone.stderr.strip().splitlines()) == 1
