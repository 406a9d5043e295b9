"""An interrupted run goes on with what has not ended at the same commit, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite import interruption
from tests.suite.execution import Result
from tests.suite.parts import Part
from tests.suite.shards import Shard

PART = Part("pages", "not kernel", ("pages",), ("--mode", "one"))
GOOD = {"test_a": {"outcome": "passed", "seconds": 1.5}}
BAD = {"test_a": {"outcome": "failed", "seconds": 1.5}}


def shard(**others: object) -> Shard:
    return Shard(**{"part": PART, "files": ["a.py", "b.py"], "slice": "1/2"} | others)  # type: ignore[arg-type]


@pytest.mark.parametrize("code, tests", [(0, GOOD), (1, BAD)])
def test_a_shard_that_ended_is_read_with_its_tests(code: int, tests: dict, tmp_path: Path) -> None:  # type: ignore[type-arg]
    interruption.keep(Result(shard(), code, 12.5, tests, "text"), "abc", tmp_path)

    found = interruption.kept([shard(), shard(slice="2/2")], "abc", tmp_path)

    assert found == [Result(shard(), code, 12.5, tests, "text")]


@pytest.mark.parametrize("code, tests", [(-9, GOOD), (2, GOOD), (2, BAD), (5, {}), (0, {})])
def test_a_shard_that_was_broken_off_is_run_again(code: int, tests: dict, tmp_path: Path) -> None:  # type: ignore[type-arg]
    interruption.keep(Result(shard(), code, 1.0, tests), "abc", tmp_path)

    assert interruption.kept([shard()], "abc", tmp_path) == []


@pytest.mark.parametrize("kept, asked", [("abc", "abd"), ("abc-dirty", "abc-dirty"), ("abc-dirty", "abc")])
def test_another_commit_or_changed_files_start_afresh(kept: str, asked: str, tmp_path: Path) -> None:
    interruption.keep(Result(shard(), 0, 1.0, GOOD), kept, tmp_path)

    assert interruption.kept([shard()], asked, tmp_path) == []


@pytest.mark.parametrize(
    "other", [{"slice": "2/2"}, {"files": ["a.py"]}, {"part": Part("pages", "not kernel", ("pages",))}]
)
def test_another_cut_is_another_shard(other: dict[str, object], tmp_path: Path) -> None:
    interruption.keep(Result(shard(), 0, 1.0, GOOD), "abc", tmp_path)

    assert interruption.kept([shard(**other)], "abc", tmp_path) == []


def test_what_was_kept_is_forgotten(tmp_path: Path) -> None:
    interruption.keep(Result(shard(), 0, 1.0, GOOD), "abc", tmp_path)

    interruption.forget(tmp_path)

    assert interruption.kept([shard()], "abc", tmp_path) == []
