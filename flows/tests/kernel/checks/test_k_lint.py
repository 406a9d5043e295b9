"""Each check finds its fault, and nothing in a flow without it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows import api
from flows.capabilities.sla.api import Calendar
from flows.definition.lint import Finding
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel

ATTRIBUTES = [
    {"name": "state", "type": "enum", "options": ["new", "paid", "sent"], "default": "new"},
    {"name": "items", "type": "integer", "default": "1"},
    {"name": "urgent", "type": "boolean", "default": "false"},
]
PAY = {"transition": "tr_pay", "predicate": "state = 'new'", "writes": ["state", "items", "urgent"]}
FINAL = {"predicate": "state = 'sent' and items > 0 and not urgent", "final": True}


def rule(predicate: str, transition: str = "tr_x", **options: Any) -> dict[str, Any]:
    return {
        "transition": transition,
        "predicate": predicate,
        "writes": ["state", "items", "urgent"],
    } | options


def found(
    kit: Kit, *triggers: dict[str, Any], attributes: list[dict[str, Any]] = ATTRIBUTES
) -> list[Finding]:
    definition = {"attributes": attributes, "triggers": list(triggers)}
    return [one for one in api.flows.lint(kit.name, definition, conn=kit.conn) if one.check != "no_worker"]


def of(check: str, findings: list[Finding]) -> list[Finding]:
    return [one for one in findings if one.check == check]


FAULTS: list[tuple[str, list[dict[str, Any]]]] = [
    ("never_true", [PAY, FINAL, rule("state = 'paid' and state = 'new'")]),
    ("never_true", [PAY, FINAL, rule("items > 5 and items < 6")]),
    ("always_true", [PAY, FINAL, rule("urgent or not urgent or urgent is null")]),
    ("equal", [PAY, FINAL, rule("not (state <> 'new')", writes=["items"])]),
    ("equal", [FINAL, rule("items > 5", writes=["items"]), rule("items >= 6", "tr_y", writes=["state"])]),
    ("implied", [PAY, FINAL, rule("state = 'new' and items = 3", writes=["urgent", "items"])]),
    ("both_write", [PAY, FINAL, rule("items > 10")]),
    ("leaves_itself_true", [PAY, FINAL, rule("state = 'paid'", writes=["items"])]),
    ("nothing_makes_true", [rule("state = 'new'", writes=["state"]), FINAL | {"predicate": "urgent"}]),
    ("no_final", [PAY]),
    ("unused", [{"transition": "tr_pay", "predicate": "state = 'new'", "writes": ["state"]}]),
    ("no_option", [PAY, FINAL, rule("state = 'payed'", writes=["state"])]),
    ("compared_with_null", [PAY, FINAL, rule("items = null", writes=["items"])]),
    ("compared_with_null", [PAY, FINAL, rule("items not in (1, null)", writes=["items"])]),
    ("compared_with_null", [PAY, FINAL, rule("items between null and 3", writes=["items"])]),
    ("leaves_itself_true", [PAY, FINAL, rule("state = 'paid' or items = 3", writes=["items"])]),
    ("nothing_makes_true", [PAY | {"writes": ["items"]}, FINAL, rule("state = 'paid'", writes=["items"])]),
    ("dead_end", [PAY | {"writes": ["state"]}, FINAL | {"predicate": "state = 'sent'"}]),
    ("no_way_to_final", [PAY | {"writes": ["items"]}, FINAL | {"predicate": "state = 'sent'"}]),
    ("unproved", [PAY, FINAL, rule("items + 1 = 3", writes=["items"])]),
    ("unproved", [PAY, FINAL, rule("3 < items + 1", writes=["items"])]),
]  # fmt: skip


@pytest.mark.parametrize(("check", "triggers"), FAULTS, ids=[f"{n}-{one[0]}" for n, one in enumerate(FAULTS)])
def test_a_fault_is_found(kit: Kit, check: str, triggers: list[dict[str, Any]]) -> None:
    assert check in {one.check for one in found(kit, *triggers)}


def test_a_flow_without_faults_has_no_findings(kit: Kit) -> None:
    pay, send = PAY | {"writes": ["state"]}, rule("state = 'paid'", "tr_send", writes=["state"])
    final = {"predicate": "state = 'sent'", "final": True}
    assert found(kit, pay, send, final, attributes=ATTRIBUTES[:1]) == []


STATE = ATTRIBUTES[:1]
ADVANCE = PAY | {"writes": ["state"]}
SENT: dict[str, Any] = {"predicate": "state = 'sent'", "final": True}
SOUND: list[tuple[str, list[dict[str, Any]]]] = [
    ("never_true", [PAY, FINAL]),
    ("always_true", [PAY, FINAL]),
    ("equal", [PAY, FINAL, rule("not (state <> 'paid')", writes=["items"])]),
    ("implied", [PAY, FINAL, rule("state = 'paid' and items = 3", writes=["urgent", "items"])]),
    ("both_write", [PAY, FINAL, rule("state = 'paid' and items > 10")]),
    ("both_write", [PAY, FINAL, rule("items > 10", writes=[])]),
    ("leaves_itself_true", [PAY, FINAL, rule("state = 'paid' and items = 3", writes=["items"])]),
    ("leaves_itself_true", [PAY, FINAL, rule("state = 'paid'", writes=["items"], fire_once=True)]),
    ("nothing_makes_true", [ADVANCE, FINAL, rule("state = 'paid'", writes=["items", "state"])]),
    ("nothing_makes_true", [{"transition": "tr_any", "predicate": "items = 1"}, FINAL]),
    ("no_final", [PAY, FINAL]),
    ("unused", [PAY, FINAL]),
    ("no_option", [PAY, FINAL, rule("state in ('paid', null)", writes=["state"])]),
    ("compared_with_null", [PAY, FINAL, rule("items in (1, null)", writes=["items"])]),
    ("compared_with_null", [PAY, FINAL, rule("items not between null and 3", writes=["items"])]),
    ("null_is_not_different", [PAY, FINAL, rule("items <> 3", writes=["items"])]),
    ("dead_end", [ADVANCE, SENT, rule("state = 'paid'", "tr_send", writes=["state"])]),
    ("dead_end", [ADVANCE | {"enabled": False}, SENT, rule("state = 'paid'", "tr_y", writes=["items"])]),
    ("no_way_to_final", [ADVANCE, SENT, rule("state = 'paid'", "tr_send", writes=["state"])]),
    ("unproved", [PAY, FINAL]),
]  # fmt: skip


@pytest.mark.parametrize(("check", "triggers"), SOUND, ids=[f"{n}-{one[0]}" for n, one in enumerate(SOUND)])
def test_a_flow_without_the_fault_has_no_such_finding(
    kit: Kit, check: str, triggers: list[dict[str, Any]]
) -> None:
    assert of(check, found(kit, *triggers)) == []


def test_a_dead_end_is_shown_by_a_state_and_a_result_that_lead_to_it(kit: Kit) -> None:
    (one,) = of("dead_end", found(kit, ADVANCE, SENT, attributes=STATE))
    assert (one.state, one.severity, one.how) == ({"state": "new"}, "warning", "declared")
    assert "state = paid" in one.message
    definition = {"attributes": STATE, "triggers": [ADVANCE, SENT]}
    started = api.trials.try_start(definition, one.state, conn=kit.conn)
    ended = api.trials.try_complete(definition, started, 0, {"state": "paid"}, conn=kit.conn)
    assert (started.status, ended.status) == ("R", "E")


def test_a_business_key_is_used(kit: Kit) -> None:
    attributes = [*ATTRIBUTES, {"name": "number", "business_key": True}, {"name": "note"}]
    unused = of("unused", found(kit, PAY, FINAL, attributes=attributes))
    assert [one.path for one in unused] == [("attributes", 4, "name")]


def many(number: int, *letters: str) -> dict[str, Any]:
    """Return a definition of that many rules over enums of four options, and numbers."""
    first, last = letters[0], letters[3]
    enum = {"type": "enum", "options": [*letters], "default": first}
    attributes: list[dict[str, Any]] = [{"name": f"s{n}"} | enum for n in range(30)]
    attributes += [{"name": f"n{n}", "type": "integer", "default": "0"} for n in range(30)]
    triggers = []
    for n in range(number - 1):
        one, other, beside = f"s{n % 30}", f"n{n * 7 % 30}", f"s{(n + 1) % 30}"
        predicate = f"{one} = '{letters[n // 30 % 4]}' and {other} > {n % 5} and {beside} <> '{last}'"
        triggers.append(rule(predicate, f"tr_{n}", writes=[one]))
    final = {"predicate": f"s0 = '{last}'", "final": True}
    return {"attributes": attributes, "triggers": [*triggers, final]}


def test_without_time_the_checks_say_what_they_did_not_examine(kit: Kit) -> None:
    given_up = api.flows.lint(kit.name, many(300, "e", "f", "g", "h"), seconds=0, conn=kit.conn)
    assert len(of("unproved", given_up)) == 300 and "time" in of("unproved", given_up)[0].hint


def test_three_hundred_rules_are_examined_in_the_usual_time(kit: Kit) -> None:
    """The states of the whole flow are too many, which is said; each rule and each pair is examined."""
    definition = many(300, "a", "b", "c", "d")
    examined = api.flows.lint(kit.name, definition, seconds=300, conn=kit.conn)
    assert of("equal", examined) and not of("unproved", examined)
    assert [one.message for one in of("gave_up", examined) if "pairs" in one.message] == []
    assert [one.message for one in of("gave_up", examined) if "follow" in one.message]
    again = api.flows.lint(kit.name, definition, seconds=0, conn=kit.conn)
    assert not of("unproved", again), "the kernel is not asked again about conditions that it evaluated"
    assert [one.message for one in of("gave_up", again) if "pairs" in one.message] and not of("equal", again)


def test_null_is_no_difference(kit: Kit) -> None:
    attributes = [*ATTRIBUTES, {"name": "note"}]
    differs = rule("note <> 'done'", writes=["note"])
    (one,) = of("null_is_not_different", found(kit, PAY, FINAL, differs, attributes=attributes))
    assert (one.check, one.how, one.state) == ("null_is_not_different", "proved", {"note": None})
    assert (one.position, one.length) == (1, 14)


def test_a_finding_keeps_its_name_until_its_rule_changes(kit: Kit) -> None:
    (one,) = [f for f in found(kit, PAY, FINAL, rule("items > 10")) if f.check == "both_write"]
    (moved,) = [f for f in found(kit, FINAL, PAY, rule("items > 10")) if f.check == "both_write"]
    (other,) = [f for f in found(kit, PAY, FINAL, rule("items > 11")) if f.check == "both_write"]
    assert one.id == moved.id != other.id
    assert one.state is not None
    assert (one.state["state"], one.state["items"] > 10) == ("new", True)


def test_children_in_a_flow_or_attribute_that_is_not_there_are_found(kit: Kit, web: Connection) -> None:
    kit.attr("parts", kind="integer")
    other = kit.name
    mine = "another_flow"

    def checks(child: str, *lines: str) -> list[tuple[str, Any]]:
        starts = rule("items > 3", child=child, child_count="1", child_set=list(lines))
        definition = {"attributes": ATTRIBUTES, "triggers": [starts]}
        findings = api.flows.lint(mine, definition, conn=web)
        about = (one for one in findings if one.check != "no_end")
        return [(one.check, one.path) for one in about if "children" in one.message]

    assert checks("no_such_flow", "a = 1") == [("no_flow", ("triggers", 0, "child"))]
    assert checks(other, "parts = items") == [] == checks(mine, "items = 1", "urgent = true")
    assert checks(other, "parts = 1", "items = 2") == [("no_child_attribute", ("triggers", 0, "child_set"))]
    assert checks(mine, "parts = 1") == [("no_child_attribute", ("triggers", 0, "child_set"))]


def test_children_that_never_end_are_found_where_their_end_is_waited_for(kit: Kit, web: Connection) -> None:
    kit.attr("parts", kind="integer")

    def checks(flow: str, *more: dict[str, Any], **options: Any) -> list[str]:
        starts = rule("items > 3", child=kit.name, **options)
        findings = api.flows.lint(flow, {"attributes": ATTRIBUTES, "triggers": [starts, *more]}, conn=web)
        return [one.check for one in findings if "children" in one.message]

    assert checks("another_flow") == ["no_end"] == checks("another_flow", child_wait="1")
    assert checks("another_flow", child_wait="0") == []
    assert checks(kit.name) == ["no_end"] and checks(kit.name, FINAL) == []
    kit.final("parts = 1")
    assert checks("another_flow") == []


def test_times_that_are_over_and_calendars_that_are_not_there_are_found(kit: Kit, web: Connection) -> None:
    def checks(**options: Any) -> list[tuple[str, str]]:
        definition = {"attributes": ATTRIBUTES, "triggers": [PAY, FINAL], **options}
        findings = api.flows.lint(kit.name, definition, conn=web)
        return [(one.check, one.message) for one in findings if one.check in ("over", "no_calendar")]

    starts = ["2020-01-01T00:00Z", "R3/2020-01-01T00:00Z/PT1H", "R/2020-01-01T00:00Z/P1D", "R2/P1D"]
    over = [message for _check, message in checks(start_at=[*starts, "2999-01-01T00:00Z"])]
    assert [text.partition(" ")[0] for text in over] == starts[:2]
    assert checks(task_calendar="Office") == [("no_calendar", "The flow has no calendar Office.")]
    office = Calendar("Office", "UTC", {"1": [["09:00", "17:00"]]})
    api.sla.save_calendar(kit.name, office, "x", conn=web)
    assert checks(task_calendar="Office") == []


def test_a_field_that_is_never_shown_is_found(kit: Kit, web: Connection) -> None:
    def checks(**conditions: str) -> list[Any]:
        fields = [{"attribute": "state", **conditions}]
        form = {"sections": [{"title": "Parcel", "fields": fields}]}
        task = rule("items > 3", performer="person", form=form)
        findings = api.flows.lint(
            kit.name, {"attributes": ATTRIBUTES, "triggers": [PAY, FINAL, task]}, conn=web
        )
        return [one.path for one in findings if "form of" in one.message]

    form = ("triggers", 2, "form")
    assert checks(shown="items > 5 and items < 3") == [form]
    assert checks(required="urgent and not urgent", readonly="items = null") == [form, form]
    assert checks(shown="items > 5 and items < 7", required="urgent") == []


@pytest.mark.parametrize(
    ("predicate", "never"),
    [
        ("state = 'paid' and state = 'new'", True), ("items > 5 and items < 3", True),
        ("state is null and state = 'new'", True), ("items = null", True), ("urgent and not urgent", True),
        ("state in ('new', 'paid') and state = 'sent'", True), ("items between 5 and 3", True),
        ("items > 3 and items < 5", False), ("state = 'new' or state = 'paid'", False),
        ("state is null", False), ("not urgent or urgent", False), ("items = 1 and state = 'new'", False),
    ],
)  # fmt: skip
def test_conditions_whose_parts_exclude_each_other(kit: Kit, predicate: str, never: bool) -> None:
    types = '{"state": "text", "items": "integer", "urgent": "boolean"}'
    assert kit.one("select wedsql.never_true(%s, array[%s])", [types, predicate]) == ([1] if never else [])


NEVER = "items > 5 and items < 3"
SLA = {"name": "a", "duration": 3600}
POLICY = {"name": "a", "operation": "retry", "times": 1, "cause": "ATTEMPTS"}
DOORS: list[tuple[str, Any]] = [
    ("save_sla({n}, %s, 'x', null)", SLA | {"stop_when": NEVER}),
    ("save_sla({n}, %s, 'x', null)", SLA | {"stop_when": "items = 1", "pause_when": NEVER}),
    ("save_case_rules({n}, %s, 'x')", [{"queue": "a", "condition": NEVER}]),
    ("save_approval_rules({n}, %s, 'x')", [{"approvals": 1, "condition": NEVER}]),
    ("save_policies({n}, %s, 'x')", [POLICY | {"condition": NEVER}]),
]


@pytest.mark.parametrize(("call", "given"), DOORS, ids=[f"{n}-{one[0][:12]}" for n, one in enumerate(DOORS)])
def test_what_would_never_happen_is_refused_where_it_is_given(kit: Kit, call: str, given: Any) -> None:
    kit.attr("items", kind="integer")
    with refused("WD005") as why:
        kit.rows(f"select wedsql.{call}", [json.dumps(given)])
    assert why.facts["reason"] == "never_true"
    possible = json.loads(json.dumps(given).replace(NEVER, "items > 5"))
    kit.rows(f"select wedsql.{call}", [json.dumps(possible)])
