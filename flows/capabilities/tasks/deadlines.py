"""Deadlines and messages of tasks, who is responsible for an instance, and who is connected or away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from flows.database_errors import error_for
from flows.statements import JSON, State, read_as, rows, value

Notified: TypeAlias = Literal["all", "fewest_assigned", "fewest_selected", "last_connected"]
STARTED, ENDED, TASK_FAILED, DEADLINE = "s", "e", "f", "d"


@dataclass(frozen=True)
class TaskSettings:
    """What is chosen for an instance, at its start or later.

    `responsible` is a user or None. `warnings` are the hours before a deadline at which messages are sent,
    one of which may be followed by " transfer". A task is offered to all of its role, or to `notified_count`.
    """

    responsible: str | None = None
    warnings: Sequence[str] = ()
    notified: Notified = "all"
    notified_count: int = 1


@dataclass(frozen=True)
class ChosenSettings(TaskSettings):
    """The settings of an instance; `changed_at` is None while they are those of its flow."""

    changed_by: str = ""
    changed_at: datetime | None = None


@dataclass(frozen=True)
class Message:
    """A message to a person. Its sender is the instance `wid`; `facts` are what it says.

    One that a flow was dropped has the name that it had, and 0 for the instance.
    """

    id: int
    kind: str
    at: datetime
    flow: str
    wid: int
    job_id: int | None
    facts: Mapping[str, Any]
    read_at: datetime | None


@dataclass(frozen=True)
class Person:
    """A person who is connected; `keys` are the audiences that the site gave last."""

    name: str
    connected_at: datetime
    seen_at: datetime
    keys: Sequence[str]


@dataclass(frozen=True)
class Absence:
    """A time in which a substitute may take the tasks that are for a person."""

    id: int
    person: str
    substitute: str
    from_at: datetime
    until_at: datetime


def start_with_settings(
    flow: str,
    state: State | None,
    settings: TaskSettings | Mapping[str, Any],
    *,
    actor: str = "",
    key: str | None = None,
    conn: Any = None,
) -> int:
    """Start an instance with settings, and return its number; a key that was used returns the same number.

    Raises BadDefinition, and as `start`.
    """
    call = "select wid, sqlstate, message, hint, detail from wedsql.start_with_settings(%s, %s, %s, %s, %s)"
    given = (flow, JSON(state or {}), _given(settings), actor, key or None)
    wid, code, message, hint, detail = rows(conn, call, given)[0]
    if code is not None:
        raise error_for(code, message, hint=hint or "", detail=detail or "")
    return int(wid)


def _given(settings: TaskSettings | Mapping[str, Any]) -> Any:
    return JSON(asdict(settings) if isinstance(settings, TaskSettings) else settings)


def task_settings(wid: int, *, conn: Any = None) -> ChosenSettings | None:
    """Return the settings of an instance's tasks; None if there is no such instance."""
    found = value(conn, "select wedsql.task_settings(%s)", (wid,))
    return None if found is None else read_as(ChosenSettings, found)


def set_task_settings(
    wid: int, settings: Mapping[str, Any], person: str, force: bool = False, *, conn: Any = None
) -> ChosenSettings:
    """Change settings of an instance; `force`: also by who is not responsible for it.

    Raises UnknownInstance, InstanceFinal, NotPermittedTask, BadDefinition.
    """
    call = "select wedsql.set_task_settings(%s, %s, %s, %s)"
    return read_as(ChosenSettings, value(conn, call, (wid, JSON(settings), person, force)))


def messages(
    person: str,
    before: int | None = None,
    limit: int = 50,
    kind: str | None = None,
    unread: bool = False,
    *,
    conn: Any = None,
) -> list[Message]:
    """Return the messages of a person before one, the last first; of one kind, or those not read.

    Raises BadDefinition for a kind that no message has.
    """
    call = "select * from wedsql.messages(%s, %s, %s, %s, %s)"
    return [Message(*row) for row in rows(conn, call, (person, before, limit, kind, unread))]


