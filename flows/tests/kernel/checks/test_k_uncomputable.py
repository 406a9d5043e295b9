"""Expressions that PostgreSQL cannot compute on the values of a state: each place says which one failed."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.errors import BadSet, ConditionError, WrongType
from flows.tests.children import go
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="errors do not depend on the mode")]
# Expressions of type integer over the attributes below, with words of PostgreSQL's error.
EXPRESSIONS = {
    "(due at time zone zone)::date - date '2020-01-01'": "time zone",
    "date_part('hour', timezone(zone, due))::integer": "time zone",
    "(due at time zone (zone || '/Base'))::date - date '2020-01-01'": "time zone",
    "make_date(2024, 13 + n, 1) - date '2020-01-01'": "out of range",
    "1 / (n - n)": "division",
    "zone::integer": "syntax",
    "length(substring(zone from 1 for n - 8))": "negative",
    "(power(10.0, 9 + n))::integer": "out of range",
    "extract(epoch from zone::interval)::integer": "syntax",
}


@pytest.fixture
def dated(kit: Kit) -> Kit:
    kit.attr("go", default="x")
    kit.attr("zone", default="Mars")
    kit.attr("due", kind="timestamptz", default="2025-01-01")
    kit.attr("n", kind="integer", default="1")
    kit.attr("m", kind="integer")
    kit.trig("begin", "go = 'x'")
    kit.final("go = 'f'")
    return kit


def errors(kit: Kit, wid: int) -> list[Any]:
    return kit.one("select errors from wedsql.wed_trace where wid = %s order by seq desc limit 1", [wid])


def parked(kit: Kit, wid: int) -> tuple[str, str]:
    (job,) = [job for job in kit.pending(wid) if job.tgid > 0]
    assert job.state == "K" and kit.status(wid) == "E"
    return job.last_state, job.last_error


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_condition_that_fails_names_its_trigger(dated: Kit, expression: str) -> None:
    dated.trig("tr_x", f"go = 'c' and {expression} > 5")
    with pytest.raises(ConditionError, match='"tr_x".*' + EXPRESSIONS[expression]):
        api.instances.start(dated.name, {"go": "c"}, conn=dated.conn)
    wid = dated.start()
    assert dated.run("begin", wid, go="c").status == "E"
    assert dated.instance(wid).reason == "CONDITION_ERROR"
    (error,) = errors(dated, wid)
    assert error["trigger"] == "tr_x" and EXPRESSIONS[expression] in error["message"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_a_trigger_sets_names_the_trigger(dated: Kit, expression: str) -> None:
    dated.trig("tr_w", "go = 'w'", sets=f"m = {expression}")
    dated.trig("tr_d", "go = 'd'", sets=f"m = {expression}", performer="database")
    wid = dated.start(go="w")
    said = 'The SET string of trigger "{}" cannot be computed on this state: .*' + EXPRESSIONS[expression]
    with pytest.raises(BadSet, match=said.format("tr_w")), dated.step():
        dated.complete(dated.take("tr_w", wid), {"go": "f"})
    assert (dated.status(wid), dated.state(wid)["go"]) == ("R", "w"), "nothing is written"
    code, message = parked(dated, dated.start(go="d"))
    assert code == "WD211" and said.format("tr_d")[:40] in message and EXPRESSIONS[expression] in message
    tried = api.trials.try_start(
        api.flows.definition(dated.name, conn=dated.conn), {"go": "d"}, conn=dated.conn
    )
    assert said.format("tr_d")[:40] in str(tried) and EXPRESSIONS[expression] in str(tried)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_about_children_say_what_failed(tree: Kit, expression: str) -> None:
    for name, kind in (("zone", "text"), ("due", "timestamptz"), ("n", "integer")):
        value = {"zone": "Mars", "due": "2025-01-01", "n": "1"}[name]
        tree.attr(name, kind=kind, default=value)
    ways: list[dict[str, Any]] = [
        {"child_count": expression},
        {"child_count": "1", "child_set": ["kind = 'part'", f"part = {expression}"]},
        {"child_count": "0", "child_result": ["joined = 'x'", f"done = {expression}"]},
        {"child_count": "0", "child_wait": expression, "child_result": ["joined = 'x'"]},
    ]
    for number, way in enumerate(ways):
        tree.trig(f"split_{number}", f"kind = 's{number}' and joined is null", child=tree.name, **way)
        wid = tree.start(kind=f"s{number}")
        go(tree)
        code, message = parked(tree, wid)
        assert code == "WD580" and EXPRESSIONS[expression] in message, (way, message)
        assert message.startswith("An expression about children cannot be computed on this state")


def test_a_result_of_the_wrong_type_is_no_fault_of_what_the_trigger_sets(dated: Kit) -> None:
    dated.trig("tr_w", "go = 'w'", sets="m = n + 1")
    wid = dated.start(go="w")
    said = '"many" is not a value of type integer for attribute "n"'
    with pytest.raises(WrongType, match=said), dated.step():
        dated.complete(dated.take("tr_w", wid), {"n": "many"})
