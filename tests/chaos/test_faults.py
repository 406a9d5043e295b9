"""The short, seeded part of `make chaos`: processes and the server die under load, nothing is lost."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.faults import FAULTS
from chaos.run import Row, Run
from chaos.server import Server, prepared

pytestmark = pytest.mark.slow

SEEDS = [
    int(line)
    for line in Path(__file__).with_name("seeds.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
SHORT = 0.06


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="wedsql-chaos-test-"))
    place.chmod(0o711)
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def template(home: Path) -> Iterator[Server]:
    """A migrated cluster of the harness; its own, because it is killed."""
    server = prepared(home)
    yield server
    server.remove()


@pytest.mark.parametrize("key", ["f2", "f4"])
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost(
    key: str, seed: int, home: Path, template: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAOS_SEED", str(seed))
    place = home / f"{key}-{seed}"
    place.mkdir(mode=0o711)
    title, fault = FAULTS[key]
    row = Row(title)
    fault(Run(seed, place, template, SHORT), row)
    assert row.good, row.notes
    assert row.injected == row.recovered > 0
    assert (row.lost, row.twice, row.invariants) == (0, 0, 8)
    assert row.finished > 0
