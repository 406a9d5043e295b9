"""Notifies receivers of alerts, webhooks and mails: at least once, with a key that shows a repetition."""

from __future__ import annotations

import logging
import smtplib
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from flows import api, json_text
from flows.capabilities.alerts.deliveries import Delivery
from flows.capabilities.alerts.receivers import NotTaken, allowed, post, signature
from flows.errors import BadAlert, WedError
from workers.logs import summarize
from workers.messages import MAIL_REFUSED, NO_MAIL_SERVER, NOT_SENT

log = logging.getLogger("workers.alerts")

HOLD = 60.0
BUDGET = 10.0
# Messages that are sent at the same time, so that a receiver that does not answer delays few of the others.
AT_ONCE = 8


@dataclass(frozen=True)
class Outcome:
    """Why a delivery failed, None if it did not; `final` if another attempt would fail too."""

    error: str | None = None
    final: bool = False


def deliver_due(budget: float = BUDGET) -> int:
    """Send what is due, for `budget` seconds; return how many were tried."""
    until, done = time.monotonic() + budget, 0
    while time.monotonic() < until:
        taken = list(islice(iter(lambda: api.alerts.take_delivery(HOLD), None), AT_ONCE))
        if not taken:
            break
        outcomes: SimpleQueue[tuple[Delivery, Outcome]] = SimpleQueue()
        for each in taken:
            # A daemon, unlike the threads of an executor: the end of the process does not wait for it.
            threading.Thread(target=_send, args=(each, outcomes), daemon=True).start()
        for _each in taken:
            _settle_or_log(*outcomes.get())
        done += len(taken)
    return done


def _settle_or_log(delivery: Delivery, outcome: Outcome) -> None:
    """Record what came of an attempt; where that fails, the message is sent again, and no other one is."""
    try:
        _settle(delivery, outcome)
    except (WedError, DatabaseError) as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        log.warning("the result of a message was not recorded: %s", summarize(error))


def _send(delivery: Delivery, outcomes: SimpleQueue[tuple[Delivery, Outcome]]) -> None:
    """Send one message without the database, because this runs in a thread of its own."""
    outcomes.put((delivery, _outcome(delivery)))


def _outcome(delivery: Delivery) -> Outcome:
    try:
        _CHANNELS[delivery.channel](delivery)
    except BadAlert as error:
        return Outcome(error.message, final=True)
    except NotTaken as error:
        return Outcome(str(error))
    except Exception as error:  # a message that cannot be sent stops no other
        log.exception("a message was not sent")
        return Outcome(NOT_SENT.format(error=type(error).__name__))
    return Outcome()


def _settle(delivery: Delivery, outcome: Outcome) -> None:
    """Record what came of an attempt."""
    if outcome.error is not None:
        message = delivery.message
        name = message.get("name") or f"webhook {message['webhook']}"
        log.warning("a message of %r was not sent: %s", name, outcome.error, extra={"flow": message["flow"]})
    api.alerts.settle_delivery(delivery, outcome.error, final=outcome.final)


def _by_webhook(delivery: Delivery) -> None:
    message = delivery.message | _link(delivery.message)
    body = json_text.encode(message, separators=(",", ":")).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "WED-SQL",
        "X-WEDSQL-Delivery": str(delivery.message["id"]),
        "X-WEDSQL-Signature": signature(delivery.secret, int(time.time()), body),
    }
    post(delivery.target, body, headers, allowed())


def _link(message: Mapping[str, Any]) -> dict[str, str]:
    """Return the address of the page of the step that a message is about."""
    if "wid" not in message:
        return {}
    site = settings.WEDSQL_SITE_URL.rstrip("/")
    return {"link": f"{site}/instances/{message['wid']}/steps/{message['step']}/"}


def _by_mail(delivery: Delivery) -> None:
    if not settings.EMAIL_HOST:
        raise NotTaken(NO_MAIL_SERVER)
    key = delivery.message["id"]
    headers = {"Message-ID": f"<{key}@wedsql>", "Auto-Submitted": "auto-generated"}
    mail = EmailMessage(
        subject(delivery.message), text(delivery.message), to=[delivery.target], headers=headers
    )
    try:
        mail.send()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise NotTaken(MAIL_REFUSED.format(error=type(error).__name__)) from error


def subject(message: Mapping[str, Any]) -> str:
    """Return the subject of a mail, in one line."""
    if message["event"] == "digest":
        return " ".join(f"[WED-SQL] {message['subject']}".split())
    return " ".join(f"[WED-SQL] {message['flow']}: {message['name']}: {_word(message['event'])}".split())


def text(message: Mapping[str, Any]) -> str:
    """Return the text of a mail; that of a mail about cases was written when it was queued."""
    if message["event"] == "digest":
        return str(message["text"])
    about = message["query"] or message["transition"]
    lines = [
        f"{message['name']}: {_word(message['event'])}",
        f"{_('Flow')}: {message['flow']}",
        f"{_('Rule')}: {message['kind']} {about} {message['sign']} {message['threshold']:g}",
        f"{_('Time')}: {message['at']}",
    ]
    if message["value"] is not None:
        lines.append(f"{_('Value')}: {message['value']:g}")
    if message["note"]:
        lines.append(message["note"])
    return "\n".join([*lines, "", f"{_('Delivery')}: {message['id']}", ""])


def _word(event: str) -> str:
    return {
        "started": _("the alert started"),
        "ended": _("the alert ended"),
        "failed": _("the rule cannot be evaluated"),
        "recovered": _("the rule is evaluated again"),
        "tested": _("a test"),
    }.get(event, event)


_CHANNELS = {"mail": _by_mail, "webhook": _by_webhook}
