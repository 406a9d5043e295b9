"""JSON as PostgreSQL means it: numbers keep every digit, as binary floating point does not.

Whatever reads or writes values of flows as JSON does it by these functions: a number with a fraction is a
Decimal. They are used by programs that know nothing of Django.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

# int() rejects more digits than the interpreter is set to read, and takes long for many.
_LONG = 1_000
# Digits before or after the point that the database can hold. A few letters, such as 1e99999999, can mean a
# number with more, of which int() and exact fractions would take minutes and gigabytes.
_MOST = 131_072


def whole(digits: str) -> int | Decimal:
    """Return a number without a fraction; one of very many digits as a Decimal."""
    return int(digits) if len(digits) <= _LONG else Decimal(digits)


def fraction(digits: str) -> Decimal:
    """Return a number with a fraction or an exponent. Raises ValueError if no database can hold it."""
    try:
        found = Decimal(digits)
    except InvalidOperation:
        found = None
    if found is None or abs(found.adjusted()) > _MOST:
        raise ValueError(f"a number has more than {_MOST} digits")
    return found


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_quick = json.JSONDecoder(parse_float=fraction).decode
_exact = json.JSONDecoder(parse_float=fraction, parse_int=whole).decode


def decode(text: str | bytes | bytearray) -> Any:
    """Return the value that JSON means. Raises ValueError, RecursionError."""
    read = text if isinstance(text, str) else bytes(text).decode()
    try:
        return _quick(read)
    except json.JSONDecodeError:
        raise
    except ValueError:  # of int(), for a long number
        return _exact(read)


def decode_typed(text: str) -> Any:
    """Return the value that the JSON means which a person typed, or a page sent back.

    Half of a character cannot be stored, nor shown again on a page. Raises ValueError for it, as for what is
    no JSON; RecursionError.
    """
    found = decode(text)
    if _HALF.search(text):
        try:
            json.dumps(found, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("a text contains half of a character (a lone surrogate)") from None
    return found


def encode(value: Any, default: Callable[[Any], Any] | None = None, **options: Any) -> str:
    """Return a value as JSON; `default` and options are those of json.dumps.

    A Decimal becomes a number with its digits, NaN and infinity, which JSON has not, become texts.
    """
    numbers: list[str] = []
    mark = ""

    def plain(part: Any) -> Any:
        nonlocal mark
        if not isinstance(part, Decimal):
            if default is None:
                raise TypeError(f"a value of type {type(part).__name__} has no JSON form")
            return default(part)
        if not part.is_finite():
            return str(part)
        mark = mark or secrets.token_hex(16)
        numbers.append(digits(part))
        return f"{mark}{len(numbers) - 1}"

    text = json.dumps(value, default=plain, **{"ensure_ascii": False} | options)
    return re.sub(f'"{mark}([0-9]+)"', lambda found: numbers[int(found[1])], text) if mark else text


def digits(number: Decimal) -> str:
    """Return a number as PostgreSQL writes it, without an exponent where that is not long."""
    return f"{number:f}" if abs(number.adjusted()) < _LONG else str(number)
