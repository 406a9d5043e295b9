"""Gaps and overlaps between limits: every one that is planted is found, and none where there is none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import pytest

from flows import api
from flows.tests.kernel.checks.test_k_lint import found, of
from flows.tests.kit import Kit
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken")]

CLAIM: list[dict[str, Any]] = [
    {"name": "amount", "type": "integer", "label": "Amount"},
    {"name": "covered", "type": "boolean", "label": "Covered"},
    {"name": "expert", "type": "enum", "options": ["agrees", "refuses"], "label": "Expert"},
    {"name": "payment", "label": "Payment"},
]


def claim(pay: str = "amount <= 5000", ask: str = "amount > 5000", **first: Any) -> list[dict[str, Any]]:
    return [
        {
            "transition": "tr_check", "predicate": "covered is null", "writes": ["covered"],
            "label": "Check", **first,
        },
        {
            "transition": "tr_ask", "predicate": f"covered and {ask} and expert is null",
            "writes": ["expert"], "label": "Ask the expert",
        },
        {
            "transition": "tr_pay", "writes": ["payment"], "label": "Pay",
            "predicate": f"covered and ({pay} or expert = 'agrees') and payment is null",
        },
        {"predicate": "payment is not null or not covered or expert = 'refuses'", "final": True},
    ]  # fmt: skip


def gaps(kit: Kit, triggers: list[dict[str, Any]], attributes: list[dict[str, Any]] = CLAIM) -> list[Any]:
    return of("gap", found(kit, *triggers, attributes=attributes))


def test_limits_that_meet_leave_no_gap(kit: Kit) -> None:
    assert gaps(kit, claim()) == []


def test_a_gap_is_said_with_its_values_and_the_way_to_it(kit: Kit) -> None:
    (gap,) = gaps(kit, claim(pay="amount <= 3000"))
    assert gap.message == (
        "With Amount 3001 to 5000, Covered yes, Expert empty, Payment empty, no rule applies."
    )
    assert gap.hint == (
        "Pay applies below, Ask the expert above. An instance gets there by Check and becomes an exception."
    )
    assert (gap.severity, gap.how) == ("warning", "proved")
    (held,) = api.conditions.evaluate(
        {"attributes": CLAIM, "triggers": claim(pay="amount <= 3000")}, [gap.state], conn=kit.conn
    )
    assert "t" not in held.held


def test_a_gap_that_cannot_come_about_is_a_note(kit: Kit) -> None:
    (gap,) = gaps(kit, claim(pay="amount <= 3000", predicate="covered is null and amount < 0"))
    assert gap.severity == "info" and gap.hint.endswith("No way to such a state was found.")


def test_reachable_gaps_come_before_others(kit: Kit) -> None:
    attributes = [*CLAIM, {"name": "age", "type": "integer"}, {"name": "never"}]
    lost = [
        {"transition": "tr_a", "predicate": "never = 'x' and age < 5", "writes": ["payment"]},
        {"transition": "tr_b", "predicate": "never = 'x' and age > 9", "writes": ["payment"]},
        {"transition": "tr_c", "predicate": "never = 'y' and covered is null", "writes": ["never"]},
    ]  # fmt: skip
    found = gaps(kit, [*lost, *claim(pay="amount <= 3000")], attributes)
    assert [each.severity for each in found] == sorted((each.severity for each in found), reverse=True)
    assert "Amount 3001 to 5000" in found[0].message


def test_a_rule_in_between_closes_the_gap(kit: Kit) -> None:
    between = {"transition": "tr_look", "predicate": "amount between 3001 and 5000 and payment is null"}
    assert gaps(kit, [*claim(pay="amount <= 3000"), between]) == []


def test_a_rule_about_which_nothing_can_be_proved_is_evaluated(kit: Kit) -> None:
    other = {"transition": "tr_other", "predicate": "amount % 2 = 0 or amount % 2 = 1"}
    assert gaps(kit, [*claim(pay="amount <= 3000"), other]) == []
    harmless = {"transition": "tr_other", "predicate": "length(payment) > 100"}
    assert len(gaps(kit, [*claim(pay="amount <= 3000"), harmless])) == 1


def test_an_integrity_condition_closes_the_gap(kit: Kit) -> None:
    never = {"predicate": "amount <= 3000 or amount > 5000", "integrity": "always"}
    assert gaps(kit, [*claim(pay="amount <= 3000"), never]) == []


def test_a_rule_that_is_not_enabled_closes_no_gap(kit: Kit) -> None:
    between = {"transition": "tr_look", "predicate": "amount between 3001 and 5000", "enabled": False}
    assert len(gaps(kit, [*claim(pay="amount <= 3000"), between])) == 1


@pytest.mark.parametrize(
    ("kind", "low", "high", "said"),
    [
        ("numeric", "v < 3", "v > 3", "v 3"),
        ("numeric", "v <= 3", "v >= 4.5", "v between 3 and 4.5"),
        ("numeric", "v < 3", "v >= 4", "v from 3 to less than 4"),
        ("numeric", "v <= 3", "v > 4", "v more than 3 up to 4"),
        ("integer", "v < 3", "v > 3", "v 3"),
        ("integer", "v <= -7", "v in (0, 1)", "v -6 to -1"),
        ("date", "v < '2026-03-01'", "v >= '2026-04-01'", "v 2026-03-01 to 2026-03-31"),
        ("timestamptz", "v < '2026-03-01'", "v > '2026-03-01'", "v 2026-03-01T00:00:00+00:00"),
    ],
)
def test_ranges_of_each_type(kit: Kit, kind: str, low: str, high: str, said: str) -> None:
    attributes = [{"name": "v", "type": kind}, {"name": "done"}]
    triggers = [
        {"transition": "tr_low", "predicate": f"{low} and done is null", "writes": ["done"]},
        {"transition": "tr_high", "predicate": f"{high} and done is null", "writes": ["done"]},
        {"transition": "tr_null", "predicate": "v is null and done is null", "writes": ["done"]},
        {"predicate": "done is not null", "final": True},
    ]
    (gap,) = gaps(kit, triggers, attributes)
    assert gap.message == f"With {said}, done empty, no rule applies."


@pytest.mark.parametrize("predicate", ["v < 3 or v > 5", "v not between 3 and 5", "not (v >= 3 and v <= 5)"])
def test_one_rule_below_and_above_leaves_a_gap_too(kit: Kit, predicate: str) -> None:
    attributes = [{"name": "v", "type": "integer"}, {"name": "done"}]
    triggers = [
        {"transition": "tr_outside", "predicate": f"({predicate}) and done is null", "writes": ["done"]},
        {"predicate": "done is not null or v is null", "final": True},
    ]
    (gap,) = gaps(kit, triggers, attributes)
    assert gap.message == "With v 3 to 5, done empty, no rule applies."
    assert gap.hint.startswith("tr_outside applies below and above.")
    inside = {"transition": "tr_inside", "predicate": "v between 3 and 5 and done is null"}
    assert gaps(kit, [*triggers, inside | {"writes": ["done"]}], attributes) == []


def test_an_overlap_is_said_with_its_range(kit: Kit) -> None:
    attributes = [{"name": "v", "type": "integer"}, {"name": "done"}]
    triggers = [
        {"transition": "tr_low", "predicate": "v <= 10 and done is null", "writes": ["done"]},
        {"transition": "tr_high", "predicate": "v > 7 and done is null", "writes": ["done"]},
        {"predicate": "done is not null or v is null", "final": True},
    ]
    (both,) = of("both_write", found(kit, *triggers, attributes=attributes))
    assert both.message == "With v 8 to 10, done empty, both tr_low and tr_high apply, and both write done."
    assert 8 <= both.state["v"] <= 10


# -- Random decision tables, compared with brute force
AXES = ("n", "m")
TOP = 9


def cells(draw: random.Random) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Return the conditions of a table over two numbers that leaves nothing out, each with its range of n."""
    limits = sorted(draw.sample(range(1, TOP), draw.randint(1, 3)))
    ends = [-1, *limits, TOP]
    for low, high in pairwise(ends):
        lower = draw.choice([f"n > {low}", f"n >= {low + 1}", f"{low} < n"])
        upper = draw.choice([f"n <= {high}", f"n < {high + 1}", f"not (n > {high})"])
        band = (
            " and ".join([*([lower] if low >= 0 else []), *([upper] if high < TOP else [])])
            or "n is not null"
        )
        if draw.random() < 0.5:
            cut = draw.randint(1, TOP - 1)
            yield f"{band} and m <= {cut}", (low, high)
            yield f"{band} and m > {cut}", (low, high)
        else:
            yield band, (low, high)


