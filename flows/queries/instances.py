"""Instances of one flow: the filtered list, its updates, and one instance with its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from psycopg import sql

from flows.queries.base import Row, row, rows, scalar
from flows.queries.counting import CAP, LIVING, Count, count, limit
from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.filters import Filter, condition
from flows.queries.paging import Cursor, Page, cut

CELL_CHARS = 120
VALUE_CHARS = 20_000
NEW_CAP = 100


@dataclass(frozen=True)
class InstanceRow:
    """One row of the list; `cells` are the attributes as text in the flow's order, cut at CELL_CHARS."""

    wid: int
    status: str
    seq: int
    reason: str | None
    key: str | None
    started_at: datetime
    changed_at: datetime
    cells: tuple[str | None, ...]
    matches: bool = True


@dataclass(frozen=True)
class Instance:
    """One instance of a flow; `version` is the version that started it, `matched_by` the one that applies."""

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


@dataclass(frozen=True)
class Value:
    """One attribute of a state as text; `length` is the length of the whole text if it was cut, else None."""

    name: str
    title: str
    type: str
    text: str | None
    length: int | None = None


@dataclass(frozen=True)
class Choice:
    """The selection of a list: a status (empty for all) and checked filters over the state."""

    status: str = ""
    filters: tuple[Filter, ...] = ()

    def usable(self) -> Choice:
        """Return the selection without the filters that cannot be applied."""
        return replace(self, filters=tuple(f for f in self.filters if not f.error))


@dataclass
class _Where:
    parts: list[sql.Composable] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)

    def add(self, part: str | sql.Composable, *values: Any) -> None:
        self.parts.append(sql.SQL(part) if isinstance(part, str) else part)
        self.params.extend(values)

    def sql(self) -> sql.Composable:
        return sql.SQL(" and ").join(self.parts) if self.parts else sql.SQL("true")


def _where(flow: FlowInfo, choice: Choice) -> _Where:
    where = _Where()
    where.add("i.flow_id = %s", flow.id)
    if choice.status:
        where.add('i.status = %s::"char"', choice.status)
    for item in choice.usable().filters:
        part, values = condition(flow, item)
        where.add(part, *values)
    return where


def _tables(flow: FlowInfo) -> sql.Composed:
    return sql.SQL("wedsql.instance i join {} f on f.wid = i.wid").format(
        sql.Identifier(flow.name, "wed_flow")
    )


def _columns(flow: FlowInfo) -> sql.Composable:
    fixed = sql.SQL("i.wid, i.status::text as status, i.seq, i.reason, i.key, i.started_at, i.changed_at")
    cells = [sql.SQL("left(f.{}::text, %s)").format(sql.Identifier(a.name)) for a in flow.attributes]
    return sql.SQL("{}, array[{}]::text[] as cells").format(fixed, sql.SQL(", ").join(cells))


def _cells(flow: FlowInfo) -> list[int]:
    return [CELL_CHARS + 1] * len(flow.attributes)


def _instance_row(r: Row) -> InstanceRow:
    return InstanceRow(**{**r, "cells": tuple(r["cells"])})


def listed(flow: FlowInfo, choice: Choice, cursor: Cursor) -> Page[InstanceRow]:
    """Return one page of the flow's instances, newest first.

    Raises django.db.OperationalError (57014) if the filters take longer than the page's time limit.
    """
    where = _where(flow, choice)
    newer = cursor.after is not None
    if newer:
        where.add("i.wid > %s and f.wid > %s", cursor.after, cursor.after)
    elif cursor.before is not None:
        # Bound both tables: a merge join would otherwise read one of them from its end.
        where.add("i.wid < %s and f.wid < %s", cursor.before, cursor.before)
    statement = sql.SQL("select {} from {} where {} order by i.wid {} limit %s").format(
        _columns(flow), _tables(flow), where.sql(), sql.SQL("asc" if newer else "desc")
    )
    found = [_instance_row(r) for r in rows(statement, [*_cells(flow), *where.params, cursor.size + 1])]
    return cut(found, cursor, lambda item: item.wid)


