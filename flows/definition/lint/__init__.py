"""Checks of a definition that could be published: rules that never hold, that hold together, and the like.

`classes` chooses the states that stand for all others, `tables` has the values of the conditions on them,
`common` compares conditions, `space` says which states can follow from which; `single`, `effects`, `pairs`
and `reach` are the checks. Nothing here evaluates a condition or reads the history: `flows.engine.checks` has
the kernel do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flows.definition.lint.acknowledgement import open_warnings, with_acknowledgements
from flows.definition.lint.budget import Budget
from flows.definition.lint.classes import Leaf, representatives
from flows.definition.lint.common import Common
from flows.definition.lint.effects import without_effect
from flows.definition.lint.findings import Acknowledgement, Finding, Rule
from flows.definition.lint.gaps import Verify
from flows.definition.lint.limits import limits, overlapping
from flows.definition.lint.pairs import Written, pairs
from flows.definition.lint.persons import People, persons
from flows.definition.lint.reach import reach
from flows.definition.lint.single import alone, unused
from flows.definition.lint.tables import Table

__all__ = [
    "Acknowledgement",
    "Budget",
    "Common",
    "Finding",
    "Leaf",
    "People",
    "Rule",
    "Table",
    "Verify",
    "findings",
    "open_warnings",
    "representatives",
    "with_acknowledgements",
]


def findings(
    definition: Mapping[str, Any],
    rules: Sequence[Rule],
    common: Common,
    written: Written,
    budget: Budget,
    people: People | None = None,
    verify: Verify | None = None,
) -> Iterator[Finding]:
    """Return the findings of the definition; `written` has the attributes that results of its rules wrote.

    people: which of the persons and roles that it names there are; None where that is not known.
    verify: says on which states no rule holds of those whose conditions have no table; None: there are none.
    """
    attributes = {one["name"]: one for one in definition["attributes"]}
    for rule in rules:
        yield from alone(rule, attributes)
        yield from without_effect(rule)
    firing = [rule for rule in rules if not rule.integrity]
    yield from reach(attributes, [rule for rule in firing if rule.enabled], common)
    yield from unused(attributes, rules)
    yield from persons(definition, rules, people)
    yield from limits(attributes, rules, common, verify, budget)
    overlaps = overlapping(attributes, rules, common, written, budget)
    yield from pairs(firing, common, written, budget, overlaps)
