"""Named conditions and transitions in the designer: shown where shared, changed together, reused."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.languages.wsql import Session
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, draft, rule, send, text_of

pytestmark = pytest.mark.django_db
SETS = """
A = {paid boolean = false}; C = {unpaid: not paid, done: paid, late: not paid};
T = {tr_pay, tr_remind, tr_call: 3d};
G = {pay: (unpaid, tr_pay), remind: (unpaid, tr_remind)}; F = done
"""


@pytest.fixture
def shop(alice: Client) -> str:
    """Return a flow in which two rules share a condition, and another condition has no rule."""
    name = unique()
    list(Session().run(f"CREATE WED-FLOW {name}; {SETS}"))
    return name


def test_the_form_says_which_rules_share_the_condition(alice: Client, shop: str) -> None:
    text = text_of(alice.get(at(shop, query="?rule=1")))
    assert "“unpaid” is a named condition. Other rules that have it: remind ." in text
    text = text_of(alice.get(at(shop, query="?rule=3")))
    assert "“done” is a named condition. No other rule has it." in text
    assert "named condition" not in text_of(alice.get(at(shop, query="?rule=new")))


def test_a_shared_condition_is_changed_in_all_its_rules_or_in_one(alice: Client, shop: str) -> None:
    answer = send(alice, at(shop, query="?rule=1"), predicate="paid is not true")

    assert "its condition also in: remind" in text_of(answer)
    assert [rule(shop, n)["predicate"] for n in (1, 2, 3)] == ["paid is not true", "paid is not true", "paid"]
    assert draft(shop).definition["triggers"][1]["transition"] == "tr_remind"
    answer = send(alice, at(shop, query="?rule=2"), condition="own", predicate="paid is false", shared=None)
    assert "also in" not in text_of(answer)
    assert [rule(shop, n)["condition"] for n in (1, 2)] == ["unpaid", "own"]
    answer = send(alice, at(shop, query="?rule=2"), condition="unpaid")
    assert "Rules with another condition under this name: pay ." in text_of(answer)
    send(alice, at(shop, query="?rule=2"), predicate="paid is null")
    assert rule(shop, 1)["predicate"] == "paid is not true", "it has another condition, so it keeps it"


def test_another_change_of_a_rule_changes_no_other(alice: Client, shop: str) -> None:
    answer = send(alice, at(shop, query="?rule=1"), label="Payment")

    assert "also in" not in text_of(answer)
    assert rule(shop, 2) == api.drafts.running_definition(shop)[1]["triggers"][1]


def test_a_new_rule_takes_a_condition_by_its_name(alice: Client, shop: str) -> None:
    new = at(shop, query="?rule=new")
    send(alice, new, name="call", transition="tr_call", condition="unpaid", predicate="")
    assert rule(shop, 4)["predicate"] == "not paid"
    send(alice, new, name="x", transition="tr_x", condition="unknown")
    assert not rule(shop, 5).get("predicate")


def test_what_has_no_rule_begins_one(alice: Client, shop: str) -> None:
    text = text_of(alice.get(at(shop)))
    assert "Conditions without a rule: late not paid" in text
    assert "Transitions without a rule: tr_call 3d" in text
    form = opened(alice, at(shop, query="?rule=new&condition=late&transition=tr_call"))
    assert (form["condition"], form["predicate"]) == ("late", "not paid")
    assert (form["transition"], form["timeout"]) == ("tr_call", "3d")
    send(alice, at(shop, query="?rule=new&condition=late&transition=tr_call"), name="call")
    assert "without a rule" not in text_of(alice.get(at(shop)))
    assert opened(alice, at(shop, query="?rule=new&condition=nothing"))["condition"] == ""


def test_a_draft_with_strange_names_is_shown(alice: Client, shop: str) -> None:
    wrong = api.drafts.running_definition(shop)[1]
    wrong["triggers"][0] |= {"condition": ["a"], "predicate": 3}
    wrong["triggers"][1] |= {"condition": {"a": 1}}
    api.drafts.open(shop, definition=wrong)

    for query in ("?rule=1", "?rule=2", "?rule=3", "?rule=new&condition=unpaid"):
        assert alice.get(at(shop, query=query)).status_code == 200
