"""Limits of fields of forms: numbers, dates, lengths and patterns, at each end and on each side of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

TYPES = {"n": "integer", "m": "numeric", "day": "date", "note": "text", "flag": "boolean", "tags": "jsonb"}
LIMITS = ("min", "max", "min_length", "max_length", "pattern")


def form(*fields: dict[str, Any]) -> Any:
    return Jsonb({"sections": [{"fields": list(fields)}]})


def desk(kit: Kit, *fields: dict[str, Any]) -> Kit:
    """Define a task with these fields."""
    kit.attrs("done")
    for name, kind in TYPES.items():
        kit.attr(name, kind=kind)
    outcomes = ["Accept: done = 'yes'"]
    kit.trig("t", "done is null", performer="person", outcomes=outcomes, form=form(*fields))
    kit.final("done = 'yes'")
    return kit


def task(kit: Kit, **state: Any) -> tuple[int, int]:
    wid = kit.start(**state)
    (found,) = [each for each in api.tasks.of_flow(kit.name, conn=kit.conn) if each.wid == wid]
    api.tasks.take(found.job_id, "ana", [f"f:{kit.name}"], conn=kit.conn)
    return wid, found.job_id


# A field, the values that it takes, and those that it does not, with the limit that they do not keep.
KEPT: list[tuple[dict[str, Any], list[Any], list[tuple[Any, str]]]] = [
    ({"attribute": "n", "min": 1, "max": 9}, [1, 5, 9, None], [(0, "min"), (10, "max"), (-(2**31), "min")]),
    ({"attribute": "n", "min": 0.5}, [1, 2**31 - 1], [(0, "min")]),
    ({"attribute": "m", "min": 0.1, "max": 0.3}, [0.1, 0.3, "0.30"],
     [("0.0999999999999999999999", "min"), ("0.3000000000000000000001", "max"), ("NaN", "min")]),
    ({"attribute": "m", "max": "5"}, [-1, 5], [("NaN", "max"), (5.01, "max")]),
    ({"attribute": "m", "min": 5}, [5, 1e300], [("NaN", "min"), (4, "min")]),
    ({"attribute": "day", "min": "2024-02-29", "max": "2024-03-01"}, ["2024-02-29", "2024-03-01"],
     [("2024-02-28", "min"), ("2024-03-02", "max"), ("infinity", "max"), ("-infinity", "min")]),
    ({"attribute": "note", "min_length": 2, "max_length": 3}, ["ab", "abc", "", None, "é😀"],
     [("a", "min_length"), ("abcd", "max_length"), ("😀", "min_length")]),
    ({"attribute": "note", "pattern": "^[A-Z]{2}-[0-9]+$"}, ["AB-1", ""],
     [("ab-1", "pattern"), ("AB-", "pattern"), ("AB-1\n", "pattern"), ("x AB-1", "pattern")]),
    ({"attribute": "note", "pattern": "[0-9]"}, ["a1b"], [("ab", "pattern")]),
    ({"attribute": "note", "kind": "choice", "options": ["a", "bcd"], "max_length": 1}, ["a"],
     [("bcd", "max_length"), ("x", "option")]),
]  # fmt: skip


@pytest.mark.parametrize(("field", "taken", "others"), KEPT)
def test_a_value_keeps_the_limits_of_its_field(kit: Kit, field: Any, taken: Any, others: Any) -> None:
    desk(kit, field)
    name = field["attribute"]
    for value in taken:
        _wid, job = task(kit)
        assert api.tasks.complete(job, "ana", {name: value}, "Accept", conn=kit.conn).status == "F", value
    wid, job = task(kit)
    for value, limit in others:
        with refused("WD595") as why:
            api.tasks.complete(job, "ana", {name: value}, "Accept", conn=kit.conn)
        assert why.facts["wrong"] == {name: limit}, value
        if limit != "option":
            assert why.facts["limits"] == {name: field[limit]}
            assert f"{name}: {limit} {field[limit]}" in str(why.hint)
    assert kit.state(wid)[name] is None and kit.status(wid) == "R"


def test_each_field_is_named_with_its_own_limit(kit: Kit) -> None:
    day = {"attribute": "day", "readonly": "n = 9", "max": "2020-01-01"}
    numbers = {"attribute": "n", "max": 1, "required": True}, {"attribute": "m", "min": 1}
    desk(kit, *numbers, {"attribute": "note", "max_length": 1}, day)
    _wid, job = task(kit)
    with refused("WD595") as why:
        data = {"n": 9, "m": 0, "note": "ab", "day": "2021-01-01"}
        api.tasks.complete(job, "ana", data, "Accept", conn=kit.conn)
    assert why.facts["wrong"] == {"n": "max", "m": "min", "note": "max_length", "day": "readonly"}
    assert why.facts["limits"] == {"n": 1, "m": 1, "note": 1}
    assert "n: max 1, m: min 1, note: max_length 1." in str(why.hint)


def test_a_value_that_was_there_before_may_stay(kit: Kit) -> None:
    desk(kit, {"attribute": "n", "max": 1}, {"attribute": "m", "max": 1})
    _wid, job = task(kit, n=7)
    api.tasks.complete(job, "ana", {"m": 1}, "Accept", conn=kit.conn)
    _wid, job = task(kit, n=7)
    with refused("WD595"):
        api.tasks.complete(job, "ana", {"n": 8}, "Accept", conn=kit.conn)


WRONG: list[tuple[dict[str, Any], str]] = [
    *(({"attribute": "n", "min": bad}, "min") for bad in ("one", "1e5", "2024-01-01", True, None, [1])),
    ({"attribute": "n", "min": "NaN"}, "min"),
    *(({"attribute": "day", "max": bad}, "max") for bad in (1, "2023-02-29", "tomorrow", "infinity", "")),
    *(({"attribute": "note", "min_length": bad}, "min_length") for bad in (-1, 1.5, "2", 10**7, None)),
    ({"attribute": "note", "max_length": 0}, "max_length"),
    *(({"attribute": "note", "pattern": bad}, "pattern")
      for bad in ("", "(", "a{300}", r"(a)\1", "(?=a)", "x" * 201, 5, "[z-a]", "((a{200}){200}){200}")),
    ({"attribute": "n", "min": 2, "max": 1}, "min"),
    ({"attribute": "day", "min": "2024-01-02", "max": "2024-01-01"}, "min"),
    ({"attribute": "note", "min_length": 2, "max_length": 1}, "min_length"),
    ({"attribute": "n", "min": 10**101}, "min"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "option"), WRONG)
def test_a_limit_that_can_never_work_is_refused(kit: Kit, field: Any, option: str) -> None:
    with refused("WD009") as why:
        desk(kit, field)
    assert (why.facts["field"], why.facts["option"]) == (field["attribute"], option)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_for_the_types_that_have_it(kit: Kit, limit: str) -> None:
    """Try each limit with each type: it is accepted or refused as documented."""
    given = {"min": 1, "max": 1, "min_length": 1, "max_length": 1, "pattern": "a"}[limit]
    kit.attrs("done")
    for name, kind in TYPES.items():
        kit.attr(name, kind=kind)
        value = "2024-01-01" if kind == "date" and limit in ("min", "max") else given
        fits = kind in (("integer", "numeric", "date") if limit in ("min", "max") else ("text",))
        add = {"performer": "person", "form": form({"attribute": name, limit: value})}
        if fits:
            kit.trig(f"t_{name}", "done is null", **add)
            continue
        with refused("WD009") as why:
            kit.trig(f"t_{name}", "done is null", **add)
        assert why.facts["option"] == limit and re.search(kind, str(why))


def test_the_sheet_of_a_task_has_the_limits_of_its_fields(kit: Kit) -> None:
    desk(kit, {"attribute": "m", "min": 0.1, "max": 12345678901234567890})
    _wid, job = task(kit)
    sheet = api.tasks.read(job, "ana", conn=kit.conn)
    assert sheet.form is not None
    (field,) = sheet.form["sections"][0]["fields"]
    assert (str(field["min"]), str(field["max"])) == ("0.1", "12345678901234567890")
