"""Results of handlers in the form that the kernel takes, and their errors in one line."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from workers import messages
from workers.context import Abort
from workers.logs import place_of, summarize

MESSAGE_LIMIT = 2000
# A parameter of a statement has at most 1 GB; the server needs several times its size.
RESULT_LIMIT = 32_000_000
_SQLSTATE = re.compile("[0-9A-Z]{5}")


class BadResult(TypeError):
    """A handler returned something else than a dict, a SET string or None, or what no state can hold."""


class HandlerTimeout(BaseException):
    """The handler exceeded its timeout; not an Exception, so that handlers do not swallow it."""


class Lost(Exception):
    """The process that ran the handler died."""

    def __init__(self) -> None:
        super().__init__(messages.PROCESS_DIED)


def _plain(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.days} days {value.seconds}.{value.microseconds:06d} seconds"
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    raise BadResult(messages.BAD_VALUE.format(type=type(value).__name__))


_encode = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":")).encode


def encode(changes: Mapping[str, Any]) -> str:
    """Return the changes as JSON; BadResult or ValueError for a value that a state cannot hold."""
    text = _encode(changes if isinstance(changes, dict) else dict(changes))
    if "\\u0000" in text:
        raise BadResult(messages.NUL_IN_STATE)
    _limit(text)
    return text


def read_result(result: object) -> tuple[str | None, str | None]:
    """Return (changes as JSON, SET string), of which one is None; raises Abort for an empty result."""
    if isinstance(result, str):
        return None, _set_string(str.__str__(result))  # a subclass may have methods of its own
    if isinstance(result, Mapping):
        return encode(result), None
    if result is None:
        raise Abort(messages.NOTHING)
    raise BadResult(messages.BAD_RESULT.format(type=type(result).__name__))


def _set_string(text: str) -> str:
    if not text.strip():
        raise Abort(messages.EMPTY_SET)
    if "\0" in text:
        raise BadResult(messages.NUL_IN_SET)
    if not text.isascii():
        text.encode()  # UnicodeEncodeError for a lone surrogate
    _limit(text)
    return text


def _limit(text: str) -> None:
    """Raise BadResult where the server would end the connection."""
    if len(text) > RESULT_LIMIT:
        raise BadResult(messages.TOO_LONG.format(limit=f"{RESULT_LIMIT:,}", length=f"{len(text):,}"))


class Failed(Exception):
    """The error of a handler, read once as plain text; the exception itself is not used again.

    An exception is code of the handler: reading its text, its SQLSTATE or even its class may raise.
    """

    def __init__(self, kind: str, message: str, sqlstate: str, log_text: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.sqlstate = sqlstate
        self.log_text = log_text
        """The error for a log line, without values of a state."""


def failed(error: BaseException, ends_time: tuple[type[BaseException], ...] = ()) -> Failed:
    """Read an exception of a handler, even if reading it raises.

    ends_time: types besides HandlerTimeout that mean that the handler exceeded its time.
    """
    late = type(error) in (HandlerTimeout, *ends_time)
    kind = "timeout" if late else _read(lambda: kind_of(error), "failed")
    name = _read(lambda: clean(type(error).__name__), "an exception")
    message = _read(lambda: describe(error), f"{name} (its text cannot be read)")
    return Failed(kind, message, _read(lambda: sqlstate_of(error), ""), _read(lambda: summarize(error), name))


def _read(read: Callable[[], str], otherwise: str) -> str:
    try:
        return read()
    except BaseException:  # noqa: BLE001  # runs code of the handler
        return otherwise


def kind_of(error: BaseException) -> str:
    """Return the outcome for the job log: aborted, timeout, lost or failed."""
    if isinstance(error, Failed):
        return error.kind
    if isinstance(error, Abort):
        return "aborted"
    if isinstance(error, Lost):
        return "lost"
    return "timeout" if isinstance(error, HandlerTimeout) else "failed"


def sqlstate_of(error: BaseException) -> str:
    """Return the SQLSTATE of the error, or '' if it is no database error."""
    state = getattr(error, "sqlstate", None)
    return str.__str__(state) if isinstance(state, str) and _SQLSTATE.fullmatch(state) else ""


def log_text(error: BaseException) -> str:
    """Return the error for a log line, without values of a state."""
    return error.log_text if isinstance(error, Failed) else summarize(error)


def describe(error: BaseException) -> str:
    """Return one line for the job's last_error: the error, and its place in the handler."""
    if isinstance(error, Failed):
        return error.message
    if isinstance(error, Abort | Lost):
        return clean(str(error) or type(error).__name__)
    line = traceback.format_exception_only(error)[-1].strip()
    where = place_of(error)
    return clean(f"{line} ({where})" if where else line)


def clean(text: str) -> str:
    """Return text that the database accepts: no NUL, no lone surrogates, at most MESSAGE_LIMIT characters."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()[:MESSAGE_LIMIT]
