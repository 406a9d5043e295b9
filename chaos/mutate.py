"""`python -m chaos.mutate`: remove the kernel's guards, one at a time, and run the tests of each.

A guard is untested if no test fails without it. Every mutation changes the text of an installed function (or
drops an object) and names tests of the suite; one of them must fail on the changed kernel, and all must pass
on the unchanged one. With --machine there is one test for all: the state machine.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from types import FrameType
from xml.etree import ElementTree

import psycopg
from psycopg.conninfo import make_conninfo

from chaos import machine
from chaos.mutants import mutations_machine
from chaos.mutants.mutation import Mutation, apply, pytest_id, read
from chaos.run import print_line
from testkit import kernel_db
from testkit.server import SETTINGS, Server, new_directory
from wedsql_site import environment

# Error names that show that a change is not valid SQL.
_BROKEN = ("SyntaxError", "Undefined", "InvalidColumn", "FeatureNotSupported")


def main() -> int:
    """Return 1 when a mutation survives, 2 when one cannot be judged."""
    parser = argparse.ArgumentParser(prog="chaos.mutate", description=__doc__)
    parser.add_argument("--only", default="", help="mutations whose name has this word")
    parser.add_argument("--file", default="", help="mutations of files whose name has this word: recovery")
    parser.add_argument("--sample", type=int, help="only so many, which --seed chooses")
    parser.add_argument("--machine", action="store_true", help="mendings that the state machine must miss")
    parser.add_argument("--seed", type=int, default=0, help="of the state machine and of --sample")
    asked = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, _end)
    with Server(new_directory("wedsql-mutate-"), SETTINGS | {"fsync": "off"}) as server:
        if asked.machine:
            fixes = [m for m in mutations_machine.MUTATIONS if asked.only in m.fix]
            return machine.run(server.dsn(), fixes, asked.seed)
        return run(server.dsn(), chosen(asked))


def chosen(asked: argparse.Namespace) -> list[Mutation]:
    """Return the mutations that the arguments ask for, in the order of the files."""
    found = [each for each in read(asked.file) if asked.only in each.guard]
    if asked.sample is None or asked.sample >= len(found):
        return found
    places = Random(asked.seed).sample(range(len(found)), asked.sample)  # noqa: S311
    return [found[place] for place in sorted(places)]


def _end(number: int, _frame: FrameType | None) -> None:
    """Exit through every `finally`, so that the server ends with this process."""
    sys.exit(128 + number)


def run(dsn: str, wanted: Sequence[Mutation]) -> int:
    """Run every mutation on this server and print the table; return the exit code."""
    begun = time.monotonic()
    width = max(len(mutation.guard) for mutation in wanted)
    with kernel_db.database(uri=dsn) as kernel:
        outcomes = [judge_unchanged(kernel, wanted)]
        for mutation in wanted:
            outcome, why = verdict(kernel, mutation)
            print_line(f"{mutation.guard.ljust(width)}  {outcome.ljust(9)} {why}")
            outcomes.append(outcome)
    print_line(f"\n{outcomes.count('killed')} of {len(wanted)} killed, {time.monotonic() - begun:.0f} s")
    return 2 if {"not found", "broken", "red anyway"} & {*outcomes} else int("survived" in outcomes)


def judge_unchanged(kernel: str, wanted: Sequence[Mutation]) -> str:
    """Run the tests of all mutations on the unchanged kernel; return 'red anyway' when one fails."""
    with kernel_db.copy(kernel) as copy:
        outcome, why = _tested(copy, {mutation.tests for mutation in wanted})
    if outcome == "survived":
        return "green"
    print_line(f"red anyway: {why}")
    return "red anyway"


def verdict(kernel: str, mutation: Mutation) -> tuple[str, str]:
    """Return the verdict on a changed copy (killed, survived, broken, not found) and the reason."""
    with kernel_db.copy(kernel) as copy:
        try:
            with psycopg.connect(copy, autocommit=True) as conn:
                apply(conn, [mutation.change])
        except LookupError as error:
            return "not found", str(error)
        return _tested(copy, {mutation.tests})


def _tested(changed: str, tests: Iterable[str]) -> tuple[str, str]:
    """Run tests in every mode on a database of this server until one fails."""
    server = make_conninfo(changed, dbname="postgres")
    with tempfile.TemporaryDirectory(
        prefix="wedsql-mutate-"
    ) as place:  # also removes what killed tests leave
        report = Path(place) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--mode=all"]
        own = {"DATABASE_URL": server, kernel_db.CHANGED: changed, "TMPDIR": place, "WEDSQL_LONG": "1"}
        done = subprocess.run(
            [*command, f"--junitxml={report}", *sorted(map(pytest_id, tests))],
            env=os.environ | own,
            cwd=environment.CHECKOUT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return "survived", " ".join(tests)
        if done.returncode != 1:
            return "broken", done.stdout[-1000:]
        return _failure(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - written by pytest


def _failure(cases: Iterable[ElementTree.Element]) -> tuple[str, str]:
    """Return the first failure: an error before the test, or in the changed SQL, does not count as killed."""
    for case in cases:
        for found in [*case.iter("failure"), *case.iter("error")]:
            first = found.get("message", "").splitlines()[0][:110]
            broken = found.tag == "error" or any(name in first.partition(":")[0] for name in _BROKEN)
            return "broken" if broken else "killed", f"{case.get('name')}: {first}"
    return "broken", "no test failed"


if __name__ == "__main__":
    sys.exit(main())
