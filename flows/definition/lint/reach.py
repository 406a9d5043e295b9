"""Checks of what can follow from what: rules that nothing makes true, dead ends, states without an end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.common import Common
from flows.definition.lint.findings import Finding, Rule, identity
from flows.definition.lint.space import Space, same, space
from flows.definition.lint.tables import State

LISTED = ("enum", "boolean")  # types of which all values are known


def reach(
    attributes: Mapping[str, Mapping[str, Any]], rules: Sequence[Rule], common: Common
) -> Iterator[Finding]:
    """Return the findings about the enabled rules together, if every transition declares its writes."""
    if not any(rule.final for rule in rules):
        message = _("The flow has no final condition.")
        hint = _("No instance ever ends; each that has nothing more to do becomes an exception.")
        yield Finding(identity("no_final"), "no_final", "warning", "declared", ("triggers",), message, hint)
    if any(rule.writes is None for rule in rules if not rule.final) or all(rule.final for rule in rules):
        return  # a transition that may write everything can lead everywhere
    found = space(attributes, rules, common)
    if found is None:
        yield from _not_written(attributes, rules)
        yield _unknown()
        return
    yield from _never_made_true(found)
    yield from _dead_ends(found, attributes)
    if found.final:
        yield from _no_way_to_final(found)


def _unknown() -> Finding:
    message = _("Which states can follow from which is not known: too many, or conditions are unproved.")
    hint = _("Dead ends and states without a way to the end are not looked for.")
    return Finding(identity("gave_up", "reach"), "gave_up", "info", "declared", ("triggers",), message, hint)


def _not_written(attributes: Mapping[str, Mapping[str, Any]], rules: Sequence[Rule]) -> Iterator[Finding]:
    """Return the rules that are not true at the start and read nothing that is written."""
    written = {name for rule in rules for name in rule.writes or ()}
    for rule in (rule for rule in rules if rule.table and not rule.reads & written):
        starting = any(
            all(same(state[name], attributes[name].get("default")) for name in rule.reads)
            for state in (rule.table.where("t") if rule.table else ())
        )
        if not starting:
            yield _nothing_makes_true(rule)


def _never_made_true(found: Space) -> Iterator[Finding]:
    reached = found.reached(nulls=True)
    written = {name for rule in found.working for name in rule.writes or ()}
    for rule in found.rules:
        holding = found.holding[rule.place]
        started = {at for at in holding if not rule.reads & written and at in found.start}
        at_default = any(
            all(same(found.states[at][name], found.defaults[name]) for name in rule.reads) for at in started
        )
        if holding and (holding.isdisjoint(reached) or (started and not at_default)):
            yield _nothing_makes_true(rule)


def _nothing_makes_true(rule: Rule) -> Finding:
    message = _("Nothing that transitions may write makes the condition of {rule} true.").format(
        rule=rule.title
    )
    hint = _("It can be true only for an instance that is started so.")
    return rule.found("nothing_makes_true", "info", "declared", message, hint=hint)


def _dead_ends(found: Space, attributes: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Return one dead end of each transition, rather one that is reached by values of a listed type."""
    reached = found.reached(nulls=False)
    for rule in found.working:
        ends = list(_ends_of(found, rule, reached))
        if not ends:
            continue
        before, changes = min(ends, key=lambda end: (not _listed(end[1], attributes), len(end[1])))
        results = ", ".join(f"{name} = {value}" for name, value in changes.items())
        message = _("If {rule} results in {results}, no condition holds.").format(
            rule=rule.title, results=results
        )
        severity = "warning" if len(changes) == 1 and _listed(changes, attributes) else "info"
        hint = _("The instance becomes an exception.")
        yield rule.found("dead_end", severity, "declared", message, hint=hint, state=before, others=[results])


def _listed(changes: State, attributes: Mapping[str, Mapping[str, Any]]) -> bool:
    return all(attributes[name].get("type") in LISTED for name in changes)


def _ends_of(found: Space, rule: Rule, reached: set[int]) -> Iterator[tuple[State, State]]:
    """Return states in which only this rule holds, each with the changes that lead to a dead end."""
    others = {at for one in found.rules if one is not rule for at in found.holding[one.place]}
    for left, group in found.moves(rule):
        ends = [at for at in group if at in found.dead]
        for before in [at for at in left if at in reached and at not in others][:3] if ends else ():
            for at in found.without_new_nulls(before, ends):
                old, new = found.states[before], found.states[at]
                yield old, {name: new[name] for name in new if new[name] != old[name]}


def _no_way_to_final(found: Space) -> Iterator[Finding]:
    lost = found.reached(nulls=False) - found.ending() - found.dead
    if not lost:
        return
    at = min(lost)
    rule = next(rule for rule in found.working if at in found.holding[rule.place])
    message = _("From some states, such as one where {rule} holds, the end cannot be reached.").format(
        rule=rule.title
    )
    hint = _("No transition that can follow writes what the final condition needs.")
    others = [f"{one.sign}|{sorted(one.writes or ())}" for one in found.rules]
    yield rule.found(
        "no_way_to_final", "warning", "declared", message, hint=hint, state=found.states[at], others=others
    )
