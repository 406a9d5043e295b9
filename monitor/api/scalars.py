"""Types of single values in requests, of which the document says exactly what is accepted."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Base64Bytes, BeforeValidator, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from monitor.api.problems import Problem
from monitor.past.moments import LONGEST, BadMoment, moment

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(\.\d+)?([Zz]|[+-]\d\d(:?\d\d)?)?", re.ASCII)
_BASE64 = r"^([A-Za-z0-9+/]{4}[\r\n]*)*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[\r\n]*$"
PRINTED = r"^[^\x00]*[^\s\x00][^\x00]*$"  # a text with more than white space, and without NUL
NUMBER = r"^([ba][0-9]{1,10})?$"  # the cursor of a list by number
MOST_DIGITS = 18


class _Storable:
    """Rejects texts that PostgreSQL cannot store, and says so in the document."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_storable, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"pattern": r"^[^\x00]*$"} | handler(schema)


def _storable(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError("nul", "a text with the character NUL cannot be stored")
    return text


def _moment_text(given: Any) -> str:
    """Return a text in the form of a moment; numbers are none, which pydantic takes for seconds."""
    if not isinstance(given, str) or not _MOMENT.fullmatch(given):
        raise PydanticCustomError("moment", "write a moment as in 2026-01-31T14:30:00Z")
    if given.startswith("0000"):  # a year of RFC 3339, but not of Python and PostgreSQL
        raise Problem(422, "The time is out of range.", code="22008")
    return re.sub(r"^(.{16}):60", r"\1:59", given.upper())  # a leap second


def _moment(given: Any) -> datetime:
    try:
        return datetime.fromisoformat(_moment_text(given))
    except ValueError:
        raise PydanticCustomError("moment", "there is no such moment") from None


def _past(given: Any) -> str:
    """Return the text of a moment of the past. Raises Problem for one that is none."""
    try:
        _moment(given)
        text = _moment_text(given)
    except PydanticCustomError as error:
        raise Problem(422, str(error), str(BadMoment.hint)) from None
    try:
        moment(text)
    except BadMoment as error:
        raise Problem(422, str(error.message), str(error.hint), code="22008") from None
    return text


def _base64(given: Any) -> Any:
    if not isinstance(given, str) or not given or not re.fullmatch(_BASE64, given):
        raise PydanticCustomError("base64", "the content is base64, and not empty")
    return given


def _flag(given: Any) -> bool:
    """Return a truth value of the query, which pydantic would also read as 1, yes and on."""
    if isinstance(given, bool):
        return given
    if given not in ("true", "false"):
        raise PydanticCustomError("flag", "write true or false")
    return bool(given == "true")


def plain_numbers(given: Any) -> Any:
    """Return a body with Python's numbers for decimals, which are read with every digit."""
    given = getattr(given, "_obj", given)  # ninja wraps it
    if not isinstance(given, dict):
        return given
    return {name: _plain(each) if isinstance(each, Decimal) else each for name, each in given.items()}


def _plain(number: Decimal) -> int | float:
    few = number.adjusted() < MOST_DIGITS
    return int(number) if few and number == number.to_integral_value() else float(number)


Storable = _Storable()
Flag = Annotated[bool, BeforeValidator(_flag)]
Moment = Annotated[datetime, BeforeValidator(_moment)]
PastMoment = Annotated[
    str,
    BeforeValidator(_past),
    Field(
        max_length=LONGEST,
        description="A moment in the past: everything is as it was then.",
        json_schema_extra={"format": "date-time"},
    ),
]
NumberCursor = Annotated[str, Field(pattern=NUMBER)]
Base64 = Annotated[
    Base64Bytes,
    Field(strict=False, json_schema_extra={"pattern": _BASE64, "minLength": 4}),
    BeforeValidator(_base64),
]
