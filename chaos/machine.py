"""`python -m chaos.mutate --machine`: undo fixes of the kernel; the state machine must find each.

A fix is covered when flows/tests/model finds what breaks without it, and finds nothing in the unchanged
kernel with the same rules, the same seed and as many examples.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from chaos.mutants.mutation import Change, apply
from chaos.run import print_line
from flows.tests.model import search
from testkit import kernel_db

EXAMPLES = 120  # of a search that finds nothing
STEPS = 25


@dataclass(frozen=True)
class RemovedFix:
    """A fix, the changes that undo it, the violation that must follow, and the rules that lead there."""

    fix: str
    kind: str
    rules: tuple[str, ...]
    changes: tuple[Change, ...]
    themes: Sequence[dict[str, Any]]


def run(dsn: str, wanted: Sequence[RemovedFix], chance: int = 0) -> int:
    """Search for each in a database of its own; return the exit code of chaos.mutate."""
    begun = time.monotonic()
    outcomes = set()
    with kernel_db.database(uri=dsn) as kernel:
        for removed in wanted:
            outcome, why = verdict(kernel, removed, chance)
            print_line(f"{outcome.ljust(10)} {removed.fix}: {why}")
            outcomes.add(outcome)
    print_line(f"\n{len(wanted)} mendings, {time.monotonic() - begun:.0f} s")
    return 2 if outcomes & {"not found", "red anyway"} else int("survived" in outcomes)


def verdict(kernel: str, removed: RemovedFix, chance: int = 0) -> tuple[str, str]:
    """Return the machine's verdict on the kernel without the fix, and when the violation was found."""
    try:
        seen = _searched(kernel, lambda conn: apply(conn, removed.changes), removed, EXAMPLES, chance)
    except LookupError as error:
        return "not found", str(error)
    took = f"{seen.examples} examples, {seen.steps} steps, {time.monotonic() - seen.begun:.0f} s"
    if not seen.over:
        return "survived", took
    unchanged = _searched(kernel, lambda _: None, removed, seen.examples, chance)
    if unchanged.found:
        kind, found = next(iter(unchanged.found.items()))
        return "red anyway", f"{kind} in example {found.example}: {found.case[:200]}"
    return "killed", f"{next(reversed(seen.found))} ({took})"


def _searched(
    kernel: str,
    prepare: Callable[[psycopg.Connection[Any]], object],
    removed: RemovedFix,
    examples: int,
    chance: int,
) -> search.Search:
    """Search a copy of the kernel, with the tests' clock, for the violation that the fix prevents."""
    with kernel_db.copy(kernel) as copy:
        with psycopg.connect(copy, autocommit=True) as conn:
            prepare(conn)
        return search.search(
            copy,
            examples,
            STEPS,
            only=removed.kind,
            chance=chance,
            rules=removed.rules,
            themes=removed.themes,
            twice="invariant" in removed.kind,
        )
