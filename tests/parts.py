"""`python -m tests.parts`: run every test, in parts on private servers, several at a time.

The output of each part is printed when it has ended. When all have ended, the tests that failed are run
again, alone: a browser that got no processor for seconds says nothing about the product. Both results are
printed. A test of the kernel has no second run. The exit code is 0 when nothing failed after that.

The kernel is tested on the server of the product, and on Debian's under hostile settings. `--long` adds each
of the two alone, which says what the cause of a failure is.
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from wedsql_site.postgres import binaries

# Tests of processes and browsers wait more than they compute.
AT_ONCE = 3
# More failures than this have one cause, which a second run does not remove.
MOST_AGAIN = 10


@dataclass
class Part:
    """One run of pytest. `cache` is a folder of its own for the record of failed tests."""

    name: str
    marks: str
    arguments: tuple[str, ...]
    cache: Path

    def run(self) -> int:
        """Run all tests, print the output and return the exit code."""
        return self._pytest(self.name, self.marks)

    def run_again(self) -> int:
        """Run what failed again, without tests of the kernel; return 0 when nothing failed is left."""
        before = self.failed()
        if not 0 < len(before) <= MOST_AGAIN:
            return 1
        code = self._pytest(f"{self.name}, again", f"({self.marks}) and not kernel", "--lf", "--lfnf", "none")
        left = self.failed()
        for test in sorted(before - left):
            print(f"FAILED AT FIRST, passed alone: {test}", flush=True)
        return 1 if left else code

    def failed(self) -> set[str]:
        """Return the tests that failed in the last run that had them."""
        file = self.cache / "v/cache/lastfailed"
        return set(json.loads(file.read_text())) if file.exists() else set()

    def _pytest(self, title: str, marks: str, *more: str) -> int:
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={self.cache}", "-m", marks]
        done = subprocess.run(
            [*command, *self.arguments, *more],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=os.environ,
        )  # fmt: skip
        seconds = time.monotonic() - began
        print(
            f"\n== {title}: {seconds:.0f} s, exit code {done.returncode}\n{_shortened(done.stdout)}",
            flush=True,
        )
        return done.returncode


def parts(folder: Path, long: bool = False) -> list[Part]:
    """Return all parts, the longest first; those on Debian's server only where it is installed.

    folder: where they keep the records of failed tests.
    long: whether to test Debian's server and hostile settings each alone, too.
    """
    every = ("--mode", "all")
    hostile = ("--settings", "hostile")
    debian = ("--pg", "debian") if binaries.from_system() else ()
    found = [
        ("kernel in every mode", "kernel", (*every, "flows")),
        ("browsers", "not chaos and not isolation", (*every, "tests", "bench")),
        ("kernel elsewhere", "kernel and not cost", (*debian, *hostile, "flows/tests/kernel")),
        ("processes", "not chaos", ("workers", "wedsql_site")),
        ("pages and commands", "not chaos and not kernel", ("flows", "pages", "monitor")),
        ("orders of commits", "isolation", (*every, "tests")),
    ]
    if debian:  # the tests that read the values of times by Django have no hostile settings
        rest = ("--ignore", "flows/tests/kernel", "flows", "tests")
        found.append(("definitions elsewhere", "kernel and not cost and not isolation", (*debian, *rest)))
    if long and debian:
        found += [
            ("kernel on Debian's server", "kernel and not cost", debian),
            ("kernel under hostile settings", "kernel", (*hostile, "flows/tests/kernel")),
        ]
    return [Part(*each, folder / str(number)) for number, each in enumerate(found)]


def run_all(wanted: list[Part]) -> list[str]:
    """Run the parts, and what failed again; return the names of the parts with failures that are left."""
    waiting: queue.SimpleQueue[Part | None] = queue.SimpleQueue()
    for part in [*wanted, *[None] * AT_ONCE]:
        waiting.put(part)
    failed: list[Part] = []

    def work() -> None:
        while part := waiting.get():
            if part.run():
                failed.append(part)

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [part.name for part in failed if part.run_again()]


def main() -> int:
    """Run all parts and print their output; return 1 when one of them failed or ran no test."""
    with tempfile.TemporaryDirectory() as folder:
        failed = run_all(parts(Path(folder), "--long" in sys.argv[1:]))
    if failed:
        print(f"\nFAILED: {', '.join(failed)}")
    return 1 if failed else 0


def _shortened(output: str) -> str:
    """Return the output without the progress lines."""
    return re.sub(r"^[.sxX]+ *\[ *\d+%\]\n", "", output, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
