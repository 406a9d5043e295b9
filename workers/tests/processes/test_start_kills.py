"""A cluster that is killed at any moment of its start leaves no process behind."""

from __future__ import annotations

import os

import pytest

from testkit.processes import Processes

pytestmark = pytest.mark.slow

# WEDSQL_TEST_KILLS=1000 takes about ten minutes.
KILLS = int(os.environ.get("WEDSQL_TEST_KILLS", "25"))
SEED = int(os.environ.get("WEDSQL_TEST_SEED", "1"))


def test_a_cluster_killed_while_it_starts_leaves_no_orphan(processes: Processes) -> None:
    """Also when a parent dies between its fork and the first hook of its child."""
    starts = processes.start(
        "-m",
        "workers.tests.processes.kill_during_start",
        str(KILLS),
        str(SEED),
        WEDSQL_PROCESS="admin",
        WEDSQL_Q_LOG="CRITICAL",
    )
    starts.wait(60 + 10 * KILLS)
    lines = processes.output().splitlines()
    assert [line for line in lines if line.endswith("left")] == [] and lines[-1] == "done", processes.output()
