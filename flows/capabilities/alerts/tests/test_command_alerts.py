"""manage.py alerts: what it does and refuses, and the example of the documentation."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.db import transaction

from flows import api
from flows.tests.commands import answer, refused, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def orders() -> None:
    api.flows.create("orders")


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/alerts.md").read_text()
    (call,) = re.findall(r"^\$ python manage\.py (alerts .*)$", text, re.MULTILINE)
    run(*shlex.split(call))
    (rule,) = answer("alerts", "list", "--json")
    assert (rule["query"], rule["sign"], rule["threshold"], rule["lasting"]) == (
        "status:exception", ">", 10, 300,
    )  # fmt: skip


def test_a_rule_is_silenced_tested_and_removed() -> None:
    line = ["--flow", "orders", "--name", "x", "--above", "1", "--mail", "a@b.c", "--json"]
    number = str(answer("alerts", "add", *line)["rule"])
    run("alerts", "silence", number, "--minutes", "5")
    assert "1 receivers" in run("alerts", "test", number)
    with transaction.atomic():
        assert "not active" in refused("alerts", "acknowledge", number)
        transaction.set_rollback(True)
    run("alerts", "remove", number)
    assert "no alert rule" in refused("alerts", "remove", number)


def test_it_refuses_what_makes_no_sense() -> None:
    refused("alerts", "remove", code=2)
    refused("alerts", "add", "--flow", "orders", code=2)
    refused("alerts", "add", "--flow", "none_such", "--name", "x", "--above", "1")
    refused("alerts", "add", "--flow", "orders", "--name", "x", "--above", "1", "--query", "x:")
