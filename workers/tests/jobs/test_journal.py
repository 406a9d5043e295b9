"""The notes of a process outlive it, and are read once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workers.recovery.dead_workers import dead_journals
from workers.recovery.journal import Journal, Note

_VICTIM = """
import os, sys, time
from pathlib import Path
from workers.recovery.journal import Journal
journal = Journal(Path(sys.argv[1]))
journal.hold(b"orders", [(1, 10, 100), (2, 20, 200)])
journal.begin(b"orders", 10, 1, 100, None)
if sys.argv[2] == "ended":
    journal.end(); journal.hold(b"orders", ())
print("noted", flush=True)
os.read(0, 1) if sys.argv[2] != "closed" else journal.close()
"""


def journaling_process(folder: Path, how: str = "running") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _VICTIM, str(folder), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline() == b"noted\n"
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_the_notes_of_a_killed_process_are_read_by_one(tmp_path: Path) -> None:
    process = journaling_process(tmp_path)
    assert list(dead_journals(tmp_path)) == [], "the living are left alone"
    kill(process)
    ((path, notes),) = list(dead_journals(tmp_path))
    assert notes == [Note("orders", 1, 10, 100, True), Note("orders", 2, 20, 200, False)]
    assert [again for again, _ in dead_journals(tmp_path)] == [path], "it comes back until it is removed"
    path.unlink()
    assert list(dead_journals(tmp_path)) == []


def test_an_idle_process_leaves_no_notes_and_an_orderly_one_no_file(tmp_path: Path) -> None:
    kill(journaling_process(tmp_path, "ended"))
    ((path, notes),) = list(dead_journals(tmp_path))
    assert notes == []
    path.unlink()
    journaling_process(tmp_path, "closed").communicate()
    assert list(tmp_path.iterdir()) == []


def test_a_pid_that_is_used_again_is_another_process(tmp_path: Path) -> None:
    process = journaling_process(tmp_path)
    kill(process)
    (path,) = tmp_path.glob("*.job")
    path.rename(tmp_path / f"{os.getpid()}-1.job")  # this pid, but another start time
    ((_, notes),) = list(dead_journals(tmp_path))
    assert notes[0].job_id == 10


def test_a_torn_file_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "999999999-5.job").write_bytes(b"half")
    ((_, notes),) = list(dead_journals(tmp_path))
    assert notes == []


@pytest.mark.parametrize(("late", "expected"), [(5.0, True), (0.0, False)])
def test_overdue(tmp_path: Path, late: float, expected: bool) -> None:
    journal = Journal(tmp_path)
    journal.begin(b"f", 1, 1, None, time.monotonic() - late)
    assert Journal.overdue(tmp_path, os.getpid(), grace=3.0) is expected
    journal.end()
    assert not Journal.overdue(tmp_path, os.getpid(), grace=3.0)
    journal.close()
    assert not Journal.overdue(tmp_path, os.getpid(), grace=3.0)
