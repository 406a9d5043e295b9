"""Columns can be added without end, though PostgreSQL never reuses a dropped column's number (K-21)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def wear_out(kit: Kit) -> None:
    """Use up all but a few column numbers, as 1,580 removed attributes would."""
    kit.rows("set session_replication_role = replica")
    kit.rows(
        "do $$ begin"
        f" execute 'alter table {kit.name}.wed_flow '"
        "   || (select string_agg(format('add column gone%s text', n), ', ')"
        "       from generate_series(1, 1580) n);"
        f" execute 'alter table {kit.name}.wed_flow '"
        "   || (select string_agg(format('drop column gone%s', n), ', ') from generate_series(1, 1580) n);"
        " end $$"
    )
    kit.rows("reset session_replication_role")


def table(kit: Kit) -> list[Any]:
    """Return everything that belongs to the table except its OID."""
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
    """A flow whose table has hardly any column numbers left, with an instance."""
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
        api.instances.start(worn.name, {"a": "1", "kind": "z"}, conn=worn.conn)


def test_k21_a_view_of_another_role_is_not_lost(worn: Kit) -> None:
    worn.rows("create view {f}.mine as select a from {f}.wed_flow")
    with refused("WD007") as why:
        worn.attr("more")
    assert f"{worn.name}.mine" in why.message
    assert worn.rows("select a from {f}.mine") == [("1",)]


# What a site may do to the table of a flow; {f} is its schema.
SITE = """
comment on table {f}.wed_flow is 'the site''s';
comment on column {f}.wed_flow.a is 'its column';
grant select (a), update (a) on {f}.wed_flow to wed_monitor;
grant references on {f}.wed_flow to wed_web with grant option;
alter table {f}.wed_flow alter column a set statistics 7, alter column a set storage external,
  alter column a set (n_distinct = 3);
alter table {f}.wed_flow set (fillfactor = 55, autovacuum_vacuum_threshold = 123);
create index mine on {f}.wed_flow (a) where a is not null;
comment on index {f}.mine is 'found by a';
create statistics {f}.together on a, kind from {f}.wed_flow;
alter table {f}.wed_flow add constraint short check (length(a) < 1000);
comment on constraint short on {f}.wed_flow is 'no novels';
create trigger z_mine after update on {f}.wed_flow for each row
  execute function suppress_redundant_updates_trigger();
comment on trigger z_mine on {f}.wed_flow is 'does nothing';
alter table {f}.wed_flow disable trigger z_mine;
"""


def details(kit: Kit) -> list[Any]:
    """Return from the catalogs what SITE changed."""
    name = f"{kit.name}.wed_flow"
    return [
        *table(kit),
        kit.rows("select a.attname::text, a.attacl::text, a.attstorage::text, a.attoptions, a.attstattarget,"
                 " col_description(a.attrelid, a.attnum) from pg_attribute a where a.attrelid = %s::regclass"
                 " and a.attnum > 0 and not a.attisdropped and a.attname <> 'more' order by 1", [name]),
        kit.rows("select pg_get_statisticsobjdef(oid) from pg_statistic_ext"
                 " where stxrelid = %s::regclass", [name]),
        kit.rows("select tgname::text, tgenabled::text from pg_trigger"
                 " where tgrelid = %s::regclass order by 1", [name]),
        kit.rows("select pg_describe_object(classoid, objoid, objsubid), description from pg_description d"
                 " where objoid = %(t)s::regclass or objoid in ("
                 " select oid from pg_trigger where tgrelid = %(t)s::regclass"
                 " union select oid from pg_constraint where conrelid = %(t)s::regclass"
                 " union select indexrelid from pg_index where indrelid = %(t)s::regclass) order by 1",
                 {"t": name}),  # type: ignore[arg-type]
    ]  # fmt: skip


def test_k21_what_the_site_did_to_the_table_is_kept(worn: Kit) -> None:
    worn.rows(SITE)
    before = details(worn)
    number = worn.one("select %s::regclass::oid", [f"{worn.name}.wed_flow"])
    worn.attr("more")
    assert worn.one("select %s::regclass::oid", [f"{worn.name}.wed_flow"]) != number, "it was rebuilt"
    for old, new in zip(before, details(worn), strict=True):
        assert new == old


OTHERS = {
    "view": "create view {f}.other as select a from {f}.wed_flow",
    "materialized": "create materialized view {f}.other as select a from {f}.wed_flow",
    "key": "create table {f}.other (wid integer references {f}.wed_flow)",
    "column": "create table {f}.other (saved {f}.wed_flow)",
    "array": "create table {f}.other (saved {f}.wed_flow[])",
    "heir": "create table {f}.other () inherits ({f}.wed_flow)",
    "function": "create function {f}.other(r {f}.wed_flow) returns text language sql as 'select r.a'",
    "policy": "create policy other on {f}.wed_flow using (true)",
    "publication": "create publication other for table {f}.wed_flow",
}


def test_k21_what_depends_on_the_table_is_named_and_not_dropped(worn: Kit) -> None:
    for other, made in OTHERS.items():
        with worn.conn.transaction(force_rollback=True):
            worn.rows(made)
            with refused("WD007") as why, worn.conn.transaction():
                worn.attr("more")
            assert "other" in why.message, other
            assert worn.state(worn.wid) == {"a": "1", "kind": "x"}, other  # type: ignore[attr-defined]
