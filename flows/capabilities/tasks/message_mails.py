"""Mails about tasks: a digest of a person's tasks, and messages as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.tasks.deadlines import Message
from flows.statements import JSON, read_as, rows, value


@dataclass(frozen=True)
class DueMessages:
    """The messages `ids` of a person that are to be sent as one mail."""

    user: int
    language: str
    person: str
    ids: Sequence[int]


@dataclass(frozen=True)
class Reader:
    """Who gets mails: the number and the name of a user, and the language of the mails."""

    user: int
    person: str
    language: str


def save_task_mail(reader: Reader, about: str, every: str, hour: int, *, conn: Any = None) -> None:
    """Save how often a user gets a mail about "tasks", every "day" or "week" at an hour in UTC; "" for none.

    About "messages" it is as they come: "now". Raises BadCase.
    """
    call = "select wedsql.save_task_mail(%s, %s, %s, %s, %s, %s)"
    value(conn, call, (reader.user, about, every, reader.language, hour, reader.person))


def due_message_mails(limit: int = 50, *, conn: Any = None) -> list[DueMessages]:
    """Return the mails that are due to persons who have got none for a minute."""
    found = rows(conn, "select wedsql.due_message_mails(%s)", (limit,))
    return [read_as(DueMessages, one) for (one,) in found]


def messages_to_mail(due: DueMessages, *, conn: Any = None) -> list[Message]:
    """Return the messages of a mail, without those that were read meanwhile."""
    call = "select * from wedsql.messages_to_mail(%s, %s::bigint[])"
    return [Message(*row) for row in rows(conn, call, (due.person, list(due.ids)))]


def queue_message_mail(
    due: DueMessages, target: str, message: Mapping[str, Any] | None, *, conn: Any = None
) -> bool:
    """Queue a mail, None for none, and send its messages no more; return whether no other reaper did it."""
    given = None if message is None else JSON(dict(message))
    call = "select wedsql.queue_message_mail(%s, %s, %s::bigint[], %s, %s)"
    return bool(value(conn, call, (due.user, due.person, list(due.ids), target, given)))
