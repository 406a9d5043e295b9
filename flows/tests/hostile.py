"""Server settings that change how texts are read and written; the kernel must work with all of them.

`pytest --settings hostile` starts the server of the run with these settings.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from psycopg.types.datetime import DateLoader, IntervalLoader, TimestamptzLoader

HOSTILE = {
    # Input and output of times, durations, numbers and bytes.
    "timezone": "America/St_Johns",
    "timezone_abbreviations": "Australia",
    "datestyle": "SQL, DMY",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "0",
    "bytea_output": "escape",
    "client_encoding": "LATIN1",
    "xmlbinary": "hex",
    "xmloption": "document",
    # Parsing of statements.
    "transform_null_equals": "on",
    "standard_conforming_strings": "off",
    "escape_string_warning": "off",
    "backslash_quote": "on",
    "search_path": "pg_temp, public, pg_catalog",
    "plpgsql.variable_conflict": "use_variable",
    "plpgsql.extra_errors": "none",
    # Other settings that a function inherits from its caller.
    "row_security": "off",
    "check_function_bodies": "off",
    "default_transaction_deferrable": "on",
    "plan_cache_mode": "force_custom_plan",
    "jit_above_cost": "0",
}


_NUMBER = r"(?:(-?[0-9.]+){})?"
_DURATION = re.compile(
    "P" + "".join(map(_NUMBER.format, "YMWD")) + "(?:T" + "".join(map(_NUMBER.format, "HMS")) + ")?"
)


class Duration(IntervalLoader):
    """Loads ISO 8601 durations, which psycopg rejects; a month has 30 days, as in psycopg."""

    def load(self, data: Any) -> timedelta:
        found = _DURATION.fullmatch(bytes(data).decode())
        if not found:
            return super().load(data)
        years, months, weeks, days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return timedelta(
            days=years * 365 + months * 30 + weeks * 7 + days, hours=hours, minutes=minutes, seconds=seconds
        )


class Moment(TimestamptzLoader):
    """Loads timestamps written as day/month/year in the server's time zone."""

    def load(self, data: Any) -> datetime:
        if b"/" not in bytes(data):
            return super().load(data)
        day, time, _zone = bytes(data).decode().split(" ")
        form = "%d/%m/%Y %H:%M:%S.%f" if "." in time else "%d/%m/%Y %H:%M:%S"
        return datetime.strptime(f"{day} {time}", form).replace(tzinfo=ZoneInfo(HOSTILE["timezone"]))


class Day(DateLoader):
    """Loads dates written as day/month/year."""

    def load(self, data: Any) -> date:
        if b"/" not in bytes(data):
            return super().load(data)
        day, month, year = map(int, bytes(data).split(b"/"))
        return date(year, month, day)


def prepare() -> dict[str, str]:
    """Return the settings for the server, and register loaders in this process for its output."""
    for name, loader in (("interval", Duration), ("timestamptz", Moment), ("date", Day)):
        psycopg.adapters.register_loader(name, loader)
    return HOSTILE