def planted(draw: random.Random) -> tuple[list[dict[str, Any]], bool]:
    """Return rules, and whether a limit between two of them was moved apart."""
    bands = list(cells(draw))
    plant = draw.random() < 0.7
    texts = [text for text, _range in bands]
    if plant:
        at = draw.randrange(len(texts))
        _low, high = bands[at][1] or (0, 0)
        side = f"n <> {high}" if high < TOP else f"n > {bands[at][1][0] + 1}"  # type: ignore[index]
        texts[at] = f"{texts[at]} and {side}"
    guard = draw.choice(["state is null", "ready and state is null", "kind = 'x' and state is null"])
    rules = [
        {"transition": f"tr_{n}", "predicate": f"{text} and {guard}", "writes": ["state"]}
        for n, text in enumerate(texts)
    ]
    rules += [
        {"transition": "tr_first", "predicate": "kind is null or ready is null", "writes": ["kind", "ready"]},
        {
            "transition": "tr_other", "writes": ["state"],
            "predicate": "state is null and (n is null or m is null or not ready or kind <> 'x')",
        },
        {"predicate": "state is not null", "final": True},
    ]  # fmt: skip
    draw.shuffle(rules)
    return rules, plant


ATTRIBUTES: list[dict[str, Any]] = [
    {"name": "n", "type": "integer"}, {"name": "m", "type": "integer"}, {"name": "ready", "type": "boolean"},
    {"name": "kind", "type": "enum", "options": ["x", "y"]}, {"name": "state"},
]  # fmt: skip
DOMAINS: dict[str, list[Any]] = {
    "n": list(range(-1, TOP + 3)), "m": list(range(-1, TOP + 3)), "ready": [None, True, False],
    "kind": [None, "x", "y"], "state": [None, "s"],
}  # fmt: skip


