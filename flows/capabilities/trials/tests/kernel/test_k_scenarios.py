"""Scenarios: kept, found again after renaming, run on any definition, and their limits and rights."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows import api
from flows.definition.scenarios import Outcome, Scenario, Step, attribute_numbers, observed, rule_name
from flows.errors import UnknownFlow
from flows.tests.kit import Connection, Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a scenario is run without jobs")]

LOAN: dict[str, Any] = {
    "attributes": [
        {"name": "amount", "type": "integer", "default": "1"},
        {"name": "state", "type": "enum", "options": ["new", "granted", "paid"], "default": "new"},
    ],
    "triggers": [
        {"name": "ask", "transition": "tr_ask", "predicate": "amount > 0 and state = 'new'"},
        {"name": "pay", "transition": "tr_pay", "predicate": "state = 'granted'"},
        {
            "name": "late",
            "transition": "tr_late",
            "predicate": "state = 'new' and amount > 0",
            "due_after": "2 days",
        },
        {"predicate": "state = 'paid'", "final": True},
    ],
}
PATH: list[tuple[Any, int | None, dict[str, Any]]] = [
    ("start", None, {"amount": 5}),
    ("due", 2, {}),
    ("complete", 0, {"amount": 0}),
    ("complete", 2, {}),
    ("repair", None, {"state": "granted"}),
    ("complete", 1, {"state": "paid"}),
]


@pytest.fixture
def loan(kit: Kit) -> Iterator[Kit]:
    """A published flow without scenarios before and after the test."""
    kit.publish(LOAN)
    yield kit
    kit.conn.execute("delete from wedsql.scenario where flow = %s", [kit.name])


def running(kit: Kit) -> dict[str, Any]:
    return api.drafts.running_definition(kit.name, conn=kit.conn)[1]


def walked(kit: Kit, path: Any = PATH, name: str = "granted late") -> Scenario:
    """Return the scenario that expects what happens on this path."""
    definition = running(kit)
    steps = [
        Step(do, rule_name(definition["triggers"][n]) if n is not None else None, c) for do, n, c in path
    ]
    numbers = attribute_numbers(definition)
    bare = Scenario(kit.name, name, steps, "A story.", numbers)
    run = api.trials.run_scenario(definition, bare, conn=kit.conn)
    assert run.ok, run.deviation
    before = [None, *run.situations]
    return dataclasses.replace(
        bare,
        steps=[
            dataclasses.replace(step, expected=observed(definition, old, new))
            for step, old, new in zip(steps, before, run.situations, strict=False)
        ],
    )


def run(kit: Kit, definition: Any, scenario: Scenario) -> Outcome:
    return api.trials.run_scenario(definition, scenario, conn=kit.conn)


def sentence(kit: Kit, definition: Any, scenario: Scenario) -> tuple[int, str]:
    found = run(kit, definition, scenario).deviation
    assert found is not None
    return found.step, found.sentence


def test_a_path_with_every_kind_of_step_is_saved_read_and_run(loan: Kit) -> None:
    saved = api.trials.save_scenario(walked(loan), actor="ann", conn=loan.conn)
    assert (saved.revision, saved.changed_by, saved.story) == (1, "ann", "A story.")
    found = api.trials.read_scenario(loan.name, "granted late", conn=loan.conn)
    assert found == saved
    assert api.trials.list_scenarios(loan.name, conn=loan.conn) == [saved]
    done = run(loan, running(loan), found)
    assert done.ok and [one.status for one in done.situations] == ["R", "R", "R", "E", "R", "F"]
    assert loan.one("select count(*) from wedsql.instance where flow_id = %s", [loan.id]) == 0
    api.trials.delete_scenario(loan.name, "granted late", 1, conn=loan.conn)
    with refused("WD411"):
        api.trials.read_scenario(loan.name, "granted late", conn=loan.conn)


def test_a_path_is_what_its_steps_are_one_by_one(loan: Kit) -> None:
    definition = running(loan)
    one = api.trials.try_start(definition, {"amount": 5}, flow=loan.name, conn=loan.conn)
    two = api.trials.try_due(definition, one, 2, flow=loan.name, conn=loan.conn)
    three = api.trials.try_complete(definition, two, 0, {"amount": 0}, flow=loan.name, conn=loan.conn)
    path: list[dict[str, Any]] = [
        {"changes": {"amount": 5}},
        {"timer": 2},
        {"trigger": 0, "changes": {"amount": 0}},
    ]
    found, error = api.trials.try_path(definition, path, flow=loan.name, conn=loan.conn)
    assert error is None
    for expected, at_once in zip([one, two, three], found, strict=True):
        assert (at_once.state, at_once.status, at_once.held) == (
            expected.state,
            expected.status,
            expected.held,
        )
        assert (at_once.fired, at_once.pending) == (expected.fired, expected.pending)
        assert at_once.waiting.keys() == expected.waiting.keys()


def test_it_survives_another_order_and_other_names(loan: Kit) -> None:
    scenario = walked(loan)
    changed = copy.deepcopy(running(loan))
    changed["triggers"].reverse()
    for trigger in changed["triggers"]:
        trigger["name"] = "other_" + str(trigger["id"])
        trigger["predicate"] = trigger["predicate"].replace("amount", "sum_")
    changed["triggers"][2]["transition"] = "tr_transfer"
    changed["attributes"][0]["name"] = "sum_"
    done = run(loan, changed, scenario)
    assert done.ok, done.deviation
    assert done.situations[0].state["sum_"] == 5


def test_without_numbers_rules_are_found_by_name_and_else_by_transition(loan: Kit) -> None:
    scenario = walked(loan)
    assert run(loan, LOAN, scenario).ok
    unnamed = copy.deepcopy(LOAN)
    for trigger in unnamed["triggers"]:
        trigger.pop("name", None)
    assert run(loan, unnamed, scenario).ok
    unnamed["triggers"][1]["transition"] = "tr_other"
    step, why = sentence(loan, unnamed, scenario)
    assert step == 4 and why == "The definition has no rule pay."


def changed(kit: Kit, place: int, **options: Any) -> dict[str, Any]:
    definition = copy.deepcopy(running(kit))
    definition["triggers"][place] |= options
    return definition


def test_the_first_deviation_is_said_in_words(loan: Kit) -> None:
    scenario = walked(loan)
    never = changed(loan, 0, predicate="amount > 10 and state = 'new'")
    assert sentence(loan, never, scenario) == (0, "These rules should have fired: ask.")
    more = changed(loan, 1, predicate="state is not null")
    assert sentence(loan, more, scenario) == (0, "These rules should not have fired: pay.")
    later = changed(loan, 3, predicate="state = 'paid' and amount > 0")
    assert sentence(loan, later, scenario) == (5, "The status is exception instead of final.")
    default = copy.deepcopy(running(loan))
    default["attributes"][1]["default"] = "granted"
    alone = dataclasses.replace(scenario, steps=[Step("start", expected={"values": {"state": "new"}})])
    assert sentence(loan, default, alone) == (0, 'state is "granted" instead of "new".')
    holds = dataclasses.replace(alone, steps=[Step("start", expected={"holds": [{"name": "pay"}]})])
    assert sentence(loan, running(loan), holds) == (0, "These conditions should hold: pay.")


def test_a_step_that_is_rejected_is_a_deviation_and_leaves_the_transaction_usable(loan: Kit) -> None:
    scenario = walked(loan)
    declared = changed(loan, 0, writes=["state"])
    with loan.conn.transaction():
        step, why = sentence(loan, declared, scenario)
        assert loan.one("select 1") == 1
    assert step == 2 and "does not declare" in why
    gone = dataclasses.replace(scenario, steps=[*scenario.steps[:1], Step("complete", {"name": "pay"})])
    assert "no pending job" in sentence(loan, running(loan), gone)[1]
    wrong = dataclasses.replace(scenario, steps=[Step("start", changes={"amount": "many"})])
    assert sentence(loan, running(loan), wrong)[0] == 0


def test_a_definition_that_cannot_be_compiled_is_an_error(loan: Kit) -> None:
    with refused("WD005"):
        run(loan, changed(loan, 0, predicate="nowhere = 1"), walked(loan))


def test_what_is_not_expected_is_not_compared(loan: Kit) -> None:
    free = Scenario(loan.name, "free", [Step("start", changes={"amount": 7})])
    assert run(loan, running(loan), free).ok


def test_no_save_is_lost(loan: Kit) -> None:
    mine = api.trials.save_scenario(walked(loan), actor="ann", conn=loan.conn)
    with refused("WD412") as why:
        api.trials.save_scenario(walked(loan), actor="bob", conn=loan.conn)
    assert why.facts["actor"] == "ann" and why.facts["revision"] == 1
    other = api.trials.save_scenario(dataclasses.replace(mine, story="Another."), actor="bob", conn=loan.conn)
    assert (other.revision, other.changed_by) == (2, "bob")
    for call in (
        lambda: api.trials.save_scenario(mine, conn=loan.conn),
        lambda: api.trials.delete_scenario(loan.name, mine.name, 1, conn=loan.conn),
    ):
        with refused("WD412"):
            call()
    with refused("WD411"):
        api.trials.save_scenario(dataclasses.replace(mine, name="absent", revision=3), conn=loan.conn)


START = {"do": "start"}
BAD: list[Any] = [
    None, [], {}, {"story": "", "attributes": {}, "steps": {}}, {"story": "", "attributes": {}, "steps": []},
    {"story": 1, "attributes": {}, "steps": [START]}, {"story": "", "steps": [START]},
    *({"story": "", "attributes": {}, "steps": steps} for steps in (
        [7], [{"do": "repair"}], [START, START], [START, {"do": "complete"}], [START, {"do": "dance"}], [{}],
        [START, {"do": "complete", "rule": {}}], [START, {"do": "complete", "rule": {"id": "7"}}],
        [START, {"do": "due", "rule": {"id": 7}, "changes": {}}], [START | {"rule": {"id": 7}}],
        [START | {"changes": []}], [START | {"expected": 7}], [START | {"expected": {"colour": 1}}],
        [START | {"expected": {"status": "Z"}}], [START | {"expected": {"fired": [7]}}],
        [START | {"expected": {"holds": {}}}], [START | {"expected": {"values": []}}], [START | {"more": 1}],
    )),
]  # fmt: skip


@pytest.mark.parametrize("content", BAD, ids=range(len(BAD)))
def test_content_of_another_form_is_rejected(loan: Kit, content: Any) -> None:
    with refused("WD414"):
        loan.rows("select wedsql.save_scenario(%s, 'x', 0, %s::jsonb)", (loan.name, api_json(content)))


def api_json(content: Any) -> Any:
    return psycopg.types.json.Jsonb(content)


@pytest.mark.parametrize("name", ["", " x", "x ", "x\ny", "x" * 101, "\x07"])
def test_a_name_is_one_line(loan: Kit, name: str) -> None:
    with refused("WD414"):
        api.trials.save_scenario(Scenario(loan.name, name, [Step("start")]), conn=loan.conn)


def test_there_are_limits(loan: Kit) -> None:
    big = Scenario(loan.name, "big", [Step("start", changes={"state": "x" * 70_000})])
    long = Scenario(loan.name, "long", [Step("start"), *[Step("repair")] * 100])
    for scenario in (big, long):
        with refused("WD413"):
            api.trials.save_scenario(scenario, conn=loan.conn)
    loan.rows("select wedsql.save_scenario(%s, 'n' || n, 0, %s) from generate_series(1, 200) n",
              (loan.name, api_json({"story": "", "attributes": {}, "steps": [START]})))  # fmt: skip
    with refused("WD413"):
        api.trials.save_scenario(Scenario(loan.name, "one more", [Step("start")]), conn=loan.conn)
    assert len(api.trials.list_scenarios(loan.name, conn=loan.conn)) == 200


def test_after_some_time_the_others_are_not_run(loan: Kit) -> None:
    scenarios = [Scenario(loan.name, str(n), [Step("start")]) for n in range(3)]
    found = list(api.trials.run_scenarios(running(loan), scenarios, seconds=-1, conn=loan.conn))
    assert found == [None, None, None]
    assert all(one and one.ok for one in api.trials.run_scenarios(running(loan), scenarios, conn=loan.conn))


def test_scenarios_go_with_their_flow_unless_a_draft_is_left(loan: Kit) -> None:
    conn = loan.conn
    for name, with_draft in (("sc_alone", False), ("sc_drafted", True)):
        api.flows.create(name, conn=conn)
        api.flows.publish(name, LOAN, conn=conn)
        api.trials.save_scenario(Scenario(name, "kept", [Step("start")]), conn=conn)
        if with_draft:
            api.drafts.open(name, conn=conn)
        api.flows.drop(name, conn=conn)
        left = conn.execute("select count(*) from wedsql.scenario where flow = %s", [name]).fetchone()
        assert left == (with_draft,)
        if with_draft:
            assert len(api.trials.list_scenarios(name, conn=conn)) == 1
        else:
            with pytest.raises(UnknownFlow):
                api.trials.list_scenarios(name, conn=conn)
        conn.execute("delete from wedsql.draft where flow = %s", [name])
        conn.execute("delete from wedsql.scenario where flow = %s", [name])


@pytest.mark.parametrize("role", ["wed_worker", "wed_reaper", "wed_monitor"])
def test_only_the_pages_and_programs_of_designers_may_use_them(
    loan: Kit, connect: Callable[..., Connection], role: str
) -> None:
    session = connect(role)
    session.execute("set default_transaction_read_only = off")
    scenario = Scenario(loan.name, "x", [Step("start")])
    for call in (
        lambda: api.trials.save_scenario(scenario, conn=session),
        lambda: api.trials.list_scenarios(loan.name, conn=session),
        lambda: api.trials.delete_scenario(loan.name, "x", 1, conn=session),
        lambda: api.trials.run_scenario(LOAN, scenario, conn=session),
    ):
        with refused("42501"):
            call()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute("select * from wedsql.scenario")


def test_coverage_is_what_the_scenarios_reach(loan: Kit) -> None:
    definition = running(loan)
    outcome = run(loan, definition, walked(loan))
    found = api.conditions.coverage(definition, [outcome, None], flow=loan.name, conn=loan.conn)

    assert [rule.title for rule in found.rules] == ["ask", "pay", "late", "the final condition"]
    assert [rule.fired for rule in found.rules] == [1, 1, 1, 0]
    assert (found.exercised, found.states) == (4, 4)
    assert [(part.text, part.values) for part in found.rules[0].parts] == [
        ("amount > 0", "ft"),
        ("state = 'new'", "ft"),
    ]
    assert found.covered == found.parts == 6


def test_coverage_says_what_is_not_exercised(loan: Kit) -> None:
    definition = running(loan)
    short = run(loan, definition, Scenario(loan.name, "start", [Step("start", changes={"amount": 2})]))
    found = api.conditions.coverage(definition, [short], flow=loan.name, conn=loan.conn)

    assert [rule.title for rule in found.rules if not rule.exercised] == [
        "pay",
        "late",
        "the final condition",
    ]
    assert [part.text for part in found.rules[0].missing] == ["amount > 0", "state = 'new'"]
    assert (found.covered, found.parts) == (0, 6)
    nothing = api.conditions.coverage(definition, [], flow=loan.name, conn=loan.conn)
    assert (nothing.states, nothing.exercised, nothing.covered) == (0, 0, 0)
