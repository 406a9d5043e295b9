"""Templates of generated code: wedsql._fill puts each value into its slot, quoted as the slot says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

Connect = Callable[..., psycopg.Connection[Any]]
pytestmark = pytest.mark.kernel
ODD = "{b} {b:L} %s %1$I 100% \\1 \\\\ ' \" $q$"


def fill(connect: Connect, template: str, values: dict[str, Any]) -> str:
    found = connect().execute("select wedsql._fill(%s, %s)", [template, Jsonb(values)]).fetchone()
    return str(found[0]) if found else ""


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("select {a:I}, {a:L}, {a}", {"a": "A b"}, """select "A b", 'A b', A b"""),
        ("{a:I}.{long_name:I}", {"a": "order", "long_name": "x"}, '"order".x'),
        ("{a:L}::{type}", {"a": None, "type": "text"}, "NULL::text"),
        ("f_{id}({id})", {"id": 7}, "f_7(7)"),
        ("'{}' '{1}' '{\"a\"}' 5 % 3 %s \\1", {}, "'{}' '{1}' '{\"a\"}' 5 % 3 %s \\1"),
        ("{a}{b}", {"a": ODD, "b": "c"}, ODD + "c"),
        ("{b}{a}", {"a": ODD, "b": "c"}, "c" + ODD),
        ("{a}", {"a": ""}, ""),
    ],
)
def test_a_template_is_filled(connect: Connect, template: str, values: dict[str, Any], text: str) -> None:
    assert fill(connect, template, values) == text


@pytest.mark.parametrize("form", ["I", "L"])
def test_a_quoted_value_is_read_back(connect: Connect, form: str) -> None:
    source = fill(connect, "select 1 as {a:I}" if form == "I" else "select {a:L}", {"a": ODD})
    cursor = connect().execute(source.encode())
    assert cursor.description
    assert ODD in (cursor.description[0].name, *(cursor.fetchone() or ()))


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{a} {b}", {"a": "x"}),
        ("{a:X}", {"a": "x"}),
        ("{a}", {"a": None}),
        ("{a:I}", {"a": None}),
        ("{a:L} {a}", {"a": None}),
        ("{a}", {"a": "x", "b": "y"}),
        ("", {"b": None}),
    ],
)
def test_slots_and_values_must_agree(connect: Connect, template: str, values: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.InternalError_):
        fill(connect, template, values)
