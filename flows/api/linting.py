"""Checks of a definition, proved by the kernel's evaluation or observed in the flow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.api.checking import evaluate
from flows.api.connection import JSON, rows
from flows.api.definitions import AnyDefinition
from flows.definition.lint import Finding, Leaf, Rule, Table, findings, representatives
from flows.definition.lint.findings import identity
from flows.definition.lint.tables import states

_REPEATED = """
    select t.tgid, array_agg(distinct t.wid) from (
      select h.wid, h.tgid, h.fired from wedsql.wed_trace h join wedsql.flow f on f.id = h.flow_id
      where f.name = %s and h.tgid > 0 order by h.tstmp desc limit 2000) t
    where t.tgid = any (t.fired) group by t.tgid"""
_SERVED = """
    select split_part(s, ':', 2) from wedsql.worker w cross join lateral unnest(w.serves) s
    where split_part(s, ':', 1) = %s"""


def lint(flow: str, definition: AnyDefinition, *, conn: Any = None) -> list[Finding]:
    """Return what is probably not meant, the worst first. Raises PredicateRefused, PredicateType.

    A rule whose condition has other than comparisons with constants, or too many classes of states, is not
    proved anything about; `unproved` names those.
    """
    given: Mapping[str, Any] = definition
    rules = _rules(flow, given, conn)
    found = [*findings(given, rules), *_unproved(rules), *_observed(flow, rules, conn)]
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(found, key=lambda one: order[one.severity])


def _rules(flow: str, definition: Mapping[str, Any], conn: Any) -> list[Rule]:
    attributes = {one["name"]: one for one in definition["attributes"]}
    types = {name: one.get("type") or "text" for name, one in attributes.items()}
    leaves = [_leaves(types, trigger["predicate"], conn) for trigger in definition["triggers"]]
    reading: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in (leaf for some in leaves for leaf in some):
        for name in leaf.attributes:
            reading[name].append(leaf)
    classes = {name: representatives(attributes[name], reading[name]) for name in reading}
    return [
        Rule(place, trigger, some, _table(flow, definition, trigger, some, classes, conn))
        for place, (trigger, some) in enumerate(zip(definition["triggers"], leaves, strict=True))
    ]


def _leaves(types: Mapping[str, str], predicate: str, conn: Any) -> list[Leaf]:
    query = 'select kinds, words, "position", length from wedsql.condition_leaves(%s, %s)'
    return [
        Leaf(tuple(kinds), tuple(words), *place)
        for kinds, words, *place in rows(conn, query, (JSON(types), predicate))
    ]


def _table(
    flow: str, definition: Mapping[str, Any], trigger: Mapping[str, Any], leaves: Sequence[Leaf],
    classes: Mapping[str, list[Any] | None], conn: Any,
) -> Table | None:  # fmt: skip
    """Return a condition's values on a state of each class; None for too many or unknown classes."""
    known = {name: classes[name] for name in sorted({name for leaf in leaves for name in leaf.attributes})}
    values = {name: some for name, some in known.items() if some is not None}
    found = states(values) if len(values) == len(known) else None
    if found is None:
        return None
    alone = {"attributes": definition["attributes"], "triggers": [trigger]}
    return Table(found, "".join(one.held for one in evaluate(alone, found, flow=flow, conn=conn)))


def _unproved(rules: Sequence[Rule]) -> Iterator[Finding]:
    for rule in (rule for rule in rules if rule.table is None):
        message = _("Nothing can be proved about the condition of {rule}.").format(rule=rule.title)
        hint = _("It has other parts than comparisons of attributes with constants, or too many of them.")
        yield rule.found("unproved", "info", "declared", message, hint=hint)


def _observed(flow: str, rules: Sequence[Rule], conn: Any) -> Iterator[Finding]:
    repeated = {int(tgid): wids for tgid, wids in rows(conn, _REPEATED, (flow,))}
    served = {name for (name,) in rows(conn, _SERVED, (flow,))}
    for rule in rules:
        wids = repeated.get(rule.trigger.get("id", 0))
        if wids:
            message = _("{rule} fired again right after its own result.").format(rule=rule.title)
            yield rule.found("fired_again", "info", "observed", message, instances=sorted(wids)[:20])
        transition = rule.trigger.get("transition")
        if transition and rule.trigger.get("enabled", True) and transition not in served:
            message = _("No worker serves the transition {name} at present.").format(name=transition)
            path = ("triggers", rule.place, "transition")
            yield Finding(identity("no_worker", transition), "no_worker", "info", "observed", path, message)
