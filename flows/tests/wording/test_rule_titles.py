"""What a rule is called: by one order of its names, the same on every page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.labels import rule_in_sentence, rule_title
from flows.tests.commands import run
from flows.tests.pages import unique
from flows.tests.publication.publish_page import address, drafted, text_of
from flows.tests.trial.test_trial_page import Page

NAMED = """
insert into wed_attr (aname, adv) values ('a1', 'new');
insert into wed_trig (tgname, trname, cname, cpred) values
  ('Ask the customer', 'tr_ask', 'c_new', $$a1 = 'new'$$);
insert into wed_trig (cpred, cfinal) values ($$a1 = 'done'$$, true);
"""


@pytest.mark.parametrize(
    ("rule", "title"),
    [
        ({"name": "Ask", "condition": "c1", "transition": "tr_ask"}, "Ask"),
        ({"name": "Ask", "label": "Ask them", "transition": "tr_ask"}, "Ask them"),
        ({"name": "", "condition": "c1", "transition": "tr_ask"}, "c1"),
        ({"name": None, "transition": "tr_ask"}, "tr_ask"),
        ({"name": "_FINAL", "condition": "_FINAL", "transition": "_FINAL", "final": True}, "Final condition"),
        ({"name": "Paid", "transition": "_FINAL", "final": True}, "Paid"),
        ({}, "Rule without a name"),
    ],
)
def test_a_rule_is_called_by_its_label_or_the_first_of_its_names(rule: dict[str, Any], title: str) -> None:
    assert rule_title(rule) == title
    assert rule_in_sentence(rule) in (title, f"the {title.lower()}", f"a {title.lower()}")


@pytest.mark.django_db
def test_a_rule_that_has_only_a_name_is_called_by_it_on_every_page(alice: Client, tmp_path: Any) -> None:
    path, flow = tmp_path / "named.sql", unique()
    path.write_text(NAMED)
    run("flow", "load", str(path), "--flow", flow, "--actor", "alice")
    drafted(flow, "a1 = 'new' and a1 = 'old'")
    api.instances.start(flow)

    checks, impact = (
        alice.get(address(*page)) for page in (("checks", flow), ("publish", flow, "?examine=1"))
    )
    assert "The condition of Ask the customer is true on no state" in text_of(checks)
    assert '<th role="rowheader" scope="row">Ask the customer' in impact.content.decode()
    drafted(flow, "a1 = 'new'")
    trial = Page(alice, flow, "a1")
    trial.do("start")
    assert "<strong>Ask the customer</strong>" in trial.page and "Fired: Ask the customer" in trial.text
    for tab in ("rules", "picture", "whatif"):
        assert ">Ask the customer</a>" in alice.get(address(tab, flow)).content.decode(), tab
