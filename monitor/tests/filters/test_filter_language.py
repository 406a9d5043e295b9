"""Filters: random trees become text, SQL and rows, and are compared with their evaluation in Python."""

from __future__ import annotations

import random

import pytest
from django.db import connection

from flows.filters import BadFilter, Filter, parse
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.tests.conftest import Parcels
from monitor.tests.filters.filter_rows import fill, stored, wids
from monitor.tests.filters.filter_trees import SAO_PAULO, Grower

TREES = 400


@pytest.fixture
def typed_flow(parcels: Parcels, site: None) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found is not None
    return found


def test_random_trees_are_read_as_written_and_find_what_python_finds(
    parcels: Parcels, typed_flow: FlowInfo
) -> None:
    fill(parcels)
    grower = Grower(random.Random(7))  # noqa: S311
    rows, sizes = stored(typed_flow), set()
    for _ in range(TREES):
        node, holds = grower.tree()
        text = Filter(node).text()
        chosen = parse(text, typed_flow, SAO_PAULO)
        assert (
            parse(chosen.text(), typed_flow, SAO_PAULO) == chosen
            and chosen.text() == parse(chosen.text()).text()
        )
        expected = {row["id"] for row in rows if holds(row)}
        assert wids(chosen) == expected, text
        sizes.add(len(expected))
    assert len(sizes) > 20  # the trees choose between the rows


def test_random_characters_are_a_filter_or_a_typed_error(typed_flow: FlowInfo) -> None:
    chance = random.Random(3)  # noqa: S311
    pieces = [
        "status", ":", "=", "(", ")", '"', "\\", "or", "and", "not", "-", " ", "..", "*", ",", ">=",
        "customer",
        "weight", "due", "seen", "extra", "wait", "where", "has:", "no:", "1e5", "{", "}", "é", "\x00", "%",
        "\ud800", "9999-12-31", "0001-01-01", "today", "-2h", "'", ";", "%s", "$1", "--", "\n", "NaN", "inf",
        "key", "did", "redid", "failed", "followed", "path", "took", ">", "a > b", "2h",
    ]  # fmt: skip
    reasons: set[str] = set()
    for _ in range(3_000):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 9)))
        try:
            chosen = parse(text, typed_flow)
        except BadFilter as error:
            assert 0 <= error.position <= len(text) and error.message and error.hint
            reasons.add(error.reason)
        else:
            assert parse(chosen.text(), typed_flow) == chosen
            wids(chosen)
    assert len(reasons) > 10


def test_an_exception_is_found_when_it_became_one(parcels: Parcels, typed_flow: FlowInfo) -> None:
    """Not again at a later step that leaves it an exception."""
    wid = parcels.start()
    parcels.make_exception(wid)
    history = "update wedsql.wed_trace set tstmp = tstmp - interval '2 hours' where wid = %s"
    parcels.connection.execute(history, [wid])
    parcels.connection.execute(
        "insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, version, tx_at)"
        " select flow_id, wid, seq + 1, now(), trw, state, status, version, now() from wedsql.wed_trace"
        " where wid = %s order by seq desc limit 1",
        [wid],
    )
    assert wids(parse("excepted>=-1h", typed_flow)) == set()
    assert wids(parse("excepted<-1h", typed_flow)) == {wid}


WRONG = [
    ("city:Rio", "unknown_field", 0),
    ("customer:Ana (weight>1", "open_group", 13),
    ("weight>heavy", "number", 0),
    ("weight~1", "operator", 0),
    ("stage:shipped", "choice", 0),
    ("customer:Ana due>tomorrowish", "date", 13),
    ("x" * 4_001, "long_text", 4_000),
    (f"customer:{'x' * 1_001}", "long_value", 9),
    ("(" * 20 + "a" + ")" * 20, "deep", 13),
    (" or ".join(["weight:1"] * 70), "many", 720),
    ("where:\"pg_sleep(1) is null\"", "predicate", 7),
    ("where:\"weight > \"", "predicate", 14),
    ("where:\"pieces + 1\"", "predicate", 7),
    ('where:"(select 1) = 1"', "predicate", 8),
    ("customer:\"Ana", "open_text", 9),
    ("weight > 1", "sign", 7),
    ("customer:Ana stage =new", "sign", 19),
    ('extra~"{"', "json", 0),
    ("pieces:1.5", "integer", 0),
    ("wait>soon", "duration", 0),
    ("started:-2h", "exact_time", 0),
    ("followed:tr_pack", "pair", 0),
    ('followed:"a > b > c"', "pair", 0),
    ('path:"a > > b"', "path", 0),
    ("took>soon", "duration", 0),
    ("did>tr_pack", "operator", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "position"), WRONG)
def test_what_cannot_be_used_is_rejected_at_its_place(
    typed_flow: FlowInfo, text: str, reason: str, position: int
) -> None:
    with pytest.raises(BadFilter) as error:
        parse(text, typed_flow)
    assert (error.value.reason, error.value.position) == (reason, position), error.value.message


def test_a_predicate_is_evaluated_by_the_role_without_rights(parcels: Parcels, typed_flow: FlowInfo) -> None:
    """Where it fails on a row, the row does not meet it; what is prepared cannot be anything else."""
    one, other = parcels.start(pieces=0), parcels.start(pieces=4)
    assert wids(parse('where:"8 / pieces = 2"', typed_flow)) == {other}
    assert wids(parse('not where:"8 / pieces = 2"', typed_flow)) == {one}
    with connection.cursor() as cursor:
        cursor.execute(
            "select prosecdef, proowner::regrole::text from pg_proc where oid ="
            " 'wed_match.row_holds(text, anyelement)'::regprocedure"
        )
        assert cursor.fetchall() == [(True, "wed_eval")]
        cursor.execute(
            "select has_function_privilege('wed_web', 'wed_match.row_holds(text, anyelement)', 'execute')"
        )
        assert cursor.fetchone() == (False,)
