"""The tree of what can happen from a state, and stand-ins on the page of a trial."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from flows import api
from flows.definition import stand_ins
from flows.definition.scenarios import Scenario, Step
from flows.designer.draft.content import Design, main_draft
from flows.designer.trial import tree
from flows.designer.trial.results import MOST_FAILURES, Known
from flows.patterns import gallery
from flows.tests.pages import unique
from flows.tests.publication.publish_page import text_of

pytestmark = pytest.mark.django_db
DECIDE: dict[str, Any] = {
    "attributes": [
        {"name": "n", "type": "integer", "default": "0"},
        {"name": "share", "type": "numeric", "default": "0.5"},
    ],
    "triggers": [
        {"name": "add", "label": "Add", "transition": "tr_add", "predicate": "n between 0 and 9"},
        {"name": "done", "predicate": "n = 10", "final": True},
    ],
}
Declared = Callable[..., None]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Declared]:
    """A function that declares the stand-in of tr_add."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(stand_ins, "_finders", [lambda _flow, name: found.get(name)])

    def declare(function: Any) -> None:
        found["tr_add"] = function

    yield declare


def drafted(definition: Mapping[str, Any] = DECIDE) -> str:
    flow = unique()
    api.drafts.open(flow, definition=definition)
    return flow


def grown(flow: str, **state: Any) -> tree.Tree:
    draft = main_draft(flow)
    assert draft is not None
    design = Design(flow, None, draft)
    return tree.grow(design, draft.definition, api.trials.try_start(draft.definition, state))


class Page:
    """The page of a trial of a draft: what it shows, and its buttons."""

    def __init__(self, client: Client, flow: str) -> None:
        self.client, self.address = client, reverse("admin:flows_flow_new_try", args=[flow])
        self.read(client.get(self.address))

    def press(self, action: str, **more: str) -> str:
        self.read(self.client.post(self.address, {"do": action, "path": self.path} | more))
        return self.text

    def read(self, response: Any) -> None:
        assert response.status_code == 200
        self.page, self.text = response.content.decode(), text_of(response)
        self.path = html.unescape(re.search(r'name="path" value="([^"]*)"', self.page)[1])  # type: ignore[index]
        self.buttons = [html.unescape(each) for each in re.findall(r'name="do" value="([^"]*)"', self.page)]


def test_the_tree_has_every_result_of_every_pending_transition(declared: Declared) -> None:
    declared(lambda state: [{"n": 10}, {"n": -1}, {"n": state["n"] + 1}])
    found = grown(drafted(), n=8)
    assert [(one.title, one.result, one.situation.status) for one in found.root.children] == [
        ("Add", "n = 10", "F"), ("Add", "n = -1", "E"), ("Add", "n = 9", "R"),
    ]  # fmt: skip
    after_nine = found.root.children[2].children
    assert [(one.situation.status, one.same_as) for one in after_nine] == [("F", 2), ("E", 3)]
    assert not found.cut and len({(one.x, one.y) for one in found.nodes}) == len(found.nodes)


def test_a_loop_ends_where_it_comes_back(declared: Declared) -> None:
    declared(lambda state: {"n": 1 - state["n"]})
    found = grown(drafted())
    assert [(one.situation.state["n"], one.same_as) for one in found.nodes] == [(0, None), (1, None), (0, 1)]


def test_the_tree_is_bounded(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "SECONDS", 600.0)
    declared(lambda state: [{"share": state["share"] + step} for step in range(1, 21)])
    found = grown(drafted())
    assert found.cut and len(found.nodes) == tree.MOST_NODES
    assert any("more can follow" in note for one in found.nodes for note in one.notes)
    declared(lambda state: {"share": state["share"] + 1})
    deep = grown(drafted())
    assert deep.cut and len(deep.nodes) == tree.DEEPEST + 1


def test_a_rule_without_a_known_result_and_a_rejected_result_say_so(declared: Declared) -> None:
    assert grown(drafted()).root.notes == ["no result of Add is known"]
    declared(lambda state: [{"nowhere": 1}, {"n": 10}])
    found = grown(drafted())
    assert "nowhere" in found.root.notes[0] and [one.situation.status for one in found.root.children] == ["F"]


def test_a_node_is_opened_and_its_path_saved_as_a_scenario(alice: Client) -> None:
    flow = unique()
    gallery.open_example(gallery.examples()["compensation"], flow)
    page = Page(alice, flow)
    names = [attribute["name"] for attribute in api.drafts.read(flow).definition["attributes"]]
    page.press("start", **{f"value-{names.index('traveller')}": "Ana"})
    page.press("tree")
    assert "What can happen from here" in page.text and "aria-label" in page.page
    ways = [each for each in page.buttons if each.startswith("go:")]
    assert page.page.count('class="node status-') == len(ways) + 1 > 8
    longest = max(ways, key=lambda each: len(json.loads(each[3:])))
    opened = page.press(longest)
    assert "So far" in opened and len(json.loads(page.path)) == 1 + len(json.loads(longest[3:]))
    page.press("save", name="a way of the tree")
    saved = api.trials.read_scenario(flow, "a way of the tree")
    outcome = api.trials.run_scenario(api.drafts.read(flow).definition, saved)
    assert outcome.ok and len(outcome.situations) == len(json.loads(page.path))


