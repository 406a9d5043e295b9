"""An editor of conditions offers functions that are of use in a condition, and all of those can be called."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

USEFUL = {
    "abs", "age", "array_length", "array_position", "ceil", "char_length", "coalesce", "date_part",
    "date_trunc",
    "extract", "floor", "greatest", "jsonb_array_length", "jsonb_typeof", "least",
    "left", "length", "lower", "ltrim", "make_date", "mod", "nullif", "position", "power", "replace", "right",
    "round", "split_part", "sqrt", "starts_with", "strpos", "substr", "substring", "trim", "trunc", "upper",
}  # fmt: skip
USELESS = {
    "array_eq", "bitand", "box", "box_add", "bpchareq", "circle_center", "date_cmp", "date_larger", "date_mi",
    "float8pl", "inet_merge", "int4", "int4inc", "int4pl", "int8range", "interval_smaller", "jsonb_cmp",
    "jsonb_contains", "numeric_add", "texteq", "timestamp_lt",
}  # fmt: skip


def test_functions_of_use_are_offered_and_others_are_not(kit: Kit) -> None:
    offered = {each.name for each in api.conditions.completions(conn=kit.conn).functions}

    assert USEFUL - offered == set()
    assert USELESS & offered == set()
    assert len(offered) < 200


def test_what_is_not_offered_may_be_called_all_the_same(kit: Kit) -> None:
    problem, _reads = api.conditions.check({"n": "integer"}, "int4pl(n, 1) = 2", conn=kit.conn)

    assert problem is None
