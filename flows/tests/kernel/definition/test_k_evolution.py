"""A definition that changes while instances run: numbers, names, ids, defaults (K-17, K-41, K-51)."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from psycopg import sql

from flows import api
from flows.errors import BadDefinition
from flows.tests.kit import Kit, refused, tgid

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a mode only performs steps in between")]


@pytest.mark.parametrize("number", [0, -1, 2_000_000_000])
def test_k34_the_kernel_gives_the_numbers(kit: Kit, number: int) -> None:
    """A number chosen by one flow would be the next one of another."""
    kit.attrs("a")
    with refused("WD009") as why:
        kit.rows("insert into {f}.wed_trig (tgid, trname, cpred) values (%s, 'tr_x', 'a = ''1''')", [number])
    assert why.facts == {"column": "tgid", "given": number}
    with refused("WD009"):
        kit.rows("insert into {f}.wed_attr (aid, aname) values (%s, 'b')", [number])
    first = kit.numbered_trig("tr_x", "a = '1'")
    with refused("WD009"):
        kit.rows("update {f}.wed_trig set tgid = %s", [number])
    with refused("WD009"):
        kit.rows("update {f}.wed_attr set aid = %s", [number])
    assert kit.numbered_trig("tr_y", "a = '1'") > first > 0


def test_k34_a_number_that_is_taken_is_left_out(kit: Kit) -> None:
    """Rows of an earlier kernel may have numbers that the sequence will reach."""
    kit.attrs("a")
    first = kit.numbered_trig("tr_x", "a = '1'")
    kit.rows("set session_replication_role = replica")
    kit.rows("update wedsql.trig set tgid = %s where tgid = %s", (first + 1, first))
    kit.rows("reset session_replication_role")
    assert kit.numbered_trig("tr_y", "a = '1'") == first + 2


def test_k17_an_id_claims_its_trigger_before_a_name_does(kit: Kit) -> None:
    kit.attrs("a")
    old = kit.numbered_trig("tr_x", "a = '1'", cname="c")
    definition = api.flows.definition(kit.name, conn=kit.conn)
    (trigger,) = definition["triggers"]
    definition["triggers"] = [
        trigger | {"predicate": "a = '2'"},
        trigger | {"id": old, "predicate": "a = '3'"},
    ]
    kit.publish(definition)
    found = kit.rows("select tgid = %s as same, cpred from {f}.wed_trig order by tgid", [old])
    assert found == [(True, "a = '3'"), (False, "a = '2'")]


@pytest.mark.parametrize(
    ("attributes", "triggers"),
    [
        ([{"name": "a"}, {"name": "a", "type": "integer"}], []),
        ([{"name": "b", "was": "a"}, {"name": "c", "was": "a"}], []),
        (
            [{"name": "a"}],
            [{"id": 1, "transition": name, "predicate": "a = '1'"} for name in ("tr_x", "tr_y")],
        ),
    ],
)
def test_k17_duplicate_definitions_are_rejected(kit: Kit, attributes: list[Any], triggers: list[Any]) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.publish({"attributes": attributes, "triggers": triggers})
    assert "more than once" in why.message


def test_k20_names_can_be_swapped_and_passed_on(kit: Kit) -> None:
    kit.attrs("a", "b", "c")
    kit.trig("tr_x", "a = '1' and b = '2' and c = '3'")
    wid = kit.start(a="1", b="2", c="3")
    definition = api.flows.definition(kit.name, conn=kit.conn)
    definition["attributes"] = [
        {"name": "b", "was": "a"},
        {"name": "a", "was": "b"},
        {"name": "d", "was": "c"},
    ]
    definition["triggers"][0]["predicate"] = "b = '1' and a = '2' and d = '3'"
    kit.publish(definition)
    assert kit.state(wid) == {"b": "1", "a": "2", "d": "3"}
    assert kit.jobs(wid) == ["tr_x"]


@pytest.mark.parametrize("call", ["view", "publish"])
def test_k41_a_renamed_transition_takes_its_jobs_along(kit: Kit, call: str) -> None:
    kit.attrs("a")
    number = kit.numbered_trig("tr_old", "a = '1'")
    wid = kit.start(a="1")
    if call == "view":
        kit.rows("update {f}.wed_trig set trname = 'tr_new'")
    else:
        definition = api.flows.definition(kit.name, conn=kit.conn)
        definition["triggers"][0] |= {"transition": "tr_new", "id": number}
        kit.publish(definition)
    assert kit.jobs(wid) == ["tr_new"]
    kit.run("tr_new", wid, a="1")
    assert [step.trw for step in kit.trace(wid)][-1] == "tr_new"


def test_k51_a_default_reaches_what_lives_and_the_history_says_so(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = 'end'")
    living, ended, cancelled = kit.start(a="1"), kit.start(a="end"), kit.start(a="1")
    api.instances.cancel(cancelled, "not wanted", conn=kit.conn)
    with kit.conn.transaction():
        kit.attr("n", "7", "integer")
        kit.attr("none")
    assert kit.state(living) == {"a": "1", "n": 7, "none": None}
    last = kit.trace(living)[-1]
    assert (last.trw, last.before, last.state["n"]) == ("_REMATCH", {"n": None}, 7)
    assert [kit.state(wid)["n"] for wid in (ended, cancelled)] == [None, None]
    assert [len(kit.trace(wid)) for wid in (ended, cancelled)] == [1, 2]
    assert kit.state(kit.start(a="1"))["n"] == 7
    assert not [row.name for row in kit.rows("select * from wedsql.invariants()") if not row.ok]


def test_k20_a_renamed_attribute_is_no_new_value(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    wid = kit.start(a="1")
    kit.rows("update {f}.wed_attr set aname = 'b'")
    assert kit.trace(wid)[-1].before == {}


def broken(kit: Kit) -> list[tuple[str, object]]:
    return [(row.name, row.example) for row in kit.rows("select * from wedsql.invariants()") if not row.ok]


SWAPPED = """
    update {f}.wed_attr set aname = 'c' where aname = 'a';
    update {f}.wed_attr set aname = 'a' where aname = 'b';
    update {f}.wed_attr set aname = 'b' where aname = 'c'
