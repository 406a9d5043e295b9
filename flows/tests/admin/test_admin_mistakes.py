"""Every error on the page of a flow is shown at its field, and nothing is saved."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client

from flows.admin.refusals import Refusal
from flows.models import Flow, Trigger
from flows.tests.designer import ADD, blank, change, define, schema_exists
from flows.tests.pages import all_errors, errors_at, figure_two, unique

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("predicate", "at"),
    [
        ("a1 = 'ready' and nowhere is null", "nowhere"),
        ("a1 = 'ready' and (select true)", "select"),
        ("pg_sleep(10) is null", "pg_sleep"),
        ("a1 = ", None),
        ("a1 || 'x'", None),
        ("a1 = 1", None),
        ("", None),
        ("a1 = 'it''s <script>alert(1)</script>' and nowhere", "nowhere"),
    ],
)
def test_a_refused_predicate_is_shown_at_its_row(alice: Client, predicate: str, at: str | None) -> None:
    name = unique()
    typed = figure_two(name) | {"triggers-1-predicate": predicate}

    response = alice.post(ADD, blank(alice) | typed)

    assert response.status_code == 200
    assert errors_at(response, "triggers-1-predicate"), all_errors(response)
    assert not errors_at(response, "triggers-0-predicate")
    if at:
        shown = response.content.decode()
        assert "<script>alert" not in shown
        line, caret = (
            shown.split('class="wed-excerpt" aria-hidden="true">')[1].split("</code>")[0].split("\n")
        )
        line = line.replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
        assert line[caret.index("^") :].startswith(at)
    assert not Flow.objects.filter(name=name).exists()
    assert not schema_exists(name)


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        (
            "triggers-1-predicate",
            "a1 = now()",
            'Uma condição não pode depender da hora: "now" não é permitido.',
        ),
        (
            "triggers-1-predicate",
            "a1 || 'x'",
            "Isto é do tipo text; uma condição precisa ser verdadeira ou falsa.",
        ),
        ("attributes-1-name", "wid", '"wid" é reservado e não pode ser o nome de um atributo.'),
    ],
)
def test_the_kernel_s_errors_are_shown_in_portuguese(
    alice: Client, field: str, value: str, shown: str
) -> None:
    alice.cookies["django_language"] = "pt-br"
    typed = figure_two(unique()) | {field: value}

    response = alice.post(ADD, blank(alice) | typed)

    assert shown in unescape(errors_at(response, field))


@pytest.mark.parametrize(
    "attribute", ["wid", "a b", "Ä", "A1", "1a", "status", "a-b", "_x", "x" * 64, "a'b", 'a"b']
)
def test_a_name_that_cannot_be_is_refused_at_the_name(alice: Client, attribute: str) -> None:
    name = unique()
    typed = figure_two(name) | {"attributes-1-name": attribute}

    response = alice.post(ADD, blank(alice) | typed)

    assert response.status_code == 200
    assert errors_at(response, "attributes-1-name"), all_errors(response)
    assert not schema_exists(name)


@pytest.mark.parametrize("bad", ["wedsql", "public", "pg_x", "Orders", "a b", "", "x" * 64, "a'b", "\x00"])
def test_a_flow_name_that_cannot_be_is_refused_at_the_name(alice: Client, bad: str) -> None:
    response = alice.post(ADD, blank(alice) | figure_two(bad))

    assert response.status_code == 200
    assert errors_at(response, "name"), all_errors(response)
    assert not Flow.objects.filter(name=bad.replace("\x00", "")).exists()


def test_a_flow_name_that_is_taken_is_refused_at_the_name(alice: Client) -> None:
    name = define(alice)

    response = alice.post(ADD, blank(alice) | figure_two(name))

    assert errors_at(response, "name")


def test_two_attributes_of_one_name_are_refused_at_the_second(alice: Client) -> None:
    name = unique()

    response = alice.post(ADD, blank(alice) | figure_two(name) | {"attributes-2-name": "a1"})

    assert errors_at(response, "attributes-2-name")
    assert not errors_at(response, "attributes-0-name")
    assert not schema_exists(name)


def test_a_second_final_condition_is_refused_at_its_box(alice: Client) -> None:
    name = unique()
    second = {"triggers-2-final": "on", "triggers-2-transition": "", "triggers-2-name": ""}

    response = alice.post(ADD, blank(alice) | figure_two(name) | second)

    assert "OR" in errors_at(response, "triggers-3-final") + errors_at(response, "triggers-2-final")
    assert not schema_exists(name)


def test_ten_million_characters_are_refused_and_nothing_is_lost(alice: Client, fig2: str) -> None:
    name = fig2
    before = Flow.objects.get(name=name).version

    response = change(alice, name, **{"triggers-0-predicate": "a1='ready' or " + "a" * 10_000_000})

    assert response.status_code == 200
    assert errors_at(response, "triggers-0-predicate")
    assert Flow.objects.get(name=name).version == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timeout", "soon"),
        ("timeout", "-1 hour"),
        ("backoff", "never"),
        ("max_attempts", "0"),
        ("max_attempts", "99999999999"),
        ("priority", "a"),
        ("due_attr", "a1"),
        ("writes", "nowhere"),
    ],
)
def test_a_wrong_option_of_a_trigger_is_refused(alice: Client, fig2: str, field: str, value: str) -> None:
    response = change(alice, fig2, **{f"triggers-0-{field}": value})

    assert response.status_code == 200
    assert errors_at(response, f"triggers-0-{field}"), all_errors(response)


def test_a_default_that_is_no_value_of_the_type_is_refused_at_the_default(alice: Client) -> None:
    typed = {"attributes-1-type": "integer", "attributes-1-default": "many"}

    response = alice.post(ADD, blank(alice) | figure_two(unique()) | typed)

    assert "many" in errors_at(response, "attributes-1-default")


def test_all_mistakes_of_the_triggers_are_shown_at_once(alice: Client) -> None:
    typed = {"triggers-0-predicate": "nowhere", "triggers-2-predicate": "elsewhere"}

    response = alice.post(ADD, blank(alice) | figure_two(unique()) | typed)

    assert "nowhere" in errors_at(response, "triggers-0-predicate")
    assert "elsewhere" in errors_at(response, "triggers-2-predicate")
    assert not errors_at(response, "triggers-1-predicate")


def test_what_only_the_commit_finds_is_shown_on_the_page(alice: Client) -> None:
    name = define(alice)
    with connection.cursor() as cursor:
        cursor.execute(
            "create function pg_temp.late() returns trigger language plpgsql as"
            " $$ begin raise exception 'Found late.' using errcode = 'WD010'; end $$;"
            " create constraint trigger zz_late after update on wedsql.trig deferrable initially deferred"
            " for each row execute function pg_temp.late()"
        )

    response = change(alice, name, **{"triggers-0-label": "first"})

    assert response.status_code == 200
    assert "Found late." in errors_at(response, ":row"), all_errors(response)
    assert not Trigger.objects.filter(flow__name=name, label="first").exists()


def test_texts_of_an_error_are_escaped() -> None:
    said = Refusal("name", "<b>", "<i>", ("<u>",), ("<s>", " ^")).as_error().messages[0]

    assert re.findall(r"<(\w+)", said) == ["span", "span", "ul", "li", "code"]
