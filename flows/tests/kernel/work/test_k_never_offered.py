"""A worker that asks for a transition which no rule has gets no jobs, and a notice of the kernel."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.alerts.api import AlertRule
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel

NO_RULE = 'No rule of flow "{flow}" has the transition "{name}".'


def listen(conn: Connection) -> list[tuple[str | None, ...]]:
    """Return a list that gets code, message, hint and detail of each notice."""
    said: list[tuple[str | None, ...]] = []

    def keep(diag: psycopg.errors.Diagnostic) -> None:
        said.append((diag.sqlstate, diag.message_primary, diag.message_hint, diag.message_detail))

    conn.add_notice_handler(keep)
    return said


def doors(kit: Kit) -> list[tuple[str, str]]:
    """Return each function that gives jobs of named transitions: schema and name."""
    return kit.rows(
        "select pronamespace::regnamespace::text, proname from pg_proc"
        " where 'p_transitions' = any (proargnames) and proretset"
        " and proname !~ '^_' and pronamespace in ('wedsql'::regnamespace, %s::regnamespace)"
        " order by 1, 2",
        [kit.name],
    )


def ask(kit: Kit, conn: Connection, door: tuple[str, str], name: str) -> None:
    schema, function = door
    limit = "p_limit => 1, p_holder => 'me'" if function == "lease" else "p_limit => 1"
    flow = "p_flow => '" + kit.name + "'," if schema == "wedsql" else ""
    call = f"select * from {schema}.{function}({flow} p_transitions => %s, {limit})"
    assert kit.rows(call, [[name]], conn) == []


def test_every_door_says_that_no_rule_has_the_transition(one: Kit) -> None:
    found = doors(one)
    assert {name for _, name in found} == {"take", "hold", "lease", "offer"}
    for door in found:
        conn = one.connect()
        said = listen(conn)
        ask(one, conn, door, "tr_x")
        assert said == [], door
        ask(one, conn, door, "tr_xy")
        ask(one, conn, door, "tr_xy")
        assert [notice[:3] for notice in said] == [
            ("01WD1", NO_RULE.format(flow=one.name, name="tr_xy"), "Did you mean tr_x?")
        ], door
        conn.close()


def test_it_is_said_again_after_each_publication_and_not_when_a_rule_comes(one: Kit) -> None:
    conn = one.connect()
    said = listen(conn)
    for name in ("b", "c"):
        ask(one, conn, ("wedsql", "take"), "tr_new")
        ask(one, conn, ("wedsql", "take"), "tr_new")
        definition = api.flows.definition(one.name, conn=one.conn)
        definition["attributes"].append({"name": name})
        api.flows.publish(one.name, definition, conn=one.conn)
    versions = [json.loads(str(detail))["version"] for *_, detail in said]
    assert len(versions) == 2 and versions[1] == versions[0] + 1
    one.trig("tr_new", "a = 'new'")
    ask(one, conn, ("wedsql", "take"), "tr_new")
    assert len(said) == 2
    conn.close()


RULES: dict[str, tuple[Callable[[Kit], Any], str, bool]] = {
    "a worker": (lambda k: k.trig("tr_r", "a = 'r'"), "tr_r", True),
    "a disabled rule": (lambda k: k.trig("tr_r", "a = 'r'", enabled=False), "tr_r", True),
    "a compensation": (
        lambda k: k.trig("tr_s", "a = 's'", compensation="transition", compensated_by="tr_r"), "tr_r", True),
    "a signal": (lambda k: k.trig("tr_r", "a = 'r'", signal=True), "tr_r", False),
    "the database": (
        lambda k: k.trig("tr_r", "a = 'r'", performer="database", sets="a = 't'"), "tr_r", False),
    "exceptions": (lambda k: None, "_EXCPT", True),
    "the final condition": (lambda k: None, "_FINAL", False),
    "no rule": (lambda k: None, "tr_r", False),
}  # fmt: skip


@pytest.mark.parametrize("kind", RULES)
def test_what_is_never_offered(kind: str, one: Kit) -> None:
    define, name, offered = RULES[kind]
    define(one)
    found = api.workers.never_offered([f"{one.name}:{name}"], conn=one.connect("wed_worker"))
    assert [(row.flow, row.transition) for row in found] == ([] if offered else [(one.name, name)])


@pytest.mark.parametrize("kind", RULES)
def test_alerts_on_queue_and_workers_are_for_what_is_offered(kind: str, one: Kit) -> None:
    define, name, offered = RULES[kind]
    define(one)
    for measure in ("queue_age", "workers"):
        rule = AlertRule(measure, measure, ">", 10, trname=name)
        if offered and name != "_EXCPT":
            assert api.alerts.save_rule(one.name, rule, "olga", conn=one.conn).trname == name
        else:
            with refused("WD508"):
                api.alerts.save_rule(one.name, rule, "olga", conn=one.conn)


def test_names_of_any_flow_and_of_flows_that_are_not_there(one: Kit) -> None:
    flow = one.name
    asked = [":tr_x", ":tr_nowhere", f"{flow}:", f"{flow}_:tr_x", "nowhere_at_all:", f"{flow}:tr_x"]
    found = {row.serves: row for row in api.workers.never_offered(asked, conn=one.conn)}
    assert set(found) == {":tr_nowhere", f"{one.name}_:tr_x", "nowhere_at_all:"}
    assert found[":tr_nowhere"].message == 'No rule has the transition "tr_nowhere".'
    assert found[f"{one.name}_:tr_x"].near == one.name and found[f"{one.name}_:tr_x"].flow is None
    assert found["nowhere_at_all:"].message == 'There is no flow "nowhere_at_all".'


def test_what_another_handler_serves_is_not_suggested(one: Kit) -> None:
    asked = [f"{one.name}:tr_x", f"{one.name}:tr_xy"]
    (found,) = api.workers.never_offered(asked, conn=one.conn)
    assert (found.transition, found.near) == ("tr_xy", None)
    (alone,) = api.workers.never_offered(asked[1:], conn=one.conn)
    assert alone.near == "tr_x"


def test_the_api_logs_it_once(one: Kit, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "wedsql.workers"):
        for _ in range(3):
            assert api.jobs.take(one.name, ["tr_xyz"], conn=one.connect()) is None
            assert api.jobs.lease_many(one.name, ["tr_xyz"], 1, "me", conn=one.conn) == []
            assert api.jobs.offer(one.name, ["tr_xyz"], conn=one.conn) == []
    assert [r.getMessage() for r in caplog.records] == [
        NO_RULE.format(flow=one.name, name="tr_xyz") + " Did you mean tr_x?"
    ]
