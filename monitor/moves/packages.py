"""What pages read of an uploaded message before they give it to the kernel."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.moves.envelope import opened
from flows.errors import BadPackage, UnknownMove

MOST_BYTES = 12 * 1024 * 1024


def message_of(request: HttpRequest) -> bytes:
    """Return the message in the file of a form. Raises BadPackage."""
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        raise BadPackage(_("Choose the file of a message."))
    if file.size is None or file.size > MOST_BYTES:
        raise BadPackage(_("The message is larger than %(limit)s MB.") % {"limit": MOST_BYTES // 1048576})
    return file.read()


def move_of(message: bytes) -> str:
    """Return the number of the move that a message is about. Raises BadPackage."""
    try:
        return str(UUID(str(opened(message).head().get("move"))))
    except ValueError as error:
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again.")) from error


def flow_of(message: bytes) -> str | None:
    """Return the flow that a message is about; a receipt is about that of its move. Raises BadPackage."""
    try:
        with transaction.atomic():
            return api.moves.read(move_of(message)).flow
    except UnknownMove:
        named = opened(message).head().get("flow")
        return named if isinstance(named, str) else None


def moment_and_number(text: str) -> tuple[datetime, str] | None:
    """Return the place of a list after which it goes on; None for the beginning."""
    at, _blank, number = text.partition(" ")
    try:
        moment = datetime.fromisoformat(at)
        return (moment, str(UUID(number))) if moment.tzinfo else None
    except ValueError:
        return None
