"""check_definition finds a problem exactly where publishing is refused, and finds all of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Kit
from flows.tests.spread import seeds
from flows.types import Problem
from testkit.cases import some

pytestmark = pytest.mark.kernel

Definition = dict[str, Any]
GOOD: Definition = {
    "label": "Orders",
    "attributes": [
        {"name": "state", "type": "enum", "options": ["new", "paid", "sent"], "default": "new"},
        {"name": "items", "type": "integer", "default": "1"},
        {"name": "due", "type": "date"},
        {"name": "note"},
    ],
    "triggers": [
        {"name": "pay", "transition": "tr_pay", "predicate": "state = 'new'", "writes": ["state"]},
        {"transition": "tr_send", "predicate": "state = 'paid' and items > 0", "timeout": "01:00:00"},
        {"transition": "tr_late", "predicate": "due is not null", "due_attr": "due"},
        {"predicate": "state = 'sent'", "final": True},
    ],
}
Change = tuple[str, Callable[[Definition], Any]]


def attribute(place: int, **values: Any) -> Callable[[Definition], Any]:
    return lambda d: d["attributes"][place % max(len(d["attributes"]), 1)].update(values)


def trigger(place: int, **values: Any) -> Callable[[Definition], Any]:
    return lambda d: d["triggers"][place % max(len(d["triggers"]), 1)].update(values)


CHANGES: list[Change] = [
    ("name", attribute(3, name="Note")),
    ("reserved name", attribute(3, name="wid")),
    ("same name", attribute(3, name="due")),
    ("another name", attribute(3, name="remark")),
    ("renamed", attribute(3, name="remark", was="note")),
    ("renamed, read", attribute(1, name="pieces", was="items")),
    ("renamed to a word", attribute(1, name="order", was="items")),
    ("renamed to a taken name", attribute(3, name="due", was="note")),
    ("no type", attribute(3, type="varchar")),
    ("empty type", attribute(3, type="")),
    ("number", attribute(3, type="integer")),
    ("number read as text", attribute(1, type="text")),
    ("text of a date", attribute(2, type="text")),
    ("enum without options", attribute(3, type="enum")),
    ("other options", attribute(0, options=["new", "paid"])),
    ("options without a living value", attribute(0, options=["paid", "sent"], default="paid")),
    ("default", attribute(1, default="many")),
    ("default of an enum", attribute(0, default="lost")),
    ("options of a wrong form", attribute(0, options="new")),
    ("position of a wrong form", attribute(1, position="first")),
    ("unknown option", attribute(1, kind="integer")),
    ("attribute removed", lambda d: d["attributes"].pop()),
    ("attribute added", lambda d: d["attributes"].append({"name": "extra", "type": "jsonb"})),
    ("no attributes", lambda d: d.update(attributes=None)),
    ("attribute is a text", lambda d: d["attributes"].append("note")),
    ("predicate", trigger(1, predicate="state = 'paid' and items >")),
    ("empty predicate", trigger(1, predicate=" ")),
    ("no predicate", lambda d: d["triggers"][0].pop("predicate", 0)),
    ("type of a predicate", trigger(1, predicate="items")),
    ("other predicate", trigger(1, predicate="items >= 1 or note is null")),
    ("no transition", lambda d: d["triggers"][0].pop("transition", 0)),
    ("transition", trigger(0, transition="Pay!")),
    ("final with a transition", trigger(3, transition="tr_end")),
    ("second final", trigger(0, final=True, transition=None)),
    ("not final", trigger(3, final=False, transition="tr_end")),
    ("final of a wrong form", trigger(3, final="perhaps")),
    ("mode", trigger(0, mode="quick")),
    ("attempts", trigger(0, max_attempts=0)),
    ("attempts of a wrong form", trigger(0, max_attempts="often")),
    ("timeout", trigger(1, timeout="-1 hour")),
    ("no timeout", trigger(1, timeout=None)),
    ("long backoff", trigger(1, backoff="2000 years")),
    ("backoff null", trigger(1, backoff=None)),
    ("writes", trigger(0, writes=["state", "nothing"])),
    ("writes of a wrong form", trigger(0, writes="state")),
    ("due attribute", trigger(2, due_attr="note")),
    ("due attribute unknown", trigger(2, due_attr="never")),
    ("trigger removed", lambda d: d["triggers"].pop(0)),
    ("trigger added", lambda d: d["triggers"].append({"transition": "tr_more", "predicate": "items > 5"})),
    ("trigger is a number", lambda d: d["triggers"].append(7)),
    ("same id", lambda d: [t.update(id=1) for t in d["triggers"][:2]]),
    ("unknown setting", lambda d: d.update(final_when_stuck="yes")),
    ("setting", lambda d: d.update(final_when_pending="perhaps")),
    ("setting of a wrong form", lambda d: d.update(max_firings="many")),
    ("setting null", lambda d: d.update(max_firings=None)),
    ("long retention", lambda d: d.update(retention="9999 years")),
]  # fmt: skip


def publishes(kit: Kit, definition: Any) -> str:
    """Return the SQLSTATE with which publishing is refused, '' where it succeeds; nothing is changed."""
    try:
        with kit.conn.transaction(force_rollback=True):
            kit.publish(definition)
    except WedError as error:
        return error.code
    except psycopg.Error as error:
        return error.sqlstate or "?"
    return ""


def problems(kit: Kit, definition: Any) -> list[Problem]:
    return api.conditions.check_definition(kit.name, definition, conn=kit.conn)


def changed(*changes: Change) -> Definition:
    definition = copy.deepcopy(GOOD)
    for _, change in changes:
        try:
            change(definition)
        except (AttributeError, TypeError, IndexError):  # after "no attributes" and the like
            continue
    return definition


@pytest.fixture
def living(kit: Kit) -> Kit:
    """The good definition, published, with an instance that runs."""
    kit.publish(GOOD)
    kit.start(note="a text")
    return kit


@pytest.mark.parametrize("change", some(CHANGES, 2), ids=lambda change: change[0])
def test_a_new_flow_has_a_problem_where_publishing_is_refused(kit: Kit, change: Change) -> None:
    agree(kit, changed(change))


@pytest.mark.parametrize("change", some(CHANGES, 2, first=1), ids=lambda change: change[0])
def test_a_changed_flow_has_a_problem_where_publishing_is_refused(living: Kit, change: Change) -> None:
    agree(living, changed(change))


@pytest.mark.parametrize("seed", seeds(25, short=4))
def test_several_changes_have_a_problem_where_publishing_is_refused(living: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    agree(living, changed(*draw.sample(CHANGES, draw.randint(2, 5))))


def agree(kit: Kit, definition: Definition) -> None:
    """Assert that a definition has problems exactly where publishing it is refused, and this one first."""
    refused, found = publishes(kit, definition), problems(kit, definition)
    assert bool(refused) == bool(found), (refused, found)
    assert not refused or refused in {problem.code for problem in found}, (refused, found)


def test_the_changes_have_problems_of_every_kind(kit: Kit) -> None:
    of_each = [problems(kit, changed(change)) for change in CHANGES]
    found = {problem.code for of_one in of_each for problem in of_one}
    assert found == {"WD002", "WD003", "WD004", "WD005", "WD006", "WD008", "WD009"}
    assert sum(not of_one for of_one in of_each) > 10


def test_all_problems_are_found_each_at_its_place(kit: Kit) -> None:
    definition = changed(
        ("", attribute(1, default="many", name="Items")),
        ("", trigger(0, mode="quick", max_attempts=0, writes=["nothing"], predicate="stat = 'new'")),
        ("", trigger(1, predicate="items + 1")),
        ("", trigger(2, backoff="soon", timeout="-1 hour")),
        ("", lambda d: d.update(max_firings="many", final_when_pending="perhaps")),
    )
    found = {problem.path: problem for problem in problems(kit, definition)}
    assert set(found) == {
        ("attributes", 1, "name"), ("attributes", 1, "default"),
        ("triggers", 0, "mode"), ("triggers", 0, "max_attempts"), ("triggers", 0, "writes"),
        ("triggers", 0, "predicate"), ("triggers", 1, "predicate"),
        ("triggers", 2, "backoff"), ("triggers", 2, "timeout"),
        ("max_firings",), ("final_when_pending",),
    }  # fmt: skip
    unknown = found["triggers", 0, "predicate"]
    assert (unknown.position, unknown.length, unknown.reason) == (1, 4, "unknown_name")
    assert unknown.hint == "Did you mean state?"


def test_a_pending_job_keeps_its_trigger_from_becoming_final(living: Kit) -> None:
    numbers = {row.trname: row.tgid for row in living.rows("select trname, tgid from {f}.wed_trig")}
    definition = copy.deepcopy(GOOD)
    definition["triggers"].pop()
    definition["triggers"][0] |= {"final": True, "transition": None, "id": numbers["tr_pay"]}
    agree(living, definition)
    assert [p.path for p in problems(living, definition)] == [("triggers", 0, "final")]


def test_one_condition_is_checked_alone(kit: Kit) -> None:
    types = {"state": "text", "items": "integer"}
    assert api.conditions.check(types, "items > 3 and state = 'x'", conn=kit.conn) == (
        None,
        ["items", "state"],
    )
    problem, reads = api.conditions.check(types, "items > 3 and stat = 'x'", conn=kit.conn)
    assert reads == []
    assert problem is not None
    assert (problem.code, problem.position, problem.length) == ("WD005", 15, 4)


def test_what_is_offered_is_accepted(kit: Kit) -> None:
    offered = api.conditions.completions(conn=kit.conn)
    names = {function.name for function in offered.functions}
    assert {"lower", "coalesce", "length", "jsonb_array_length"} <= names
    assert not names & {"now", "random", "pg_sleep", "count"}
    assert {"and", "between", "is"} <= set(offered.keywords)
    assert {"=", "~", "@>"} <= set(offered.operators)
    assert "timestamptz" in offered.types
    assert any(f.name == "left" and f.arguments == "text, integer" for f in offered.functions)