"""
ADDED = "insert into {f}.wed_attr (aname, adv) values ('d', '7')"
ADDED_MORE = "insert into {f}.wed_attr (aname) values ('e')"
REMOVED = "delete from {f}.wed_attr where aname = 'b'"


@pytest.mark.parametrize(
    "change",
    [
        SWAPPED,
        f"{REMOVED}; {ADDED}",
        f"{ADDED}; {REMOVED}",
        f"{REMOVED}; insert into {{f}}.wed_attr (aname, adv) values ('b', null)",
        f"{REMOVED}; set constraints all immediate; {ADDED}",
        f"set constraints all immediate; {ADDED}; {REMOVED}; {ADDED_MORE}",
    ],
)
def test_the_history_is_the_state_after_attributes_changed(kit: Kit, change: str) -> None:
    """Attributes exchanged, or removed and added in one transaction: a name does not identify a value."""
    kit.attrs("go", "a", "b", "n")
    kit.trig("tr_x", "go = '1' and n is null")
    kit.trig("tr_y", "n = '2'")
    wid = kit.start(go="1", a="x", b="y")
    with kit.conn.transaction():
        for statement in change.split(";"):
            kit.rows(statement)
    assert not broken(kit)
    kit.run("tr_x", wid, n="2")
    assert not broken(kit)
    last = kit.one("select max(seq) from wedsql.wed_trace where wid = %s", [wid])
    wrong = "update wedsql.wed_trace set state = state || %s where wid = %s and seq = %s"
    kit.rows(wrong, ['{"a": "another"}', wid, last - 1])
    assert [name for name, _ in broken(kit)] == ["I3"]


def test_names_are_exchanged_by_publishing(kit: Kit) -> None:
    kit.attrs("go", "a", "b")
    kit.trig("tr_x", "go = '1'")
    wid = kit.start(go="1", a="x", b="y")
    definition = api.flows.definition(kit.name, conn=kit.conn)
    for attribute in definition["attributes"][1:]:
        attribute |= {"was": attribute["name"], "name": {"a": "b", "b": "a"}[attribute["name"]]}
    kit.publish(definition)
    assert kit.state(wid) == {"go": "1", "a": "y", "b": "x"} and not broken(kit)
    before = kit.one("select max(version) from wedsql.flow_version")
    definition = api.flows.definition(kit.name, conn=kit.conn)
    kit.publish({**definition, "label": "later"})
    assert not broken(kit) and kit.one("select max(version) from wedsql.flow_version") > before


def test_k05_the_final_condition_fires_no_transition(kit: Kit) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.rows("insert into {f}.wed_trig (trname, cpred, cfinal) values ('tr_x', 'a = ''1''', true)")
    assert ("tr_x" in why.message, why.facts["column"]) == (True, "trname")
    kit.trig("tr_x", "a = '1'")
    with refused("WD009"):
        kit.rows("update {f}.wed_trig set cfinal = true")
    kit.start(a="1")
    with refused("WD007"):
        kit.rows("update {f}.wed_trig set cfinal = true, trname = null")
    with pytest.raises(BadDefinition):
        api.flows.publish(
            kit.name,
            {
                "attributes": [{"name": "a"}],
                "triggers": [{"transition": "t", "predicate": "a = '2'", "final": True}],
            },
            conn=kit.conn,
        )


WRONG: dict[str, Any] = {
    "on_error": "stop", "revalidate": "x", "mode": "", "compensation": "x", "class": "x", "max_attempts": 0,
    "max_firings": 0, "backoff": "-1 s", "pickup_deadline": "0", "enabled": None, "concurrent": None,
    "fire_once": None, "refresh_payload": None, "label": None, "description": None, "priority": None,
    "integrity": "x", "replay": "x", "keep": "0", "signal": None, "performer": "x", "sets": " ",
    "mutex": "", "lock": "", "child_rest": "x", "child_exception": None, "role": " x",
    "deadline": "0", "offline": None, "application": "",
}  # fmt: skip


@pytest.mark.parametrize("option", WRONG)
def test_a_wrong_option_names_the_allowed_values(kit: Kit, option: str) -> None:
    """No message contains the name of a constraint."""
    kit.attrs("a")
    with refused("WD009") as why:
        kit.trig("tr_x", "a = '1'", **{option: WRONG[option]})
    assert (option in why.message, "Allowed: " in why.hint) == (True, True)
    assert why.facts["column"] == option


def test_each_check_of_an_option_is_said_in_words(kit: Kit) -> None:
    """Each column of flow, attr and trig that has a check: lists, ranges, lengths, or a plain comparison."""
    said = kit.conn.execute(
        "select a.attname, wedsql._allowed_values(t, a.attname)"
        " from unnest(array['flow', 'attr', 'trig']) t"
        " join pg_constraint c on c.conrelid = to_regclass('wedsql.' || t) and c.contype = 'c'"
        " join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)"
        " where cardinality(c.conkey) = 1"
    ).fetchall()
    comparison = r"\w+ >=? '00:00:00'|\w+(, \w+)*|\d+ to \d+( characters)?|a[t]? [\w \",.]+"
    assert len(said) > 25
    assert [one for one in said if not re.fullmatch(comparison, one[1])] == []


@pytest.mark.parametrize("name", [None, "", "  "])
def test_a_compensation_by_a_transition_names_it(kit: Kit, name: str | None) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.trig("tr_x", "a = '1'", compensation="transition", compensated_by=name)
    assert why.facts["column"] == "compensated_by"
    kit.trig("tr_x", "a = '1'", compensation="inverse", compensated_by=name)


def test_every_check_of_the_triggers_has_a_sentence(connect: Any) -> None:
    """A new option that can be wrong must be added to WRONG."""
    with connect() as conn:
        found = conn.execute(
            "select distinct a.attname from pg_constraint c join pg_attribute a"
            " on a.attrelid = c.conrelid and a.attnum = any (c.conkey)"
            " where c.conrelid = 'wedsql.trig'::regclass and c.contype = 'c'"
        ).fetchall()
    assert {name for (name,) in found} <= {*WRONG, "timeout"}


def test_the_numbers_of_an_earlier_kernel_go_on() -> None:
    """When the tables change, the kernel's sequences continue the count of the identity columns."""
    from testkit import kernel_db

    with kernel_db.database() as uri, psycopg.connect(uri, autocommit=True) as conn:
        conn.execute("select wedsql.create_flow('old')")
        conn.execute("insert into old.wed_attr (aname) values ('a')")
        for table, column in (("trig", "tgid"), ("attr", "aid")):
            names = {"t": sql.Identifier("wedsql", table), "c": sql.Identifier(column)}
            conn.execute(
                sql.SQL("alter table {t} alter {c} add generated by default as identity").format(**names)
            )
        conn.execute("select setval(pg_get_serial_sequence('wedsql.trig', 'tgid'), 41)")
        conn.execute("drop table wedsql.table_change")  # an earlier kernel had no list of changes
        kernel_db.install(conn)
        row = conn.execute(
            "insert into old.wed_trig (trname, cpred) values ('tr_x', 'a = ''1''') returning tgid"
        )
        assert row.fetchone() == (42,)


