"""The panel of a rule or attribute: one name, only the fields that apply, and the next one after saving."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from flows import api
from flows.definition import ATTRIBUTE, TRIGGER
from flows.designer.editor.fields import OptionsForm, grouped
from flows.tests.publication.drafting import at, send

pytestmark = pytest.mark.django_db(transaction=True)
OF_TRANSITIONS = {"transition", "timeout", "max_attempts", "performer", "form", "compensation", "writes"}


def hidden(options: object, **values: object) -> set[str]:
    form = OptionsForm(options, values)  # type: ignore[arg-type]
    return {each.field.name for group in grouped(form, {}) for each in group.fields if each.hidden}


@pytest.mark.parametrize("values", [{"final": True}, {"integrity": "always"}])
def test_what_fires_nothing_has_no_fields_of_transitions(values: dict[str, object]) -> None:
    found = hidden(TRIGGER, **values)
    assert found >= OF_TRANSITIONS and not found & {"label", "predicate", "final", "integrity", "description"}
    assert hidden(TRIGGER, predicate="a is null") == set()


def test_only_an_attribute_with_options_has_fields_of_them() -> None:
    assert hidden(ATTRIBUTE, type="text") == {"options", "option_labels"}
    assert hidden(ATTRIBUTE, type="enum") == set()


def test_a_field_with_a_problem_is_shown_wherever_it_is() -> None:
    form = OptionsForm(TRIGGER, {"final": True})
    groups = grouped(form, {"timeout": ["It is no duration."]})
    shown = {each.field.name for group in groups for each in group.fields if not each.hidden}
    assert "timeout" in shown and "transition" not in shown


def test_a_rule_has_one_name_which_comes_first(alice: Client, fig2: str) -> None:
    page = alice.get(at(fig2, query="?rule=1")).content.decode()
    names = re.findall(r'<(?:input|select|textarea)[^>]* name="(\w+)"', page[page.index('id="panel"') :])
    assert [name for name in names if name in ("label", "name", "condition")] == [
        "label",
        "name",
        "condition",
    ]
    assert names.index("label") < names.index("predicate") < names.index("name")
    assert 'placeholder="t1"' in page, "what people read while it is empty"
    assert page.count("The name shown to people") == 0


def test_after_one_rule_the_next_can_be_added(alice: Client, fig2: str) -> None:
    before = len(api.flows.definition(fig2)["triggers"])
    rule = {"label": "Next", "predicate": "a1 = 'x'", "transition": "tr_next"}
    answer = send(alice, at(fig2, query="?rule=new"), do="another", **rule)
    assert answer.redirect_chain[-1][0].endswith("?rule=new#panel")
    assert len(api.drafts.read(fig2).definition["triggers"]) == before + 1
    again = send(alice, at(fig2, query="?rule=1"), do="another", label="Changed")
    assert again.redirect_chain[-1][0].endswith("?rule=new#panel")
    assert len(api.drafts.read(fig2).definition["triggers"]) == before + 1, "nothing is added by that"
