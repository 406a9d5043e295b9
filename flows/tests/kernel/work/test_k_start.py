"""Starting instances, one or many (K-39)."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def one(kit: Kit) -> Kit:
    """A flow with one transition."""
    kit.attr("a", "1")
    kit.attr("n", None, "integer")
    kit.trig("tr_x", "a = '1'")
    return kit


def test_w073_nothing_matches_nothing_is_started(one: Kit) -> None:
    with refused("WD101"):
        one.start(a="2")
    assert one.one("select count(*) from {f}.wed_flow") == 0
    assert one.one("select count(*) from wedsql.instance where flow_id = %s", [one.id]) == 0


def test_w071_defaults_are_a_first_state_and_null_is_not_a_default(one: Kit) -> None:
    assert one.state(one.start()) == {"a": "1", "n": None}
    with refused("WD101"):
        one.start(a=None)


def test_k39_insert_of_many_rows(one: Kit) -> None:
    one.rows("insert into {f}.wed_flow (a) select '1' from generate_series(1, 3)")
    assert one.one("select count(*) from {f}.job_pool") == 3
    with refused("WD101"):
        one.rows("insert into {f}.wed_flow (a) values ('1'), ('2')")
    assert one.one("select count(*) from {f}.wed_flow") == 3


def test_k39_bulk_start_has_a_result_each(one: Kit) -> None:
    results = api.instances.start_many(
        one.name, [{}, {"a": "2"}, {"zz": 1}, {"n": "x"}, {"n": 5}], conn=one.conn
    )
    assert [r.ord for r in results] == [1, 2, 3, 4, 5]
    assert [r.error.code if r.error else None for r in results] == [None, "WD101", "WD002", "WD003", None]
    assert [r.status for r in results] == ["R", None, None, None, "R"]
    assert one.one("select count(*) from {f}.wed_flow") == 2


def test_w083_numbers_are_never_chosen(one: Kit) -> None:
    wid = one.start()
    chosen = one.one("insert into {f}.wed_flow (wid) values (%s) returning wid", [wid])
    assert chosen > wid
    assert one.one("insert into {f}.wed_flow (wid) values (2000000000) returning wid") == chosen + 1


def test_w083_numbers_are_never_reused(one: Kit) -> None:
    wid = one.start()
    with one.conn.transaction(force_rollback=True):
        lost = one.start()
    again = one.start()
    assert wid < lost < again


def test_f4_a_repeated_start_with_a_key_is_harmless(one: Kit) -> None:
    wid = api.instances.start(one.name, {}, key="order 7", conn=one.conn)
    assert api.instances.start(one.name, {"a": "1"}, key="order 7", conn=one.conn) == wid
    assert api.instances.start(one.name, {}, key="order 8", conn=one.conn) != wid
    assert one.one("select count(*) from {f}.wed_flow") == 2
    assert one.instance(wid).key == "order 7"


def test_f4_a_repeated_start_is_harmless_whatever_fires_meanwhile(one: Kit) -> None:
    wid = api.instances.start(one.name, {}, key="order 7", conn=one.conn)
    one.rows("update {f}.wed_trig set cpred = $$a = '2'$$ where trname = 'tr_x'")
    assert api.instances.start(one.name, {}, key="order 7", conn=one.conn) == wid
    with refused("WD101"):
        one.start()


def test_f4_a_key_twice_in_one_call(one: Kit) -> None:
    results = api.instances.start_many(one.name, [{}, {}, {}], keys=["k", "k", None], conn=one.conn)
    assert results[0].wid == results[1].wid != results[2].wid
    assert one.one("select count(*) from {f}.wed_flow") == 2


def test_f4_the_same_key_in_two_flows(one: Kit) -> None:
    other = f"{one.name}_b"
    api.flows.create(other, conn=one.conn)
    twin = Kit(other, one.connect)
    twin.attr("a", "1")
    twin.trig("tr_x", "a = '1'")
    assert api.instances.start(other, {}, key="k", conn=one.conn) != api.instances.start(
        one.name, {}, key="k", conn=one.conn
    )
    api.flows.drop(other, force=True, conn=one.conn)


def test_w070_actor_of_the_start(one: Kit) -> None:
    wid = api.instances.start(one.name, {}, actor="ann", conn=one.conn)
    assert (one.instance(wid).actor, one.trace(wid)[0].actor) == ("ann", "ann")
    assert one.trace(one.start())[0].actor == one.one("select session_user::text")


def test_w001_the_definition_lists_the_five_sets(one: Kit) -> None:
    definition = api.flows.definition(one.name, conn=one.conn)
    assert [a["name"] for a in definition["attributes"]] == ["a", "n"]
    assert [(t["transition"], t["predicate"]) for t in definition["triggers"]] == [("tr_x", "a = '1'")]


def test_w042_drop_flow_needs_force_when_it_has_instances(one: Kit) -> None:
    one.start()
    with refused("WD007"):
        api.flows.drop(one.name, conn=one.conn)
    api.flows.drop(one.name, force=True, conn=one.conn)
    assert one.one("select count(*) from wedsql.wed_trace where flow_id = %s", [one.id]) == 0
    with refused("WD001"):
        api.flows.definition(one.name, conn=one.conn)


def test_an_empty_key_is_no_key(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    first, second = (api.instances.start(kit.name, {"a": "1"}, key="", conn=kit.conn) for _ in range(2))
    assert first != second
    assert kit.instance(first).key is None


def test_a_key_has_at_most_500_bytes(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    wid = api.instances.start(kit.name, {"a": "1"}, key="k" * 500, conn=kit.conn)
    assert api.instances.start(kit.name, {"a": "1"}, key="k" * 500, conn=kit.conn) == wid
    with refused("WD009"):
        api.instances.start(kit.name, {"a": "1"}, key="é" * 251, conn=kit.conn)


def test_the_last_number_has_its_own_error(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    last = kit.one("select last_value from wedsql.wid_seq")
    try:
        kit.one("select setval('wedsql.wid_seq', 2147483647)")
        with refused("WD906"):
            kit.start(a="1")
    finally:
        kit.one("select setval('wedsql.wid_seq', %s)", [last])
