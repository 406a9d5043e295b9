"""The paper's SET string: what may be assigned, where the rest is refused, what is computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle

pytestmark = pytest.mark.kernel


@pytest.fixture
def db(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def assignments(db: psycopg.Connection[Any], text: str, function: str = "check_set_text") -> list[Any]:
    columns = "attribute, (rendered).aligned, (rendered).qualified, (rendered).reads"
    query = f"select {columns} from wedsql.{function}(%s, %s)"
    return db.execute(query, [text, oracle.ATTRS_JSON]).fetchall()


@pytest.mark.parametrize("case", oracle.cases("hostile_set"), ids=lambda case: case.text[:50])
def test_hostile_set_is_refused_at_its_place(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    with pytest.raises(psycopg.Error) as caught:
        assignments(db, case.text)
    assert caught.value.sqlstate == "WD211", caught.value
    detail = json.loads(caught.value.diag.message_detail or "")
    assert (detail["reason"], detail["position"]) == (case.reason, case.position), caught.value
    assert detail.get("sqlstate", "") == case.sqlstate
    if not case.sqlstate:  # the lexer alone refuses what needs no types
        with pytest.raises(psycopg.Error) as alone:
            assignments(db, case.text, "canonical_set")
        assert alone.value.diag.message_detail == caught.value.diag.message_detail


@pytest.mark.parametrize("case", oracle.cases("legitimate_set"), ids=lambda case: case.text[:50])
def test_legitimate_set_computes_its_values(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    rows = assignments(db, case.text)
    assert rows == assignments(db, case.text, "canonical_set")
    assert [row[0] for row in rows] == list(case.sets)
    for attribute, aligned, qualified, reads in rows:
        expected = None if case.sets[attribute] == "null" else case.sets[attribute]
        kind = oracle.ATTRS[attribute]
        value = oracle.evaluate(db, f"({qualified})::{kind}", case.state)
        assert (float(value) if isinstance(value, Decimal) else value) == expected
        assert len(aligned) == len(case.text)
        assert oracle.skeleton(aligned, drop_prefix=False) == oracle.skeleton(qualified, drop_prefix=True)
        assert set(reads) <= set(oracle.ATTRS)