def fresh(flow: FlowInfo, choice: Choice, wids: Sequence[int]) -> list[InstanceRow]:
    """Return the current rows of these instances; `matches` is false for those that left the selection."""
    where = _where(flow, choice)
    statement = sql.SQL(
        "select {}, ({}) is true as matches from {} where i.flow_id = %s and i.wid = any(%s)"
    ).format(_columns(flow), where.sql(), _tables(flow))
    return [_instance_row(r) for r in rows(statement, [*_cells(flow), *where.params, flow.id, list(wids)])]


def newer(flow: FlowInfo, choice: Choice, wid: int) -> Count:
    """Return how many instances of the selection are newer than `wid`, capped at NEW_CAP."""
    where = _where(flow, choice)
    where.add("i.wid > %s and f.wid > %s", wid, wid)
    statement = sql.SQL("select count(*) from (select 1 from {} where {} order by i.wid limit %s) as sample")
    return count(scalar(statement.format(_tables(flow), where.sql()), [*where.params, NEW_CAP + 1]), NEW_CAP)


def matching(flow: FlowInfo, choice: Choice, cap: int | None = CAP) -> Count:
    """Return how many instances the selection has, capped unless `cap` is None."""
    where = _where(flow, choice)
    tables = _tables(flow) if choice.usable().filters else sql.SQL("wedsql.instance i")
    statement = sql.SQL("select count(*) from (select 1 from {} where {} order by i.wid limit %s) as sample")
    return count(scalar(statement.format(tables, where.sql()), [*where.params, limit(cap)]), cap)


def by_status(flow: FlowInfo, choice: Choice) -> dict[str, Count]:
    """Return the number of instances that pass the filters, by status; without an index it reads them all."""
    where = _where(flow, replace(choice, status=""))
    statement = sql.SQL("select i.status::text as status, count(*) as n from {} where {} group by 1")
    found = rows(statement.format(_tables(flow), where.sql()), where.params)
    return {r["status"]: Count(r["n"]) for r in found}


def instance(wid: int) -> Instance | None:
    """Return one instance, or None."""
    found = row(
        "select i.wid, i.flow_id, f.name as flow, i.status::text as status, i.seq, i.version, i.reason,"
        " i.started_at, i.changed_at, i.finished_at, i.actor, i.key, i.parent_wid, i.derived_from,"
        # Living instances are re-matched when a version is published; ended ones are not.
        ' case when i.status = any(%s::"char"[]) then f.version else coalesce((select t.version'
        " from wedsql.wed_trace t where t.wid = i.wid and t.seq = i.seq"
        " and t.tstmp >= i.started_at - interval '1 day'), i.version) end as matched_by"
        " from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = %s",
        [list(LIVING), wid],
    )
    return Instance(**found) if found else None


def state(flow: FlowInfo, wid: int) -> list[Value]:
    """Return the state of an instance in the order of attributes, with long values cut at VALUE_CHARS."""
    part = sql.SQL("array[left(f.{0}::text, %s), length(f.{0}::text)::text]")
    pairs = sql.SQL(", ").join(part.format(sql.Identifier(a.name)) for a in flow.attributes)
    statement = sql.SQL("select array[{}]::text[] as pairs from {} f where f.wid = %s").format(
        pairs, sql.Identifier(flow.name, "wed_flow")
    )
    found = row(statement, [*[VALUE_CHARS] * len(flow.attributes), wid])
    pairs_found = found["pairs"] if found else []
    return [_value(a, *pair) for a, pair in zip(flow.attributes, pairs_found, strict=False)]


def _value(attribute: Attribute, text: str | None, length: str | None) -> Value:
    cut_at = int(length) if length is not None and int(length) > VALUE_CHARS else None
    return Value(attribute.name, attribute.title, attribute.type, text, cut_at)