def test_a_transition_is_completed_as_its_stand_in(alice: Client, declared: Declared) -> None:
    declared(lambda state: [{"n": 10}, {"n": 3}])
    page = Page(alice, drafted())
    page.press("start", **{"value-0": "0", "value-1": "0.5"})
    assert "Or complete as the stand-in: n = 10 n = 3" in page.text
    assert 'complete:0:{"n":10}' in page.buttons
    page.press('complete:0:{"n":10}')
    assert json.loads(page.path)[1] == ["complete", 0, {"n": 10}] and "Final" in page.text


FAULTS: list[tuple[Any, str]] = [
    (lambda state: 1 / 0, "The stand-in of tr_add failed: ZeroDivisionError: division by zero."),
    (lambda state: "n = 1", "returned str instead of a dict or a list of dicts"),
    (lambda state: [], "returned 0 results"),
    (lambda state: [{}] * 21, "returned 21 results"),
    (lambda state: {"n": object()}, "a value of type object has no JSON form"),
    (lambda state: exec("raise SystemExit(3)"), "SystemExit: 3"),  # noqa: S102
]


@pytest.mark.parametrize(("function", "sentence"), FAULTS, ids=range(len(FAULTS)))
def test_a_failing_stand_in_is_shown_and_nothing_else_fails(
    alice: Client, declared: Declared, function: Any, sentence: str
) -> None:
    declared(function)
    page = Page(alice, drafted())
    assert sentence in page.press("start", **{"value-0": "0", "value-1": "0.5"})
    assert "complete:0" in page.buttons
    assert sentence in page.press("tree")


def test_a_stand_in_is_interrupted_at_its_limit(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_ins, "SECONDS", 0.2)
    ended: list[BaseException] = []

    def slow(state: Any) -> Any:
        try:
            for _ in range(10_000):
                time.sleep(0.001)
        except BaseException as error:
            ended.append(error)
            raise
        return {}

    declared(slow)
    with pytest.raises(stand_ins.StandInFailed, match=r"did not end within 0.2 seconds"):
        stand_ins.results("any", "tr_add", {})
    for call in list(stand_ins._calls):
        call.join(20)
    assert len(ended) == 1 and not any(call.is_alive() for call in stand_ins._calls)


def test_a_stand_in_gets_a_copy_as_a_handler_does(declared: Declared) -> None:
    given: list[Any] = []

    def changed(state: dict[str, Any]) -> Any:
        given.append(type(state["share"]).__name__)
        state["n"] = 99
        return {"share": state["share"] * 2}

    declared(changed)
    state = {"n": 1, "share": 0.25}
    assert stand_ins.results("any", "tr_add", state) == [{"share": Decimal("0.50")}]
    assert (given, state["n"]) == (["Decimal"], 1)


def test_a_simulated_step_of_a_scenario_takes_the_first_result(declared: Declared) -> None:
    flow = drafted()
    steps = [Step("start"), Step("simulate", {"name": "add"}, {}, {"status": "F", "values": {"n": 10}})]
    saved = api.trials.save_scenario(Scenario(flow, "simulated", steps))
    assert [step.do for step in api.trials.read_scenario(flow, "simulated").steps] == ["start", "simulate"]
    definition = api.drafts.read(flow).definition
    without = api.trials.run_scenario(definition, saved)
    assert without.deviation and without.deviation.sentence == "Transition tr_add has no stand-in."
    declared(lambda state: [{"n": 10}, {"n": 1}])
    assert api.trials.run_scenario(definition, saved).ok
    declared(lambda state: {"n": 4})
    other = api.trials.run_scenario(definition, saved)
    assert other.deviation and other.deviation.step == 1


@pytest.mark.parametrize(
    "action", ["go:", "go:[1]", 'go:[["start",0,{}]]', "complete:0:{", "complete:x:{}", "go:{"]
)
def test_any_way_is_answered(alice: Client, declared: Declared, action: str) -> None:
    declared(lambda state: {"n": 1})
    page = Page(alice, drafted())
    page.press("start", **{"value-0": "0", "value-1": "0.5"})
    assert page.press(action)


def test_a_tree_ends_at_its_time(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    declared(lambda state: [{"n": 1}, {"n": 10}])
    monkeypatch.setattr(tree, "SECONDS", -1.0)
    found = grown(drafted())
    assert found.cut and len(found.nodes) == 1


def test_only_some_stand_ins_run_at_once(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    declared(lambda state: {"n": 1})
    monkeypatch.setattr(stand_ins, "MOST_RUNNING", 0)
    with pytest.raises(stand_ins.StandInFailed, match="Too many stand-ins"):
        stand_ins.results("any", "tr_add", {})


def test_a_stand_in_that_fails_again_and_again_is_not_called_any_more(declared: Declared) -> None:
    called: list[Any] = []
    declared(lambda state: called.append(state))
    known = Known(Design("any", None, None), DECIDE)
    answers = [known.stand_in(0, {}) for _time in range(5)]
    assert len(called) == MOST_FAILURES == sum(each is not None for each in answers)
