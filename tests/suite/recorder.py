"""A pytest plugin: records outcome and seconds of each test, and runs a sample or a slice of the tests.

`-p tests.suite.recorder --record FILE --sample 6 --slice 2/3`
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addoption("--record", default="", help="the file for outcomes and durations, as JSON")
    parser.addoption("--sample", default=1, type=int, help="every N-th of the tests, and one of each file")
    parser.addoption("--slice", default="1/1", help="K/N: every N-th of the tests, from the K-th on")


def pytest_configure(config: pytest.Config) -> None:
    """Record if a file is named."""
    if file := config.getoption("--record"):
        config.pluginmanager.register(Recorder(Path(file)), "recorder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are not in the sample, and those of other slices."""
    first, number = map(int, config.getoption("--slice").split("/"))
    chosen = sample([item.nodeid for item in items], config.getoption("--sample"))
    mine = [item for item in items if item.nodeid in chosen][first - 1 :: number]
    if left := [item for item in items if item not in set(mine)]:
        config.hook.pytest_deselected(items=left)
    items[:] = mine


def sample(tests: Iterable[str], number: int) -> set[str]:
    """Return every number-th of the tests, chosen by their names, and one of each file."""
    places = {test: zlib.crc32(f"{test} in the sample".encode()) for test in tests}
    first: dict[str, str] = {}
    for test in sorted(places, key=lambda one: (places[one], one)):
        first.setdefault(test.partition("::")[0], test)
    return {test for test, place in places.items() if place % number == 0} | {*first.values()}


class Recorder:
    """Collects the reports of a run and writes them at its end."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the seconds of a phase; the worst outcome of the phases counts."""
        test = self.tests.setdefault(report.nodeid, {"seconds": 0.0, "outcome": "passed"})
        test["seconds"] += report.duration
        if report.failed or (report.skipped and test["outcome"] == "passed"):
            test["outcome"] = report.outcome
        if report.when != "call":
            test[report.when] = report.duration

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be read as a failed test."""
        if report.failed:
            self.tests[report.nodeid] = {"seconds": 0.0, "outcome": "failed"}

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        self.file.write_text(json.dumps(self.tests), encoding="utf-8")
