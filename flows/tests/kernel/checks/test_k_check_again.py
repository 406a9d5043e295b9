"""A definition is checked at a cost per changed item, and finds what a check of everything finds."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows import api
from flows.capabilities.conditions.tests.kernel.test_k_check_definition import CHANGES, GOOD, Change, changed
from flows.designer.draft.problems import item_signs
from flows.tests.kit import Kit
from flows.types import Problem

pytestmark = pytest.mark.kernel

Definition = dict[str, Any]
LISTS = ("attributes", "triggers")


def unchanged(before: Definition, now: Definition) -> dict[str, list[int]]:
    """Return the places of what need not be checked again after a definition without problems."""
    return {
        part: [n for n, sign in enumerate(item_signs(now, part)) if sign in item_signs(before, part)]
        for part in LISTS
    }


def well_formed(definition: Definition) -> bool:
    return all(
        isinstance(definition.get(part), list) and all(isinstance(item, dict) for item in definition[part])
        for part in LISTS
    )  # a draft always is


@pytest.mark.parametrize(
    "change", [each for each in CHANGES if well_formed(changed(each))], ids=lambda change: change[0]
)
def test_what_is_not_checked_again_has_no_problem(kit: Kit, change: Change) -> None:
    assert api.conditions.check_definition(kit.name, GOOD, conn=kit.conn) == []
    now = changed(change)
    known = unchanged(GOOD, now)

    again = api.conditions.check_definition(kit.name, now, known=known, conn=kit.conn)

    assert again == api.conditions.check_definition(kit.name, now, conn=kit.conn)
    assert any(known.values())


def test_known_items_are_not_checked_by_themselves(kit: Kit) -> None:
    definition = changed(("", lambda d: d["triggers"][1].update(predicate="items >")))
    known = {"attributes": [0, 1, 2, 3], "triggers": [0, 1]}

    assert [p.path for p in found(kit, definition)] == [("triggers", 1, "predicate")]
    assert found(kit, definition, known) == []
    alone, all_of_them = (calls(kit, "_trigger_problems", definition, each) for each in (known, None))
    assert alone == all_of_them - 1, "the condition that cannot be read is not read"
    assert calls(kit, "_attribute_problems", definition, known) == 0


def test_the_catalog_is_not_read_for_each_item(kit: Kit) -> None:
    counts = {n: calls(kit, "_option_list", wide(n)) for n in (2, 40)}

    assert 0 < counts[40] <= counts[2]


@pytest.mark.parametrize("table", ["flow", "attr", "trig"])
def test_the_written_options_are_those_of_the_catalog(kit: Kit, table: str) -> None:
    """A column that is added after the options have been written would be none."""
    for written, read in (("_options", "_read_options"), ("_value_tests", "_read_value_tests")):
        query = "select coalesce(jsonb_agg(to_jsonb(o)), 'null') from wedsql.{}(%s) o"
        found = kit.one(query.format(written), [table])
        assert found == kit.one(query.format(read), [table])
        assert found


def test_wrong_items_are_found_among_many(kit: Kit) -> None:
    definition = wide(13)
    definition["attributes"][4]["position"] = "first"
    definition["attributes"][11]["type"] = "varchar"
    definition["triggers"][0]["max_attempts"] = "often"
    definition["triggers"][12]["mode"] = "quick"

    assert [problem.path for problem in found(kit, definition)] == [
        ("attributes", 4, "position"),
        ("attributes", 11, "type"),
        ("triggers", 0, "max_attempts"),
        ("triggers", 11, "predicate"),
        ("triggers", 12, "mode"),
    ]


def found(kit: Kit, definition: Definition, known: dict[str, list[int]] | None = None) -> list[Problem]:
    return api.conditions.check_definition(kit.name, definition, known=known, conn=kit.conn)


def wide(count: int) -> Definition:
    """Return a definition with this many attributes and as many triggers."""
    definition = copy.deepcopy(GOOD)
    definition["attributes"] = [{"name": f"a{n}", "type": "integer"} for n in range(count)]
    definition["triggers"] = [{"transition": f"tr_{n}", "predicate": f"a{n} > {n}"} for n in range(count)]
    return definition


def calls(kit: Kit, function: str, definition: Definition, known: dict[str, list[int]] | None = None) -> int:
    """Return how often a function of the kernel is called for a check."""
    with kit.conn.transaction():
        kit.conn.execute("set local track_functions = 'all'")
        count = "select coalesce(sum(calls), 0)::integer from pg_stat_xact_user_functions where funcname = %s"
        before = kit.one(count, [function])
        found(kit, definition, known)
        return kit.one(count, [function]) - before
