"""Each check finds its fault and nothing in a flow without it; what is proved agrees with brute force."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from flows import api
from flows.definition.lint import Finding
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

ATTRIBUTES = [
    {"name": "state", "type": "enum", "options": ["new", "paid", "sent"], "default": "new"},
    {"name": "items", "type": "integer", "default": "1"},
    {"name": "urgent", "type": "boolean", "default": "false"},
]
PAY = {"transition": "tr_pay", "predicate": "state = 'new'", "writes": ["state", "items", "urgent"]}
FINAL = {"predicate": "state = 'sent' and items > 0 and not urgent", "final": True}


def rule(predicate: str, transition: str = "tr_x", **options: Any) -> dict[str, Any]:
    return {
        "transition": transition,
        "predicate": predicate,
        "writes": ["state", "items", "urgent"],
    } | options


def found(
    kit: Kit, *triggers: dict[str, Any], attributes: list[dict[str, Any]] = ATTRIBUTES
) -> list[Finding]:
    definition = {"attributes": attributes, "triggers": list(triggers)}
    return [one for one in api.lint(kit.name, definition, conn=kit.conn) if one.check != "no_worker"]


FAULTS: list[tuple[str, list[dict[str, Any]]]] = [
    ("never_true", [PAY, FINAL, rule("state = 'paid' and state = 'new'")]),
    ("never_true", [PAY, FINAL, rule("items > 5 and items < 6")]),
    ("always_true", [PAY, FINAL, rule("urgent or not urgent or urgent is null")]),
    ("equal", [PAY, FINAL, rule("not (state <> 'new')", writes=["items"])]),
    ("equal", [FINAL, rule("items > 5", writes=["items"]), rule("items >= 6", "tr_y", writes=["state"])]),
    ("implied", [PAY, FINAL, rule("state = 'new' and items = 3", writes=["urgent", "items"])]),
    ("both_write", [PAY, FINAL, rule("items > 10")]),
    ("leaves_itself_true", [PAY, FINAL, rule("state = 'paid'", writes=["items"])]),
    ("nothing_makes_true", [rule("state = 'new'", writes=["state"]), FINAL | {"predicate": "urgent"}]),
    ("no_final", [PAY]),
    ("unused", [{"transition": "tr_pay", "predicate": "state = 'new'", "writes": ["state"]}]),
    ("no_option", [PAY, FINAL, rule("state = 'payed'", writes=["state"])]),
    ("compared_with_null", [PAY, FINAL, rule("items = null", writes=["items"])]),
    ("unproved", [PAY, FINAL, rule("items + 1 = 3", writes=["items"])]),
    ("unproved", [PAY, FINAL, rule("3 < items + 1", writes=["items"])]),
]  # fmt: skip


@pytest.mark.parametrize(("check", "triggers"), FAULTS, ids=[f"{n}-{one[0]}" for n, one in enumerate(FAULTS)])
def test_a_fault_is_found(kit: Kit, check: str, triggers: list[dict[str, Any]]) -> None:
    assert check in {one.check for one in found(kit, *triggers)}


def test_a_flow_without_faults_has_no_findings(kit: Kit) -> None:
    send = rule("state = 'paid'", "tr_send", writes=["state"])
    assert found(kit, PAY, send, FINAL) == []


def test_null_is_no_difference(kit: Kit) -> None:
    attributes = [*ATTRIBUTES, {"name": "note"}]
    (one,) = found(kit, PAY, FINAL, rule("note <> 'done'", writes=["note"]), attributes=attributes)
    assert (one.check, one.how, one.state) == ("null_is_not_different", "proved", {"note": None})
    assert (one.position, one.length) == (1, 14)


def test_a_finding_keeps_its_name_until_its_rule_changes(kit: Kit) -> None:
    (one,) = [f for f in found(kit, PAY, FINAL, rule("items > 10")) if f.check == "both_write"]
    (moved,) = [f for f in found(kit, FINAL, PAY, rule("items > 10")) if f.check == "both_write"]
    (other,) = [f for f in found(kit, PAY, FINAL, rule("items > 11")) if f.check == "both_write"]
    assert one.id == moved.id != other.id
    assert one.state is not None
    assert (one.state["state"], one.state["items"] > 10) == ("new", True)


def test_workers_and_repeated_firings_are_observed(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '2'")
    wid = kit.start(a="1")
    kit.run("tr_x", wid)
    numbered = kit.one("select wedsql._definition(f, true) from wedsql.flow f where f.id = %s", [kit.id])
    checks = {one.check: one for one in api.lint(kit.name, numbered, conn=kit.conn)}
    assert checks["fired_again"].instances == [wid]
    assert checks["no_worker"].path == ("triggers", 0, "transition")
    api.register_worker("process", "w", "here", 1, [f"{kit.name}:tr_x"], conn=kit.conn)
    assert "no_worker" not in {one.check for one in api.lint(kit.name, numbered, conn=kit.conn)}


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


def grown(draw: random.Random) -> str:
    parts = [draw.choice(ATOMS) for _ in range(draw.randint(1, 3))]
    text = draw.choice([" and ", " or "]).join(parts)
    return f"not ({text})" if draw.random() < 0.2 else text


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_agrees_with_brute_force(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    triggers = [rule(grown(draw), f"tr_{n}", writes=["n"]) for n in range(6)]
    definition = {"attributes": SMALL, "triggers": triggers}
    every = [dict(zip(DOMAINS, values, strict=True)) for values in product(*DOMAINS.values())]
    held = [one.held for one in api.evaluate(definition, every, conn=kit.conn)]
    true = [{at for at, letters in enumerate(held) if letters[place] == "t"} for place in range(6)]
    expected = {("never_true", n) for n in range(6) if not true[n]}
    expected |= {("always_true", n) for n in range(6) if len(true[n]) == len(every)}
    findings = found(kit, *triggers, attributes=SMALL)
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
    assert pairs == brute_pairs(triggers, true)


def brute_pairs(triggers: list[dict[str, Any]], true: list[set[int]]) -> set[tuple[str, frozenset[int]]]:
    """Return the pairs that are equal, implied or true together, of those that read a common attribute."""

    def reads(place: int) -> set[str]:
        words = triggers[place]["predicate"].replace("(", " ").replace(")", " ").split()
        return {name for name in DOMAINS if name in words}

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
