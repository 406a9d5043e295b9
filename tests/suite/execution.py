"""Runs shards as processes of pytest, several at a time, and what failed a second time."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.suite.parts import CHECKOUT, Part
from tests.suite.shards import Shard

# Tests of processes and browsers wait more than they compute.
AT_ONCE = 4
NO_TESTS = 5  # pytest's exit code
# The second run of a test prints where a socket or a file was opened that nothing has closed.
TRACED = {"PYTHONTRACEMALLOC": "12"}
# More failures than this have one cause, which a second run does not remove.
MOST_AGAIN = 10


@dataclass
class Result:
    """What a shard did: exit code, wall-clock and processor seconds, its tests, and its output."""

    shard: Shard
    code: int
    seconds: float
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    output: str = ""

    def count(self, outcome: str) -> int:
        """Return how many tests ended so."""
        return sum(test["outcome"] == outcome for test in self.tests.values())

    def failed(self) -> list[str]:
        """Return the tests that failed."""
        return [name for name, test in self.tests.items() if test["outcome"] == "failed"]

    def broken(self) -> bool:
        """Return whether the run itself failed, beside what its tests did."""
        return self.code not in (0, NO_TESTS) and not self.failed()


def run_pytest(shard: Shard, tests: Sequence[str], folder: Path, number: int, **environ: str) -> Result:
    """Run these tests, or files, with the options of the shard's part, and more in the environment."""
    record = folder / f"{number}.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.suite.recorder"]
    own = ["--record", str(record), "--slice", shard.slice, "-m", shard.part.marks, *shard.part.options]
    own.append("--continue-on-collection-errors")  # a file that cannot be imported hides no other
    began = time.monotonic()
    printed = folder / f"{number}.txt"  # a pipe would wake this process for each test
    with printed.open("wb") as output_file:
        done = subprocess.run(
            [*command, *own, *tests],
            cwd=CHECKOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"} | environ, stdin=subprocess.DEVNULL,
            stdout=output_file, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    recorded = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    output = printed.read_text(encoding="utf-8", errors="replace")
    output = re.sub(r"^[.sxX]+ *\[ *\d+%\]\n", "", output, flags=re.MULTILINE)
    return Result(shard, done.returncode, time.monotonic() - began, recorded, output)


def run_command(shard: Shard) -> Result:
    """Run the command of a shard; it counts as one test."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *shard.files[0].split()],
        cwd=CHECKOUT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    seconds = time.monotonic() - began
    tests = {shard.files[0]: {"seconds": seconds, "outcome": "failed" if done.returncode else "passed"}}
    return Result(shard, done.returncode, seconds, tests, done.stdout)


def run_all(
    shards: Sequence[Shard],
    folder: Path,
    at_once: int = AT_ONCE,
    ended: Callable[[Result], object] = lambda _result: None,
) -> list[Result]:
    """Run the shards in this order and return their results; each is printed, and given to `ended`."""
    waiting: queue.SimpleQueue[tuple[int, Shard] | None] = queue.SimpleQueue()
    for each in [*enumerate(shards), *[None] * at_once]:
        waiting.put(each)
    results: list[Result] = []

    def work() -> None:
        while found := waiting.get():
            number, shard = found
            done = (
                run_command(shard) if shard.part.commands else run_pytest(shard, shard.files, folder, number)
            )
            results.append(done)
            _print(done, len(results), len(shards))
            ended(done)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def run_again(results: Sequence[Result], folder: Path) -> tuple[list[str], list[str]]:
    """Run the tests that failed alone; return those that passed now, and those that count as failed.

    A test of the kernel has no second run, and neither have many failures at once.
    """
    passed: list[str] = []
    failed: list[str] = []
    by_part: dict[Part, list[str]] = {}
    for result in results:
        by_part.setdefault(result.shard.part, []).extend(result.failed())
    for number, (part, tests) in enumerate(by_part.items()):
        if part.commands or not 0 < len(tests) <= MOST_AGAIN:
            failed += tests
            continue
        alone = Part(part.name, f"({part.marks}) and not kernel", part.places, part.options)
        again = run_pytest(Shard(alone, tests), tests, folder, 10_000 + number, **TRACED)
        good = [test for test in tests if again.tests.get(test, {}).get("outcome") == "passed"]
        print(f"\n== {part.name}, again: {len(good)} of {len(tests)} passed\n{again.output}", flush=True)
        passed += good
        failed += [test for test in tests if test not in good]
    return passed, failed


def _print(result: Result, done: int, number: int) -> None:
    ended = {outcome: result.count(outcome) for outcome in ("passed", "failed", "skipped")}
    counts = ", ".join(f"{number} {outcome}" for outcome, number in ended.items() if number)
    print(f"[{done}/{number}] {result.shard.name}: {counts or 'no test'}, {result.seconds:.0f} s", flush=True)
    if result.failed() or result.broken():
        print(f"exit code {result.code}\n{result.output}", flush=True)
