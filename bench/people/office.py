"""What the programs of all libraries have in common; it needs nothing but Python.

A program starts instances of a process of five tasks, prints ``ready``, waits for a line, has ten persons in
turns take and complete tasks until the time is over or none is left, and prints how many it was.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator

TASKS = 5
PERSONS = 10


def arguments() -> argparse.Namespace:
    """Parse the options that every program has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--instances", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--mode", default="")
    return parser.parse_args()


def persons() -> Iterator[int]:
    """Yield the numbers of the persons, each in turn, without an end."""
    return itertools.cycle(range(PERSONS))


def perform(work: Callable[[], int], seconds: float) -> None:
    """Call `work`, which performs some tasks and returns how many, until it returns 0 or the time is over."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds and (some := work()):
        done += some
    sys.stdout.write(json.dumps({"tasks": done, "seconds": time.perf_counter() - began}) + "\n")
