"""The short, seeded part of the persons' fault: twenty work while the site and the server end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module

import pytest

from chaos.faults.f4_server import kill_and_start
from chaos.persons import SECRETS, Answers
from chaos.run import Row, Run
from chaos.template import prepared
from testkit.server import new_directory
from testkit.waiting import until
from wedsql_site import environment

fault = import_module("chaos.faults.persons")
pytestmark = pytest.mark.slow


@pytest.fixture
def run() -> Iterator[Run]:
    place = new_directory("wedsql-chaos-test-")
    made = Run(7, place, prepared(place))
    yield made
    made.template.remove()
    shutil.rmtree(place, ignore_errors=True)


def test_the_harness_names_an_unknown_fault() -> None:
    """Nothing that it imports needs the settings of a site."""
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-m", "chaos", "--only", "nothing"],
        cwd=environment.CHECKOUT, env=env, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 2 and "There is no fault nothing" in done.stdout, done.stderr


def test_nothing_of_what_persons_do_is_lost(run: Run) -> None:
    """The site ends while requests are in progress, as it is asked to, and the server is killed."""
    secrets = json.loads((fault.secrets_of(run) / SECRETS).read_text())
    row, answers = Row("persons"), Answers()
    with run.system(row, programs=fault.PROGRAMS, rate=1.0, designer=0) as system:
        with fault.working(system, answers, secrets) as arrivals:
            until(lambda: len(answers.completed) > 20, 60)
            web = system.programs["web"].pid
            system.programs["web"].send(signal.SIGTERM)
            row.injection(lambda: system.until(lambda: system.programs["web"].pid != web, 30, "web"), "TERM")
            row.injection(lambda: kill_and_start(system), "kill -9 of the server")
            time.sleep(2)
            arrivals.stop()
            fault.drained(system, row)
        fault.judge(system, row, answers)
    assert row.good, row.notes
    assert (row.recovered, row.lost, row.twice) == (2, 0, 0)
    assert len({one[0] for one in answers.completed}) == len(answers.completed) > 20
