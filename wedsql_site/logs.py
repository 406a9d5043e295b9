"""Log formats: plain text, or one JSON object per line (WEDSQL_LOG_FORMAT=json).

A record has only those fields of `extra=` that FIELDS lists, so that a handler cannot log a state by
accident. An exception is logged with its stack, type and SQLSTATE, without its message, which may quote a
value.
"""

from __future__ import annotations

import json
import logging
import os
import re
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from wedsql_site import environment
from workers.logs import summarize

FORMATS = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
MARKS = ("flow", "wid", "job", "transition", "worker", "outcome")
FIELDS = (*MARKS, "method", "path", "status", "ms")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def chosen_format() -> str:
    """Return the format of WEDSQL_LOG_FORMAT; raises BadEnvironment for an unknown one."""
    return environment.choice("WEDSQL_LOG_FORMAT", "text", FORMATS)


def configuration(process: str, cluster_level: str, in_full: bool) -> dict[str, Any]:
    """Return Django's LOGGING: all to standard error; `in_full` logs messages of exceptions (debug mode)."""
    shape = {
        "()": f"wedsql_site.logs.{chosen_format().capitalize()}Lines",
        "process": process,
        "in_full": in_full,
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": shape},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            # RequestLog logs each request; this logs the stack of failures.
            "django.request": {"level": "ERROR"},
            # Two lines for each task would hide the rest; the history has the results.
            "django-q": {"level": cluster_level},
            # The database records log-ins; the log has the failures.
            "axes": {"level": "WARNING"},
        },
    }


class Lines(logging.Formatter):
    """Common part of both formats."""

    def __init__(self, process: str = "", in_full: bool = False, **_rest: Any) -> None:
        super().__init__()
        self.process = process
        self.in_full = in_full

    def fields(self, record: logging.LogRecord, names: tuple[str, ...]) -> dict[str, Any]:
        """Return those of these fields that the record has."""
        found = {name: getattr(record, name, None) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def stack(self, record: logging.LogRecord) -> str:
        """Return the exception of the record with its causes, or ''."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return ""
        return "".join(
            traceback.format_exception(error) if self.in_full else _traceback_lines(error)
        ).rstrip()


class TextLines(Lines):
    """Formats `2026-01-31T12:00:00.123Z INFO workers.runner: text [flow=orders wid=7 job=12]`, with MARKS."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{_moment(record)} {record.levelname} {record.name}: {_one_line(record.getMessage())}"
        marks = " ".join(
            f"{name}={_one_line(str(value))}" for name, value in self.fields(record, MARKS).items()
        )
        stack = self.stack(record)
        return line + (f" [{marks}]" if marks else "") + (f"\n{stack}" if stack else "")


class JsonLines(Lines):
    """One JSON object per line: time, level, logger, message, process, pid, the fields, `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _moment(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": self.process,
            "pid": record.process or os.getpid(),
            **self.fields(record, FIELDS),
        }
        stack = self.stack(record)
        return json.dumps(line | {"exception": stack} if stack else line, default=str)


def _moment(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _one_line(text: str) -> str:
    """Return the text with line breaks and control characters escaped."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def _traceback_lines(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _traceback_lines(before)
        yield "\nThen:\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{summarize(error)}\n"
