"""The tab Forms of the designer: the form of a task is begun, arranged and described, and undone again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from flows import api
from flows.designer.forms.form_fields import KINDS
from flows.designer.forms.form_parts import Place
from flows.tests.designer import browser
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, draft, rule, send, submit, text_of
from flows.tests.publication.publish_page import member

pytestmark = pytest.mark.django_db
DEFINITION: dict[str, Any] = {
    "attributes": [
        {"name": "cost", "type": "numeric", "label": "Cost"},
        {"name": "reason", "label": "Reason"},
        {"name": "kind", "type": "enum", "options": ["small", "large"]},
        {"name": "parts", "type": "jsonb"},
        {"name": "done"},
    ],
    "triggers": [
        {
            "transition": "inspect", "predicate": "done is null", "performer": "person",
            "outcomes": ["Ready: done = 'yes'"],
        },
        {"transition": "send", "predicate": "done = 'yes' and cost > 1"},
        {"predicate": "done = 'no'", "final": True},
    ],
}  # fmt: skip
TWO = {
    "sections": [
        {"title": "Costs", "fields": [{"attribute": "cost", "unit": "BRL"}, {"attribute": "kind"}]},
        {"fields": [{"attribute": "reason", "shown": "cost > 1"}]},
    ]
}


@pytest.fixture(scope="module")
def standing_task_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_task_flow)


def made_task_flow() -> str:
    flow = unique()
    api.flows.create(flow)
    api.flows.publish(flow, DEFINITION)
    return flow


@pytest.fixture
def task_flow(standing_task_flow: str, db: None) -> str:
    """A flow with a task whose rule has no form."""
    cache.clear()  # it has what other tests have done with the flow
    return standing_task_flow


def tab(flow: str, query: str = "") -> str:
    return at(flow, "forms", query)


def form_of(flow: str) -> Any:
    return rule(flow, 1).get("form")


def give(client: Client, flow: str, form: Any) -> None:
    send(client, at(flow, query="?rule=1"), form=json.dumps(form))


def names(flow: str) -> list[list[str]]:
    return [[one["attribute"] for one in each["fields"]] for each in form_of(flow)["sections"]]


def test_a_task_without_a_form_shows_what_its_default_one_asks_for(alice: Client, task_flow: str) -> None:
    shown = text_of(alice.get(tab(task_flow)))
    assert "This task has the default form" in shown and "default form" in shown
    page = alice.get(tab(task_flow)).content.decode()
    for width in ("desktop", "phone"):
        assert f'id="{width}-value-cost"' in page and f'name="list-done" id="{width}' not in page
        assert f'id="{width}-value-done"' not in page  # an outcome sets it


def test_the_form_is_begun_with_the_fields_of_the_default_one(alice: Client, task_flow: str) -> None:
    answer = send(alice, tab(task_flow), "begin")
    assert names(task_flow) == [["cost", "reason", "kind", "parts"]]
    assert "inspect: a form of its own" in text_of(answer)
    send(alice, tab(task_flow), "clear")
    assert "form" not in rule(task_flow, 1) or form_of(task_flow) is None
    assert draft(task_flow).definition == draft(task_flow).base


def test_every_option_of_a_field_is_described(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    typed = {"label": "Amount", "help": "With tax", "placeholder": "10", "default": "0", "unit": "EUR"}
    conditions = {"required_when": "when", "required": "kind = 'large'", "readonly_when": "always"}
    send(alice, tab(task_flow, "?rule=1&at=0.0"), **typed, **conditions, width="half", shown_when="never")
    found = form_of(task_flow)["sections"][0]["fields"][0]
    assert found == {
        "attribute": "cost", **typed, "width": "half", "shown": False, "required": "kind = 'large'",
        "readonly": True,
    }  # fmt: skip
    shown = opened(alice, tab(task_flow, "?rule=1&at=0.0"))
    assert (shown["required_when"], shown["required"], shown["width"]) == ("when", "kind = 'large'", "half")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ({"kind": "choices", "options": "a\r\nb"}, {"options": ["a", "b"]}),
        ({"kind": "file", "accept": "image/*", "max_kb": "10", "capture": "user"},
         {"accept": ["image/*"], "max_kb": 10, "capture": "user"}),
        ({"kind": "table", "column-0-name": "a", "column-0-label": "A", "column-0-type": "choice",
          "column-0-options": "x, y", "column-0-required": "1", "column-1-name": "b"},
         {"columns": [{"name": "a", "label": "A", "type": "choice", "options": ["x", "y"], "required": True},
                      {"name": "b"}]}),
    ],
)  # fmt: skip
def test_each_kind_has_its_own_options(
    alice: Client, task_flow: str, typed: dict[str, str], found: dict[str, Any]
) -> None:
    give(alice, task_flow, {"sections": [{"fields": [{"attribute": "parts"}]}]})
    send(alice, tab(task_flow, "?rule=1&at=0.0"), **typed)
    whole = {"attribute": "parts", "kind": typed["kind"], **found}
    assert form_of(task_flow)["sections"][0]["fields"] == [whole]
    assert not api.conditions.check_definition(task_flow, draft(task_flow).definition)
    send(alice, tab(task_flow, "?rule=1&at=0.0"))  # what is shown again is the same
    assert form_of(task_flow)["sections"][0]["fields"] == [whole]
    send(alice, tab(task_flow, "?rule=1&at=0.0"), kind="")
    assert "columns" not in form_of(task_flow)["sections"][0]["fields"][0]


@pytest.mark.parametrize(
    ("attribute", "found"),
    [
        ("cost", {"min": "0.1", "max": "12345678901234567890"}),
        ("reason", {"min_length": "2", "max_length": "9", "pattern": "^a+$"}),
    ],
)
def test_the_limits_of_a_field_are_those_of_its_type(
    alice: Client, task_flow: str, attribute: str, found: dict[str, str]
) -> None:
    give(alice, task_flow, {"sections": [{"fields": [{"attribute": attribute}]}]})
    send(alice, tab(task_flow, "?rule=1&at=0.0"), **found)
    (field,) = form_of(task_flow)["sections"][0]["fields"]
    assert {name: str(value) for name, value in field.items() if name != "attribute"} == found
    assert not api.conditions.check_definition(task_flow, draft(task_flow).definition)
    shown = opened(alice, tab(task_flow, "?rule=1&at=0.0"))
    assert {name: shown[name] for name in found} == found
    assert not {"min", "min_length"} - {*found} & {*shown}, "limits of other types are not asked for"
    send(alice, tab(task_flow, "?rule=1&at=0.0"), **dict.fromkeys(found, ""))
    assert form_of(task_flow)["sections"][0]["fields"] == [{"attribute": attribute}]


def test_a_limit_that_is_none_is_named_at_its_field(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, {"sections": [{"fields": [{"attribute": "cost"}]}]})
    answer = send(alice, tab(task_flow, "?rule=1&at=0.0"), min="much")
    assert form_of(task_flow)["sections"][0]["fields"] == [{"attribute": "cost", "min": "much"}]
    assert '"much" is not a value of min in the field of "cost".' in unescape(text_of(answer))
    assert api.conditions.check_definition(task_flow, draft(task_flow).definition)


@pytest.mark.parametrize("language", ["en", "pt-br"])
@pytest.mark.parametrize("attribute", ["cost", "reason", "kind", "parts"])
def test_no_two_options_of_a_field_have_the_same_label(
    alice: Client, task_flow: str, attribute: str, language: str
) -> None:
    give(alice, task_flow, {"sections": [{"fields": [{"attribute": attribute}]}]})
    alice.cookies["django_language"] = language
    page = alice.get(tab(task_flow, "?rule=1&at=0.0")).content.decode()
    found = re.findall(r'<label for="id_[^"]*">([^<]+)</label>', page)
    assert len(found) > 12 and sorted({*found}) == sorted(found)


def test_the_preview_marks_what_is_always_required_and_shows_patterns(alice: Client, task_flow: str) -> None:
    always, pattern = {"attribute": "cost", "required": True}, {"attribute": "reason", "pattern": "^[A-Z]"}
    give(alice, task_flow, {"sections": [{"fields": [always, pattern]}]})
    page = alice.get(tab(task_flow, "?rule=1")).content.decode()
    found = re.findall(r'data-attribute="(\w+)".*?<span class="required"( hidden)?>', page, re.DOTALL)
    assert found == [("cost", ""), ("reason", " hidden")] * 2, "at both widths"
    assert page.count("pattern: <code>^[A-Z]</code>") == 2


def test_a_query_is_described(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    typed = {"query_where": "cost >= my_cost", "query_value": "reason", "query_columns": "kind\ncost"}
    send(alice, tab(task_flow, "?rule=1&at=1.0"), kind="query", **typed)
    found = form_of(task_flow)["sections"][1]["fields"][0]
    assert found["query"] == {"where": "cost >= my_cost", "value": "reason", "columns": ["kind", "cost"]}
    assert found["shown"] == "cost > 1" and not api.conditions.check_definition(
        task_flow, draft(task_flow).definition
    )


def test_sections_and_fields_are_added_moved_and_deleted(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    send(alice, tab(task_flow), "add:1", **{"attribute-1": "parts"})
    assert names(task_flow) == [["cost", "kind"], ["reason", "parts"]]
    send(alice, tab(task_flow, "?rule=1&at=0.1"), "down")  # over the end of its section
    assert names(task_flow) == [["cost"], ["kind", "reason", "parts"]]
    send(alice, tab(task_flow, "?rule=1&at=1.0"), "up")
    assert names(task_flow) == [["cost", "kind"], ["reason", "parts"]]
    send(alice, tab(task_flow), "move:1.1:0.0")
    assert names(task_flow) == [["parts", "cost", "kind"], ["reason"]]
    send(alice, tab(task_flow, "?rule=1&at=0"), "down")
    assert names(task_flow) == [["reason"], ["parts", "cost", "kind"]]
    send(alice, tab(task_flow), "section")
    send(alice, tab(task_flow, "?rule=1&at=2"), title="Last", help="Nothing yet")
    assert form_of(task_flow)["sections"][2] == {"fields": [], "title": "Last", "help": "Nothing yet"}
    send(alice, tab(task_flow, "?rule=1&at=1.1"), "delete")
    send(alice, tab(task_flow, "?rule=1&at=0"), "delete")
    assert names(task_flow) == [["parts", "kind"], []]


def test_what_is_typed_is_saved_by_every_other_button(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    send(alice, tab(task_flow, "?rule=1&at=0.0"), "down", label="One")
    send(alice, tab(task_flow, "?rule=1&at=0.1"), "add:0", unit="USD", **{"attribute-0": "parts"})
    answer = send(alice, tab(task_flow, "?rule=1&at=1.0"), "save", help="Why", next="0.0")
    found = {one["attribute"]: one for each in form_of(task_flow)["sections"] for one in each["fields"]}
    assert (found["cost"]["label"], found["cost"]["unit"], found["reason"]["help"]) == ("One", "USD", "Why")
    assert names(task_flow) == [["kind", "cost", "parts"], ["reason"]]
    assert answer.redirect_chain[-1][0].endswith("?rule=1&at=0.0#panel")


def test_each_change_is_undone_by_itself_and_the_same_form_stays_open(alice: Client, task_flow: str) -> None:
    send(alice, tab(task_flow), "begin")
    send(alice, tab(task_flow, "?rule=1&at=0.0"), label="One")
    fields = opened(alice, tab(task_flow))
    sent = {name: fields[name] for name in ("seen", "tab", "task")} | {"do": "undo"}
    answer = alice.post(at(task_flow, "draft"), sent, follow=True)
    assert form_of(task_flow)["sections"][0]["fields"][0] == {"attribute": "cost"}
    assert answer.redirect_chain[-1][0] == tab(task_flow, "?rule=1")
    assert "field cost" in text_of(answer)  # what redo would do


def test_what_cannot_be_saved_stays_typed_with_the_reason(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    revision = draft(task_flow).revision
    answer = send(alice, tab(task_flow, "?rule=1&at=0.0"), required_when="when", label="Kept")
    assert "Write the condition, or choose another answer." in text_of(answer)
    assert 'value="Kept"' in answer.content.decode() and draft(task_flow).revision == revision
    answer = send(alice, tab(task_flow, "?rule=1&at=0.0"), kind="none of them", label="Kept")
    assert "Nothing was saved" in text_of(answer) and draft(task_flow).revision == revision


def test_a_condition_that_is_wrong_is_a_problem_and_is_shown_at_the_form(
    alice: Client, task_flow: str
) -> None:
    give(alice, task_flow, TWO)
    answer = send(alice, tab(task_flow, "?rule=1&at=0.0"), shown_when="when", shown="no_such > 1")
    assert "There is no attribute" in text_of(answer) and "no_such" in text_of(answer)
    assert form_of(task_flow)["sections"][0]["fields"][0]["shown"] == "no_such > 1"


def test_the_look_follows_what_is_typed_and_writes_nothing(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    revision = draft(task_flow).revision
    fields = opened(alice, tab(task_flow, "?rule=1&at=0.0")) | {"do": "look", "prefix": "phone-"}
    shown = alice.post(tab(task_flow), fields | {"label": "Typed now"}).content.decode()
    assert "Typed now" in shown and 'id="phone-value-cost"' in shown
    wrong = fields | {"shown_when": "when", "shown": "cost >"}
    assert "field-error" in alice.post(tab(task_flow), wrong).content.decode()
    assert "Write the condition" in alice.post(tab(task_flow), wrong | {"shown": ""}).content.decode()
    assert draft(task_flow).revision == revision


def test_two_persons_who_change_one_form_decide(alice: Client, task_flow: str) -> None:
    give(alice, task_flow, TWO)
    mine = opened(alice, tab(task_flow, "?rule=1&at=0.0"))
    send(alice, tab(task_flow, "?rule=1&at=0.1"), label="Theirs")
    answer = submit(alice, tab(task_flow), mine, label="Mine")
    assert answer.status_code == 409 and "form" in text_of(answer)
    assert form_of(task_flow)["sections"][0]["fields"][0] == {"attribute": "cost", "unit": "BRL"}
    other = opened(alice, tab(task_flow, "?rule=1&at=1.0"))
    send(alice, at(task_flow, query="?rule=2"), timeout="5 min")  # another rule is merged
    answer = submit(alice, tab(task_flow), other, label="Both")
    assert "It was merged with" in text_of(answer)
    assert form_of(task_flow)["sections"][1]["fields"][0]["label"] == "Both"
    assert rule(task_flow, 2)["timeout"] == "5 min"


@pytest.mark.parametrize(
    "sent",
    [
        {"rule": "2"}, {"rule": "99"}, {"rule": "x"}, {"rule": ""}, {"seen": "x"}, {"do": "explode"},
        {"do": ""},
        {"do": "add:9", "attribute-9": "parts"}, {"do": "add:0", "attribute-0": "none"}, {"do": "add:0.1"},
        {"do": "move:0.0"}, {"do": "move:0.0:9"}, {"do": "move:9:0"}, {"do": "move:0:0.1"}, {"do": "save"},
        {"do": "delete"}, {"do": "up", "at": "7.7"}, {"do": "save", "at": "-1"},
        {"do": "down", "at": "0.99999999"},
    ],
)  # fmt: skip
def test_what_no_page_sends_changes_nothing(alice: Client, task_flow: str, sent: dict[str, str]) -> None:
    give(alice, task_flow, TWO)
    revision = draft(task_flow).revision
    answer = alice.post(tab(task_flow), opened(alice, tab(task_flow)) | {"at": ""} | sent, follow=True)
    assert answer.status_code in (200, 409) and "Nothing was saved" in text_of(answer)
    assert (draft(task_flow).revision, form_of(task_flow)) == (revision, TWO)


@pytest.mark.parametrize(
    "form", [[], {"sections": 3}, {"sections": [{"fields": [{}]}]}, "text", {"sections": [7]}]
)
def test_a_form_that_is_no_list_of_fields_is_left_as_it_is(alice: Client, task_flow: str, form: Any) -> None:
    give(alice, task_flow, form)
    answer = alice.get(tab(task_flow))
    assert answer.status_code == 200
    assert form == [] or "cannot be arranged here" in text_of(answer)


@pytest.mark.parametrize("part", ["at=0.0", "at=0", "at=9.9", "at=x", "at=1.0"])
def test_a_field_with_values_of_any_form_is_shown(alice: Client, task_flow: str, part: str) -> None:
    odd = {"label": 7, "width": [1], "kind": "none", "options": "no list", "columns": [1, {"name": {}}],
           "query": 3, "max_kb": "much", "shown": 5, "attribute": "parts", "unknown": True}  # fmt: skip
    give(alice, task_flow, {"sections": [{"title": 5, "fields": [odd]}, {"fields": [{"attribute": "gone"}]}]})
    assert alice.get(tab(task_flow, f"?rule=1&{part}")).status_code == 200
    send(alice, tab(task_flow, "?rule=1&at=0.0"), help="x", kind="")
    assert form_of(task_flow)["sections"][0]["fields"][0]["unknown"] is True


def test_a_flow_without_tasks_says_what_one_is(alice: Client, fig2: str) -> None:
    assert "This flow has no tasks yet" in text_of(alice.get(tab(fig2)))


def test_who_may_only_see_the_definition_changes_nothing(task_flow: str) -> None:
    sees = browser(member(f"flow:{task_flow}:view"))
    answer = sees.get(tab(task_flow))
    assert "This task has the default form" in text_of(answer)
    assert 'value="begin"' not in answer.content.decode()
    assert sees.post(tab(task_flow), {"do": "begin", "rule": "1"}).status_code == 404


def test_the_kinds_that_are_offered_are_those_that_the_kernel_takes() -> None:
    types = ("text", "integer", "numeric", "boolean", "date", "time", "timestamptz", "enum", "jsonb")
    kinds = ("short", "long", "choice", "choices", "person", "table", "file", "query")
    query = "select wedsql._form_shows(k, %s) from unnest(%s::text[]) with ordinality u (k, n) order by n"
    for kind in types:
        with connection.cursor() as cursor:
            cursor.execute(query, [kind, list(kinds)])
            taken = [name for name, (one,) in zip(kinds, cursor.fetchall(), strict=True) if one]
        assert sorted(KINDS.get(kind, ())) == sorted(taken), kind


@pytest.mark.parametrize("text", ["", "x", "1.", ".1", "1.2.3", "-1", "99999", "\uff11", "0.x"])
def test_a_place_is_numbers(text: str) -> None:
    assert Place.read(text) is None
