"""A terminated `python -m chaos.mutate` also ends its server and deletes its files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wedsql_site import environment, postgres
from wedsql_site.postgres import process
from wedsql_site.tests.conftest import new_place

pytestmark = pytest.mark.slow
MADE = "wedsql-mutate-*/postgres"


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory for temporary files, whose servers are stopped afterwards."""
    found = new_place()
    yield found
    for each in found.glob(MADE):
        postgres.reset(postgres.Cluster(each))
    shutil.rmtree(found, ignore_errors=True)


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_its_server_ends_with_it(number: signal.Signals, home: Path) -> None:
    command = [sys.executable, "-m", "chaos.mutate", "--only", "claim at completion"]
    env = os.environ | {"TMPDIR": str(home)}
    with subprocess.Popen(command, env=env, cwd=environment.CHECKOUT) as run:
        cluster = _its_cluster(run, home)
        run.send_signal(number)
        assert run.wait(60) not in {0, 1, 2}, "it was terminated while it ran"
    assert process.survivors(cluster) == [] and list(home.iterdir()) == []


def _its_cluster(run: subprocess.Popen[bytes], home: Path) -> postgres.Cluster:
    """Return the cluster of the run as soon as it accepts connections."""
    until = time.monotonic() + 60
    while time.monotonic() < until and run.poll() is None:
        for each in home.glob(MADE):
            cluster = postgres.Cluster(each)
            if postgres.is_running(cluster):
                return cluster
        time.sleep(0.05)
    raise AssertionError("its server does not start")
