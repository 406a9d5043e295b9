"""Values for a JSON schema, and whether a schema allows a value: what generated requests are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
TYPES: dict[str, Any] = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
# What has been accepted or rejected against a schema somewhere, and its neighbours.
ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        5.0,
        0.5,
        2**31 - 1,
        2**31,
        2**63,
        10**30,
        -(10**30),
        [],
        {},
        [None],
        [[]],
    ),
    *("", " ", "\f", "\n x", "\x00", "a\x00", "x", "ä💩", "0", "1", "0.5", "-1", "1e3", "true", "null"),
    *("2026-01-31T14:30:00Z", "2026-01-31T14:30:00+01:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    *(
        "0000-01-01T00:00:00Z",
        "2026-01-31",
        "2026-13-31T14:30:00Z",
        "2026-01-31x14:30:00Z",
        "now",
        "infinity",
    ),
    *("b1", "a9999999999", "b99999999999", "c1", "b", "x~1~1", "x~99999~999999999999999999", "~1~1", "x~1"),
    *("YQ==", "YQ=", "Y", "é", "%", "x" * 250, "x" * 251, "x" * 4000, "x" * 5000),
]


def neighbours(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield values at the limits of a schema and behind them."""
    for each in schema.get("anyOf", ()):
        yield from neighbours(each)
    for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if name in schema:
            yield from (schema[name] - 1, schema[name], schema[name] + 1)
    for name in ("minLength", "maxLength"):
        if name in schema:
            yield from ("x" * length for length in range(max(schema[name] - 1, 0), schema[name] + 2))
    yield from schema.get("enum", ())


def allows(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a schema allows a value; what it does not know it takes for allowed."""
    if "anyOf" in schema:
        return any(allows(each, value) for each in schema["anyOf"])
    return (
        _is_type(schema.get("type"), value)
        and ("enum" not in schema or value in schema["enum"])
        and ("const" not in schema or value == schema["const"])
        and (not isinstance(value, str) or _text_fits(schema, value))
        and (isinstance(value, bool) or not isinstance(value, int | float) or _number_fits(schema, value))
        and (not isinstance(value, list) or _list_fits(schema, value))
        and (not isinstance(value, dict) or len(value) >= schema.get("minProperties", 0))
    )


def _is_type(name: str | None, value: Any) -> bool:
    if name in (None, "integer", "number"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return name is None or (number and (name == "number" or value == int(value)))
    return isinstance(value, TYPES[name])


def _text_fits(schema: dict[str, Any], value: str) -> bool:
    short, long = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if not short <= len(value) <= long or not re.search(schema.get("pattern", ""), value):
        return False
    return schema.get("format") != "date-time" or _is_moment(value)


def _is_moment(value: str) -> bool:
    try:  # RFC 3339 has the year 0, which Python has not
        return bool(MOMENT.fullmatch(value) and datetime.fromisoformat(re.sub("^0000", "2000", value)))
    except ValueError:
        return False


def _number_fits(schema: dict[str, Any], value: float) -> bool:
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    over, below = schema.get("exclusiveMinimum", value - 1), schema.get("exclusiveMaximum", value + 1)
    return bool(least <= value <= most and (over < value or over == value - 1 == value) and (
        value < below or below == value + 1 == value))  # fmt: skip


def _list_fits(schema: dict[str, Any], value: list[Any]) -> bool:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    return least <= len(value) <= most and all(allows(schema.get("items", {}), each) for each in value)
