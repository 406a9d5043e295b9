"""Every text of the corpus is accepted with its result, or rejected with its position and reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle

pytestmark = pytest.mark.kernel

HOSTILE = oracle.cases("hostile")
LEGITIMATE = oracle.cases("legitimate")


@pytest.fixture
def db(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def check(db: psycopg.Connection[Any], text: str, function: str = "check_predicate_text") -> Any:
    query = f"select (c).aligned, (c).qualified, (c).reads, (c).disjuncts from wedsql.{function}(%s, %s) as c"
    return db.execute(query, [text, oracle.ATTRS_JSON]).fetchone()


def test_the_corpus_is_large_enough() -> None:
    assert len(HOSTILE) >= 120
    assert len(LEGITIMATE) >= 70
    assert len({case.text for case in HOSTILE + LEGITIMATE}) == len(HOSTILE) + len(LEGITIMATE)


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.text[:50])
def test_hostile_text_is_refused_at_its_place(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    with pytest.raises(psycopg.Error) as caught:
        check(db, case.text)
    assert caught.value.sqlstate == ("WD006" if case.sqlstate else "WD005"), caught.value
    detail = json.loads(caught.value.diag.message_detail or "")
    assert (detail["reason"], detail["position"]) == (case.reason, case.position), caught.value
    assert detail.get("sqlstate", "") == case.sqlstate
    assert detail["length"] == 0 or case.text[case.position - 1 :][: detail["length"]].strip()
    assert caught.value.diag.message_primary
    assert caught.value.diag.message_hint


@pytest.mark.parametrize("case", LEGITIMATE, ids=lambda case: case.text[:50])
def test_legitimate_text_gives_its_answer(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    aligned, qualified, reads, disjuncts = check(db, case.text)
    answer = None if case.answer == "null" else case.answer
    assert oracle.evaluate(db, qualified, case.state) is answer
    assert oracle.evaluate(db, aligned, case.state) is answer
    assert oracle.evaluate(db, " or ".join(f"({part})" for part in disjuncts), case.state) is answer
    assert len(aligned) == len(case.text)
    assert reads == sorted({node.fields[-1].sval for node in oracle.nodes(oracle.syntax(aligned))
                            if type(node).__name__ == "ColumnRef"})  # fmt: skip


@pytest.mark.parametrize("case", LEGITIMATE, ids=lambda case: case.text[:50])
def test_both_renderings_mean_the_same(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    aligned, qualified, _reads, _disjuncts = check(db, case.text)
    assert oracle.skeleton(aligned, drop_prefix=False) == oracle.skeleton(qualified, drop_prefix=True)


@pytest.mark.parametrize("case", LEGITIMATE, ids=lambda case: case.text[:50])
def test_every_token_keeps_its_place(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    aligned = check(db, case.text, "canonical")[0]
    tokens = db.execute(
        "select * from unnest(wedsql.parse(%s, %s))", [case.text, oracle.ATTRS_JSON]
    ).fetchall()
    for position, length, kind, text, _depth in tokens:
        typed = case.text[position - 1 : position - 1 + length]
        assert text == (typed if kind == "text" else typed.lower())
        assert aligned[position - 1 : position - 1 + length] == text
    covered = sum(length for _position, length, *_rest in tokens)
    assert covered == len("".join(aligned.split(" "))) + sum(t[3].count(" ") for t in tokens)


def test_limits(db: psycopg.Connection[Any]) -> None:
    def reason(text: str) -> str:
        with pytest.raises(psycopg.Error) as caught:
            check(db, text)
        return str(json.loads(caught.value.diag.message_detail or "")["reason"])

    assert check(db, "a1 = '" + "x" * 9990 + "'")
    assert reason("a1 = '" + "x" * 10_000 + "'") == "too_long"
    assert check(db, "(" * 50 + "paid" + ")" * 50)
    assert reason("(" * 51 + "paid" + ")" * 51) == "too_deep"
    assert check(db, " or ".join(["paid"] * 500))
    assert reason(" or ".join(["paid"] * 501)) == "too_many_tokens"
    assert check(db, "a1 ~ '" + "x" * 200 + "'")
    assert reason("a1 ~ '" + "x" * 201 + "'") == "pattern_too_long"


def test_every_reason_has_a_case_and_a_sentence(db: psycopg.Connection[Any]) -> None:
    known = {row[0] for row in db.execute("select reason from wedsql.refusal").fetchall()}
    seen = {case.reason for case in HOSTILE + oracle.cases("hostile_set")}
    seen |= {"too_long", "too_deep", "too_many_tokens", "pattern_too_long"}  # test_limits
    assert known - seen == set()
    assert seen - known == {"meaning", "not_boolean", "stable_use"} - known
