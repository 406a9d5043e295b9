"""What a handler gave back, in the form the kernel takes; and what went wrong, in a line."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from workers.context import Abort
from workers.logs import place_of

MESSAGE_LIMIT = 2000
DIED = "The worker process died while it ran the handler."


class BadResult(TypeError):
    """A handler returns a dict of changed attributes, a SET string, or None to abort."""


class HandlerTimeout(BaseException):
    """The handler ran past its timeout; not an Exception, so that handlers do not swallow it."""


class Lost(Exception):
    """The process that ran the handler died."""

    def __init__(self) -> None:
        super().__init__(DIED)


def _plain(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.days} days {value.seconds}.{value.microseconds:06d} seconds"
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    raise BadResult(f"An attribute cannot hold a {type(value).__name__}.")


_encode = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":")).encode


def encode(changes: Mapping[str, Any]) -> str:
    """The changes as JSON text; BadResult or ValueError when a value has no place in a state."""
    text = _encode(changes if isinstance(changes, dict) else dict(changes))
    if "\\u0000" in text:
        raise BadResult("Text in a state cannot hold the NUL character.")
    return text


def read_result(result: object) -> tuple[str | None, str | None]:
    """(changes as JSON, SET string): one of the two, as the kernel takes them; raises Abort for none."""
    if isinstance(result, str) and result.strip():
        return None, result
    if isinstance(result, Mapping):
        return encode(result), None
    if result is None:
        raise Abort("The handler returned nothing.")
    if isinstance(result, str):
        raise Abort("The handler returned an empty SET string.")
    raise BadResult(f"{BadResult.__doc__} This one returned a {type(result).__name__}.")


def kind_of(error: BaseException) -> str:
    """The outcome the job log records for this error: aborted, timeout, lost or failed."""
    if isinstance(error, Abort):
        return "aborted"
    if isinstance(error, Lost):
        return "lost"
    if isinstance(error, HandlerTimeout) or type(error).__name__ == "TimeoutException":
        return "timeout"
    return "failed"


def sqlstate_of(error: BaseException) -> str:
    """The SQLSTATE the error carries, or '' for one that is not the database's."""
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else ""


def describe(error: BaseException) -> str:
    """One line for the job's last_error: what, and where in the handler."""
    if isinstance(error, Abort | Lost):
        return clean(str(error) or type(error).__name__)
    line = traceback.format_exception_only(error)[-1].strip()
    where = place_of(error)
    return clean(f"{line} ({where})" if where else line)


def clean(text: str) -> str:
    """Text the database accepts: no NUL, no lone surrogates, at most MESSAGE_LIMIT characters."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()[:MESSAGE_LIMIT]
