"""Paths up to the order of parallel transitions."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from flows.capabilities.figures.paths import Pair, normal_form


def reached(steps: tuple[str, ...], parallel: set[Pair]) -> set[tuple[str, ...]]:
    """Return all sequences to which exchanges of parallel neighbours lead."""
    found, open_ = {steps}, [steps]
    while open_:
        each = open_.pop()
        for n in range(len(each) - 1):
            if frozenset(each[n : n + 2]) in parallel:
                other = (*each[:n], each[n + 1], each[n], *each[n + 2 :])
                if other not in found:
                    found.add(other)
                    open_.append(other)
    return found


@pytest.mark.parametrize(
    ("one", "other", "pairs", "alike"),
    [
        ("charge reserve bill ship", "charge bill reserve ship", "charge-reserve bill-reserve", True),
        ("reserve charge bill ship", "charge bill reserve ship", "charge-reserve bill-reserve", True),
        ("reserve charge bill ship", "charge bill reserve ship", "charge-reserve", False),
        ("a b", "b a", "", False),
        ("a b a", "a a b", "a-b", True),
        ("a b", "a b b", "a-b", False),
        ("a c b", "b c a", "a-b", False),
        ("", "", "a-b", True),
    ],
)
def test_paths_are_alike(one: str, other: str, pairs: str, alike: bool) -> None:
    parallel = {frozenset(pair.split("-")) for pair in pairs.split()}
    assert (normal_form(one.split(), parallel) == normal_form(other.split(), parallel)) == alike


@pytest.mark.parametrize("seed", range(20))
def test_a_normal_form_is_that_of_all_sequences_that_are_reached_and_of_no_other(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    pairs = [frozenset(pair) for pair in combinations("abcd", 2)]
    parallel = set(chance.sample(pairs, chance.randint(1, 5)))
    words = [tuple(chance.sample(word, 5)) for word in ("abcda", "abbcd") for _ in range(30)]
    alike = 0
    for one, other in combinations(words, 2):
        expected = other in reached(one, parallel)
        assert (normal_form(one, parallel) == normal_form(other, parallel)) == expected, (one, other)
        alike += expected and one != other
    assert alike > 0
    for word in words[:10]:
        assert {normal_form(each, parallel) for each in reached(word, parallel)} == {
            normal_form(word, parallel)
        }
