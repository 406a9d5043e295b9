"""What the rules of an instance lack, and what of that a person can know."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.reasons import form_values
from flows.capabilities.reasons.api import InstanceReasons, Obstacle, RuleReason
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo
from monitor.reasons.rows import ShownObstacle, ShownRule, shown_rule
from monitor.recovery.consequences import plain_text
from pages.labels import SYSTEM_TITLES

# Rules that say what they need, the nearest first; more can be seen on the page "Why".
NEAREST = 5
# The types of which a person may decide a value; those of others are facts, which a person has to find out.
KNOWABLE = ("text", "enum", "boolean")
ANY = ""


@dataclass(frozen=True)
class Helped:
    """What persons wrote into an attribute, and how many such cases reached their final state after it.

    `value` is what they all wrote, where they did (`is_same`).
    """

    final: int
    is_same: bool
    value: Any


@dataclass(frozen=True)
class Way:
    """What a rule needs by one alternative of its condition; `values` would do, if a person can know them.

    `key` names it in a form.
    """

    key: str
    obstacles: Sequence[ShownObstacle]
    values: Mapping[str, Any] | None


@dataclass(frozen=True)
class Missing:
    """A rule that does not hold, with the ways in which it would hold."""

    shown: ShownRule
    ways: Sequence[Way]


def missing(
    found: InstanceReasons,
    flow: FlowInfo,
    attributes: Sequence[Mapping[str, Any]],
    helped: Mapping[str, Sequence[Helped]] | None = None,
) -> list[Missing]:
    """Return the rules that do not hold, each with the values that it needs.

    `helped` has what persons wrote in such cases, by attribute: first come the rules that need this, and only
    this is proposed. Then follow the nearest; of those as near, rules whose transition has been done before
    come last: a repair is to go on. Without such cases, an amount, a time or a date is a fact, and never
    proposed. So is what a transition writes, except where it is then done again, and for the final condition,
    by which a person says what was done by hand.
    """
    titles = {**SYSTEM_TITLES.all(), **flow.transition_titles}
    labels = found.labels.translated(translate_label)
    names = {one["name"] for one in attributes if one.get("type", "text") in KNOWABLE}
    helps = helped or {}
    results = _results(found.rules, flow)
    ways = {
        rule.id: [_proposed(rule, way, names, results, helps) for way in rule.ways] for rule in found.nearest
    }
    ranked = sorted(found.nearest, key=lambda one: (-_help(one, helps), len(one.obstacles), one.is_done))
    # What can be filled in is not among those left out.
    shown = {one.id for one in sorted(ranked, key=lambda one: not any(ways[one.id]))[:NEAREST]}
    return [_missing(one, shown_rule(one, labels, titles), ways[one.id]) for one in ranked if one.id in shown]


def _proposed(
    rule: RuleReason,
    way: Sequence[Obstacle],
    names: Collection[str],
    results: Mapping[str, set[str]],
    helped: Mapping[str, Sequence[Helped]],
) -> Mapping[str, Any] | None:
    """Return the values that a person can know of what a way of a rule needs; None if there are others."""
    values = form_values.rule(way, names)
    if values is None or (rule.final and not helped):
        return values
    if helped:
        return values if all(_final(name, values, helped) for name in values) else None
    written = {name: write.by for one in way for name, write in one.written.items()}
    for name in (name for name, value in values.items() if value is not None):
        writers = {written[name]} & results[ANY] if name in written else results.get(name, set())
        if writers - {rule.transition}:
            return None
    return values


def _results(rules: Sequence[RuleReason], flow: FlowInfo) -> dict[str, set[str]]:
    """Return the transitions that write an attribute: those that say so or wait for it to be empty; ANY: all.

    What waits for an empty attribute is taken to fill it.
    """
    found: dict[str, set[str]] = {ANY: {one.transition for one in flow.triggers if one.transition}}
    for trigger in flow.triggers:
        for name in trigger.writes or ():
            found.setdefault(name, set()).add(trigger.transition)
    for rule in (one for one in rules if one.transition):
        for part in rule.parts.values():
            if part.kind == "leaf" and part.text.strip("() ").lower().endswith(" is null"):
                for name in part.attributes:
                    found.setdefault(name, set()).add(rule.transition)
    return found


def _help(rule: RuleReason, helped: Mapping[str, Sequence[Helped]]) -> int:
    """Return in how many cases persons helped with what one of the ways needs."""
    return max((_help_of(way, helped) for way in rule.ways), default=0) if helped else 0


def _help_of(way: Sequence[Obstacle], helped: Mapping[str, Sequence[Helped]]) -> int:
    names = {name for one in way for name in one.now}
    values = form_values.rule(way, names) or {}
    return min((_final(name, values, helped) for name in names), default=0)


def _final(name: str, values: Mapping[str, Any], helped: Mapping[str, Sequence[Helped]]) -> int:
    """Return the most cases that were helped by this value of an attribute, or by any where none is given."""
    found = helped.get(name, ())
    if name in values:
        wanted = plain_text(values[name])
        found = [one for one in found if not one.is_same or plain_text(one.value) == wanted]
    return max((one.final for one in found), default=0)


def _missing(rule: RuleReason, shown_as: ShownRule, proposed: Sequence[Mapping[str, Any] | None]) -> Missing:
    every = zip(proposed, (shown_as.obstacles, *shown_as.others), strict=True)
    return Missing(
        shown_as,
        [
            Way(f"{rule.id}.{n}" if n else str(rule.id), obstacles, values)
            for n, (values, obstacles) in enumerate(every)
        ],
    )


def filled(rules: Sequence[Missing], key: str) -> Mapping[str, Any]:
    """Return the values of the way with this key; none if there is no such way."""
    return next((way.values or {} for one in rules for way in one.ways if way.key == key), {})
