"""Limits of what the condition editor asks, and what its answers may be kept for."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows.designer.editor import conditions
from flows.designer.editor.conditions import LARGEST_REQUEST, LONGEST_LABEL
from flows.tests.design.test_condition_editor import TYPES, ask
from testkit.slow import slow_statements

pytestmark = pytest.mark.django_db


def test_a_request_that_says_it_is_too_long_is_not_read(alice: Client) -> None:
    answer = ask(alice, {"types": TYPES, "predicate": "paid"}, CONTENT_LENGTH=str(LARGEST_REQUEST + 1))

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_request_that_does_not_say_how_long_it_is_has_the_same_limit() -> None:
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    with pytest.raises(conditions.Rejected) as caught:
        conditions._body(ASGIRequest(scope, io.BytesIO(b"x" * (LARGEST_REQUEST + 1))))
    assert caught.value.status == 413


def test_a_check_that_the_database_ends_gets_a_typed_answer(alice: Client) -> None:
    with slow_statements("wedsql.check_condition"):
        answer = ask(alice, {"types": TYPES, "predicate": "paid"})

    assert answer.status_code == 503 and answer.json()["error"]["code"] in ("slow", "57014")


@pytest.mark.parametrize("labels", [["Paid"], "Paid", {"paid": 5}, {"paid": {"x": 1}}, {"paid": None}, 7])
def test_labels_that_are_no_texts_are_left_out(alice: Client, labels: Any) -> None:
    answer = ask(alice, {"types": TYPES, "predicate": "paid", "labels": labels})

    assert answer.status_code == 200 and answer.json()["sentence"] == "paid is yes"


def test_a_long_label_is_cut(alice: Client) -> None:
    answer = ask(alice, {"types": TYPES, "predicate": "paid", "labels": {"paid": "x" * 250_000}})

    assert answer.json()["sentence"] == "x" * LONGEST_LABEL + " is yes"


def test_completions_are_those_of_this_kernel_and_this_server(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("admin:flows_flow_completions")
    first = alice.get(address)
    assert "private" in first["Cache-Control"]
    monkeypatch.setattr(conditions, "digest", lambda: "of another kernel")

    assert alice.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("show server_version_num")
        assert first["ETag"].endswith(f'-{cursor.fetchone()[0]}"')
