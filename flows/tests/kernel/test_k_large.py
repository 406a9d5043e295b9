"""Large definitions: what a trigger costs is counted in calls, which no load of the machine changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def definition(triggers: int) -> dict[str, Any]:
    """That many triggers with conditions that have something to look at in each step of the check."""
    terms = "(lower(city) = 'c{0}' or amount * 2 > {0}) and city in ('a', 'b{0}') and doc ->> 'k{0}' = 'v'"
    return {
        "attributes": [
            {"name": "city"},
            {"name": "amount", "type": "numeric"},
            {"name": "doc", "type": "jsonb"},
        ],
        "triggers": [
            {"transition": f"tr_{number}", "condition": f"c{number}", "predicate": terms.format(number)}
            for number in range(triggers)
        ],
    }


def calls(kit: Kit) -> Counter[str]:
    """How often each function of the kernel was called, as far as this transaction knows."""
    found = kit.rows(
        "select s.funcname, s.calls from pg_stat_xact_user_functions s"
        " where s.schemaname in ('wedsql', 'wed_match')"
    )
    return Counter({name: int(times) for name, times in found})


def published(kit: Kit, triggers: int) -> Counter[str]:
    """The calls that publishing so many triggers makes; they do not stay."""
    with kit.conn.transaction(force_rollback=True):
        before = calls(kit)
        api.publish(kit.name, definition(triggers), conn=kit.conn)
        return calls(kit) - before


def test_a_trigger_is_read_once_and_costs_the_same_among_many(kit: Kit) -> None:
    kit.rows("set track_functions = 'all'")
    published(kit, 10)  # a function that is put in place of its call is not called any more later
    ten, twenty = published(kit, 10), published(kit, 20)
    for name in ("parse", "parse_tree", "plan_error", "too_costly"):
        assert (ten[name], twenty[name]) == (10, 20), name
    assert ten["compile"] == twenty["compile"] < 5
    # What grew with the square of the triggers would be called four times as often.
    assert {name: times for name, times in twenty.items() if times > 3 * ten[name]} == {}


def test_a_condition_is_looked_at_without_a_temporary_schema(kit: Kit) -> None:
    """One that came and went with each look would make PostgreSQL plan each statement of the session anew."""
    database = kit.one("select quote_ident(current_database())")
    with kit.conn.transaction(force_rollback=True):
        kit.rows(f"revoke temporary on database {database} from public, wed_eval")
        kit.attrs("a")
        kit.trig("tr_x", "a = '1'")


def test_many_statements_that_define_together_generate_once(kit: Kit) -> None:
    kit.rows("set track_functions = 'all'")
    counted = []
    for triggers in (5, 10):
        with kit.conn.transaction(force_rollback=True):
            before = calls(kit)
            kit.rows("select wedsql.define_together(%s)", [kit.name])
            kit.attrs("a")
            for number in range(triggers):
                kit.trig(f"tr_{number}", f"a = '{number}'")
            kit.rows("set constraints all immediate")
            counted.append(calls(kit)["compile"] - before["compile"])
            assert kit.rows("select plain from wedsql.flow where id = %s", [kit.id])[0].plain
            assert kit.start(a="3")
    assert counted == [1, 1]


@pytest.mark.parametrize("paper", [False, True])
def test_no_instance_lives_by_half_a_definition(kit: Kit, paper: bool) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    start = "insert into {f}.wed_flow (a) values ('2')" if paper else 'select {f}.start(\'{"a": "2"}\')'
    with kit.conn.transaction(force_rollback=True):
        kit.rows("select wedsql.define_together(%s)", [kit.name])
        kit.trig("tr_y", "a = '2'")
        with refused("WD010"), kit.conn.transaction():
            kit.rows(start)
        kit.attrs("b")
        with refused("WD010"), kit.conn.transaction():
            kit.rows(start)
    with kit.conn.transaction():
        kit.rows("select wedsql.define_together(%s)", [kit.name])
        kit.trig("tr_y", "a = '2'")
    kit.rows(start)
    assert kit.one("select trname from {f}.job_pool") == "tr_y"


def test_statements_without_it_are_followed_one_by_one(kit: Kit) -> None:
    """What a transaction starts after its INSERT into wed_trig is judged by that trigger."""
    with kit.conn.transaction():
        kit.attrs("a")
        kit.trig("tr_x", "a = '1'")
        assert kit.start(a="1")
