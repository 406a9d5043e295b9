"""Calls about the forms of tasks: what is shown and offered, what completing would do, files, and drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flows.capabilities.cases.files import FileLimits
from flows.statements import JSON, names, rows, value


def task_form(
    task: int, data: Mapping[str, Any] | None = None, *, conn: Any = None
) -> dict[str, dict[str, str]]:
    """Return whether each field is shown, required and readonly with these values: t, f, u, e by attribute.

    Raises UnknownTask.
    """
    return dict(value(conn, "select wedsql.task_form(%s, %s)", (task, JSON(data or {}))))


def preview_task(
    task: int,
    person: str,
    data: Mapping[str, Any] | None = None,
    outcome: str | None = None,
    claim: int | None = None,
    *,
    conn: Any = None,
) -> dict[str, Any]:
    """Return the effect of completing the task, or in `refusal` why it would be refused; nothing is written.

    Raises UnknownTask.
    """
    call = "select wedsql.preview_task(%s, %s, %s, %s, %s)"
    return dict(value(conn, call, (task, person, JSON(data or {}), outcome, claim)))


def preview_form(
    trigger: Mapping[str, Any],
    types: Mapping[str, str],
    state: Mapping[str, Any] | None = None,
    *,
    conn: Any = None,
) -> dict[str, Any] | None:
    """Return the form of a trigger that need not be published as a task has it, on a state.

    Raises BadDefinition, UnknownAttribute, BadPredicate.
    """
    call = "select wedsql.preview_form(%s, %s, %s)"
    found = value(conn, call, (JSON(dict(trigger)), JSON(dict(types)), JSON(state or {})))
    return None if found is None else dict(found)


def keep_task_draft(
    task: int,
    person: str,
    fields: Mapping[str, Any],
    *,
    touched: Sequence[str] | None = None,
    conn: Any = None,
) -> bool:
    """Keep what a person typed into a task that is theirs; return whether there is a draft now.

    With `touched` only these fields are replaced: the others may have been typed in another tab.

    Raises UnknownTask, TaskTaken, TaskNotHeld, BadDefinition.
    """
    call = "select wedsql.keep_task_draft(%s, %s, %s, %s::text[])"
    return bool(value(conn, call, (task, person, JSON(dict(fields)), names(touched))))


def read_task_draft(task: int, person: str, *, conn: Any = None) -> dict[str, Any] | None:
    """Return the `fields` that the person typed and has not sent, with `saved_at`; None for nothing."""
    found = value(conn, "select wedsql.read_task_draft(%s, %s)", (task, person))
    return None if found is None else dict(found)


def task_choices(
    task: int,
    attribute: str,
    data: Mapping[str, Any] | None = None,
    search: str = "",
    limit: int = 50,
    *,
    conn: Any = None,
) -> dict[str, Any]:
    """Return the rows that a field with a query offers with these values: `items`, and whether `complete`.

    An item has the `value`, the number of its `instance` and the `texts` of the columns. The caller checks
    that the reader may see the rows. Raises UnknownTask, QueryFailed.
    """
    call = "select wedsql.task_choices(%s, %s, %s, %s, %s)"
    given = (task, attribute, JSON(data or {}), search.replace("\x00", ""), limit)
    return dict(value(conn, call, given))


def attach_task_file(
    task: int, person: str, attribute: str, name: str, content: bytes, limits: FileLimits, *, conn: Any = None
) -> dict[str, Any]:
    """Store a file for a field of a task that is the person's; return its description, the value to write.

    `limits.of_case` is how many files a task may have. Raises UnknownTask, TaskTaken, TaskNotHeld,
    TaskTransferred, TaskFileNotTaken.
    """
    call = "select wedsql.attach_task_file(%s, %s, %s, %s, %b, %s)"
    given = (task, person, attribute, name.replace("\x00", ""), content, JSON(asdict(limits)))
    return dict(value(conn, call, given))


def read_task_file(
    wid: int, attribute: str, sha256: str | None = None, person: str | None = None, *, conn: Any = None
) -> tuple[dict[str, Any], bytes]:
    """Return the file that an attribute of an instance describes, or one that the person sent; its content.

    The caller checks that the reader may see the attribute. Raises UnknownFile.
    """
    call = "select * from wedsql.read_task_file(%s, %s, %s, %s)"
    found, content = rows(conn, call, (wid, attribute, sha256, person))[0]
    return dict(found), bytes(content)
