"""How a person has tasks listed: the order, one of the person's own, and columns; kept for every machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.tasks.api import Order
from flows.statements import read_as, value


@dataclass(frozen=True)
class TaskList:
    """The order and the columns that a person has chosen; None columns are the usual ones."""

    sorting: Order = "arrival"
    columns: Sequence[str] | None = None


def task_list(person: str, *, conn: Any = None) -> TaskList:
    """Return how a person has tasks listed."""
    return read_as(TaskList, value(conn, "select wedsql.task_list(%s)", (person,)))


def set_task_list(
    person: str, sorting: Order | None = None, columns: Sequence[str] | None = None, *, conn: Any = None
) -> None:
    """Save how a person has tasks listed: None leaves a part as it is, no columns are the usual ones.

    Raises BadDefinition.
    """
    chosen = None if columns is None else list(columns)
    value(conn, "select wedsql.set_task_list(%s, %s, %s::text[])", (person, sorting, chosen))


def place_task(
    person: str,
    keys: Sequence[str],
    task: int,
    after: int | None = None,
    before: int | None = None,
    *,
    conn: Any = None,
) -> None:
    """Put a task in the person's own order behind a task, before another, or between both.

    Raises BadDefinition, UnknownTask, NotPermittedTask, TaskNotHeld.
    """
    call = "select wedsql.place_task(%s, %s::text[], %s, %s, %s)"
    value(conn, call, (person, list(keys), task, after, before))


def clear_task_places(person: str, *, conn: Any = None) -> None:
    """Begin the person's own order again: it is that of the arrival."""
    value(conn, "select wedsql.clear_task_places(%s)", (person,))
