"""The tree of a filter as SQL.

A condition on an empty value is not met, so `amount!=5` and `not amount:5` find what is empty, too: what does
not meet a part is its complement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from psycopg import sql

from flows.filters import parts
from flows.filters.clauses import Clause, compared, complement, equal_text, joined, text_clause
from flows.filters.conditions import Typed, typed
from flows.filters.tree import And, Condition, Node, Not
from flows.queries.definitions import FlowInfo

NOTHING = Clause(sql.SQL("false"))
EVERYTHING = Clause(sql.SQL("true"))


@dataclass(frozen=True)
class About:
    """What a filter is about: instances, at a moment or (None) in the present, tasks, cases or jobs."""

    at: datetime | None = None
    of: str = "instances"


PRESENT = About()


def render(
    node: Node | None,
    flow: FlowInfo | None,
    zone: tzinfo,
    predicates: Mapping[str, int],
    about: About = PRESENT,
) -> Clause:
    """Return a checked tree as SQL; `predicates` are the numbers of the SQL predicates that are prepared."""
    if node is None:
        return EVERYTHING
    if isinstance(node, Not):
        return complement(render(node.part, flow, zone, predicates, about))
    if isinstance(node, Condition):
        return _condition(node, flow, zone, predicates, about)
    found = [render(part, flow, zone, predicates, about) for part in node.parts]
    return joined("and" if isinstance(node, And) else "or", found)


def _condition(
    condition: Condition,
    flow: FlowInfo | None,
    zone: tzinfo,
    predicates: Mapping[str, int],
    about: About,
) -> Clause:
    if condition.field == "where":
        number = predicates[condition.values[0] or ""]
        return Clause(sql.SQL("wedsql.filter_holds(%s, f.*)"), (number,), state=True)
    found = typed(condition, flow, zone)
    if found is None:  # this flow does not have the attribute, so that nothing meets the condition
        return NOTHING
    found = replace(found, at=about.at, of=about.of)
    return _attribute(found) if found.field.attribute else parts.render(found, flow)


def _attribute(found: Typed) -> Clause:
    """Return a condition on an attribute, over the alias `f`."""
    column = sql.Identifier("f", found.field.name)
    if found.operator in ("has", "no"):
        return Clause(_emptiness(column, found), state=True)
    if found.operator == "~" and found.field.kind == "jsonb":
        return Clause(sql.SQL("{} @> %s::jsonb").format(column), (found.values[0],), state=True)
    if found.operator in ("~", "^"):
        return text_clause(column, found, state=True)
    if found.operator == "=" and _has_beginnings(found):
        return equal_text(column, found, state=True)
    return compared(column, found, state=True)


def _has_beginnings(found: Typed) -> bool:
    """Return whether there is an index over the beginnings of the texts of an attribute."""
    attribute = found.field.attribute
    return found.field.kind == "text" and bool(attribute and (attribute.indexed or attribute.business_key))


def _emptiness(column: sql.Composable, found: Typed) -> sql.Composable:
    """Return a test for null, or for not null; an empty text counts as null, because both are shown empty."""
    if found.field.kind == "text":
        column = sql.SQL("nullif({}, '')").format(column)
    return sql.SQL("{} is null" if found.operator == "no" else "{} is not null").format(column)
