"""Webhooks of flows: what is sent when an instance starts, ends or becomes an exception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from flows.capabilities.alerts.receivers import allowed, check_url
from flows.statements import JSON, read_as, rows, value

EVENTS = ("started", "final", "exception", "cancelled")


@dataclass(frozen=True)
class Webhook:
    """Which events are sent to an address: those of instances that meet the filter `query` at that step.

    Besides what every message has, it has the values of `attributes`. Whoever saves a webhook has parsed its
    filter. Without a `secret` the one from before is kept.
    """

    url: str
    events: Sequence[str] = EVENTS
    query: str = ""
    attributes: Sequence[str] = ()
    enabled: bool = True
    secret: str = ""


@dataclass(frozen=True)
class SavedWebhook(Webhook):
    """A webhook as it is saved, without its secret; `waiting` is the number of its messages, at most 1,000.

    `problem` says why it is paused, or why its filter cannot be evaluated; `last_error`, why its
    oldest message that was tried still waits.
    """

    id: int = 0
    flow: str = ""
    revision: int = 1
    changed_by: str = ""
    changed_at: datetime | None = None
    problem: str | None = None
    paused_at: datetime | None = None
    failing_since_at: datetime | None = None
    last_error: str | None = None
    waiting: int = 0


@dataclass(frozen=True)
class WebhookDelivery:
    """A message of a webhook; `key` is the id that its receiver gets."""

    id: int
    key: str
    event: str
    wid: int | None
    step: int | None
    at: datetime
    status: str
    attempts: int
    next_at: datetime
    done_at: datetime | None
    error: str | None


@dataclass(frozen=True)
class WebhookSteps:
    """Events for a webhook that were committed between two snapshots: number, step, time, event."""

    hook: int
    revision: int
    flow: str
    query: str
    after: str
    until: str
    more: bool
    steps: Sequence[tuple[int, int, str, str]]


def save_webhook(
    flow: str, hook: Webhook, actor: str, replaced: int | None = None, *, conn: Any = None
) -> SavedWebhook:
    """Save a webhook, which replaces the one of that number.

    Raises UnknownFlow, BadAlert for an address that may not be used, BadWebhook, UnknownWebhook.
    """
    check_url(hook.url, allowed())
    given = {name: each for name, each in asdict(hook).items() if name in Webhook.__dataclass_fields__}
    return _hook(
        value(conn, "select wedsql.save_webhook(%s, %s, %s, %s)", (flow, JSON(given), actor, replaced))
    )


def resume_webhook(hook: int, actor: str, *, skip: bool = False, conn: Any = None) -> SavedWebhook:
    """Let a paused webhook go on, with `skip` without what happened meanwhile.

    Raises BadWebhook, UnknownWebhook.
    """
    return _hook(value(conn, "select wedsql.resume_webhook(%s, %s, %s)", (hook, actor, skip)))


def delete_webhook(hook: int, actor: str | None = None, *, conn: Any = None) -> None:
    """Remove a webhook with its messages. Raises UnknownWebhook."""
    value(conn, "select wedsql.delete_webhook(%s, %s)", (hook, actor))


def list_webhooks(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[SavedWebhook]:
    """Return the webhooks of these flows, or of all: those that are paused or fail first."""
    names = None if flows is None else list(flows)
    return [_hook(found) for (found,) in rows(conn, "select wedsql.list_webhooks(%s::text[])", (names,))]


def read_webhook(hook: int, *, conn: Any = None) -> SavedWebhook:
    """Return a webhook. Raises UnknownWebhook."""
    return _hook(value(conn, "select wedsql.read_webhook(%s)", (hook,)))


def webhook_deliveries(
    hook: int, before: int | None = None, limit: int = 100, *, conn: Any = None
) -> list[WebhookDelivery]:
    """Return the messages of a webhook before that of a number, the newest first."""
    call = "select wedsql.webhook_deliveries(%s, %s, %s)"
    return [read_as(WebhookDelivery, found) for (found,) in rows(conn, call, (hook, before, limit))]


def send_test_message(hook: int, *, conn: Any = None) -> None:
    """Queue a message of the event "tested", which is sent once. Raises UnknownWebhook."""
    value(conn, "select wedsql.test_webhook(%s)", (hook,))


def due_webhooks(*, conn: Any = None) -> list[int]:
    """Return the numbers of the webhooks that may have something to read, for the reaper."""
    return list(value(conn, "select wedsql.due_webhooks()", ()))


def webhook_steps(hook: int, limit: int = 2_000, *, conn: Any = None) -> WebhookSteps | None:
    """Return events that were committed and not read, of about `limit` steps; None if nothing is new."""
    found = value(conn, "select wedsql.webhook_steps(%s, %s)", (hook, limit))
    return WebhookSteps(**found) if found else None


def queue_webhook_steps(found: WebhookSteps, *, conn: Any = None) -> int | None:
    """Queue messages of these events, and note that they have been read; None if another reaper was first."""
    call = "select wedsql.queue_webhook_steps(%s, %s, %s, %s, %s)"
    given = (found.hook, found.revision, found.after, found.until, JSON(found.steps))
    queued = value(conn, call, given)
    return None if queued is None else int(queued)


def delay_webhook(found: WebhookSteps, problem: str, *, conn: Any = None) -> None:
    """Note why the filter of a webhook cannot be evaluated; it is tried again a minute later."""
    value(conn, "select wedsql.delay_webhook(%s, %s, %s)", (found.hook, found.revision, problem))


def remove_old_messages(limit: int = 10_000, *, conn: Any = None) -> int:
    """Remove messages of webhooks that were sent or failed a week ago, at most `limit` of each."""
    return int(value(conn, "select wedsql.remove_old_messages(%s)", (limit,)))


def _hook(found: Mapping[str, Any]) -> SavedWebhook:
    return read_as(SavedWebhook, found)
