"""Checks of two rules together: equal and implied conditions, and results that replace each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from flows.definition.lint.budget import Budget
from flows.definition.lint.common import Common, TooManyClasses, compatible
from flows.definition.lint.findings import Finding, Rule, identity
from flows.definition.lint.tables import State

# What results of each rule wrote: attribute -> instances, by the rule's place.
Written = Mapping[int, Mapping[str, Sequence[int]]]


def pairs(
    rules: Sequence[Rule],
    common: Common,
    written: Written,
    budget: Budget,
    overlapping: Mapping[frozenset[int], tuple[str, State]] | None = None,
) -> Iterator[Finding]:
    """Return the findings about pairs of enabled rules, as far as the time lasts.

    overlapping: what is said of pairs, by their places, that hold together in a range, with a state in it.
    """
    known = [rule for rule in rules if rule.enabled and rule.table and "t" in rule.table.held]
    tables = [rule.table for rule in known if rule.table]
    if budget.spent:
        yield _gave_up(len(known) * (len(known) - 1) // 2)
        return
    found, left = list(compatible(tables, common)), 0
    for n, (one, other) in enumerate(found):
        if budget.spent:
            left += len(found) - n
            break
        try:
            pair = frozenset((known[one].place, known[other].place))
            yield from _both_write(known[one], known[other], common, written, (overlapping or {}).get(pair))
            yield from _implied(known[one], known[other], common)
        except TooManyClasses:
            left += 1
    if left:
        yield _gave_up(left)


def _gave_up(left: int) -> Finding:
    message = _("Some pairs of rules were not compared: {n}.").format(n=left)
    hint = _(
        "The time ended, or two conditions distinguish too many states; manage.py flow lint has --seconds."
    )
    return Finding(identity("gave_up"), "gave_up", "info", "declared", ("triggers",), message, hint)


def _both_write(
    one: Rule, other: Rule, common: Common, written: Written, overlap: tuple[str, State] | None
) -> Iterator[Finding]:
    names = both_written(one, other, written)
    state = _together(one, other, common) if names else None
    if state is None:
        return
    message = _("{rule} and {other} can be pending together, and both write {names}.").format(
        rule=one.title, other=other.title, names=", ".join(names)
    )
    message, state = overlap or (message, state)
    declared = one.writes is not None and other.writes is not None
    wids: set[int] = set()
    if not declared:
        places = (one.place, other.place)
        wids = {wid for at in places for name in names for wid in written.get(at, {}).get(name, ())}
    yield one.found(
        "both_write",
        "warning" if declared else "info",
        "proved" if declared else "observed",
        message,
        hint=_("The later result replaces the earlier one."),
        state=state,
        instances=sorted(wids)[:20],
        others=[other.sign, *names],
    )


def _together(one: Rule, other: Rule, common: Common) -> State | None:
    return common.together(one.table, other.table) if one.table and other.table else None


def both_written(one: Rule, other: Rule, written: Written) -> list[str]:
    """Return the attributes that both rules write."""
    return sorted(_writes(one, written) & _writes(other, written))


def _writes(rule: Rule, written: Written) -> frozenset[str]:
    """Return the declared write-set of the rule's transition, else the attributes that its results wrote."""
    return frozenset(written.get(rule.place, ())) if rule.writes is None else rule.writes


def _implied(one: Rule, other: Rule, common: Common) -> Iterator[Finding]:
    if not (one.table and other.table and one.reads & other.reads):
        return
    forth, back = common.implies(one.table, other.table), common.implies(other.table, one.table)
    if forth and back:
        message = _("The conditions of {rule} and {other} are true on the same states.")
        text = message.format(rule=one.title, other=other.title)
        state = _together(one, other, common)
        yield one.found("equal", "warning", "proved", text, state=state, others=[other.sign])
    elif forth or back:
        narrow, wide = (one, other) if forth else (other, one)
        message = _("Wherever the condition of {rule} is true, that of {other} is true too.")
        text = message.format(rule=narrow.title, other=wide.title)
        state = _together(narrow, wide, common)
        yield narrow.found("implied", "info", "proved", text, state=state, others=[wide.sign])
