"""Differences of definitions in sentences."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import translation

from flows import api
from flows.definition.conditions import conjuncts, disjuncts, normal
from flows.definition.sentences import order_sentences, sentences

SHIP: dict[str, Any] = {"name": "ship", "transition": "tr_ship", "predicate": "paid = 'yes'"}
BASE: dict[str, Any] = {
    "attributes": [
        {"name": "paid", "type": "enum", "options": ["yes", "no"], "id": 1},
        {"name": "stock", "id": 2},
    ],
    "triggers": [SHIP, {"predicate": "stock = 'gone'", "final": True}],
}


def said(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    with translation.override("en"):
        return sentences(api.flows.difference(old, new))


def with_rule(**options: Any) -> dict[str, Any]:
    return BASE | {"triggers": [SHIP | options, BASE["triggers"][1]]}


CONDITIONS = [
    (
        "paid = 'yes'",
        "paid = 'yes' and stock = 'reserved'",
        "Rule ship now also requires stock = 'reserved'.",
    ),
    ("paid = 'yes'", "stock = 'reserved' AND  paid='yes'", "Rule ship now also requires stock = 'reserved'."),
    ("paid = 'yes' and stock = 'x'", "(stock = 'x')", "Rule ship no longer requires paid = 'yes'."),
    ("paid = 'yes'", "paid = 'yes' or stock = 'x'", "Rule ship is now also met by stock = 'x'."),
    ("paid = 'a' or paid = 'b'", "paid = 'b'", "Rule ship is no longer met by paid = 'a'."),
    (
        "paid = 'yes'",
        "paid = 'no'",
        "The condition of rule ship was paid = 'yes' and is now paid = 'no'.",
    ),
    (
        "paid = 'a' and stock = 'b'",
        "paid = 'a' and stock = 'c'",
        "The condition of rule ship was paid = 'a' and stock = 'b' and is now paid = 'a' and stock = 'c'.",
    ),
    (
        "paid = 'a' or paid = 'b'",
        "(paid = 'a' or paid = 'b') and stock = 'c'",
        "Rule ship now also requires stock = 'c'.",
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "sentence"), CONDITIONS)
def test_a_changed_condition_is_said_by_its_parts(old: str, new: str, sentence: str) -> None:
    assert said(with_rule(predicate=old), with_rule(predicate=new)) == [sentence]


@pytest.mark.django_db
def test_spaces_and_the_order_of_parts_are_no_change() -> None:
    assert (
        said(
            with_rule(predicate="paid = 'a' and stock = 'b'"), with_rule(predicate="stock='b' AND (paid='a')")
        )
        == []
    )


CHANGES: list[tuple[dict[str, Any], list[str]]] = [
    (with_rule(timeout="01:00:00"), ["Rule ship: “timeout” is now 01:00:00 (was 00:01:00)."]),
    (with_rule(enabled=False), ["Rule ship: “enabled” is now no (was yes)."]),
    (with_rule(transition="tr_send"), ["Rule ship now fires tr_send instead of tr_ship."]),
    (with_rule(name="send"), ["Rule ship is renamed to send."]),
    (with_rule(writes=["stock"]), ["Rule ship: “may write” is now stock (was every attribute)."]),
    (with_rule(writes=[]), ["Rule ship: “may write” is now no attribute (was every attribute)."]),
    (
        with_rule(on_error="abort"),
        ["Rule ship: “when the condition fails” is now reject the commit (was open an exception)."],
    ),
    (BASE | {"triggers": [SHIP]}, ["The final condition is removed; its pending jobs are withdrawn."]),
    (
        BASE
        | {"triggers": [*BASE["triggers"], {"name": "ask", "transition": "tr_ask", "predicate": "true"}]},
        ["Rule ask is new: it fires tr_ask when true."],
    ),
    (BASE | {"max_firings": 5}, ["The flow: “firings before a loop is suspected” is now 5 (was 1000)."]),
    (
        BASE | {"attributes": [BASE["attributes"][0], {"name": "store", "id": 2}]},
        ["Attribute stock is renamed to store."],
    ),
    (
        BASE | {"attributes": [BASE["attributes"][0] | {"options": ["yes", "part"]}, BASE["attributes"][1]]},
        ["Attribute paid may now also be part.", "Attribute paid may no longer be no."],
    ),
    (
        BASE | {"attributes": [*BASE["attributes"], {"name": "day", "type": "date"}]},
        ["Attribute day (date) is new."],
    ),
    (BASE | {"attributes": BASE["attributes"][:1]}, ["Attribute stock is removed."]),
    (BASE, []),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("new", "expected"), CHANGES)
def test_each_change_has_its_sentence(new: dict[str, Any], expected: list[str]) -> None:
    assert said(BASE, new) == expected


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), [case[:2] for case in CONDITIONS])
def test_prepositions_and_articles_are_contracted_in_portuguese(old: str, new: str) -> None:
    with translation.override("pt-br"):
        [sentence] = sentences(api.flows.difference(with_rule(predicate=old), with_rule(predicate=new)))
    assert not re.search(r"\b(em|de|por|a) [ao] ", sentence), sentence


@pytest.mark.django_db
def test_the_sentences_are_translated() -> None:
    changes = api.flows.difference(BASE, with_rule(predicate="paid = 'yes' and stock = 'x'"))
    with translation.override("pt-br"):
        assert sentences(changes) == ["A regra ship agora também exige stock = 'x'."]


SPLITS = [
    ("a = 1 and b = 2", ["a = 1", "b = 2"], ["a = 1 and b = 2"]),
    ("a between 1 and 5 and b = 2", ["a between 1 and 5", "b = 2"], ["a between 1 and 5 and b = 2"]),
    ("a = 'x and y' and b", ["a = 'x and y'", "b"], ["a = 'x and y' and b"]),
    ("a = 'it''s and' or b", ["a = 'it''s and' or b"], ["a = 'it''s and'", "b"]),
    ("case when a and b then c or d end and e", ["case when a and b then c or d end", "e"], None),
    ("(a and b) or (c and d)", ["(a and b) or (c and d)"], ["(a and b)", "(c and d)"]),
    ("((a) AND (b))", ["(a)", "(b)"], ["(a) AND (b)"]),
    ("(a) and (b)", ["(a)", "(b)"], ["(a) and (b)"]),
    ("band and order_x", ["band", "order_x"], ["band and order_x"]),
    ("a = 'open", ["a = 'open"], ["a = 'open"]),
    ("", [""], [""]),
]


@pytest.mark.parametrize(("condition", "by_and", "by_or"), SPLITS)
def test_conditions_are_split_outside_of_texts_and_parentheses(
    condition: str, by_and: list[str], by_or: list[str] | None
) -> None:
    assert conjuncts(condition) == by_and
    assert by_or is None or disjuncts(condition) == by_or


def test_texts_keep_their_case_and_spaces() -> None:
    assert normal("A =  'X  y'") == normal("(a='X  y')") != normal("a = 'x  y'")


def test_another_order_is_said_and_what_is_added_or_removed_is_not() -> None:
    more = {"transition": "tr_more", "predicate": "paid = 'no'"}
    moved = {part: [*reversed(items)] for part, items in BASE.items()}
    with translation.override("en"):
        assert order_sentences(BASE, BASE | {"triggers": [more, *BASE["triggers"][:1]]}) == []
        assert order_sentences(BASE, moved) == [
            "The order of attributes changes: stock, paid.",
            "The order of rules changes: the final condition, ship.",
        ]
    with translation.override("pt-br"):
        assert order_sentences(BASE, moved)[1] == "A ordem das regras muda: a condição final, ship."


@pytest.mark.django_db
def test_a_new_integrity_condition_is_what_every_state_must_satisfy() -> None:
    rule = {"name": "positive", "predicate": "stock <> 'x'", "integrity": "always"}
    new = BASE | {"triggers": [*BASE["triggers"], rule]}
    found = said(BASE, new)
    assert found == ["Rule positive is new: every state must satisfy stock <> 'x'."]
