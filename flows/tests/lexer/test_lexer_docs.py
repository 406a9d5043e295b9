"""Every example of docs/predicates.md does what the page says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import sets

pytestmark = pytest.mark.kernel

PAGE = (Path(__file__).parents[3] / "docs" / "predicates.md").read_text(encoding="utf-8")


def attributes() -> str:
    rows = re.findall(r"^\| (`.+`) \| (\w+) \|$", PAGE, re.MULTILINE)
    return json.dumps({name: kind for names, kind in rows for name in re.findall(r"`(\w+)`", names)})


def examples(kind: str) -> list[str]:
    return [
        line for block in re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
    ]


def refusals(kind: str) -> list[tuple[str, str]]:
    parts = [line.partition(": ") for line in examples(kind)]
    return [(reason, text) for reason, _, text in parts]


@pytest.fixture
def db(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def test_the_page_has_its_examples() -> None:
    assert len(json.loads(attributes())) == 11
    assert len(examples("condition")) >= 25
    assert len(examples("set")) >= 4
    assert len(examples("refused")) >= 25
    assert len(examples("refused-set")) >= 7


@pytest.mark.parametrize("text", examples("condition"))
def test_a_documented_condition_is_accepted(db: psycopg.Connection[Any], text: str) -> None:
    assert db.execute("select wedsql.check_predicate_text(%s, %s)", [text, attributes()]).fetchone()


@pytest.mark.parametrize("text", examples("set"))
def test_a_documented_set_string_is_accepted(db: psycopg.Connection[Any], text: str) -> None:
    db.execute("select wedsql.check_set_text(%s, %s)", [text, attributes()])
    with sets.flow_over(db, json.loads(attributes())) as flow:
        assert sets.changes(db, flow, text)


@pytest.mark.parametrize(("reason", "text"), refusals("refused"))
def test_a_documented_refusal(db: psycopg.Connection[Any], reason: str, text: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        db.execute("select wedsql.check_predicate_text(%s, %s)", [text, attributes()])
    assert json.loads(caught.value.diag.message_detail or "")["reason"] == reason


@pytest.mark.parametrize(("reason", "text"), refusals("refused-set"))
def test_a_documented_refusal_of_a_set_string(db: psycopg.Connection[Any], reason: str, text: str) -> None:
    with sets.flow_over(db, json.loads(attributes())) as flow, pytest.raises(psycopg.Error) as caught:
        sets.changes(db, flow, text)
    assert caught.value.sqlstate == "WD211"
    assert json.loads(caught.value.diag.message_detail or "")["reason"] == reason
