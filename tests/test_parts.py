"""Runs of parts of the suite: what is run a second time, and what decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts import MOST_AGAIN, Part, run_all

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


def part(folder: Path, text: str) -> Part:
    """Return a part with these tests, which are not of this checkout."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  kernel: one\n  chaos: another\n")
    (folder / "test_it.py").write_text(TESTS + text)
    arguments = ("-p", "no:django", "-c", str(folder / "pytest.ini"), str(folder))
    return Part("example", "not chaos", arguments, folder / "cache")


def test_what_passes_alone_does_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all([part(tmp_path, FIRST_ONLY + BROKEN)]) == []

    printed = capsys.readouterr().out
    assert "== example, again: " in printed
    passed = [line for line in printed.splitlines() if line.startswith("FAILED AT FIRST, passed alone: ")]
    assert [line.rpartition("::")[2] for line in passed] == ["test_first_only", "test_of_a_fixture"]


def test_what_fails_again_counts_and_so_does_the_kernel(tmp_path: Path) -> None:
    found = part(tmp_path, FIRST_ONLY + ALWAYS + KERNEL)

    assert run_all([found]) == ["example"]

    assert {name.rpartition("::")[2] for name in found.failed()} == {"test_always", "test_of_the_kernel"}


@pytest.mark.parametrize("text", [KERNEL, "syntax error"])
def test_a_failure_without_a_second_run_counts(tmp_path: Path, text: str) -> None:
    assert run_all([part(tmp_path, text)]) == ["example"]


def test_many_failures_are_not_run_again(tmp_path: Path) -> None:
    many = "".join(f"def test_{n}(): assert second('x{n}')\n" for n in range(MOST_AGAIN + 1))

    assert run_all([part(tmp_path, many)]) == ["example"]


def test_a_part_without_tests_fails(tmp_path: Path) -> None:
    found = part(tmp_path, "")
    found.marks = "chaos"

    assert run_all([found]) == ["example"]
