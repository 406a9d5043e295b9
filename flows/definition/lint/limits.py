"""What is said about gaps and overlaps between limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.budget import Budget
from flows.definition.lint.common import Common
from flows.definition.lint.findings import Finding, Rule
from flows.definition.lint.gaps import Gap, Overlap, Verify, gaps, overlaps
from flows.definition.lint.grid import Grid
from flows.definition.lint.pairs import Written, both_written
from flows.definition.lint.tables import State
from flows.labels import translate_label

Attributes = Mapping[str, Mapping[str, Any]]


def limits(
    attributes: Attributes, rules: Sequence[Rule], common: Common, verify: Verify | None, budget: Budget
) -> Iterator[Finding]:
    """Return the gaps between the limits of two rules, those to which a way was found first.

    verify: as for `findings`.
    """
    grid = Grid(attributes, rules, common)
    found = [*gaps(grid, verify or _nothing_else, budget)]
    for gap in sorted(found, key=lambda each: each.way is None):
        message = _("With {values}, no rule applies.").format(values=_said(grid, gap))
        severity = "info" if gap.way is None else "warning"
        others = [gap.high.sign, gap.name, str(grid.common.classes[gap.name][gap.first])]
        state = grid.values(gap.state)
        yield gap.low.found("gap", severity, "proved", message, hint=_hint(gap), state=state, others=others)


def _nothing_else(others: Mapping[str, Any], name: str, values: Sequence[Any]) -> Sequence[bool]:
    """Say that no rule but those with tables holds."""
    return [True] * len(values)


def _hint(gap: Gap) -> str:
    if gap.low is gap.high:
        between = _("{rule} applies below and above.").format(rule=gap.low.title)
    else:
        between = _("{low} applies below, {high} above.").format(low=gap.low.title, high=gap.high.title)
    if gap.way is None:
        way = _("No way to such a state was found.")
    elif not gap.way:
        way = _("A start with these values is rejected.")
    else:
        titles = " → ".join(rule.title for rule in gap.way)
        way = _("An instance gets there by {rules} and becomes an exception.").format(rules=titles)
    return f"{between} {way}"


def overlapping(
    attributes: Attributes, rules: Sequence[Rule], common: Common, written: Written, budget: Budget
) -> dict[frozenset[int], tuple[str, State]]:
    """Return the message about two rules that write the same and overlap between limits, with a state.

    The keys are the places of the rules.
    """
    grid = Grid(attributes, rules, common)
    found = overlaps(grid, lambda low, high: bool(both_written(low, high, written)), budget)
    return {
        frozenset((each.low.place, each.high.place)): (
            _overlap(grid, each, written),
            grid.values(each.state),
        )
        for each in found
    }


def _overlap(grid: Grid, found: Overlap, written: Written) -> str:
    names = [title(grid.attributes, name) for name in both_written(found.low, found.high, written)]
    message = _("With {values}, both {rule} and {other} apply, and both write {names}.")
    return message.format(
        values=_said(grid, found), rule=found.low.title, other=found.high.title, names=", ".join(names)
    )


def title(attributes: Attributes, name: str) -> str:
    """Return the name of an attribute in a sentence."""
    return translate_label(str(attributes.get(name, {}).get("label") or "")) or name


def _said(grid: Grid, found: Gap | Overlap) -> str:
    """Return the values of a state in words, with the range of one of them.

    Attributes with their defaults are left out, unless one of the two rules reads them.
    """
    read = found.low.reads | found.high.reads
    parts = []
    for name in grid.names:
        if name == found.name:
            value = _range(grid, name, found.first, found.last)
        elif name in found.state and (name in read or found.state[name] != grid.defaults[name]):
            value = _value(grid.common.classes[name][found.state[name]])
        else:
            continue
        parts.append(_("{attribute} {value}").format(attribute=title(grid.attributes, name), value=value))
    return ", ".join(parts)


def _value(value: Any) -> str:
    if value is None:
        return _("empty")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)


def _range(grid: Grid, name: str, first: int, last: int) -> str:
    """Return a range of classes in words: whole numbers, days and times have a value at each of its ends."""
    classes = grid.common.classes[name]
    if grid.attributes[name].get("type") == "numeric":
        return _numeric(classes, first, last)
    if first == last:
        return _value(classes[first])
    return _("{first} to {last}").format(first=_value(classes[first]), last=_value(classes[last]))


def _numeric(classes: Sequence[Any], first: int, last: int) -> str:
    """Return a range of numbers, of which every second class lies between two limits."""
    opened, closed = (at % 2 == 1 for at in (first, last))
    if first == last and not opened:
        return _value(classes[first])
    low, high = classes[first - opened], classes[last + closed]
    if opened and closed:
        return _("between {low} and {high}").format(low=low, high=high)
    if opened:
        return _("more than {low} up to {high}").format(low=low, high=high)
    if closed:
        return _("from {low} to less than {high}").format(low=low, high=high)
    return _("{first} to {last}").format(first=low, last=high)
