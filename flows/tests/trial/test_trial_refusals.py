"""What a trial refuses: steps after a refused one, rules that there are not, ids that are no numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.designer.draft.content import Design
from flows.designer.trial.results import Known
from flows.models import Flow
from flows.tests.trial.test_trial_page import Page
from flows.tests.trial.test_trial_page import loan as loan
from flows.tests.trial.test_trial_page import standing_loan as standing_loan

pytestmark = pytest.mark.django_db


def test_after_a_refused_step_nothing_is_done(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.path = '[["start",0,{"amount":1}],["complete",-9,{}]]'

    assert "The definition has no such rule." in page.do("complete:0", state="granted")
    assert [step[0] for step in json.loads(page.path)] == ["start"]


@pytest.mark.parametrize("action", ["rewind:-1", "rewind:x", "rewind:"])
def test_going_back_before_the_start_is_the_start(alice: Client, loan: str, action: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")
    page.do("complete:0", state="granted")

    assert "Nothing has started yet" in page.do(action)


@pytest.mark.parametrize("action", ["usual:x", "usual:", "usual:99", "usual:-1", "usual:-99"])
def test_a_rule_that_there_is_not_has_no_usual_result(alice: Client, loan: str, action: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")

    assert "No result of this rule" in page.do(action)


def test_only_the_first_rules_are_explained(
    alice: Client, loan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.designer.trial.tab.MOST_EXPLAINED", 1)

    assert "is false: state is new" not in Page(alice, loan).do("start", amount="100")


@pytest.mark.parametrize("number", ["x", None, [1]])
def test_a_rule_without_a_number_has_no_recorded_results(loan: str, number: Any) -> None:
    definition = {"triggers": [{"id": number}]}

    assert Known(Design(loan, Flow.objects.get(name=loan), None), definition).recorded(0) == []


def test_a_flow_that_never_ran_has_no_recorded_results() -> None:
    assert Known(Design("any", None, None), {"triggers": [{"id": 7}]}).recorded(0) == []


def test_a_first_state_is_none_of_a_version_that_there_is_not(alice: Client, loan: str) -> None:
    assert api.drafts.running_definition(loan)[0] == 1
    assert alice.get(f"{Page(alice, loan).address}?version=99").status_code == 404
