"""A pytest plugin: records outcome and seconds of each test, and chooses those of a place and of a slice.

`-p tests.suite.recorder --record FILE --share elsewhere --slice 2/3`
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

SHARED = "flows/tests/kernel/"
ONE_IN = 6


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addoption("--record", default="", help="the file for outcomes and durations, as JSON")
    parser.addoption(
        "--share", default="all", choices=["all", "here", "elsewhere"],
        help="the tests that are run on the usual server, or those that are run on another one",
    )  # fmt: skip
    parser.addoption("--slice", default="1/1", help="K/N: every N-th of the tests, from the K-th on")


def pytest_configure(config: pytest.Config) -> None:
    """Record if a file is named."""
    if file := config.getoption("--record"):
        config.pluginmanager.register(Recorder(Path(file)), "recorder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are run elsewhere, and those of other slices."""
    first, number = map(int, config.getoption("--slice").split("/"))
    share = config.getoption("--share")
    chosen = [item for item in items if share == "all" or elsewhere(item) == (share == "elsewhere")]
    mine = chosen[first - 1 :: number]
    if left := [item for item in items if item not in set(mine)]:
        config.hook.pytest_deselected(items=left)
    items[:] = mine


def elsewhere(item: pytest.Item) -> bool:
    """Return whether the short run has this test on another server: one in ONE_IN of the kernel's."""
    anywhere = item.nodeid.startswith(SHARED) and not item.get_closest_marker("cost")
    return anywhere and zlib.crc32(f"{item.nodeid} elsewhere".encode()) % ONE_IN == 0


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
