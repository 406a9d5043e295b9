"""manage.py webhooks: what it does and refuses, and the example of the documentation."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from flows import api
from flows.tests.commands import answer, refused, run

pytestmark = pytest.mark.django_db
ADD = ["webhooks", "add", "--flow", "orders", "--url", "https://example.org/hook"]


@pytest.fixture(autouse=True)
def orders() -> None:
    api.flows.create("orders")


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/webhooks.md").read_text()
    (call,) = re.findall(r"^\$ python manage\.py (webhooks .*)$", text, re.MULTILINE)
    assert "shown only now" in run(*shlex.split(call))
    (hook,) = answer("webhooks", "list", "--json")
    assert (hook["events"], hook["query"]) == (["exception", "final"], "status:exception or status:final")
    assert "secret" not in hook or hook["secret"] == ""
    assert "https://example.org/hook" in run("webhooks", "list", "--flow", "orders")


def test_a_webhook_is_tested_resumed_and_removed() -> None:
    found = answer(*ADD, "--json")
    number = str(found["webhook"])
    assert len(found["secret"]) > 30
    assert "queued" in run("webhooks", "test", number)
    assert [each.event for each in api.webhooks.deliveries(int(number))] == ["tested"]
    run("webhooks", "remove", number)
    assert answer("webhooks", "list", "--json") == []


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["webhooks", "remove"], 2, "needs the number"),
        (["webhooks", "list", "3"], 2, "takes no number"),
        (["webhooks", "resume", "3"], 1, "no webhook"),
        (["webhooks", "add", "--flow", "orders"], 2, "--url"),
        (["webhooks", "add", "--flow", "none_such", "--url", "https://example.org/"], 1, "no flow"),
        ([*ADD[:-1], "http://example.org/"], 1, "https"),
        ([*ADD, "--query", "x:"], 1, "no value"),
        ([*ADD, "--query", "is:late"], 1, "not known of a step"),
        ([*ADD, "--query", "word"], 1, "not known of a step"),
        ([*ADD, "--attribute", "absent"], 1, "no attribute"),
    ],
)
def test_it_refuses_what_makes_no_sense(line: list[str], code: int, said: str) -> None:
    assert said in refused(*line, code=code)
