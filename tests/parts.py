"""`python -m tests.parts`: run every test, in parts on private servers, two at a time.

The output of each part is printed when it has ended. The exit code is 0 when all parts passed.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from wedsql_site.postgres import binaries

AT_ONCE = 2


@dataclass(frozen=True)
class Part:
    """One run of pytest."""

    name: str
    arguments: tuple[str, ...]

    def run(self) -> tuple[int, str, float]:
        """Return the exit code, the output and the duration in seconds."""
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self.arguments]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=os.environ
        )
        return done.returncode, done.stdout, time.monotonic() - began


def parts() -> list[Part]:
    """Return all parts, the longest first; those on Debian's server only where it is installed."""
    every = ("-m", "not chaos", "--mode", "all")
    hostile = ("--settings", "hostile", "flows/tests/kernel")
    found = [
        Part("flows in every mode", (*every, "flows")),
        Part("site", (*every, "pages", "workers", "monitor", "wedsql_site", "tests", "bench")),
        Part("kernel under hostile settings", hostile),
    ]
    if binaries.from_system():
        found += [
            Part("kernel on Debian's server", ("-m", "kernel", "--pg", "debian")),
            Part("kernel on Debian's server under hostile settings", ("--pg", "debian", *hostile)),
        ]
    return found


def main() -> int:
    """Run all parts and print their output; return 1 when one of them failed or ran no test."""
    waiting: queue.SimpleQueue[Part | None] = queue.SimpleQueue()
    for part in [*parts(), *[None] * AT_ONCE]:
        waiting.put(part)
    lock, failed = threading.Lock(), []

    def work() -> None:
        while part := waiting.get():
            code, output, seconds = part.run()
            with lock:
                print(
                    f"\n== {part.name}: {seconds:.0f} s, exit code {code}\n{_shortened(output)}", flush=True
                )
                if code:
                    failed.append(part.name)

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        print(f"\nFAILED: {', '.join(failed)}")
    return 1 if failed else 0


def _shortened(output: str) -> str:
    """Return the output without the progress lines."""
    return re.sub(r"^[.sxX]+ *\[ *\d+%\]\n", "", output, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
