"""A peer that cannot run is reported with the reason, never skipped silently."""

from __future__ import annotations

from typing import Any

import pytest

from bench import contest
from bench.contenders.base import Contender
from bench.contest import Contest, Plan
from bench.results import Results

PLAN = Plan(rounds=2, limit=1.0, floor_seconds=1.0, quick=True)


class NeverInstalled(Contender):
    name = "never-installed"
    label = "never installed"
    kind = "peer"
    distributions = ("there-is-no-such-distribution",)


class Breaks(Contender):
    name = "breaks"
    label = "breaks"
    kind = "peer"

    def prepare(self, cluster: Any) -> str:
        raise ValueError("its schema cannot be made")


class StillFloor:
    """The floor without a server: only the bookkeeping around it is tested here."""

    def __init__(self, cluster: Any) -> None:
        self.calls: list[int] = []

    def rate(self, clients: int, seconds: float, script: str = "") -> float:
        self.calls.append(clients)
        return 8000.0


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setattr(contest, "Floor", StillFloor)
    found = Results({})
    Contest(None, [NeverInstalled(), Breaks()], PLAN, found).run()  # type: ignore[arg-type]
    return found


def test_an_absent_distribution_is_named(results: Results) -> None:
    assert results.failures["never-installed"] == "not installed: there-is-no-such-distribution"


def test_an_error_is_reported_and_the_run_goes_on(results: Results) -> None:
    assert results.failures["breaks"] == "ValueError: its schema cannot be made"
    assert {floor["round"] for floor in results.floors} == {1, 2}
