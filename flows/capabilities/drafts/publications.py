"""Publications: request, approve, reject, schedule, roll back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flows.definition import AnyDefinition
from flows.statements import JSON, designed, read_as, rows, value
from flows.types import DraftAt, Publication, PublicationChoices
from flows.users.holdings import held

AT_ONCE = PublicationChoices()


def request_publication(
    at: DraftAt, choices: PublicationChoices = AT_ONCE, *, actor: str = "", conn: Any = None
) -> Publication:
    """Request the publication of a draft's present revision; without need of approval or time, publish it.

    It takes as many tasks and cases from other persons as `flows.users.holdings.confirmed` says. Raises
    HeldByOthers, UnknownDraft, StaleDraft, StaleBase, BadTime, and every error of a rejected publication.
    """
    call = "request_publication(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    return _one(conn, call, (*at, *_chosen(choices, actor)))


def submit_definition(
    flow: str,
    definition: AnyDefinition,
    *,
    reason: str = "",
    actor: str = "",
    source: Mapping[str, Any] | None = None,
    numbered: bool = False,
    conn: Any = None,
) -> Publication:
    """Save a definition as a draft of its own and request its publication; create the flow if it is missing.

    Without need of approval it is published at once, and the draft is discarded. `source` is what it was
    translated from (`keep_source`). With `numbered` its attributes and triggers have the flow's numbers.
    Raises HeldByOthers, BadDefinition, DraftLimit, BadName, and every error for which publishing can be
    rejected.
    """
    found = None if source is None else JSON(source)
    call = "submit_definition(%s, %s, %s, %s, %s, %s, %s)"
    return _one(conn, call, (flow, JSON(definition), reason, actor, found, numbered, held()))


def request_rollback(
    flow: str, version: int, choices: PublicationChoices = AT_ONCE, *, actor: str = "", conn: Any = None
) -> Publication:
    """Request that the definition of an earlier version is published again. Raises UnknownVersion."""
    call = "request_rollback(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
    return _one(conn, call, (flow, version, *_chosen(choices, actor)))


def approve_publication(number: int, *, note: str = "", actor: str = "", conn: Any = None) -> Publication:
    """Approve a request of another person, and publish it, at once or at its time.

    Raises HeldByOthers, SamePerson, StaleBase, UnknownPublication, AlreadyDecided.
    """
    return _one(conn, "approve_publication(%s, %s, %s, %s)", (number, note, actor, held()))


def reject_publication(number: int, *, note: str = "", actor: str = "", conn: Any = None) -> Publication:
    """Reject a request, with the reason for the requester. Raises UnknownPublication, AlreadyDecided."""
    return _one(conn, "reject_publication(%s, %s, %s)", (number, note, actor))


def withdraw_publication(number: int, *, note: str = "", actor: str = "", conn: Any = None) -> Publication:
    """Withdraw a request that waits for approval or its time. Raises UnknownPublication, AlreadyDecided."""
    return _one(conn, "withdraw_publication(%s, %s, %s)", (number, note, actor))


def read_publication(number: int, *, conn: Any = None) -> Publication:
    """Return a request with its definition. Raises UnknownPublication."""
    return _one(conn, "read_publication(%s)", (number,))


def read_publications(numbers: Iterable[int], *, conn: Any = None) -> dict[int, Publication]:
    """Return several requests by their number; their definitions have the names of triggers only."""
    call = "select wedsql.read_publications(%s)"
    found = [read_as(Publication, each) for (each,) in rows(conn, call, (list(numbers),))]
    return {each.id: each for each in found}


def list_publications(
    flow: str | None = None,
    *,
    only_open: bool = False,
    before: int | None = None,
    limit: int = 50,
    conn: Any = None,
) -> list[Publication]:
    """Return the requests of a flow or of all flows before `before`, the newest first.

    Raises UnknownFlow where nothing has this name.
    """
    call = "select wedsql.list_publications(%s, %s, %s, %s)"
    found = [read_as(Publication, each) for (each,) in rows(conn, call, (flow, only_open, before, limit))]
    return found if flow is None else designed(flow, found, conn)


def begin_due(*, conn: Any = None) -> bool:
    """Note for pages that the next due request is being published, and return whether there is one.

    For the reaper, before publish_due, in a transaction of its own.
    """
    return bool(value(conn, "select wedsql.begin_due()", ()))


def publish_due(*, conn: Any = None) -> str | None:
    """Publish one request whose time has come and return its flow; None when none is due.

    For the reaper, in a transaction of its own. A failure is kept with the request.
    """
    return value(conn, "select wedsql.publish_due()", ())


def _one(conn: Any, call: str, params: tuple[Any, ...]) -> Publication:
    return read_as(Publication, value(conn, f"select wedsql.{call}", params))


def _chosen(choices: PublicationChoices, actor: str) -> tuple[Any, ...]:
    prediction = None if choices.prediction is None else JSON(choices.prediction)
    groups = JSON(choices.groups.as_json())
    return choices.reason, choices.reopen_final, choices.publish_at, prediction, actor, groups, held()
