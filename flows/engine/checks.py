"""Checks of a definition, proved by the kernel's evaluation or observed in the flow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.capabilities.conditions.api import evaluate_classes
from flows.capabilities.drafts.acknowledgements import acknowledgements_of
from flows.definition import AnyDefinition
from flows.definition.lint import (
    Budget,
    Common,
    Finding,
    Leaf,
    People,
    Rule,
    Table,
    Verify,
    findings,
    representatives,
    with_acknowledgements,
)
from flows.definition.lint.tables import LIMIT, Classes, size
from flows.definition.shape import shaped
from flows.engine.calls import called
from flows.engine.connection import JSON, rows
from flows.engine.form_conditions import form_conditions
from flows.engine.observation import observed, read_history
from flows.engine.recent import Recent
from flows.engine.times import times

# What the kernel said of conditions before: a definition is checked again after each of its changes.
_known_leaves: Recent[Any, list[Leaf]] = Recent(2_000)
_known_tables: Recent[str, Table] = Recent(2_000)

Condition = tuple[list[Leaf] | None, Classes | None]
SECONDS = 20.0
PORTION = 20  # conditions of one statement

_LEAVES = """
    select p.n - 1, l.kinds, l.words, l."position", l.length
    from unnest(%s::text[]) with ordinality p (predicate, n)
    cross join lateral wedsql.condition_leaves(%s, p.predicate) with ordinality
      l (kinds, words, "position", length, m)
    order by p.n, l.m"""


def lint(
    flow: str,
    definition: AnyDefinition,
    *,
    seconds: float = SECONDS,
    people: People | None = None,
    conn: Any = None,
) -> list[Finding]:
    """Return the probable mistakes of a definition, the worst first. Raises PredicateRefused, PredicateType.

    A rule whose condition has other than comparisons with constants, or too many classes of states, is not
    proved anything about; `unproved` names those. After `seconds` no further conditions are evaluated or
    compared, and `gave_up` says so. people: which of the persons and roles that it names there are, which
    the tables of the site say; None: nothing is said about that.
    """
    given = shaped(definition)
    budget = Budget(seconds)
    rules, common = _rules(flow, given, budget, conn)
    history = read_history(flow, rules, conn)
    verify = _verify(flow, given, rules, conn)
    found = [*findings(given, rules, common, history.written, budget, people, verify)]
    found += _unproved(rules, budget)
    found += [*observed(rules, history), *called(flow, given, rules, conn), *times(flow, given, conn)]
    found += form_conditions(given, rules, conn)
    order = {"error": 0, "warning": 1, "info": 2}
    acknowledged = acknowledgements_of(flow, conn=conn)
    return with_acknowledgements(sorted(found, key=lambda one: order[one.severity]), acknowledged)


def prepare(flow: str, definition: AnyDefinition, *, seconds: float, conn: Any = None) -> tuple[int, int]:
    """Evaluate conditions for `lint` as long as the time lasts; return how many are done, of how many.

    What is done is kept by the process, so that the next call continues, and `lint` needs less time.
    """
    shaped(definition)
    budget = Budget(seconds)
    conditions = _conditions(definition, budget, conn)
    tables = _tables(flow, definition, conditions, budget, conn)
    waiting = sum(
        leaves is None or (classes is not None and table is None)
        for (leaves, classes), table in zip(conditions, tables, strict=True)
    )
    return len(tables) - waiting, len(tables)


def _rules(flow: str, definition: Mapping[str, Any], budget: Budget, conn: Any) -> tuple[list[Rule], Common]:
    conditions = _conditions(definition, None, conn)
    tables = _tables(flow, definition, conditions, budget, conn)
    rules = []
    for place, (trigger, (leaves, _classes), table) in enumerate(
        zip(definition["triggers"], conditions, tables, strict=True)
    ):
        reads = frozenset(name for leaf in leaves or [] for name in leaf.attributes)
        rules.append(Rule(place, trigger, leaves or [], table, reads))
    return rules, _common(definition, rules)


def _verify(flow: str, definition: Mapping[str, Any], rules: Sequence[Rule], conn: Any) -> Verify | None:
    """Return on which states none of the conditions without a table holds; None without such conditions."""
    open_rules = [rule for rule in rules if rule.table is None and rule.enabled and not rule.integrity]
    if not open_rules:
        return None
    part = {"attributes": definition["attributes"], "triggers": [rule.trigger for rule in open_rules]}
    defaults = {one["name"]: [one.get("default")] for one in definition["attributes"]}

    def nothing(others: Mapping[str, Any], name: str, values: Sequence[Any]) -> list[bool]:
        classes = {**defaults, **{each: [value] for each, value in others.items()}, name: list(values)}
        held = evaluate_classes(part, [classes] * len(open_rules), flow, conn)
        return ["t" not in letters for letters in zip(*held, strict=True)]

    return nothing


def _common(definition: Mapping[str, Any], rules: Sequence[Rule]) -> Common:
    """Return the classes that all conditions with tables distinguish together."""
    attributes = {one["name"]: one for one in definition["attributes"]}
    reading: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in (leaf for rule in rules if rule.table for leaf in rule.leaves):
        for name in leaf.attributes:
            reading[name].append(leaf)
    classes = {name: representatives(attributes[name], some) or [] for name, some in reading.items()}
    return Common(classes, {name: attributes[name].get("type") or "text" for name in classes})


def _conditions(definition: AnyDefinition, budget: Budget | None, conn: Any) -> list[Condition]:
    """Return the comparisons of each condition, with its classes where something can be proved about it.

    Those that were not read before the budget was spent have None.
    """
    attributes = {one["name"]: one for one in definition["attributes"]}
    types = {name: one.get("type") or "text" for name, one in attributes.items()}
    predicates = [trigger["predicate"] for trigger in definition["triggers"]]
    leaves = _leaves(types, predicates, budget, conn)
    return [(some, None if some is None else _classes(attributes, some)) for some in leaves]


def _classes(attributes: Mapping[str, Any], leaves: Sequence[Leaf]) -> Classes | None:
    """Return the classes that a condition distinguishes; None for unknown ones, or too many."""
    reading: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in leaves:
        for name in leaf.attributes:
            reading[name].append(leaf)
    found = {name: representatives(attributes[name], reading[name]) for name in sorted(reading)}
    known = {name: some for name, some in found.items() if some is not None}
    return known if len(known) == len(found) and size(known) <= LIMIT else None


def _leaves(
    types: Mapping[str, str], predicates: Sequence[str], budget: Budget | None, conn: Any
) -> list[list[Leaf] | None]:
    """Return the comparisons of each condition; None for those that the budget did not suffice for."""
    named = tuple(types.items())
    found = {place: _known_leaves.get((named, predicate)) for place, predicate in enumerate(predicates)}
    for places in _portions([place for place, known in found.items() if known is None], budget):
        read: dict[int, list[Leaf]] = {place: [] for place in places}
        parameters = ([predicates[place] for place in places], JSON(types))
        for n, kinds, words, *at in rows(conn, _LEAVES, parameters):
            read[places[n]].append(Leaf(tuple(kinds), tuple(words), *at))
        for place, leaves in read.items():
            found[place] = _known_leaves[named, predicates[place]] = leaves
    return list(found.values())


def _tables(
    flow: str, definition: AnyDefinition, conditions: Sequence[Condition], budget: Budget, conn: Any
) -> list[Table | None]:
    """Return each condition's values on its classes; None without classes or time."""
    attributes = {one["name"]: one for one in definition["attributes"]}
    triggers = definition["triggers"]
    found: list[Table | None] = [None] * len(triggers)
    keys: dict[int, str] = {}
    for place, (_some, classes) in enumerate(conditions):
        if classes is not None:
            types = [attributes[name].get("type") for name in classes]
            keys[place] = repr((triggers[place]["predicate"], types, list(classes.items())))
            found[place] = _known_tables.get(keys[place])
    for places in _portions([place for place in keys if found[place] is None], budget):
        some = [conditions[place][1] or {} for place in places]
        part = {"attributes": definition["attributes"], "triggers": [triggers[place] for place in places]}
        for place, classes, held in zip(places, some, evaluate_classes(part, some, flow, conn), strict=True):
            found[place] = _known_tables[keys[place]] = Table(classes, held)
    return found


def _portions(places: Sequence[int], budget: Budget | None) -> Iterator[Sequence[int]]:
    """Return the places in portions, as long as there is time."""
    for first in range(0, len(places), PORTION):
        if budget and budget.spent:
            return
        yield places[first : first + PORTION]


def _unproved(rules: Sequence[Rule], budget: Budget) -> Iterator[Finding]:
    hint = _("It has other parts than comparisons of attributes with constants, or too many of them.")
    if budget.spent:
        hint = _("The time for the checks ended; manage.py flow lint has more with --seconds.")
    for rule in (rule for rule in rules if rule.table is None):
        message = _("Nothing can be proved about the condition of {rule}.").format(rule=rule.title)
        yield rule.found("unproved", "info", "declared", message, hint=hint)