def brute(kit: Kit, rules: list[dict[str, Any]]) -> bool:
    """Return whether on some line of a number a state without a rule lies between states with two rules."""
    every = [dict(zip(DOMAINS, values, strict=True)) for values in product(*DOMAINS.values())]
    held = api.conditions.evaluate({"attributes": ATTRIBUTES, "triggers": rules}, every, conn=kit.conn)
    letters = {tuple(state.values()): each.held for state, each in zip(every, held, strict=True)}
    for axis, name in enumerate(DOMAINS):
        if name not in AXES:
            continue
        lines: dict[tuple[Any, ...], list[str]] = {}
        for key, value in letters.items():
            lines.setdefault((*key[:axis], *key[axis + 1 :]), []).append(value)
        if any(_gap(line) for line in lines.values()):
            return True
    return False


def _gap(line: list[str]) -> bool:
    """Return whether between two rules that hold on a line nothing holds."""
    dead = [at for at, letters in enumerate(line) if "t" not in letters]
    for at in dead:
        below = next((line[n] for n in range(at, -1, -1) if "t" in line[n]), "")
        above = next((line[n] for n in range(at, len(line)) if "t" in line[n]), "")
        lows, highs = ({n for n, letter in enumerate(one) if letter == "t"} for one in (below, above))
        if lows and highs and len(lows | highs) > 1:
            return True
    return False


@pytest.mark.parametrize("seed", seeds(200, short=25))
def test_every_planted_gap_is_found(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    rules, plant = planted(draw)
    findings = gaps(kit, rules, ATTRIBUTES)
    assert bool(findings) == brute(kit, rules), (plant, [each["predicate"] for each in rules], findings)
    if plant and draw.random() < 0.2:
        states = [each.state for each in findings]
        for held in api.conditions.evaluate(
            {"attributes": ATTRIBUTES, "triggers": rules}, states, conn=kit.conn
        ):
            assert "t" not in held.held
