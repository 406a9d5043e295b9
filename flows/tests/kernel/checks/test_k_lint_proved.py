"""What the checks prove about conditions agrees with brute force over all states."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from flows import api
from flows.tests.kernel.checks.test_k_lint import found, of, rule
from flows.tests.kit import Kit
from flows.tests.spread import seeds

pytestmark = pytest.mark.kernel

SMALL: list[dict[str, Any]] = [
    {"name": "e", "type": "enum", "options": ["x", "y"]},
    {"name": "b", "type": "boolean"},
    {"name": "n", "type": "integer"},
    {"name": "t"},
]
DOMAINS: dict[str, list[Any]] = {
    "e": [None, "x", "y"], "b": [None, True, False], "n": [None, *range(-3, 8)],
    "t": [None, "p", "q", "other", "zz"],
}  # fmt: skip
ATOMS = [
    "e = 'x'", "e <> 'y'", "e is null", "b", "not b", "b is not true", "n > 2", "n between 1 and 3", "3 >= n",
    "n in (0, 4)", "n is not distinct from 1", "t = 'p'", "t not in ('p', 'q')", "t is distinct from 'q'",
    "n <> -1",
]  # fmt: skip


ORDERED: list[dict[str, Any]] = [
    {"name": "m", "type": "numeric"},
    {"name": "d", "type": "date"},
    {"name": "z", "type": "timestamptz"},
    {"name": "w"},
]
ORDERED_DOMAINS: dict[str, list[Any]] = {
    "m": [None, "-1", "1.5", "1.75", "2", "2.5", "9", "10"],
    "d": [None, "2026-03-01", "2026-03-02", "2026-03-05", "2026-03-06"],
    "z": [
        None, "2026-03-01T00:00:00Z", "2026-03-01T01:00:00Z", "2026-03-01T01:00:01Z", "2026-03-09T00:00:00Z",
    ],
    "w": [None, "another text", "another text!", "v"],
}  # fmt: skip
ORDERED_ATOMS = [
    "m > 1.5", "m = 2", "m <> 2", "m <= 2.5", "m between 2 and 9", "m < 10", "d > '2026-03-01'",
    "d <= '2026-03-05'", "d = '2026-03-02'",
    "z >= '2026-03-01 02:00:00+01:00'", "z < '2026-03-01 01:00:01'", "z is null",
    "w = 'another text'", "w <> 'v'", "w = 'another text!'",
]  # fmt: skip


def test_two_conditions_that_distinguish_too_many_states_are_not_compared(kit: Kit) -> None:
    """Each has 3,125 states by its own constants, both together 59,049."""
    names = [f"n{n}" for n in range(5)]
    attributes = [{"name": name, "type": "integer"} for name in names]
    wide, narrow = (" or ".join(f"{name} > {least}" for name in names) for least in (1, 100))
    findings = found(kit, rule(wide, "tr_1"), rule(narrow, "tr_2"), attributes=attributes)
    assert [one.message for one in findings if "pairs" in one.message] == [
        "Some pairs of rules were not compared: 1."
    ]
    assert not [one for one in findings if one.check in {"implied", "unproved"}]


def grown(draw: random.Random, atoms: list[str]) -> str:
    parts = [draw.choice(atoms) for _ in range(draw.randint(1, 3))]
    text = draw.choice([" and ", " or "]).join(parts)
    return f"not ({text})" if draw.random() < 0.2 else text


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", seeds(12, short=3))
def test_what_is_proved_agrees_with_brute_force(kit: Kit, seed: int, ordered: bool) -> None:
    """Also about two rules that compare the same attribute with different constants."""
    attributes, domains, atoms = (
        (ORDERED, ORDERED_DOMAINS, ORDERED_ATOMS) if ordered else (SMALL, DOMAINS, ATOMS)
    )
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    triggers = [rule(grown(draw, atoms), f"tr_{n}", writes=["n"]) for n in range(6)]
    definition = {"attributes": attributes, "triggers": triggers}
    every = [dict(zip(domains, values, strict=True)) for values in product(*domains.values())]
    held = [one.held for one in api.conditions.evaluate(definition, every, conn=kit.conn)]
    true = [{at for at, letters in enumerate(held) if letters[place] == "t"} for place in range(6)]
    expected = {("never_true", n) for n in range(6) if not true[n]}
    expected |= {("always_true", n) for n in range(6) if len(true[n]) == len(every)}
    findings = found(kit, *triggers, attributes=attributes)
    assert "unproved" not in {one.check for one in findings}
    alone = {(one.check, one.path[1]) for one in findings if one.check in {"never_true", "always_true"}}
    assert alone == expected
    names = {trigger["transition"]: place for place, trigger in enumerate(triggers)}
    pairs = {
        (
            one.check,
            frozenset(place for name, place in names.items() if name in one.message.replace(",", "").split()),
        )
        for one in findings
        if one.check in {"equal", "implied", "both_write"}
    }
    assert pairs == brute_pairs(triggers, true, set(domains))


def brute_pairs(
    triggers: list[dict[str, Any]], true: list[set[int]], names: set[str]
) -> set[tuple[str, frozenset[int]]]:
    """Return the pairs that are equal, implied or true together, of those that read a common attribute."""

    def reads(place: int) -> set[str]:
        words = triggers[place]["predicate"].replace("(", " ").replace(")", " ").split()
        return names & set(words)

    pairs: set[tuple[str, frozenset[int]]] = set()
    for one in range(6):
        for other in range(one):
            both = frozenset({one, other})
            if true[one] & true[other]:
                pairs.add(("both_write", both))
            if not reads(one) & reads(other):
                continue
            if true[one] and true[other] and true[one] == true[other]:
                pairs.add(("equal", both))
            elif true[one] and true[other] and (true[one] <= true[other] or true[other] <= true[one]):
                pairs.add(("implied", both))
    return pairs


TINY: list[dict[str, Any]] = [
    {"name": "e", "type": "enum", "options": ["x", "y", "z"], "default": "x"},
    {"name": "b", "type": "boolean", "default": "false"},
    {"name": "n", "type": "integer"},
]
TINY_DOMAINS: dict[str, list[Any]] = {
    "e": [None, "x", "y", "z"], "b": [None, True, False], "n": [None, *range(-2, 6)],
}  # fmt: skip
TINY_ATOMS = ["e = 'x'", "e <> 'y'", "e = 'z'", "b", "not b", "n > 2", "n is null", "n = 1"]


def tiny(draw: random.Random) -> list[dict[str, Any]]:
    """Return three rules that declare what they write, and a final condition."""
    triggers = [
        rule(
            " and ".join(draw.sample(TINY_ATOMS, draw.randint(1, 3))),
            f"tr_{n}",
            writes=sorted(draw.sample(sorted(TINY_DOMAINS), draw.randint(1, 2))),
        )
        for n in range(3)
    ]
    return [*triggers, {"predicate": draw.choice(["e = 'z'", "e = 'y' and b", "n = 5"]), "final": True}]


@pytest.mark.parametrize("seed", seeds(40, short=6))
def test_what_can_follow_agrees_with_brute_force(kit: Kit, seed: int) -> None:
    triggers = tiny(random.Random(seed))  # noqa: S311 - the same each time
    definition = {"attributes": TINY, "triggers": triggers}
    every = [dict(zip(TINY_DOMAINS, values, strict=True)) for values in product(*TINY_DOMAINS.values())]
    held = [one.held for one in api.conditions.evaluate(definition, every, conn=kit.conn)]
    findings = found(kit, *triggers, attributes=TINY)

    brute = Brute(triggers, every, held)

    def places(check: str) -> set[Any]:
        return {one.path[1] for one in of(check, findings)}

    assert places("nothing_makes_true") == brute.never_made_true()
    assert places("dead_end") == brute.dead_ends()
    assert bool(places("no_way_to_final")) == bool(brute.lost())


class Brute:
    """Follows each single result on each state, without classes of states."""

    def __init__(self, triggers: list[dict[str, Any]], every: list[dict[str, Any]], held: list[str]) -> None:
        self.triggers, self.every, self.held = triggers, every, held
        self.reads = [{name for name in TINY_DOMAINS if name in t["predicate"].split()} for t in triggers]
        self.read = set().union(*self.reads)
        self.written = {name for t in triggers[:3] for name in t["writes"]} & self.read
        self.alive = {at for at, letters in enumerate(held) if "t" in letters}
        start = {at for at in self.alive if self.at_default(at, self.written)}
        self.start = start or self.alive

    def at_default(self, at: int, names: set[str]) -> bool:
        return all(self.every[at][name] == {"e": "x", "b": False, "n": None}[name] for name in names)

    def follows(self, before: int, after: int, place: int, nulls: bool) -> bool:
        old, new = self.every[before], self.every[after]
        changed = {name for name in TINY_DOMAINS if old[name] != new[name]}
        allowed = changed <= {*self.triggers[place]["writes"]} & self.read
        return allowed and (nulls or all(new[name] is not None for name in changed))

    def moves(self, before: int, nulls: bool) -> list[tuple[int, int]]:
        if self.held[before][3] == "t":
            return []
        holding = [place for place in range(3) if self.held[before][place] == "t"]
        return [
            (place, at)
            for place in holding
            for at in range(len(self.every))
            if self.follows(before, at, place, nulls)
        ]

    def reached(self, start: set[int], nulls: bool) -> set[int]:
        seen, todo = set(start), list(start)
        while todo:
            new = {after for _place, after in self.moves(todo.pop(), nulls)} - seen
            seen |= new
            todo += new
        return seen

    def never_made_true(self) -> set[int]:
        reached = self.reached(self.start, True)
        found = set()
        for place in range(4):
            holding = {at for at, letters in enumerate(self.held) if letters[place] == "t"}
            at_start = any(self.at_default(at, self.reads[place]) for at in holding)
            given = not self.reads[place] & self.written and not at_start
            if holding and (given or not holding & reached):
                found.add(place)
        return found

    def dead_ends(self) -> set[int]:
        alone = {at for at in self.reached(self.start, False) if self.held[at].count("t") == 1}
        return {place for at in alone for place, after in self.moves(at, False) if after not in self.alive}

    def lost(self) -> set[int]:
        ending = {at for at, letters in enumerate(self.held) if letters[3] == "t"}
        known = self.reached(self.start, False) & self.alive
        return {at for at in known if not self.reached({at}, True) & ending}
