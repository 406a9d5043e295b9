"""What the condition editor asks the server: the problem and the sentence of a condition, and completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import translation

from flows import api
from flows.definition.condition_sentences import sentence
from flows.designer.editor.conditions import LARGEST_REQUEST
from flows.tests.designer import ADD

pytestmark = pytest.mark.django_db

TYPES = {"payment": "enum", "stock": "text", "items": "integer", "paid": "boolean", "due": "date"}
LABELS = {"payment": "Payment", "stock": "Stock", "items": "Items", "paid": "Paid", "due": "Due day"}
CHECK = "admin:flows_flow_check_condition"


def ask(client: Client, body: Any, **more: Any) -> Any:
    content = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return client.post(reverse(CHECK), content, content_type="application/json", **more)


def said(predicate: str, language: str = "en") -> str:
    with translation.override(language):
        return sentence(api.conditions.outline(TYPES, predicate), LABELS)


# Sentences


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("payment = 'paid' and stock = 'reserved'", "Payment is 'paid' and Stock is 'reserved'"),
        ("stock='a' or items>3 and paid", "Stock is 'a' or (Items is greater than 3 and Paid is yes)"),
        ("(stock = 'a' or paid) and items <= -5", "(Stock is 'a' or Paid is yes) and Items is at most -5"),
        ("not (payment = 'paid')", "Payment is not 'paid'"),
        ("not not not paid", "Paid is no"),
        ("not (paid and items = 1)", "not (Paid is yes and Items is 1)"),
        ("not items < 3", "Items is at least 3"),
        ("stock is null and due is not null", "Stock is empty and Due day has a value"),
        ("not due notnull", "Due day is empty"),
        ("stock in ('a', 'it''s')", "Stock is one of 'a', 'it's'"),
        ("items not in (1, 2)", "Items is none of 1, 2"),
        ("items between 1 and 5 and paid = true", "Items is from 1 to 5 and Paid is yes"),
        ("not items not between 1 and 5", "Items is from 1 to 5"),
        ("due < date '2026-01-01'", "Due day is less than '2026-01-01'"),
        ("due >= '2026-01-01'::date", "Due day is at least '2026-01-01'"),
        ("stock = payment", "Stock is Payment"),
        ("stock is distinct from 'a'", "Stock differs from 'a'"),
        ("stock is not distinct from null", "Stock is empty"),
        ("paid is not true", "Paid is no or empty"),
    ],
)  # fmt: skip
def test_a_condition_is_said_with_the_labels(predicate: str, expected: str) -> None:
    assert api.conditions.check(TYPES, predicate)[0] is None, "the case itself is accepted"
    assert said(predicate) == expected


@pytest.mark.parametrize(
    "part",
    [
        "lower(stock) = 'a'",
        "items + 1 > 3",
        "stock like 'a%'",
        "3 < items",
        "items = null",
        "items::text = '3'",
        "case when paid then items = 1 or items = 2 else false end",
        "items between symmetric 5 and 1",
        "stock ~ '^a'",
        "coalesce(paid, false)",
    ],
)
def test_a_part_without_a_plain_sentence_is_shown_as_sql(part: str) -> None:
    assert said(part) == part
    assert said(f"paid and ({part})") == f"Paid is yes and {part}"
    assert said(f"not ({part})") == f"not ({part})"


def test_a_sentence_is_in_the_language_of_the_reader() -> None:
    assert said("payment = 'paid' and stock is null", "pt-br") == "Payment é 'paid' e Stock está vazio"


# The check


def test_a_condition_without_a_problem_has_a_sentence(alice: Client) -> None:
    answer = ask(alice, {"types": TYPES, "labels": LABELS, "predicate": "payment = 'paid'"})

    assert answer.status_code == 200
    assert answer.json() == {"problem": None, "reads": ["payment"], "sentence": "Payment is 'paid'"}


@pytest.mark.parametrize(
    ("predicate", "code", "place"),
    [("paid and stok = 'a'", "WD005", (10, 4)), ("items = 'many'", "WD006", (9, 6)), ("", "WD005", (1, 0))],
)
def test_a_problem_has_its_place(alice: Client, predicate: str, code: str, place: tuple[int, int]) -> None:
    problem = ask(alice, {"types": TYPES, "predicate": predicate}).json()["problem"]

    assert (problem["code"], (problem["position"], problem["length"])) == (code, place)
    assert problem["message"] and problem["hint"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "not_json"),
        ("{", 400, "not_json"),
        (b"\xff\xfe", 400, "not_json"),
        ("[" * 100_000, 400, "not_json"),
        ("[]", 400, "bad_request"),
        ("null", 400, "bad_request"),
        ({"types": TYPES}, 400, "bad_request"),
        ({"types": [], "predicate": "paid"}, 400, "bad_request"),
        ({"types": TYPES, "predicate": 3}, 400, "bad_request"),
        ({"types": TYPES, "predicate": "paid\0"}, 400, "bad_request"),
        ({"types": TYPES, "predicate": "paid = '\ud800'"}, 400, "bad_request"),
        ({"types": {"a": "money"}, "predicate": "a = 1"}, 400, "bad_attribute"),
        ({"types": {"a": ["text"]}, "predicate": "a = 1"}, 400, "bad_attribute"),
        ({"types": {"A": "text"}, "predicate": "a = 1"}, 400, "bad_attribute"),
        ({"types": {'a" integer); --': "text"}, "predicate": "a = 1"}, 400, "bad_attribute"),
        ({"types": {"\ud800": "text"}, "predicate": "a = 1"}, 400, "bad_attribute"),
        ({"types": {f"a{n}": "text" for n in range(2_000)}, "predicate": "a1 = '1'"}, 400, "bad_attribute"),
        ("9" * (LARGEST_REQUEST + 1), 413, "too_large"),
        ("x" * 10_000_000, 413, "too_large"),
        ("x" * 13_000_000, 413, "too_large"),
    ],
)
def test_a_bad_request_gets_a_typed_answer(alice: Client, body: Any, status: int, code: str) -> None:
    answer = ask(alice, body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "predicate",
    [
        "(" * 5_000,
        "not " * 900 + "paid",
        "(" * 49 + "paid" + ")" * 49,
        " and ".join(["paid"] * 500),
        " or ".join(["stock = 'a'"] * 250),
        "paid; drop table wedsql.flow",
        "pg_sleep(10) is null",
        "(select 1) = 1",
        "stock = 'é\u202e'",
        "stock ~ '(a{255}){255}'",
        "repeat(stock, 1000000) = 'a'",
        "x" * 200_000,
        "items = 1/0",
        "paid -- and",
        "\x01",
    ],
)
def test_a_hostile_condition_gets_an_answer(alice: Client, predicate: str) -> None:
    answer = ask(alice, {"types": TYPES, "predicate": predicate})

    assert answer.status_code == 200
    found = answer.json()
    assert (found["problem"] is None) == bool(found["sentence"])


@pytest.mark.parametrize("name", ["wid", "select", "user", "case", "r", "between", "tableoid", "ctid"])
def test_names_that_a_flow_may_not_have_get_an_answer(alice: Client, name: str) -> None:
    answer = ask(alice, {"types": {name: "text"}, "predicate": f"{name} = 'a'"})

    assert answer.status_code == 200


def test_who_may_not_view_definitions_gets_a_typed_answer(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("outsider"))

    for answer in (
        ask(client, {"types": {}, "predicate": ""}),
        client.get(reverse("admin:flows_flow_completions")),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_a_check_needs_the_token_of_the_page(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("mallory"))

    assert ask(client, {"types": {}, "predicate": "true"}).status_code == 403


def test_a_user_has_one_check_at_a_time(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"types": TYPES, "predicate": "paid"}
    during: list[Any] = []

    def check(*arguments: Any) -> Any:
        during.append(ask(alice, asked))
        return None, []

    with monkeypatch.context() as patched:
        patched.setattr(api.conditions, "check", check)
        outer = ask(alice, asked)

    assert [(each.status_code, each.json()["error"]["code"]) for each in during] == [(429, "busy")]
    assert outer.status_code == ask(alice, asked).status_code == 200


def test_the_role_of_the_web_server_may_check(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("set local role wed_web")
    try:
        assert api.conditions.check(TYPES, "paid") == (None, ["paid"])
        assert said("paid") == "Paid is yes"
        assert api.conditions.completions().functions
    finally:
        with connection.cursor() as cursor:
            cursor.execute("reset role")


def test_the_time_of_a_check_is_limited(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_arguments: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("select pg_sleep(60)")

    monkeypatch.setattr("flows.designer.editor.conditions.TIMEOUT_MS", 20)
    monkeypatch.setattr(api.conditions, "check", slow)
    answer = ask(alice, {"types": TYPES, "predicate": "paid"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "slow")


# Completions


def test_completions_are_kept_by_the_browser(alice: Client) -> None:
    answer = alice.get(reverse("admin:flows_flow_completions"))
    again = alice.get(reverse("admin:flows_flow_completions"), headers={"If-None-Match": answer["ETag"]})

    assert ["left", "text, integer", "text"] in answer.json()["functions"]
    assert "between" in answer.json()["keywords"] and "timestamptz" in answer.json()["types"]
    assert "max-age" in answer["Cache-Control"] and "no-store" not in answer["Cache-Control"]
    assert (again.status_code, again.content) == (304, b"")


# The page


def test_the_page_works_without_the_editor(alice: Client) -> None:
    page = alice.get(ADD).content.decode()

    assert '<textarea name="triggers-0-predicate"' in page
    assert f'data-check="{reverse(CHECK)}"' in page
    assert 'src="/static/' in page and 'type="module"' in page