def unread_messages(person: str, *, conn: Any = None) -> int:
    """Return how many messages the person has not read; at most 1,000 are counted."""
    return int(value(conn, "select wedsql.unread_messages(%s)", (person,)))


def mark_messages_read(
    person: str, ids: Sequence[int] | None, until: int | None = None, *, conn: Any = None
) -> int:
    """Mark messages as read, or all up to the message `until`; return how many.

    Raises BadDefinition without either of them, and with both.
    """
    call = "select wedsql.mark_messages_read(%s, %s::bigint[], %s)"
    return int(value(conn, call, (person, None if ids is None else list(ids), until)))


def extend_task_deadline(
    task: int, person: str, until: datetime, force: bool = False, *, conn: Any = None
) -> None:
    """Give a task another deadline; `force`: also by who is not responsible for its instance.

    Raises UnknownTask, NotPermittedTask, TaskNotHeld, BadDefinition.
    """
    call = "select wedsql.extend_task_deadline(%s, %s, %s, %s)"
    value(conn, call, (task, person, until, force))


def keep_late_task(
    task: int,
    person: str,
    data: Mapping[str, Any] | None = None,
    outcome: str | None = None,
    *,
    conn: Any = None,
) -> int | None:
    """Keep the result of who lost a task to the responsible person as a late result; return its number.

    Raises UnknownTask, TaskNotHeld, UnknownOutcome, BadDefinition.
    """
    call = "select wedsql.keep_late_task(%s, %s, %s, %s)"
    found = value(conn, call, (task, person, JSON(data or {}), outcome))
    return None if found is None else int(found)


def lost_task(task: int, person: str, *, conn: Any = None) -> bool:
    """Return whether the task went from the person to the one responsible, and did not come back."""
    return bool(value(conn, "select wedsql.lost_task(%s, %s)", (task, person)))


def person_seen(person: str, keys: Sequence[str], *, conn: Any = None) -> bool:
    """Note that a person is connected, with the audiences of that person; return whether it is newly so."""
    return bool(value(conn, "select wedsql.person_seen(%s, %s::text[])", (person, list(keys))))


def active_persons(*, conn: Any = None) -> list[Person]:
    """Return the persons who are connected, the last connected first."""
    return [Person(*row) for row in rows(conn, "select * from wedsql.active_persons()", ())]


class PersonWork(NamedTuple):
    """Whether a person is active, and how many tasks the person performed in the last seven days."""

    name: str
    active: bool
    done: int


def person_work(
    persons: Sequence[str], flows: Sequence[str] | None = None, *, conn: Any = None
) -> list[PersonWork]:
    """Return the work of at most 500 persons in these flows, or in all; of each at most 1,000 tasks."""
    names = None if flows is None else list(flows)
    call = "select * from wedsql.person_work(%s::text[], %s::text[])"
    return [PersonWork(*row) for row in rows(conn, call, (list(persons), names))]


def person_keys(person: str, *, conn: Any = None) -> list[str]:
    """Return the audiences of a person besides roles: own tasks, those of who is away, those offered."""
    return list(value(conn, "select wedsql.person_keys(%s)", (person,)))


def set_absence(
    person: str, substitute: str, start: datetime, until: datetime, *, actor: str = "", conn: Any = None
) -> int:
    """Note who may take the tasks that are for a person who is away; return the number.

    Raises BadDefinition.
    """
    call = "select wedsql.set_absence(%s, %s, %s, %s, %s)"
    return int(value(conn, call, (person, substitute, start, until, actor or person)))


def delete_absence(person: str, absence: int, *, conn: Any = None) -> bool:
    """Remove an absence of a person; return whether there was one."""
    return bool(value(conn, "select wedsql.delete_absence(%s, %s)", (person, absence)))


def absences(person: str, *, conn: Any = None) -> list[Absence]:
    """Return the absences of a person that are not over, and those in which the person is the substitute."""
    return [Absence(*row) for row in rows(conn, "select * from wedsql.absences(%s)", (person,))]
