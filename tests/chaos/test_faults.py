"""The short, seeded part of `make chaos`: processes and the server die under load, nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.faults.f2_processes import VICTIMS, strike
from chaos.faults.f4_server import kill_and_start
from chaos.rng import rng
from chaos.run import Row, Run
from chaos.template import prepared
from testkit.server import Server, new_directory

pytestmark = pytest.mark.slow

SEEDS = [
    int(line)
    for line in Path(__file__).with_name("seeds.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
STRIKES = 3


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    place = new_directory("wedsql-chaos-test-")
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def template(home: Path) -> Iterator[Server]:
    """A migrated cluster of the harness, not shared because it is killed."""
    server = prepared(home)
    yield server
    server.remove()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost(seed: int, home: Path, template: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill three processes and then the whole server in one system."""
    monkeypatch.setenv("CHAOS_SEED", str(seed))
    place = home / f"seed-{seed}"
    place.mkdir(mode=0o711)
    row = Row("short")
    with Run(seed, place, template).system(row) as system:
        for name, part, number in rng("short").sample(VICTIMS, STRIKES):
            strike(system, row, name, part, number)
        row.injection(lambda: kill_and_start(system), "kill -9 of the server")
    assert row.good, row.notes
    assert row.injected == row.recovered == STRIKES + 1
    assert (row.lost, row.twice, row.invariants) == (0, 0, 13)
    assert row.finished > 0
