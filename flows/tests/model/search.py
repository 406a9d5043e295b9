"""`python -m flows.tests.model.search`: search for every kind of violation, not only for the first one.

An example ends at its first violation and the search goes on with the next. The table shows for each kind
after how many examples and seconds it was found, how often, and by which rules; `--stories` shows the calls.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from hypothesis import Verbosity, seed
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.reporting import with_reporter
from hypothesis.stateful import get_state_machine_test

from flows import kernel
from flows.tests.model.base import BaseMachine, Violation
from flows.tests.model.engine import EXAMPLES, STEPS, Engine, Office, length
from testkit import kernel_db
from testkit.server import Server, new_directory

# Autovacuum yields to sessions that wait this long, which is less than the sessions' lock_timeout.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "deadlock_timeout": "100ms"}
ROUND = 40  # examples per run of Hypothesis, which varies earlier examples: several small runs start afresh


class Enough(KeyboardInterrupt):
    """Ends a run of Hypothesis when the search is over; it lets no other exception through."""


@dataclass
class Found:
    """The first case of a kind of violation."""

    example: int
    seconds: float
    steps: list[str]
    case: str
    times: int = 1


@dataclass
class Search:
    """The results of a search so far; it is over when a kind that matches `only` was found."""

    only: str = ""
    begun: float = field(default_factory=time.monotonic)
    examples: int = 0
    steps: int = 0
    story: list[str] = field(default_factory=list)
    found: dict[str, Found] = field(default_factory=dict)

    def line(self, text: object) -> None:
        """Record a step that Hypothesis reports."""
        words = str(text)
        if words.startswith("state = "):
            self.story = []
            self.examples += 1
        elif "state." in words[:60] and "everything_holds" not in words and "teardown" not in words:
            self.story.append(words)
            self.steps += 1

    def keep(self, error: Exception) -> None:
        """Count a violation by its kind."""
        kind = error.kind if isinstance(error, Violation) else f"{type(error).__name__} {str(error)[:60]}"
        if kind in self.found:
            self.found[kind].times += 1
        else:
            self.found[kind] = Found(self.examples, time.monotonic() - self.begun, self.story, str(error))

    @property
    def over(self) -> bool:
        """Return whether a kind that matches `only` was found."""
        return bool(self.only) and any(re.search(self.only, kind) for kind in self.found)


def search(
    dsn: str,
    examples: int = EXAMPLES,
    steps: int = STEPS,
    *,
    only: str = "",
    chance: int = 0,
    without: Sequence[str] = (),
    rules: Sequence[str] = (),
    **machine_options: Any,
) -> Search:
    """Run examples, with or without some of the rules, on a database with the tests' clock.

    machine_options: `base`, the machine where it is not Engine; its `themes` and `twice` where they differ.
    """
    seen = Search(only)
    base: type[BaseMachine] = machine_options.pop("base", Engine)
    known = [rule.function.__name__ for rule in base.setup_state().rules]
    left_out = {*without, *(set(known) - set(rules) if rules else ())}
    options = {"dsn": dsn, "themes": base.themes, "twice": True} | machine_options
    machine = type("Searched", (base,), options | dict.fromkeys(sorted(left_out)))
    with with_reporter(seen.line):
        for number in range(-(-examples // ROUND)):
            if seen.over:
                break
            _some(machine, seen, min(ROUND, examples - number * ROUND), steps, chance * 1000 + number)
    return seen


def _some(machine: type[BaseMachine], seen: Search, examples: int, steps: int, chance: int) -> None:
    """Run examples that end at their first violation; one that Hypothesis cannot reproduce ends the run."""
    loud = length(examples, steps)
    test = get_state_machine_test(machine, settings=type(loud)(loud, verbosity=Verbosity.debug))
    inner = test.hypothesis.inner_test  # type: ignore[attr-defined]

    def kept(*args: Any, **kwargs: Any) -> None:
        try:
            inner(*args, **kwargs)
        except HypothesisException:
            raise
        except Exception as error:  # noqa: BLE001 - any exception that ends an example is a finding
            seen.keep(error)
        if seen.over:
            raise Enough

    test.hypothesis.inner_test = kept  # type: ignore[attr-defined]
    with suppress(Enough, Flaky):
        seed(chance)(test)()


def table(seen: Search, stories: bool = False) -> Iterator[str]:
    """Yield the lines of the report."""
    for kind, found in sorted(seen.found.items(), key=lambda item: item[1].example):
        rules = [re.sub(r".*state\.(\w+)\(.*", r"\1", step, flags=re.S) for step in found.steps]
        yield f"{kind}: {found.times} times, first in example {found.example} after {found.seconds:.0f} s"
        yield f"    {' '.join(rules)[-400:]}"
        if stories:
            yield from (f"    {step}" for step in [*found.steps, found.case])
    took = time.monotonic() - seen.begun
    yield f"{seen.examples} examples, {seen.steps} steps, {took:.0f} s, {len(seen.found)} kinds of violation"


def main() -> int:
    """Search and report; return 1 if anything was found, else 0."""
    parser = argparse.ArgumentParser(prog="flows.tests.model.search", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="end when a kind that matches this is found")
    parser.add_argument("--rules", nargs="*", default=[], help="the only rules")
    parser.add_argument("--without", nargs="*", default=[], help="rules that are left out")
    parser.add_argument("--sql", type=Path, default=kernel.SQL_DIR, help="the kernel's files")
    parser.add_argument("--office", action="store_true", help="flows of which people perform most")
    parser.add_argument("--stories", action="store_true", help="show the calls that led to each")
    parser.add_argument("--once", action="store_true", help="leave the kernel's own invariants out: faster")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server ends with the search
    with Server(new_directory("wedsql-model-"), SETTINGS) as server:
        with psycopg.connect(server.dsn()) as conn:
            kernel_db.install(conn, asked.sql, fake_clock=True)
        seen = search(
            server.dsn(),
            asked.examples,
            asked.steps,
            only=asked.only,
            chance=asked.seed,
            without=asked.without,
            rules=asked.rules,
            base=Office if asked.office else Engine,
            twice=not asked.once,
        )
    print("\n".join(table(seen, asked.stories)))
    return 1 if seen.found else 0


if __name__ == "__main__":
    sys.exit(main())
