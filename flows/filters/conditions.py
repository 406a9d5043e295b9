"""Conditions whose field, operator and values fit each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from psycopg import sql

from flows.filters.errors import BadFilter
from flows.filters.fields import Field, check_choice, check_operator, fields, find
from flows.filters.tree import Condition
from flows.filters.values import Ago, Value, duration, value
from flows.queries.definitions import FlowInfo


@dataclass(frozen=True)
class Typed:
    """A condition whose values have the type of its field; the parts of a range may be None.

    `at` is the moment that it is about, None for the present. `of` is what it chooses:
    instances, tasks (the alias `t`), cases (`c`), jobs (`j`), approvals (`p`) or alerts (`r`).
    """

    field: Field
    operator: str
    values: tuple[Value | None, ...]
    zone: tzinfo
    at: datetime | None = None
    of: str = "instances"

    def with_operator(self, operator: str) -> Typed:
        return replace(self, operator=operator)

    @property
    def now(self) -> sql.Composable:
        """Return the time from which relative ones count, in SQL."""
        if self.at is None:
            return sql.SQL("(select wedsql.now())")
        return sql.SQL("{}::timestamptz").format(sql.Literal(self.at))


def typed(condition: Condition, flow: FlowInfo | None, zone: tzinfo) -> Typed | None:
    """Return the condition with typed values, None for an attribute that the flow does not have.

    Raises BadFilter.
    """
    field = find(condition, flow)
    if field is None:
        return None
    check_operator(condition, field)
    check_choice(condition, field)
    values = tuple(
        None if each is None else _value(field, each, condition, zone) for each in condition.values
    )
    if (
        condition.operator in ("=", "!=")
        and field.name != "since"
        and any(isinstance(each, Ago) for each in values)
    ):
        raise BadFilter("exact_time", condition.position, condition.length, value=condition.values[0])
    return Typed(field, condition.operator, values, zone)


def _value(field: Field, text: str, condition: Condition, zone: tzinfo) -> Value:
    if field.name == "since":  # a duration by itself is meant as ago
        try:
            return Ago(duration(text, zone))
        except ValueError:
            pass
    if (
        field.kind == "jsonb"
        and condition.operator == "~"
        and text[:1] not in '{["'
        and not _is_json(text, zone)
    ):
        raise BadFilter("json", condition.position, condition.length, value=text[:80])
    return value(field.kind, text, condition, zone)


def _is_json(text: str, zone: tzinfo) -> bool:
    return text in ("true", "false", "null") or text.lstrip("-")[:1].isdigit()


def unknown(condition: Condition, flow: FlowInfo | None) -> BadFilter:
    """Return the error of a field that does not exist."""
    known = ", ".join(each.written for each in fields(flow))
    reason = "unknown_field" if flow else "unknown_anywhere"
    return BadFilter(reason, condition.position, condition.length, field=condition.field[:63], fields=known)
