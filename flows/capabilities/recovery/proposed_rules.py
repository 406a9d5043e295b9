"""A rule for cases that were repaired alike, a draft with it, and what such rules would have prevented.

Nothing is published by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from flows.capabilities.cases.api import Case, read_case
from flows.capabilities.cases.reports import case_report
from flows.capabilities.drafts.api import list_drafts, open_draft, read_draft, save_draft
from flows.capabilities.recovery.suggestions import THIN, Suggestion, suggestions
from flows.definition.flow import FLOW
from flows.statements import names, read_as, value
from flows.summaries import Summary
from flows.types import MAIN, Draft


@dataclass(frozen=True, slots=True)
class ProposedRule:
    """A rule that would have continued cases like one case without a person.

    `condition` holds on the states of the alike cases. `values` are those that the most successful repair
    wrote, `attributes` all that it wrote. It repaired `repaired` cases, of which `final` instances are final.
    The condition holds on the states of `open` open and `past` closed cases; `prevents` of all these were
    opened in the period.
    """

    number: int
    flow: str
    signature: str
    condition: str
    attributes: Sequence[str]
    values: Mapping[str, Any]
    repaired: int
    final: int
    open: int
    past: int
    prevents: int

    @property
    def is_thin(self) -> bool:
        """Return whether there are too few repaired cases to conclude anything from them."""
        return self.repaired < THIN


@dataclass(frozen=True, slots=True)
class Preventable:
    """Cases with one signature, and the repair that a rule could do for them, with what it has led to.

    `rule` is such a rule, with the number of cases of the period that it would have prevented; None where no
    condition can be derived.
    """

    newest: Case
    cases: int
    repair: Suggestion
    rule: ProposedRule | None


def proposed_rule(
    number: int, flows: Sequence[str] | None = None, *, since: datetime | None = None, conn: Any = None
) -> ProposedRule | None:
    """Return a rule for cases like this one; None if none can be derived.

    It needs the cause STUCK, a repair with new values after which an instance became final, and states that
    have something in common. `since`: the begin of the period of `prevents`. Raises UnknownCase.
    """
    call = "select wedsql.proposed_rule(%s, %s::text[], coalesce(%s::timestamptz, '-infinity'))"
    found = value(conn, call, (number, names(flows), since))
    return None if found is None else read_as(ProposedRule, found)


def draft_proposed_rule(
    number: int, flows: Sequence[str] | None = None, *, actor: str = "", conn: Any = None
) -> Draft | None:
    """Add the rule for cases like this one to the draft of the flow, and return the draft.

    The draft is opened if there is none; one that has a rule with this condition and these attributes stays
    as it is. None if there is no such rule. Raises UnknownCase, StaleDraft, DraftExists, DraftLimit.
    """
    rule = proposed_rule(number, flows, conn=conn)
    if rule is None:
        return None
    there = any(one.branch == MAIN for one in list_drafts(rule.flow, conn=conn))
    draft = read_draft(rule.flow, conn=conn) if there else open_draft(rule.flow, actor=actor, conn=conn)
    triggers = draft.definition["triggers"]
    if any(_same(one, rule) for one in triggers):
        return draft
    changed = draft.definition | {"triggers": [*triggers, _trigger(rule, draft.definition)]}
    summary = Summary("%(item)s added", {"item": f"tr_set_{rule.attributes[0]}"})
    save_draft(draft.at, changed, summary=summary, actor=actor, conn=conn)
    return read_draft(rule.flow, conn=conn)


def preventable_cases(
    since: datetime,
    until: datetime,
    flows: Sequence[str] | None = None,
    *,
    limit: int = 10,
    conn: Any = None,
) -> list[Preventable]:
    """Return the largest groups of alike cases of a period that new values have repaired before.

    A rule that writes these values on such a state would have continued the instances instead.
    """
    found = []
    for row in case_report("signature", since, until, flows, limit=limit, conn=conn):
        written = [one for one in suggestions(row.newest, flows, conn=conn) if one.values and one.final]
        if written:
            rule = proposed_rule(row.newest, flows, since=since, conn=conn)
            found.append(Preventable(read_case(row.newest, flows, conn=conn), row.cases, written[0], rule))
    return found


def _same(trigger: Mapping[str, Any], rule: ProposedRule) -> bool:
    return trigger.get("predicate") == rule.condition and trigger.get("writes") == list(rule.attributes)


def _trigger(rule: ProposedRule, definition: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "transition": _free_name(rule, definition["triggers"]),
        "predicate": rule.condition,
        "timeout": definition.get("default_timeout", FLOW["default_timeout"].default),
        "writes": list(rule.attributes),
        "description": _described(rule),
    }


def _free_name(rule: ProposedRule, triggers: Sequence[Mapping[str, Any]]) -> str:
    """Return a name for a transition that no rule of the draft fires."""
    taken = {one.get("transition") for one in triggers}
    name = f"tr_set_{rule.attributes[0]}"[:55]
    free = [name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))]
    return next(each for each in free if each not in taken)


def _described(rule: ProposedRule) -> str:
    """Return the task of the transition and its reason, in the language of the user."""
    written = ", ".join(_written(name, rule.values) for name in rule.attributes)
    return _(
        "Proposed for cases like case %(number)s. The transition writes: %(written)s. People repaired"
        " %(repaired)s such cases by that; %(final)s of their instances are final."
    ) % {"number": rule.number, "written": written, "repaired": rule.repaired, "final": rule.final}


def _written(name: str, values: Mapping[str, Any]) -> str:
    if name not in values:
        return name
    given = values[name]
    return f"{name} := {'null' if given is None else str(given)[:80]}"
