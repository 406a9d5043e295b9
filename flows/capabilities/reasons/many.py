"""Which conditions hold on many instances of a flow, and what its exceptions lack; the kernel evaluates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.reasons.api import Obstacle
from flows.statements import value
from flows.types import Part
from flows.types.definitions import obstacles

Wanted = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Holding:
    """On how many of the newest living instances the condition of each trigger is true, by its id."""

    examined: int
    holds: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Lack:
    """Exceptions whose nearest rule lacks the same parts: they would not be exceptions with these."""

    trigger: int
    obstacles: Sequence[Obstacle]
    wids: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule with its parts: [path, kind, position, length, reads, outline], the first at place `first`."""

    id: int
    predicate: str
    first: int
    rows: list[list[Any]]

    def wanted(self, letters: str) -> Wanted:
        """Return the fewest parts that would have to change, each with the value that it needs."""
        own = zip(self.rows, letters[self.first :], strict=False)
        parts = {path: Part(kind, at, "", letter, {}) for (path, kind, at, *_rest), letter in own}
        return tuple(obstacles(parts, "", "t"))

    def obstacles(self, wanted: Wanted) -> list[Obstacle]:
        rows = {path: (at, length, outline) for path, _kind, at, length, _reads, outline in self.rows}
        return [
            Obstacle(self.predicate[at - 1 :][:length], "f", needs, outline, {}, {})
            for (at, length, outline), needs in ((rows[path], needs) for path, needs in wanted)
        ]


def count_holding(flow: str, *, limit: int = 5_000, seconds: float = 1, conn: Any = None) -> Holding:
    """Return on how many living instances each condition holds; the newest `limit` are examined.

    Examining stops after `seconds`. Raises UnknownFlow.
    """
    found = value(conn, "select wedsql.count_holding(%s, %s, %s)", (flow, limit, seconds))
    return Holding(found["examined"], {int(tgid): n for tgid, n in found["holds"].items()})


def explain_exceptions(flow: str, *, limit: int = 100, conn: Any = None) -> list[Lack]:
    """Return the missing conditions of the newest `limit` exceptions, the most frequent first.

    The nearest is the rule that needs the fewest parts of its condition to change. Raises UnknownFlow.
    """
    found = value(conn, "select wedsql.explain_exceptions(%s, %s)", (flow, limit))
    rules = _rules(found["parts"], found["predicates"])
    groups: dict[tuple[int, Wanted], list[int]] = defaultdict(list)
    for letters, wids in _by_letters(found["instances"] if rules else ()).items():
        missing = [(rule.wanted(letters), place) for place, rule in enumerate(rules)]
        wanted, place = min(missing, key=lambda each: len(each[0]))
        groups[place, wanted] += wids
    groups = {each: sorted(wids, reverse=True) for each, wids in groups.items()}
    lacks = [Lack(rules[place].id, rules[place].obstacles(w), wids) for (place, w), wids in groups.items()]
    return sorted(lacks, key=lambda each: -len(each.wids))


def _by_letters(instances: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    """Return the instances by the values of all parts; many exceptions have the same."""
    found: dict[str, list[int]] = defaultdict(list)
    for wid, letters in instances:
        found[letters].append(wid)
    return found


def _rules(parts: Sequence[Sequence[Any]], predicates: Mapping[str, str]) -> list[_Rule]:
    found: dict[int, _Rule] = {}
    for place, (tgid, *row) in enumerate(parts):
        found.setdefault(tgid, _Rule(tgid, predicates[str(tgid)], place, [])).rows.append(row)
    return list(found.values())
