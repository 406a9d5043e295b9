"""Typed attributes and bad input of every kind (K-32, K-52)."""

from __future__ import annotations

import json

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_k52_typed_attributes_need_no_casts(kit: Kit) -> None:
    kit.attr("n", "1", "integer")
    kit.attr("price", None, "numeric")
    kit.attr("ok", "false", "boolean")
    kit.attr("day", None, "date")
    kit.attr("at", None, "timestamptz")
    kit.attr("wait", None, "interval")
    kit.attr("doc", None, "jsonb")
    kit.attr("kind", "small", "enum", ["small", "big"])
    kit.trig(
        "tr_x",
        "n < 3 and price > 1.5 and not ok and day > date '2020-01-01' and at is not null"
        " and wait > interval '1 hour'"
        " and doc ->> 'k' = 'v' and kind = 'big'",
    )
    wid = kit.start(
        n=2,
        price=1.75,
        ok=False,
        day="2024-02-29",
        at="2024-02-29T12:00:00Z",
        wait="2 hours",
        doc={"k": "v"},
        kind="big",
    )
    assert kit.jobs(wid) == ["tr_x"]
    assert kit.state(wid)["doc"] == {"k": "v"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "x"),
        ("integer", "1.5"),
        ("boolean", "maybe"),
        ("date", "2024-02-30"),
        ("timestamptz", "yesterday-ish"),
        ("interval", "long"),
        ("numeric", "1,5"),
        ("enum", "c"),
    ],
)
def test_k52_a_wrong_value_is_reported_with_attribute_and_type(kit: Kit, kind: str, value: str) -> None:
    kit.attrs("ok")
    kit.attr("v", None, kind, ["a", "b"] if kind == "enum" else None)
    kit.trig("tr_x", "ok = '1'")
    with refused("WD003") as why:
        kit.start(ok="1", v=value)
    assert json.loads(why.detail)["attribute"] == "v"
    wid = kit.start(ok="1")
    with refused("WD003") as why:
        kit.run("tr_x", wid, v=value)
    assert value in why.message
    assert kit.jobs(wid) == ["tr_x"]


def test_k52_a_default_of_the_wrong_type(kit: Kit) -> None:
    with refused("WD003"):
        kit.attr("n", "many", "integer")
    with refused("WD003"):
        kit.attr("k", "z", "enum", ["a"])
    with refused("WD009"):
        kit.attr("k", None, "enum", [])


def test_k52_unknown_attribute_is_reported_with_the_nearest(kit: Kit) -> None:
    kit.attrs("customer")
    with refused("WD002") as why:
        kit.start(custmer="x")
    assert "customer" in why.hint


def test_k52_type_change_with_values_that_fit_and_that_do_not(kit: Kit) -> None:
    kit.attrs("n", "go")
    kit.trig("tr_x", "go = '1'")
    kit.start(n="5", go="1")
    kit.rows("update {f}.wed_attr set type = 'integer' where aname = 'n'")
    kit.trig("tr_y", "n + 1 = 6")
    assert kit.jobs(kit.start(n=5)) == ["tr_y"]
    kit.rows("update {f}.wed_attr set type = 'text' where aname = 'go'")
    with refused("WD003"):
        kit.rows("update {f}.wed_attr set type = 'date' where aname = 'go'")


def test_k52_enum_options_that_living_instances_still_hold(kit: Kit) -> None:
    kit.attr("k", None, "enum", ["a", "b"])
    kit.trig("tr_x", "k = 'b'")
    kit.start(k="b")
    with refused("WD003"):
        kit.rows("update {f}.wed_attr set options = '{a}' where aname = 'k'")
    kit.rows("update {f}.wed_attr set options = '{b,c}' where aname = 'k'")
    with refused("WD003"):
        kit.start(k="a")


def test_k32_state_with_quotes_and_a_large_one(kit: Kit) -> None:
    kit.attrs("a", "big")
    kit.trig("tr_x", "a is not null")
    kit.conn.execute("set client_encoding = 'UTF8'")  # the text has a character that LATIN1 does not have
    text = "O'Hara said \"$$\" \\ ; -- {'n': 1} \u00e9 \U0001f600"
    wid = kit.start(a=text, big="x" * 1_000_000)
    with kit.conn.transaction(force_rollback=True):
        job = kit.take("tr_x", wid)
    assert job.payload["a"] == text
    assert len(job.payload["big"]) == 1_000_000
    kit.run("tr_x", wid, a=text + "'", big="")
    assert kit.state(wid)["a"] == text + "'"


def test_k52_bad_states(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a is not null")
    with refused("WD009"):
        kit.one("select wedsql.start(%s, '[1]')", [kit.name])
    with refused("WD009"):
        kit.one("select wedsql.start(%s, 'null')", [kit.name])
    with refused("22P02"):
        kit.one("select wedsql.start(%s, '{broken')", [kit.name])
    with refused("WD009"):
        kit.start(a=float("nan"))
    with refused("WD001"):
        api.instances.start("nowhere", {}, conn=kit.conn)
