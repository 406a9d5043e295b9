"""Instances of one flow: the filtered list, its updates, and one instance with its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from psycopg import sql

from flows.filters import Filter
from flows.queries import definitions
from flows.queries.base import Row, row, rows, scalar, several
from flows.queries.counts import CAP, LIVING, Count, count, limit
from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.paging import Cursor, Page, cut
from flows.statements import quoted

CELL_CHARS = 120
VALUE_CHARS = 20_000
NEW_CAP = 100


@dataclass(frozen=True)
class InstanceRow:
    """One row of the list; `cells` are the chosen attributes as text, cut at CELL_CHARS.

    `named` is the value of the business key.
    """

    wid: int
    status: str
    seq: int
    reason: str | None
    key: str | None
    started_at: datetime
    changed_at: datetime
    cells: tuple[str | None, ...]
    named: str = ""
    matches: bool = True


@dataclass(frozen=True)
class Instance:
    """One instance of a flow; `version` is the version that started it, `matched_by` the one that applies.

    `moved` says whether it was ever at another installation.
    """

    wid: int
    flow_id: int
    flow: str
    status: str
    seq: int
    version: int
    reason: str | None
    started_at: datetime
    changed_at: datetime
    finished_at: datetime | None
    actor: str
    key: str | None
    parent_wid: int | None
    derived_from: int | None
    matched_by: int
    moved: bool


@dataclass(frozen=True)
class Value:
    """One attribute of a state as text; `length` is the length of the whole text if it was cut, else None."""

    name: str
    title: str
    type: str
    text: str | None
    length: int | None = None


@dataclass
class _Where:
    parts: list[sql.Composable] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)

    def add(self, part: str | sql.Composable, *values: Any) -> None:
        self.parts.append(sql.SQL(part) if isinstance(part, str) else part)
        self.params.extend(values)

    def sql(self) -> sql.Composable:
        return sql.SQL(" and ").join(self.parts) if self.parts else sql.SQL("true")


def flow_of(chosen: Filter) -> FlowInfo:
    """Return the flow of a filter. Raises ValueError."""
    if chosen.flow is None:
        raise ValueError("a list of one flow needs a filter of that flow")
    return chosen.flow


def _where(chosen: Filter) -> _Where:
    where = _Where()
    where.add("i.flow_id = %s", flow_of(chosen).id)
    for each in chosen.clauses():
        where.add(sql.SQL("({})").format(each.sql), *each.params)
    return where


def _tables(flow: FlowInfo) -> sql.Composed:
    return sql.SQL("wedsql.instance i join {} f on f.wid = i.wid").format(
        sql.Identifier(flow.name, "wed_flow")
    )


def columns(flow: FlowInfo, shown: Sequence[Attribute]) -> sql.Composable:
    """Return the columns of a list, of `i` and `f`; each attribute needs its length as a parameter."""
    fixed = sql.SQL("i.wid, i.status::text as status, i.seq, i.reason, i.key, i.started_at, i.changed_at")
    cells = [sql.SQL("left(f.{}::text, %s)").format(sql.Identifier(a.name)) for a in shown]
    keys = [sql.SQL("nullif(left(f.{}::text, 60), '')").format(sql.Identifier(a.name))
            for a in flow.attributes if a.business_key]  # fmt: skip
    named = sql.SQL("concat_ws(' · ', {})").format(sql.SQL(", ").join(keys)) if keys else sql.SQL("''")
    return sql.SQL("{}, array[{}]::text[] as cells, {} as named").format(
        fixed, sql.SQL(", ").join(cells), named
    )


def by_number(flow: FlowInfo, wids: Sequence[int], shown: Sequence[Attribute] = ()) -> dict[int, InstanceRow]:
    """Return instances of a flow by their numbers; `shown` are their cells."""
    statement = sql.SQL("select {} from {} where i.wid = any (%s)").format(
        columns(flow, shown), _tables(flow)
    )
    found = rows(statement, [*[CELL_CHARS + 1] * len(shown), list(wids)])
    return {each["wid"]: instance_row(each) for each in found}


def business_keys(flow: FlowInfo, wids: Sequence[int]) -> dict[int, str]:
    """Return the business keys of instances of a flow."""
    return {wid: each.named for wid, each in by_number(flow, wids).items()}


def instance_row(r: Row) -> InstanceRow:
    """Return the row of a list that `columns` has selected."""
    return InstanceRow(**{**r, "cells": tuple(r["cells"])})


def listed(
    chosen: Filter, cursor: Cursor, shown: Sequence[Attribute] | None = None, *, oldest_first: bool = False
) -> Page[InstanceRow]:
    """Return one page of the flow's instances, newest first or oldest first; `shown` are its columns.

    Raises django.db.OperationalError (57014) if the filter takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    flow, where = flow_of(chosen), _where(chosen)
    shown = flow.attributes if shown is None else shown
    upward = cursor.after is not None or (oldest_first and cursor.before is None)
    if cursor.after is not None:
        where.add("i.wid > %s and f.wid > %s", cursor.after, cursor.after)
    elif cursor.before is not None:
        # Bound both tables: a merge join would otherwise read one of them from its end.
        where.add("i.wid < %s and f.wid < %s", cursor.before, cursor.before)
    statement = sql.SQL("select {} from {} where {} order by i.wid {} limit %s").format(
        columns(flow, shown), _tables(flow), where.sql(), sql.SQL("asc" if upward else "desc")
    )
    params = [*[CELL_CHARS + 1] * len(shown), *where.params, cursor.size + 1]
    found = [instance_row(r) for r in rows(statement, params)]
    return cut(found, cursor, lambda item: item.wid, oldest_first=oldest_first)


