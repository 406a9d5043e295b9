"""Signs the messages of moves, and reads those of other installations."""

from __future__ import annotations

import base64
import json
from typing import Any
from uuid import UUID

import psycopg
from django.utils.translation import gettext as _

from flows.capabilities.moves import api
from flows.capabilities.moves.envelope import opened, sealed
from flows.errors import BadPackage, UnknownInstallation, WrongType
from flows.statements import value

_CALLS = {
    "package": "select wedsql.receive_package(%s::jsonb, %s)::text",
    "decision": "select wedsql.receive_decision(%s::jsonb, %s)::text",
    "receipt": "select wedsql.receive_receipt(%s::jsonb, %s)",
}
_DECISION = {
    "counter": int,
    "origin_wid": int,
    "origin": str,
    "flow": str,
    "actor": str,
    "reason": str,
}


def message(move_id: str, *, conn: Any = None) -> bytes | None:
    """Return the signed message of a move for the other installation; None where none is due.

    Raises UnknownMove, UnknownInstallation.
    """
    content = value(conn, "select wedsql.move_message(%s)::text", (move_id,))
    return None if content is None else _sealed(content, conn)


def receive(given: bytes, *, conn: Any = None) -> bytes | None:
    """Read a message of another installation and return the answer to it; None for a receipt.

    Raises BadPackage for one that is malformed, not signed by its sender or for another installation,
    UnknownInstallation, UnknownMove. A package that cannot be accepted raises nothing: the answer says why.
    """
    envelope = opened(given)
    sender = next((each for each in api.peers(conn=conn) if each.id == envelope.sender.lower()), None)
    if sender is None:
        raise UnknownInstallation(
            _("The message is of an installation that is not registered here."),
            hint=_("Register it with its number and its public key."),
        )
    envelope.check(base64.b64decode(sender.public_key))
    call = _CALLS[_checked(envelope.head(), sender.id, conn)]
    try:
        answer = value(conn, call, (envelope.content, sender.id))
    except (psycopg.DataError, WrongType) as error:
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again.")) from error
    return _sealed(answer, conn) if answer else None


def _checked(head: dict[str, Any], sender: str, conn: Any) -> str:
    """Return the kind of a message, after checking what every one has. Raises BadPackage."""
    own = api.identity(conn=conn)
    if head.get("from") != sender or own is None or head.get("to") != own.id:
        raise BadPackage(_("The message is for another installation."), hint=_("Give it to that one."))
    kind = head.get("kind")
    try:
        UUID(head["move"])
        if kind == "decision":
            UUID(head["origin"])
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again.")) from error
    needed = _DECISION if kind == "decision" else {}
    if kind not in _CALLS or any(type(head.get(name)) is not made for name, made in needed.items()):
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again."))
    return str(kind)


def _sealed(content: str, conn: Any) -> bytes:
    head = json.loads(content)
    key = bytes(value(conn, "select wedsql.installation_key()", ()))
    return sealed(content, head["from"], key)
