"""Jobs of a flow that are chosen by a filter, or sorted in another order than that of the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql

from flows.filters import Filter
from flows.queries.base import rows
from flows.queries.counts import Count, count, limit
from flows.queries.jobs import OpenJob, of_numbers
from flows.queries.paging import PAGE_SIZE

_LATE = "(j.late or j.state = 'L' and j.lease_until < (select wedsql.now()))"
_STATES: Mapping[str, str] = {
    "pending": "j.state = 'P'",
    "late": f"j.state in ('P', 'L') and {_LATE}",
    "leased": "j.state = 'L'",
    "parked": "j.state = 'K'",
}


@dataclass(frozen=True)
class Key:
    """A column that an order compares: its type, and how its value is read from a text."""

    column: str
    type: str
    read: Callable[[str], Any]


_NUMBER = Key("j.id", "bigint", int)
_FIRED = Key("j.fired_at", "timestamptz", datetime.fromisoformat)
# The keys of each order, and whether the greatest comes first; the first one is that of the queue.
_ORDERS: Mapping[str, tuple[tuple[Key, ...], bool]] = {
    "queue": ((Key("j.trname", "text", str), Key("- j.priority", "integer", int), _NUMBER), False),
    "oldest": ((_FIRED, _NUMBER), False),
    "newest": ((_FIRED, _NUMBER), True),
    "attempts": ((Key("j.attempts", "integer", int), _NUMBER), True),
}
ORDERS = tuple(_ORDERS)
LONGEST_PLACE = 200


@dataclass(frozen=True)
class Listing:
    """Which jobs of a flow are listed; `transition` "" means all, `role` "" those of all roles."""

    state: str
    order: str = "queue"
    transition: str = ""
    role: str = ""

    @property
    def keys(self) -> tuple[Key, ...]:
        return _ORDERS[self.order][0]

    def place(self, text: str) -> tuple[Any, ...] | None:
        """Return the values of the keys behind which a page begins, None for a text that has none."""
        texts = text.split("~")
        if len(texts) != len(self.keys) or len(text) > LONGEST_PLACE or "\x00" in text:
            return None
        try:
            found = tuple(key.read(each) for key, each in zip(self.keys, texts, strict=True))
        except (ValueError, OverflowError):
            return None
        sizes = {"integer": 2**31, "bigint": 2**63}
        ranged = all(
            abs(one) < sizes[key.type] for key, one in zip(self.keys, found, strict=True) if key.type in sizes
        )
        return found if ranged else None


_FROM = (
    "from wedsql.job_pool j join wedsql.instance i on i.wid = j.wid {table}"
    " left join wedsql.trig g on g.tgid = j.tgid and g.trname = j.trname"
    " where j.flow_id = %s and {state} and {only} and (%s = '' or g.role = %s) and {behind} and ({clause})"
)
_SELECT = f"select j.id, {{place}} as place {_FROM} order by {{order}} limit %s"
_COUNT = f"select count(*) as n from (select 1 {_FROM} limit %s) s"  # noqa: S608 - of constants


def matching(chosen: Filter, listing: Listing, cap: int) -> Count:
    """Return how many jobs of a list a filter of one flow finds, up to a number."""
    parts, params = _parts(chosen, listing)
    statement = sql.SQL(_COUNT).format(**parts, behind=sql.SQL("true"))
    return count(rows(statement, [*params[0], *params[1], limit(cap)])[0]["n"], cap)


def _parts(
    chosen: Filter, listing: Listing
) -> tuple[dict[str, sql.Composable], tuple[list[Any], tuple[Any, ...]]]:
    """Return the parts of a statement, and its parameters before and behind those of the place."""
    assert chosen.flow is not None  # noqa: S101 - the caller has checked the flow
    clause = chosen.where()
    parts = {
        "table": _table(chosen, state=clause.state),
        "state": sql.SQL(_STATES[listing.state]),
        "only": sql.SQL("j.trname = %s" if listing.transition else "j.tgid <> 0 and %s = ''"),
        "clause": clause.sql,
    }
    return parts, ([chosen.flow.id, listing.transition, listing.role, listing.role], clause.params)


def selected(
    chosen: Filter, listing: Listing, behind: tuple[Any, ...] | None = None, size: int = PAGE_SIZE
) -> tuple[list[OpenJob], str]:
    """Return a page of jobs that a filter finds, and the place of the next page as text, "" at the end.

    The filter is of one flow. Raises django.db.OperationalError (57014) if it takes longer than the page's
    time limit, and django.db.DataError if PostgreSQL rejects a value.
    """
    assert chosen.flow is not None  # noqa: S101 - the caller has checked the flow
    (parts, params), down = _parts(chosen, listing), _ORDERS[listing.order][1]
    columns = [sql.SQL(key.column) for key in listing.keys]
    values = sql.SQL(", ".join(f"%s::{key.type}" for key in listing.keys))
    after = sql.SQL("({}) {} ({})").format(sql.SQL(", ").join(columns), sql.SQL("<" if down else ">"), values)
    direction = sql.SQL(" desc" if down else " asc")
    statement = sql.SQL(_SELECT).format(
        place=sql.SQL(" || '~' || ").join(sql.SQL("({})::text").format(each) for each in columns),
        **parts,
        behind=after if behind else sql.SQL("true"),
        order=sql.SQL(", ").join(each + direction for each in columns),
    )
    found = rows(statement, [*params[0], *(behind or ()), *params[1], size + 1])
    shown = of_numbers(chosen.flow.id, [each["id"] for each in found[:size]])
    last = found[size - 1] if len(found) > size else None
    return shown, str(last["place"]) if last else ""


def _table(chosen: Filter, *, state: bool) -> sql.Composable:
    """Return the join of the flow's own table where the filter reads it."""
    if chosen.flow is None or not state:
        return sql.SQL("")
    return sql.SQL("join {} f on f.wid = j.wid").format(sql.Identifier(chosen.flow.name, "wed_flow"))