def fresh(chosen: Filter, wids: Sequence[int], shown: Sequence[Attribute] | None = None) -> list[InstanceRow]:
    """Return the current rows of these instances; `matches` is false for those that left the list."""
    flow, where = flow_of(chosen), _where(chosen)
    shown = flow.attributes if shown is None else shown
    statement = sql.SQL(
        "select {}, ({}) is true as matches from {} where i.flow_id = %s and i.wid = any(%s)"
    ).format(columns(flow, shown), where.sql(), _tables(flow))
    params = [*[CELL_CHARS + 1] * len(shown), *where.params, flow.id, list(wids)]
    return [instance_row(r) for r in rows(statement, params)]


def newer(chosen: Filter, wid: int) -> Count:
    """Return how many instances of the list are newer than `wid`, capped at NEW_CAP."""
    where = _where(chosen)
    where.add("i.wid > %s and f.wid > %s", wid, wid)
    statement = sql.SQL("select count(*) from (select 1 from {} where {} order by i.wid limit %s) as sample")
    found = scalar(statement.format(_tables(flow_of(chosen)), where.sql()), [*where.params, NEW_CAP + 1])
    return count(found, NEW_CAP)


def matching(chosen: Filter, cap: int | None = CAP) -> Count:
    """Return how many instances meet the filter, capped unless `cap` is None."""
    where = _where(chosen)
    tables = _tables(flow_of(chosen)) if chosen.where().state else sql.SQL("wedsql.instance i")
    statement = sql.SQL("select count(*) from (select 1 from {} where {} order by i.wid limit %s) as sample")
    return count(scalar(statement.format(tables, where.sql()), [*where.params, limit(cap)]), cap)


def selected(chosen: Filter) -> tuple[sql.Composable, list[Any]]:
    """Return the statement, with its parameters, that selects the numbers of all instances of the filter."""
    where = _where(chosen)
    statement = sql.SQL("select i.wid from {} where {}")
    return statement.format(_tables(flow_of(chosen)), where.sql()), where.params


