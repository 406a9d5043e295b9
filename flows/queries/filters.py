"""Filters over the state of instances, each of an attribute, an operator and a value, rendered as SQL.

The attribute must exist in the flow, the operator must be allowed for its type, and the value is a parameter
that PostgreSQL casts to the attribute's type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import DataError, transaction
from psycopg import sql

from flows.definition import ATTRIBUTE
from flows.queries.base import scalar
from flows.queries.definitions import Attribute, FlowInfo

MAX_FILTERS = 8
MAX_VALUE = 1_000

SYMBOLS = {
    "eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥",
    "contains": "∋", "null": "∅", "notnull": "!∅",
}  # fmt: skip
_COMPARE = {"eq": "=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ORDERED = ("eq", "ne", "lt", "le", "gt", "ge", "null", "notnull")
_BY_TYPE = {
    "boolean": ("eq", "ne", "null", "notnull"),
    "enum": ("eq", "ne", "null", "notnull"),
    "jsonb": ("eq", "ne", "contains", "null", "notnull"),
    "text": (*_ORDERED, "contains"),
}
# The SQL types of attributes, from the description and never from input; an option of an enum is a text.
_CASTS = {name: "text" if name == "enum" else name for name in ATTRIBUTE["type"].choices}


@dataclass(frozen=True)
class Filter:
    """One row of the filter form as it was submitted; `error` is the code of its error, or empty."""

    name: str
    operator: str
    value: str = ""
    error: str = ""

    @property
    def symbol(self) -> str:
        return SYMBOLS.get(self.operator, self.operator)

    @property
    def takes_value(self) -> bool:
        return self.operator not in ("null", "notnull")


def operators(attribute: Attribute) -> tuple[str, ...]:
    """Return the operators that are allowed for the attribute's type."""
    return _BY_TYPE.get(attribute.type, _ORDERED)


def parse(names: Sequence[str], ops: Sequence[str], values: Sequence[str]) -> list[Filter]:
    """Return the filters of three parallel lists from an HTML form, without empty rows."""
    padded = [*values, *[""] * len(names)]
    triples = zip(names, [*ops, *["eq"] * len(names)], padded, strict=False)
    return [Filter(name, op or "eq", value) for name, op, value in triples if name][:MAX_FILTERS]


def checked(flow: FlowInfo, filters: Iterable[Filter]) -> list[Filter]:
    """Return the filters with `error` set where attribute, operator or value cannot be used."""
    return [Filter(f.name, f.operator, f.value, _error(flow, f)) for f in filters]


def _error(flow: FlowInfo, item: Filter) -> str:
    attribute = flow.attribute(item.name)
    if attribute is None:
        return "unknown_attribute"
    if item.operator not in operators(attribute):
        return "unknown_operator"
    if len(item.value) > MAX_VALUE:
        return "too_long"
    if item.takes_value and not item.value:
        return "no_value"
    if item.takes_value and attribute.type == "enum" and item.value not in attribute.options:
        return "no_option"
    return "" if _castable(attribute, item) else "wrong_value"


def _castable(attribute: Attribute, item: Filter) -> bool:
    """Return whether PostgreSQL can cast the value to the type; a text must only be free of NUL."""
    if not item.takes_value or cast(attribute) == "text":
        return "\x00" not in item.value
    try:
        with transaction.atomic():
            scalar(sql.SQL("select %s::{} is null").format(sql.SQL(cast(attribute))), [item.value])
    except DataError:
        return False
    return True


def cast(attribute: Attribute) -> str:
    """Return the SQL type of the attribute's column."""
    return _CASTS.get(attribute.type, "text")


def _emptiness(column: sql.Composable, attribute: Attribute, *, wanted: bool) -> sql.Composable:
    """Return a test for null, or for not null; an empty text counts as null, because both are shown empty."""
    if cast(attribute) == "text":
        column = sql.SQL("nullif({}, '')").format(column)
    return sql.SQL("{} is null" if wanted else "{} is not null").format(column)


def condition(flow: FlowInfo, item: Filter) -> tuple[sql.Composable, list[str]]:
    """Return a checked filter as SQL over the alias `f` (the flow's own table), and its parameters."""
    attribute = flow.attribute(item.name)
    assert attribute is not None and not item.error, "only checked filters reach SQL"  # noqa: S101 - a programming error
    column, kind = sql.Identifier("f", attribute.name), sql.SQL(cast(attribute))
    if not item.takes_value:
        return _emptiness(column, attribute, wanted=item.operator == "null"), []
    if item.operator == "ne":
        return sql.SQL("{} is distinct from %s::{}").format(column, kind), [item.value]
    if item.operator == "contains" and attribute.type == "jsonb":
        return sql.SQL("{} @> %s::jsonb").format(column), [item.value]
    if item.operator == "contains":
        # position() instead of LIKE, because it has no wildcards to escape.
        return sql.SQL("position(lower(%s) in lower({}::text)) > 0").format(column), [item.value]
    return sql.SQL("{} {} %s::{}").format(column, sql.SQL(_COMPARE[item.operator]), kind), [item.value]