def test_two_flows_count_together(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    assert tgid(kit, "tr_x") == kit.one("select last_value from wedsql.tgid_seq")


def test_k21_a_removed_attribute_stays_in_the_history_of_every_living_instance(kit: Kit) -> None:
    """More instances than one batch of the kernel has."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null")
    api.instances.start_many(kit.name, [{"b": "v"}] * 1001, conn=kit.conn)
    cancelled = kit.start(b="w")
    api.instances.cancel(cancelled, "no longer needed", conn=kit.conn)
    kit.rows("delete from {f}.wed_attr where aname = 'b'")
    found = kit.rows(
        "select before, seq, status::text, count(*) from wedsql.wed_trace"
        " where wid in (select wid from {f}.wed_flow) and reason = 'An attribute was removed.'"
        " group by 1, 2, 3"
    )
    assert found == [({"b": "v"}, 2, "R", 1001)]
    assert kit.story(cancelled)[-1][0] == "_CANCEL"


@pytest.mark.parametrize("number", [1_000_001, 2_000_000_000])
def test_the_firing_limit_has_a_limit_itself(kit: Kit, number: int) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.trig("tr_x", "a is null", max_firings=number)
    assert why.facts["column"] == "max_firings" and "1000000" in why.hint
    with refused("WD009"):
        kit.publish({"attributes": [{"name": "a"}], "triggers": [], "max_firings": number})
    kit.trig("tr_x", "a is null", max_firings=1_000_000)