def by_status(chosen: Filter) -> dict[str, Count]:
    """Return the number of instances that meet the filter without its status, by status.

    Without an index it reads them all.
    """
    where = _where(chosen.without("status"))
    statement = sql.SQL("select i.status::text as status, count(*) as n from {} where {} group by 1")
    found = rows(statement.format(_tables(flow_of(chosen)), where.sql()), where.params)
    return {r["status"]: Count(r["n"]) for r in found}


def by_version(flow: int, versions: Sequence[int]) -> dict[int, Count]:
    """Return how many instances each of these versions started, capped."""
    statement = (
        "select v.version, (select count(*) from (select 1 from wedsql.instance i where i.flow_id = %s"
        " and i.version = v.version limit %s) as sample) as n from unnest(%s::integer[]) v (version)"
    )
    return {r["version"]: count(r["n"]) for r in rows(statement, [flow, limit(CAP), list(versions)])}


_INSTANCE = (
    "select i.wid, i.flow_id, f.name as flow, i.status::text as status, i.seq, i.version, i.reason,"
    " i.started_at, i.changed_at, i.finished_at, i.actor, i.key, i.parent_wid, i.derived_from,"
    # Living instances are re-matched when a version is published; ended ones are not.
    ' case when i.status = any(%s::"char"[]) then f.version else coalesce((select t.version'
    " from wedsql.wed_trace t where t.wid = i.wid and t.seq = i.seq"
    " and t.tstmp >= i.started_at - interval '1 day'), i.version) end as matched_by,"
    " wedsql.places_of(i.wid) is not null as moved"
    " from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = %s"
)


def instance(wid: int) -> Instance | None:
    """Return one instance, or None."""
    found = row(_INSTANCE, [list(LIVING), wid])
    return Instance(**found) if found else None


def instance_with_flow(wid: int) -> tuple[Instance | None, FlowInfo | None]:
    """Return one instance and its flow, which are read together; None for each that is not there."""
    of_instance = "id = (select i.flow_id from wedsql.instance i where i.wid = %s)"
    found, *flow = several((_INSTANCE, [list(LIVING), wid]), *definitions.parts(of_instance, wid))
    return Instance(**found[0]) if found else None, definitions.whole(*flow)


def state(flow: FlowInfo, wid: int) -> list[Value]:
    """Return the state of an instance in the order of attributes, with long values cut at VALUE_CHARS."""
    found = row(_state_query(flow.name, tuple(one.name for one in flow.attributes)), [wid])
    pairs_found = found["pairs"] if found else []
    return [_value(a, *pair) for a, pair in zip(flow.attributes, pairs_found, strict=False)]


@lru_cache(maxsize=512)
def _state_query(flow: str, names: tuple[str, ...]) -> str:
    columns = [f"f.{quoted(name)}::text" for name in names]
    pairs = ", ".join(f"array[left({each}, {VALUE_CHARS}), length({each})::text]" for each in columns)
    table = f"{quoted(flow)}.wed_flow".replace("%", "%%")
    return f"select array[{pairs.replace('%', '%%')}]::text[] as pairs from {table} f where f.wid = %s"  # noqa: S608


def state_as_json(flow: FlowInfo, wid: int) -> str:
    """Return the whole state of an instance as the text of a JSON object, with exact numbers."""
    columns = sql.SQL(", ").join(sql.SQL("f.{}").format(sql.Identifier(a.name)) for a in flow.attributes)
    statement = sql.SQL("select to_json(s.*)::text from (select {} from {} f where f.wid = %s) s").format(
        columns, sql.Identifier(flow.name, "wed_flow")
    )
    return str(scalar(statement, [wid]) or "{}")


def _value(attribute: Attribute, text: str | None, length: str | None) -> Value:
    cut_at = int(length) if length is not None and int(length) > VALUE_CHARS else None
    return Value(attribute.name, attribute.title, attribute.type, text, cut_at)
