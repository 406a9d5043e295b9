"""A filter that is checked, for one flow or over all flows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property

from flows.engine.connection import value
from flows.errors import PredicateRefused, PredicateType, WedError
from flows.filters.clauses import Clause
from flows.filters.clocks import check_names
from flows.filters.conditions import typed, unknown
from flows.filters.errors import BadFilter
from flows.filters.fields import OF_ALERTS, OF_TASKS, PARTS, THEN, find
from flows.filters.filter_sql import About, render
from flows.filters.grammar import read
from flows.filters.tree import Condition, Node, all_of, conditions, top
from flows.queries.definitions import FlowInfo

MAX_WHERE = 3


@dataclass(frozen=True)
class Filter:
    """A filter; `flow` is None as long as it is about instances of any flow.

    `zone` is the zone of its times. Without a flow, conditions on attributes are not checked. `at` is the
    moment of the history that it is about, None for the present. `of`: it is about tasks, the alias `t`,
    cases, `c`, jobs, `j`, or approvals, `p`, and their instances, or about alerts, `r`.
    """

    tree: Node | None = None
    flow: FlowInfo | None = None
    zone: tzinfo = UTC
    predicates: Mapping[str, int] = field(default_factory=dict, compare=False)
    at: datetime | None = None
    of: str = "instances"

    def __bool__(self) -> bool:
        return self.tree is not None

    def text(self) -> str:
        """Return the canonical text, which parses to the same tree."""
        return self.tree.text() if self.tree else ""

    def where(self) -> Clause:
        """Return SQL over `i` (wedsql.instance) and, if its `state` is true, `f` (the flow's own table)."""
        return render(self.tree, self.flow, self.zone, self.predicates, About(self.at, self.of))

    def clauses(self) -> list[Clause]:
        """Return the SQL of each part that has to be met."""
        about = About(self.at, self.of)
        return [render(part, self.flow, self.zone, self.predicates, about) for part in self.parts]

    def for_flow(self, flow: FlowInfo, *, everywhere: bool = False) -> Filter:
        """Return the filter over one flow. Raises BadFilter.

        With `everywhere` a condition on an attribute that the flow does not have is met by none of its
        instances; otherwise it is an error.
        """
        for each in conditions(self.tree):
            if typed(each, flow, self.zone) is None and not everywhere:
                raise unknown(each, flow)
        if not everywhere:
            check_names(self.tree, flow)
        return replace(self, flow=flow, predicates=_prepared(self.tree, flow))

    def as_of(self, at: datetime) -> Filter:
        """Return the filter over the instances as they were at a moment. Raises BadFilter.

        What the history does not have, such as the jobs of an instance, cannot be compared.
        """
        for each in conditions(self.tree):
            if each.field in PARTS and each.field not in THEN:
                known = ", ".join(name for name in THEN if name)
                raise BadFilter("not_then", each.position, each.length, field=each.field, fields=known)
        return replace(self, at=at)

    def of_tasks(self) -> Filter:
        """Return the filter over tasks. Raises BadFilter for a part of instances that no task has."""
        for each in conditions(self.tree):
            if each.field in PARTS and each.field not in OF_TASKS:
                known = ", ".join(name for name in OF_TASKS if name)
                raise BadFilter("not_of_tasks", each.position, each.length, field=each.field, fields=known)
        return replace(self, of="tasks")

    def of_list(self, of: str) -> Filter:
        """Return the filter over what another list has than instances. Raises BadFilter.

        Of tasks and alerts not everything can be asked that can be asked of instances.
        """
        if of == "tasks":
            return self.of_tasks()
        if of == "alerts":
            self._check_alerts()
        return replace(self, of=of)

    def _check_alerts(self) -> None:
        for each in conditions(self.tree):
            if each.field not in OF_ALERTS:
                known = ", ".join(name for name in OF_ALERTS if name)
                facts = {"field": each.field[:63], "fields": known}
                raise BadFilter("not_of_alerts", each.position, each.length, **facts)

    def having(self, node: Node | None) -> Filter:
        """Return the filter with one more part that has to be met."""
        return replace(self, tree=all_of(self.tree, node))

    def without(self, *fields: str) -> Filter:
        """Return the filter without the parts that are a single condition on one of these fields."""
        kept = [each for each in self.parts if not (isinstance(each, Condition) and each.field in fields)]
        return replace(self, tree=all_of(*kept))

    @property
    def parts(self) -> tuple[Node, ...]:
        """Return the parts that all have to be met."""
        return top(self.tree)

    def only(self, name: str) -> tuple[str, ...] | None:
        """Return the values that a field must have by a condition at the top, None if there is none."""
        for each in self.parts:
            if isinstance(each, Condition) and each.field == name and each.operator == "=":
                return tuple(value or "" for value in each.values)
        return None

    @cached_property
    def reads_state(self) -> bool:
        """Return whether a condition is about attributes, so that it depends on the flow."""
        return self.of != "alerts" and any(
            each.field not in PARTS or each.field in ("where", "key", "") for each in conditions(self.tree)
        )


EMPTY = Filter()


def parse(text: str, flow: FlowInfo | None = None, zone: tzinfo = UTC) -> Filter:
    """Return the filter of a text. Raises BadFilter.

    With SQL predicates it must be called outside of a read-only transaction, as the kernel checks them.
    """
    found = Filter(read(text), None, zone)
    for each in conditions(found.tree):
        if find(each, None):
            typed(each, None, zone)
    return found.for_flow(flow) if flow else found


def _prepared(tree: Node | None, flow: FlowInfo) -> dict[str, int]:
    """Return the number of each SQL predicate, which the kernel has checked. Raises BadFilter."""
    wanted = list({each: each for each in conditions(tree) if each.field == "where"})
    if wanted and flow.concealed:
        raise BadFilter("where_concealed", wanted[0].position, wanted[0].length)
    if len(wanted) > MAX_WHERE:
        last = wanted[MAX_WHERE]
        raise BadFilter("many_where", last.position, last.length, limit=MAX_WHERE)
    return {each.values[0] or "": _prepare(each, flow) for each in wanted}


def _prepare(condition: Condition, flow: FlowInfo) -> int:
    try:
        found = value(None, "select wedsql.prepare_filter(%s, %s)", (flow.name, condition.values[0]))
    except (PredicateRefused, PredicateType) as refused:
        raise _rejected(condition, refused) from refused
    return int(found)


def _rejected(condition: Condition, refused: WedError) -> BadFilter:
    """Return the error of a predicate, with its place in the text of the filter."""
    start = condition.position + len('where:"')
    place = start + max(int(refused.where.get("position") or 1) - 1, 0)
    return BadFilter(
        "predicate",
        min(place, condition.position + condition.length - 1),
        int(refused.where.get("length") or 1),
        problem=refused.message,
        way_out=refused.hint,
    )
