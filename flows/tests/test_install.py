"""Installing: twenty at once, twice in a row, by hand and by migration: always the same schema, the one in schema.txt.

schema.txt is what a reviewer reads to see what a change of the kernel did to tables, rights and signatures. It is
written anew with:  WEDSQL_WRITE_SCHEMA=1 python -m pytest flows/tests/test_install.py
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import psycopg
import pytest

from flows.tests import kernel_db

pytestmark = pytest.mark.kernel
SCHEMA = Path(__file__).parent / "schema.txt"

INVENTORY = """
with e as (
  select 'table' as type, c.oid::regclass::text as identity,
         string_agg(format('%s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
           coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')), ', ' order by a.attname) || coalesce(' with ' || c.reloptions::text, '')
         || ' owner ' || c.relowner::regrole as what
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition {only} group by c.oid
  union all
  select 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint c
  where connamespace = 'wedsql'::regnamespace and contype in ('p', 'u', 'c', 'f') and conrelid <> 0 and not exists (
    select 1 from pg_class p where p.oid = conrelid and p.relispartition) {only_constraints}
  union all
  select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = 'wedsql'::regnamespace and not c.relispartition {only}
  union all
  select 'trigger', t.tgrelid::regclass || ' ' || t.tgname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'wedsql'::regnamespace and not t.tgisinternal {only}
  union all
  select 'function', p.oid::regprocedure::text,
         'returns ' || pg_get_function_result(p.oid) || ' owner ' || p.proowner::regrole || case when p.prosecdef then ' definer' else '' end
         || ' ' || case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
         || ' to ' || coalesce((select string_agg(distinct coalesce(nullif(x.grantee, 0)::regrole::text, 'everybody'), ',') from aclexplode(p.proacl) x
                                where x.grantee <> p.proowner), 'nobody')
  from pg_proc p where p.pronamespace in ('wedsql'::regnamespace, 'wed_match'::regnamespace) and p.proname !~ '^[fe]_[0-9]+$'
  union all
  select 'rights', c.oid::regclass::text, string_agg(distinct x.grantee::regrole || ' ' || lower(x.privilege_type), ', ')
  from pg_class c cross join lateral aclexplode(c.relacl) x
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p', 'S') and not c.relispartition
    and x.grantee::regrole::text like 'wed\\_%' and x.grantee <> c.relowner {only} group by c.oid)
select e.type, e.identity, e.what from e
"""
ONLY_OURS = "and c.relowner = 'wed_owner'::regrole"
ONLY_CONSTRAINTS = "and exists (select 1 from pg_class o where o.oid = c.conrelid and o.relowner = 'wed_owner'::regrole)"


def inventory(connection: psycopg.Connection) -> str:
    """Everything of the kernel in the database in words, in an order that never changes by itself."""
    connection.execute("set search_path = pg_catalog")
    query = INVENTORY.replace("{only_constraints}", ONLY_CONSTRAINTS).replace("{only}", ONLY_OURS)
    rows = connection.execute(query).fetchall()  # type: ignore[call-overload]
    return "".join(f"{kind} {name}: {' '.join(what.split())}\n" for kind, name, what in sorted(rows))


def test_fresh_schema_is_the_one_in_the_repository() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as connection:
        fresh = inventory(connection)
    if os.environ.get("WEDSQL_WRITE_SCHEMA"):
        SCHEMA.write_text(fresh, encoding="utf-8")
    assert fresh.splitlines() == SCHEMA.read_text(encoding="utf-8").splitlines()


def test_fresh_schema_is_the_migrated_one(dsn: str) -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as fresh, psycopg.connect(dsn) as migrated:
        assert inventory(migrated).splitlines() == inventory(fresh).splitlines()


def test_installing_again_changes_nothing_and_keeps_what_runs() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        before = inventory(connection)
        connection.execute("select wedsql.create_flow('kept')")
        connection.execute("insert into kept.wed_attr (aname, adv) values ('a', '1')")
        connection.execute("insert into kept.wed_trig (trname, cpred) values ('tr_x', $$a = '1'$$)")
        connection.execute("select wedsql.start('kept')")
        kernel_db.install(connection)
        assert inventory(connection) == before
        with connection.transaction():
            job = connection.execute("select wid, job_id from wedsql.take('kept', '{tr_x}')").fetchone()
            assert job is not None
            done = connection.execute(
                "select ok from wedsql.complete_many('kept', array[%s], array[%s]::bigint[], array[null]::bigint[], array['{}']::jsonb[])", job
            ).fetchone()
        assert done == (True,)
        assert connection.execute("select count(*) from wedsql.wed_trace").fetchone() == (2,)
        assert connection.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,)


def test_twenty_installs_at_once() -> None:
    with kernel_db.empty_database() as uri:
        failures: list[BaseException] = []
        ready = threading.Barrier(20)

        def install() -> None:
            try:
                with psycopg.connect(uri) as connection:
                    ready.wait(30)
                    kernel_db.install(connection)
            except BaseException as error:  # noqa: BLE001 - told by the main thread
                failures.append(error)

        threads = [threading.Thread(target=install) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert failures == []
        with psycopg.connect(uri) as connection:
            assert inventory(connection).splitlines() == SCHEMA.read_text(encoding="utf-8").splitlines()


def test_two_databases_of_one_server_do_not_disturb() -> None:
    with kernel_db.database() as one, kernel_db.database() as two:
        with psycopg.connect(one, autocommit=True) as first, psycopg.connect(two, autocommit=True) as second:
            first.execute("select wedsql.create_flow('same')")
            assert second.execute("select count(*) from wedsql.flow").fetchone() == (0,)
            second.execute("select wedsql.create_flow('same')")
