"""The texts of mails about tasks: no values of instances, and only what their reader may see now."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from flows import api
from flows.access import AnyUser, leave_out, task_keys
from flows.capabilities.cases.digests import DueDigest
from flows.capabilities.cases.mails import COLUMNS, address, moment
from flows.capabilities.tasks.api import Task
from flows.capabilities.tasks.message_mails import DueMessages
from flows.capabilities.tasks.sentences import sentence
from flows.labels import translate_label
from flows.models import Flow

log = logging.getLogger("workers.alerts")

MOST = 100
LISTED = 10


def queue_digest(due: DueDigest) -> bool:
    """Queue the digest of a user, and note its next time also where there is nothing to send."""
    user = _user(due.user)
    if user is None:
        return False
    found = _made(user, lambda: digest(user, due))
    queued = api.cases.queue_digest(due, settings.WEDSQL_DIGEST_HOUR, user.email, found)
    return queued and found is not None


def queue_messages(due: DueMessages) -> bool:
    """Queue the mail with messages to a user; messages of a user who is gone are not sent."""
    user = _user(due.user)
    found = _made(user, lambda: messages(due)) if user and user.get_username() == due.person else None
    return api.persons.queue_message_mail(due, user.email if user else "", found) and found is not None


def _user(key: int) -> Any:
    """Return a user; the mails of one who is gone are deleted."""
    user = get_user_model().objects.only(*COLUMNS).filter(pk=key).first()
    if user is None:
        api.cases.delete_digests(key)
    return user


def _made(user: Any, text: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
    """Return a mail; None for who gets none. One that cannot be made delays those of no other user."""
    try:
        return text() if user.is_active and user.email else None
    except Exception:
        log.exception("a mail about tasks was not made")
        return None


def digest(user: AnyUser, due: DueDigest) -> dict[str, Any] | None:
    """Return the digest of a user's tasks; None where the user has none, and none is open to the user."""
    leave_out(user)
    person = user.get_username()
    mine = api.tasks.own(person)
    opened = api.tasks.open(person, task_keys(user), "deadline", limit=MOST + 1)
    if not mine and not opened:
        return None
    since = min(one.since_at for one in due.items)
    counts = {
        "mine": len(mine),
        "open": f"{MOST}+" if len(opened) > MOST else len(opened),
        "new": sum(one.arrived_at > since for one in opened[:MOST]),
        "late": sum(one.due_at is not None and one.due_at < due.at for one in (*mine, *opened[:MOST])),
    }
    with override(due.language):
        titles = _titles([*mine, *opened])
        lines = [_("%(mine)s yours, %(open)s open to you, %(new)s of them new, %(late)s late.") % counts]
        for head, some in ((_("Yours:"), mine), (_("Open to you, by deadline:"), opened)):
            lines += (
                ["", head, *(line for one in some[:LISTED] for line in _task(one, titles))] if some else []
            )
        if unread := api.persons.unread_messages(person):
            said = ngettext("%(n)s message is not read", "%(n)s messages are not read", unread)
            lines += ["", f"{said % {'n': unread}}: {address('messages')}"]
        return _mail(_("Tasks: %(mine)s yours, %(open)s open") % counts, lines)


def messages(due: DueMessages) -> dict[str, Any] | None:
    """Return a mail with messages; None where all were read meanwhile."""
    found = api.persons.messages_to_mail(due)
    if not found:
        return None
    with override(due.language):
        titles = _titles(found)
        lines: list[str] = []
        for one in found:
            sender = f"{titles.get(one.flow, one.flow)} {one.wid or ''}".rstrip()
            lines += [f"{moment(one.at.astimezone(UTC))}, {sender}:", sentence(one)]
            lines += [f"  {address('tasks', one.job_id)}", ""] if one.job_id else [""]
        subject = (
            sentence(found[0]) if len(found) == 1 else _("%(n)s messages about tasks") % {"n": len(found)}
        )
        return _mail(subject[:200].replace("\n", " "), lines)


def _titles(found: Sequence[Any]) -> dict[str, str]:
    """Return the titles of the flows of tasks or messages."""
    labels = Flow.objects.filter(name__in={one.flow for one in found}).values_list("name", "label")
    return {name: translate_label(label) or name for name, label in labels}


def _task(one: Task, titles: dict[str, str]) -> list[str]:
    """Return the lines of a task."""
    parts = [translate_label(one.label) or one.transition, f"{titles.get(one.flow, one.flow)} {one.wid}"]
    if one.due_at:
        parts.append(_("due %(time)s") % {"time": moment(one.due_at.astimezone(UTC))})
    return [f"- {', '.join(parts)}", f"  {address('tasks', one.job_id)}"]


def _mail(subject: str, lines: Sequence[str]) -> dict[str, Any]:
    footer = [
        "", "--", f"{_('All tasks')}: {address('tasks')}",
        f"{_('Change or end these mails')}: {address('tasks', 'mails')}",
    ]  # fmt: skip
    text = "\n".join([*lines, *footer]) + "\n"
    return {"name": "tasks", "flow": "", "event": "digest", "subject": subject, "text": text}
