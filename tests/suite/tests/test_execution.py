"""Runs of shards: what is run a second time, what decides, and what is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite import execution, flakiness, report
from tests.suite.execution import MOST_AGAIN, Result, run_again, run_all
from tests.suite.parts import Part
from tests.suite.shards import Shard

TESTS = """
import pathlib
import pytest

HERE = pathlib.Path(__file__).parent

def second(name):
    seen = HERE / name
    again = seen.exists()
    seen.touch()
    return again

def test_good(): pass
"""
FIRST_ONLY = "def test_first_only(): assert second('a')\n"
ALWAYS = "def test_always(): assert False\n"
KERNEL = "@pytest.mark.kernel\ndef test_of_the_kernel(): assert second('b')\n"
BROKEN = "@pytest.fixture\ndef broken(): assert second('c')\n\ndef test_of_a_fixture(broken): pass\n"


@pytest.fixture
def shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shard:
    """A shard with tests that are not of this checkout."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  kernel: one\n  chaos: another\n")
    monkeypatch.setattr(execution, "CHECKOUT", tmp_path)
    root = Path(__file__).parents[3]
    monkeypatch.setenv("PYTHONPATH", str(root))
    # What the runs below need of pytest is in it, and where memory was taken is not asked.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(execution, "TRACED", {})
    options = ("-p", "no:django", "-c", str(tmp_path / "pytest.ini"))
    return Shard(Part("example", "not chaos", (), options), ["test_it.py"])


def run(shard: Shard, text: str) -> tuple[list[Result], list[str], list[str]]:
    """Run a file with these tests; return the results, what passed alone, and what counts as failed."""
    folder = execution.CHECKOUT
    (folder / "test_it.py").write_text(TESTS + text)
    results = run_all([shard], folder)
    passed, failed = run_again(results, folder)
    return results, names(passed), names(failed)


def names(tests: list[str]) -> list[str]:
    return [test.rpartition("::")[2] for test in tests]


def test_what_passes_alone_does_not_count_at_once(shard: Shard) -> None:
    _, passed, failed = run(shard, FIRST_ONLY + BROKEN)

    assert (passed, failed) == (["test_first_only", "test_of_a_fixture"], [])


def test_what_fails_again_counts_and_so_does_the_kernel(shard: Shard) -> None:
    _, passed, failed = run(shard, FIRST_ONLY + ALWAYS + KERNEL)

    assert (passed, failed) == (["test_first_only"], ["test_always", "test_of_the_kernel"])


def test_many_failures_are_not_run_again(shard: Shard) -> None:
    many = "".join(f"def test_{n}(): assert second('x{n}')\n" for n in range(MOST_AGAIN + 1))

    _, passed, failed = run(shard, many)

    assert (passed, len(failed)) == ([], MOST_AGAIN + 1)


def test_a_file_that_cannot_be_read_fails(shard: Shard) -> None:
    _, passed, failed = run(shard, "syntax error")

    assert (passed, failed) == ([], ["test_it.py"])


def test_a_file_that_cannot_be_read_hides_no_other(shard: Shard) -> None:
    (execution.CHECKOUT / "test_other.py").write_text("def test_other(): pass\n")
    shard.files.append("test_other.py")

    results, _, failed = run(shard, "syntax error")

    assert names(list(results[0].tests)) == ["test_it.py", "test_other"] and failed == ["test_it.py"]


def test_each_test_is_in_one_slice(shard: Shard) -> None:
    many = "".join(f"def test_{n}(): pass\n" for n in range(7))
    found: list[str] = []
    for shard.slice in ("1/3", "2/3", "3/3"):
        found += run(shard, many)[0][0].tests

    assert len(found) == len(set(found)) == 8


def test_a_run_that_ends_without_a_failed_test_is_broken(shard: Shard) -> None:
    (result,), _, _ = run(shard, "import os\ndef test_end(): os._exit(3)\n")

    assert result.broken() and result.code == 3


def test_a_test_is_listed_once_and_fails_the_run_the_second_time(tmp_path: Path) -> None:
    file = tmp_path / "flaky.json"

    assert flakiness.judge(["a::b"], file) == []
    assert list(flakiness.listed(file)) == ["a::b"]
    assert flakiness.judge(["a::b", "c::d"], file) == ["a::b"]
    assert list(flakiness.listed(file)) == ["a::b", "c::d"]


def test_the_report_has_parts_and_slowest_tests_beside_those_of_the_run_before(shard: Shard) -> None:
    results, _, _ = run(shard, "def test_quick(): pass\n")
    now = report.summary(results, 12.0)
    before = {"seconds": 20, "parts": {"example": {"seconds": 7.4}}, "slowest": {}}

    text = report.show(now, before)

    assert now["parts"]["example"]["passed"] == 2
    assert "test_it.py::test_quick" in text
    assert "wall-clock time: 12 s (before: 20)" in text
    assert " 7\n" in text
