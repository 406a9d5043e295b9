"""Columns come and go for ever, although PostgreSQL never gives a removed column's place away (K-21)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def wear_out(kit: Kit) -> None:
    """Use up all places for columns but a few, as 1,580 removed attributes would."""
    kit.rows("set session_replication_role = replica")
    kit.rows(
        "do $$ begin for n in 1..1580 loop"
        f" alter table {kit.name}.wed_flow add column gone text;"
        f" alter table {kit.name}.wed_flow drop column gone;"
        " end loop; end $$"
    )
    kit.rows("reset session_replication_role")


def table(kit: Kit) -> list[Any]:
    """All that belongs to the table, but for its number."""
    name = f"{kit.name}.wed_flow"
    return [
        kit.rows("select pg_get_triggerdef(oid) from pg_trigger where tgrelid = %s::regclass"
                 " order by 1", [name]),
        kit.rows("select pg_get_constraintdef(oid), conname from pg_constraint"
                 " where conrelid = %s::regclass and contype <> 'n' order by 2", [name]),
        kit.rows("select indexdef from pg_indexes where schemaname = %s and tablename = 'wed_flow'"
                 " order by 1", [kit.name]),
        kit.rows("select x::text from pg_class, unnest(relacl) x where oid = %s::regclass"
                 " order by 1", [name]),
        kit.rows("select relowner::regrole::text, reloptions from pg_class"
                 " where oid = %s::regclass", [name]),
    ]  # fmt: skip


@pytest.fixture
def worn(kit: Kit) -> Kit:
    """A flow whose table has hardly any places left, with an instance."""
    kit.attrs("a")
    kit.attr("kind", "x", options=["x", "y"], kind="enum")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = 'end'")
    kit.wid = kit.start(a="1")  # type: ignore[attr-defined]
    wear_out(kit)
    return kit


def test_k21_attributes_are_added_when_the_places_are_used_up(worn: Kit) -> None:
    wid = worn.wid  # type: ignore[attr-defined]
    before = table(worn)
    with worn.conn.transaction():
        for n in range(30):
            worn.attr(f"n{n}", str(n))
    assert worn.state(wid) == {"a": "1", "kind": "x"} | {f"n{n}": str(n) for n in range(30)}
    assert table(worn) == before
    assert worn.run("tr_x", wid, a="end", n29="done").status == "F"
    assert worn.start(a="1") > wid
    with refused("23514", "WD003"):
        api.start(worn.name, {"a": "1", "kind": "z"}, conn=worn.conn)


def test_k21_a_view_of_somebody_is_not_lost(worn: Kit) -> None:
    worn.rows("create view {f}.mine as select a from {f}.wed_flow")
    with refused("WD007") as why:
        worn.attr("more")
    assert f"{worn.name}.mine" in why.message
    assert worn.rows("select a from {f}.mine") == [("1",)]
