"""All rows of a list of one flow, read in batches by key, with whole values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from psycopg import sql

from flows.filters import Filter
from flows.queries.base import rows, snapshot
from flows.queries.definitions import Attribute, FlowInfo

BATCH = 500
TIMEOUT_MS = 20_000
# The columns of every instance, before its attributes.
FIXED = ("wid", "status", "reason", "key", "started_at", "changed_at", "finished_at")


def exported(
    chosen: Filter, shown: Sequence[Attribute], *, oldest_first: bool = False
) -> Iterator[list[Any]]:
    """Yield the values of FIXED and of the attributes, for each instance of the filter of one flow.

    Attributes are texts as PostgreSQL writes them. Each batch is a transaction of its own.
    Raises django.db.OperationalError (57014) if a batch takes longer than TIMEOUT_MS.
    """
    last: int | None = None
    while True:
        found = _batch(chosen, shown, last, oldest_first)
        yield from found
        if len(found) < BATCH:
            return
        last = found[-1][0]


def _batch(
    chosen: Filter, shown: Sequence[Attribute], last: int | None, oldest_first: bool
) -> list[list[Any]]:
    flow = chosen.flow
    if flow is None:
        raise ValueError("an export of one flow needs a filter of that flow")
    clauses = chosen.clauses()
    where = [sql.SQL("i.flow_id = %s"), *(sql.SQL("({})").format(each.sql) for each in clauses)]
    params: list[Any] = [flow.id, *(value for each in clauses for value in each.params)]
    if last is not None:
        where.append(sql.SQL("i.wid > %s and f.wid > %s" if oldest_first else "i.wid < %s and f.wid < %s"))
        params += [last, last]
    statement = sql.SQL(
        "select {} from wedsql.instance i join {} f on f.wid = i.wid where {} order by i.wid {} limit %s"
    )
    text = statement.format(
        _columns(flow, shown),
        sql.Identifier(flow.name, "wed_flow"),
        sql.SQL(" and ").join(where),
        sql.SQL("asc" if oldest_first else "desc"),
    )
    with snapshot(TIMEOUT_MS):
        return [list(each.values()) for each in rows(text, [*params, BATCH])]


def _columns(flow: FlowInfo, shown: Sequence[Attribute]) -> sql.Composable:
    fixed = [sql.SQL("i.status::text as status" if n == "status" else f"i.{n}") for n in FIXED]
    # Numbered, because an attribute may have the name of a fixed column.
    cells = [
        sql.SQL("f.{}::text as {}").format(sql.Identifier(each.name), sql.Identifier(f"a{place}.{each.name}"))
        for place, each in enumerate(shown)
    ]
    return sql.SQL(", ").join([*fixed, *cells])
