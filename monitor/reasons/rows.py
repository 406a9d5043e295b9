"""Rules that do not hold as pages show them: what each needs, what is there, and who wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.api import Obstacle, RuleReason, Write
from flows.definition.option_labels import types_of
from flows.labels import translate_label


@dataclass(frozen=True)
class ShownValue:
    """The value of an attribute that keeps a condition from holding, and the step that wrote it."""

    title: str
    text: str
    written: Write | None
    by: str


@dataclass(frozen=True)
class ShownObstacle:
    """What a rule needs, and what is there instead."""

    needed: str
    found: str
    values: list[ShownValue]


@dataclass(frozen=True)
class ShownRule:
    """A rule with what it needs; `parts` are those of its condition, indented by their depth.

    `others` is what it needs instead, by the other alternatives of its condition.
    """

    rule: RuleReason
    title: str
    obstacles: list[ShownObstacle]
    parts: list[tuple[int, str, str]]
    others: Sequence[list[ShownObstacle]] = ()


def shown_rule(rule: RuleReason, labels: Mapping[str, str], titles: Mapping[str, str]) -> ShownRule:
    """Return a rule with titles for the names of attributes (`labels`) and transitions (`titles`)."""
    return ShownRule(
        rule,
        translate_label(rule.title),
        [_obstacle(one, labels, titles) for one in rule.obstacles],
        [(path.count(".") + 1 if path else 0, part.text, part.value) for path, part in rule.parts.items()],
        [[_obstacle(one, labels, titles) for one in way] for way in rule.ways[1:]],
    )


def _obstacle(one: Obstacle, labels: Mapping[str, str], titles: Mapping[str, str]) -> ShownObstacle:
    values = [_value(name, shown, one.written.get(name), labels, titles) for name, shown in one.now.items()]
    return ShownObstacle(sentences.needed(one, labels), sentences.found(one), values)


def _value(
    name: str, shown: Any, written: Write | None, labels: Mapping[str, str], titles: Mapping[str, str]
) -> ShownValue:
    by = titles.get(written.by, written.by) if written else ""
    kind = types_of(labels).get(name, "")
    return ShownValue(labels.get(name, name), sentences.value(shown, kind)[:200], written, by)
