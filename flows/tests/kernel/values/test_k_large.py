"""Large definitions: the cost of a trigger is counted in calls, which do not depend on the machine's load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, tgid

pytestmark = pytest.mark.kernel


def definition(triggers: int) -> dict[str, Any]:
    """Return a definition with triggers whose conditions need every step of the check."""
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
    """Return the number of calls of each function of the kernel, from this transaction's statistics."""
    found = kit.rows(
        "select s.funcname, s.calls from pg_stat_xact_user_functions s"
        " where s.schemaname in ('wedsql', 'wed_match')"
    )
    return Counter({name: int(times) for name, times in found})


def published(kit: Kit, triggers: int) -> Counter[str]:
    """Return the calls made by publishing this number of triggers; they are rolled back."""
    with kit.conn.transaction(force_rollback=True):
        before = calls(kit)
        kit.publish(definition(triggers))
        return calls(kit) - before


def test_a_trigger_is_read_once_and_costs_the_same_among_many(kit: Kit) -> None:
    kit.rows("set track_functions = 'all'")
    published(kit, 10)  # an inlined function is not called any more later
    ten = published(kit, 10)
    kit.rows("analyze")  # as the server does at any time; new plans call functions of constants
    twenty = published(kit, 20)
    for name in ("parse", "parse_tree", "plan_error", "too_costly"):
        assert (ten[name], twenty[name]) == (10, 20), name
    assert ten["compile"] == twenty["compile"] < 5
    # What is quadratic in the number of triggers would be called four times as often, and often.
    assert {name: times for name, times in twenty.items() if times > max(20, 3 * ten[name])} == {}


def test_a_condition_is_looked_at_without_a_temporary_schema(kit: Kit) -> None:
    """Creating and dropping one each time would make PostgreSQL plan each statement of the session again."""
    database = kit.one("select quote_ident(current_database())")
    with kit.conn.transaction(force_rollback=True):
        kit.rows(f"revoke temporary on database {database} from public, wed_eval")
        kit.attrs("a")
        kit.trig("tr_x", "a = '1'")


def test_many_statements_generate_once(kit: Kit) -> None:
    kit.rows("set track_functions = 'all'")
    counted = []
    for triggers in (5, 10):
        with kit.conn.transaction(force_rollback=True):
            before = calls(kit)
            kit.attrs("a")
            for number in range(triggers):
                kit.trig(f"tr_{number}", f"a = '{number}'")
            kit.rows("set constraints all immediate")
            counted.append(calls(kit)["compile"] - before["compile"])
            assert kit.start(a="3")
    assert counted == [1, 1]


def test_a_set_string_is_parsed_once_for_all_removed_attributes(kit: Kit) -> None:
    kit.rows("set track_functions = 'all'")
    wanted: dict[str, Any] = {
        "attributes": [{"name": f"a{number}", "type": "integer"} for number in range(8)],
        "triggers": [
            {"transition": f"tr_{number}", "predicate": f"a{number} is null", "sets": f"a{number} = 1"}
            for number in range(4)
        ],
    }
    kit.publish(wanted)
    before = calls(kit)
    with kit.conn.transaction(force_rollback=True):
        kit.publish(wanted | {"attributes": wanted["attributes"][:4]})
        assert calls(kit)["_named_in_set"] - before["_named_in_set"] == 4
    with kit.conn.transaction(force_rollback=True):
        before = calls(kit)
        api.flows.drop(kit.name, conn=kit.conn)
        made = calls(kit) - before
        assert made["drop_flow"] == 1 and made["_named_in_set"] == 0


CALLS: dict[str, Callable[[Kit, int], Any]] = {
    "start": lambda kit, wid: kit.start(a="2"),
    "insert": lambda kit, wid: kit.rows("insert into {f}.wed_flow (a) values ('2')"),
    "take": lambda kit, wid: kit.complete(kit.take("tr_x", wid), {"a": "2"}),
    "lease": lambda kit, wid: kit.complete(kit.lease("tr_x"), {"a": "2"}),
    "hold": lambda kit, wid: kit.rows(
        'select {f}.complete_held(t.wid, t.job_id, $${"a": "2"}$$) from {f}.hold(array[\'tr_x\']) t'
    ),
    "update": lambda kit, wid: (
        kit.lock(kit.conn, wid, tgid(kit, "tr_x")),
        kit.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid]),
    ),
    "withdraw": lambda kit, wid: kit.one("select wedsql.withdraw(%s, %s)", [kit.name, tgid(kit, "tr_x")]),
}


@pytest.mark.mode("single", why="each way to work on an instance is a parameter")
@pytest.mark.parametrize("attribute", [False, True], ids=["trigger", "attribute"])
@pytest.mark.parametrize("name", CALLS)
def test_a_changed_definition_is_followed_in_its_transaction(kit: Kit, name: str, attribute: bool) -> None:
    """After its INSERT into wed_trig a transaction's steps are matched with that trigger."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    wid = kit.start(a="1")
    with kit.conn.transaction():
        if attribute:
            kit.attr("b", "1")
        kit.trig("tr_y", "a = '1' or b = '1'" if attribute else "a in ('1', '2')")
        CALLS[name](kit, wid)
        assert kit.one("select count(*) from {f}.job_pool where trname = 'tr_y'") == 1
    assert kit.one("select count(*) from {f}.job_pool where trname = 'tr_y'") == (
        2 if name in ("start", "insert") else 1
    )
    assert kit.rows("select defining_xid from wedsql.flow where id = %s", [kit.id]) == [(None,)]


def test_a_rolled_back_definition_leaves_the_functions(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    ours = "from pg_proc where pronamespace = %s::regnamespace"
    query = f"select md5(string_agg(prosrc, '' order by proname)) {ours}"
    before = kit.one(query, [kit.name])
    with kit.conn.transaction(force_rollback=True):
        kit.trig("tr_y", "a = '2'")
        assert kit.one(query, [kit.name]) != before
    assert kit.one(query, [kit.name]) == before
    with kit.conn.transaction():
        kit.trig("tr_y", "a = '2'")
    assert kit.one(f"select count(*) {ours} and strpos(prosrc, '_generate(') > 0", [kit.name]) == 0
