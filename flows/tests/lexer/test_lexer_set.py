"""The paper's SET string: valid assignments, the position of errors, and the computed expressions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle, sets

pytestmark = pytest.mark.kernel
Connect = Callable[..., psycopg.Connection[Any]]


@pytest.fixture
def db(connect: Connect) -> psycopg.Connection[Any]:
    return connect()


@pytest.fixture(scope="module")
def corpus(dsn: str) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """A session and a flow with the attributes of the corpus."""
    options = {"autocommit": True, "prepare_threshold": None, "options": "-c search_path=wedsql"}
    with psycopg.connect(dsn, **options) as db, sets.flow_over(db, oracle.ATTRS) as flow:
        yield db, flow


def assignments(db: psycopg.Connection[Any], text: str) -> list[Any]:
    """Return for each assignment its attribute, its text at its position, and the expression computed."""
    query = (
        "select a.attribute, wedsql.align(t.tokens, a.first, a.last, length(t.text)), a.qualified"
        " from (select x.text, wedsql.parse(x.text, %s, true)"
        " from (select %s::text) x (text)) t (text, tokens),"
        " wedsql.assignments(t.tokens) a"
    )
    return db.execute(query, [oracle.ATTRS_JSON, text]).fetchall()


@pytest.mark.parametrize("case", oracle.cases("hostile_set"), ids=lambda case: case.text[:50])
def test_hostile_set_is_refused_at_its_place(corpus: tuple[Any, str], case: oracle.Case) -> None:
    db, flow = corpus
    with pytest.raises(psycopg.Error) as caught:
        sets.changes(db, flow, case.text)
    assert caught.value.sqlstate == "WD211", caught.value
    detail = json.loads(caught.value.diag.message_detail or "")
    assert (detail["reason"], detail["position"]) == (case.reason, case.position), caught.value
    assert detail.get("sqlstate", "") == case.sqlstate
    if not case.sqlstate:  # errors that need no types are found by the lexer alone
        with pytest.raises(psycopg.Error) as alone, db.transaction():
            assignments(db, case.text)
        assert alone.value.diag.message_detail == caught.value.diag.message_detail


@pytest.mark.parametrize("case", oracle.cases("legitimate_set"), ids=lambda case: case.text[:50])
def test_legitimate_set_computes_its_values(corpus: tuple[Any, str], case: oracle.Case) -> None:
    db, flow = corpus
    db.execute("select wedsql.check_set_text(%s, %s)", [case.text, oracle.ATTRS_JSON])
    expected = {name: None if value == "null" else value for name, value in case.sets.items()}
    query = "select to_jsonb(r.*) from jsonb_populate_record(null::{f}.wed_flow, %s) r".replace("{f}", flow)
    computed = json.dumps(sets.changes(db, flow, case.text, case.state))
    row = db.execute(query, [computed]).fetchone()
    assert row and {name: row[0][name] for name in json.loads(computed)} == expected


@pytest.mark.parametrize("case", oracle.cases("legitimate_set"), ids=lambda case: case.text[:50])
def test_a_set_string_is_rendered_from_its_tokens(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    rows = assignments(db, case.text)
    assert [row[0] for row in rows] == list(case.sets)
    for _attribute, aligned, qualified in rows:
        assert len(aligned) == len(case.text)
        assert oracle.skeleton(aligned, drop_prefix=False) == oracle.skeleton(qualified, drop_prefix=True)


PLAIN = {
    "a1='done'": {"a1": "done"},
    "a1 = 'x=1, a2=2', a3='', a4= 'ü'": {"a1": "x=1, a2=2", "a3": "", "a4": "ü"},
}
NOT_PLAIN = (
    "",
    "a1='x',",
    "a1='x' a3='y'",
    "a1='x', a1='y'",
    "a1='it''s'",
    r"a1='\x'",
    "a1='x\n'",
    "A1='x'",
    "a1=E'x'",
    "a1='x'||'y'",
    "a1='x' --",
    "a2='5'",
    "b='x'",
    f"a1='{'x' * 1000}'",
)


@pytest.mark.parametrize("text", [*PLAIN, *NOT_PLAIN], ids=lambda text: text[:30])
def test_only_quoted_texts_are_read_without_the_parser(corpus: tuple[Any, str], text: str) -> None:
    db, flow = corpus
    row = db.execute("select wedsql._quoted_values(%s, %s)", [text, oracle.ATTRS_JSON]).fetchone()
    assert row == (PLAIN.get(text),)
    if text in PLAIN:
        assert sets.changes(db, flow, text) == PLAIN[text], "the parser gives the same"


def test_an_attribute_named_like_a_word_of_sql_needs_the_parser(db: psycopg.Connection[Any]) -> None:
    row = db.execute("""select wedsql._quoted_values('user=''x''', '{"user": "text"}')""").fetchone()
    assert row == (None,)
