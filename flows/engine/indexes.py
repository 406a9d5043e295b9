"""Indexes of attributes that people filter by: requested per attribute, created without blocking writers.

`build_indexes` needs a session of the kernel's owner outside of a transaction; `manage.py wedsql up` runs it
every few seconds, other installations run `manage.py flow index --build`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from flows.engine.connection import quoted, read_as, rows, run, value
from flows.errors import WedError

# How long the creation of an index waits for transactions that were open before it.
WAIT = "10min"


@dataclass(frozen=True)
class AttributeIndex:
    """The index of an attribute; `state` is ready, building, broken (an attempt failed) or none.

    `bytes` and `seconds` are estimates until it is ready, None without statistics. `done` is the share of
    the table that was read, while it is created. `problem` is why the last attempt failed.
    """

    flow: str
    attribute: str
    label: str
    supported: bool
    wanted: bool
    state: str
    actor: str | None
    requested_at: datetime | None
    problem: str | None
    bytes: int | None
    seconds: int | None
    done: Decimal | None


class IndexWork(NamedTuple):
    """A statement that creates or drops an index, and what became of it; `problem` is empty for success."""

    flow: str
    aid: int
    creates: bool
    statement: str
    problem: str = ""


def attribute_index(flow: str, attribute: str, *, conn: Any = None) -> AttributeIndex:
    """Return the index of an attribute. Raises UnknownFlow, UnknownAttribute."""
    return read_as(AttributeIndex, value(conn, "select wedsql.attribute_index(%s, %s)", (flow, attribute)))


def list_indexes(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[AttributeIndex]:
    """Return the indexes that were requested; with `flows` those of these flows only."""
    allowed = None if flows is None else list(flows)
    found = rows(conn, "select wedsql.list_indexes(%s::text[])", (allowed,))
    return [read_as(AttributeIndex, each) for (each,) in found]


def request_index(
    flow: str, attribute: str, *, flows: Sequence[str] | None = None, actor: str = "", conn: Any = None
) -> AttributeIndex:
    """Request an index, or another attempt after one that failed. `flows` are those that the person designs.

    Raises Forbidden, BadDefinition, UnknownFlow, UnknownAttribute.
    """
    given = (flow, attribute, actor, None if flows is None else list(flows))
    return read_as(AttributeIndex, value(conn, "select wedsql.request_index(%s, %s, %s, %s::text[])", given))


def withdraw_index(
    flow: str, attribute: str, *, flows: Sequence[str] | None = None, conn: Any = None
) -> None:
    """Withdraw the request for an index, so that it is dropped.

    Raises Forbidden, UnknownFlow, UnknownAttribute.
    """
    given = (flow, attribute, None if flows is None else list(flows))
    value(conn, "select wedsql.withdraw_index(%s, %s, %s::text[])", given)


def build_indexes(*, conn: Any = None) -> list[IndexWork]:
    """Create the indexes that are missing and drop those that are not wanted; return what was done.

    For a session of the kernel's owner, outside of a transaction.
    """
    found = rows(conn, "select flow, aid, creates, statement from wedsql.index_work()", ())
    if not found:
        return []
    value(conn, "select set_config('search_path', 'pg_catalog, pg_temp', false)", ())
    value(conn, "select set_config('lock_timeout', %s, false)", (WAIT,))
    try:
        return [_performed(IndexWork(*each), conn) for each in found]
    finally:
        run(conn, "reset search_path")
        run(conn, "reset lock_timeout")


def _performed(work: IndexWork, conn: Any) -> IndexWork:
    """Create or drop one index. An attempt that fails is recorded, and what it left is dropped."""
    problem = ""
    try:
        run(conn, work.statement)
        if work.creates:  # of the beginnings of texts there are statistics only with their index
            run(conn, f"analyze {quoted(work.flow)}.wed_flow")
    except WedError as error:
        problem = error.message
        if work.creates:
            index = f"{quoted(work.flow)}.attr_{work.aid}"
            run(conn, f"drop index concurrently if exists {index}")
    if work.creates:
        value(conn, "select wedsql.index_tried(%s, %s)", (work.aid, problem or None))
    return work._replace(problem=problem)
