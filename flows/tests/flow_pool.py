"""Flows that one test leaves to the next: to create, define and drop one takes longer than most tests.

A flow is used again only for the same definition. It is emptied as `drop_flow` empties it. A digest of its
definition and of all objects in its schema shows whether a test has changed it; such a flow is dropped.
"""

from __future__ import annotations

import re
import uuid
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import psycopg
from psycopg import errors, sql

from flows import api

Connection = psycopg.Connection[Any]
Key = tuple[str, ...]
# The pages of all flows, and the reaper, look at those that wait here, too.
MOST = 8
_TIMES = 5
# Tables with the definition of a flow, and the changes of its controls, which nothing removes: their rows
# stay, and the digest has them.
DEFINITION = (
    "flow", "attr", "trig", "flow_version", "item_order", "start_time", "named_object", "flow_source",
    "attr_index", "control_change",
)  # fmt: skip

# Tables with rows of flows, those that refer to others before these, and the column that names the flow.
_TABLES = """
with recursive t as (
  select c.oid, c.relname, a.attname,
         case a.atttypid when 'integer'::regtype then 'p_flow' else 'p_name' end as value
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and (a.attname = 'flow_id' or a.attname = 'flow' and a.atttypid <> 'integer'::regtype)
    and c.relname <> all (%(definition)s)),
refers as (
  select t.oid, 0 as depth from t
  union
  select k.confrelid, r.depth + 1 from refers r join pg_constraint k on k.conrelid = r.oid and k.contype = 'f'
  where k.confrelid <> k.conrelid and r.depth < 20)
select t.relname, t.attname, t.value, c.relowner = 'wed_owner'::regrole
from t join refers r using (oid) join pg_class c using (oid)
group by 1, 2, 3, 4 order by max(r.depth), 1, 2
"""
# The table of jobs and the like have no foreign key to the instance, so these are emptied by its number.
_BY_INSTANCE = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'wid'
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and not exists (select 1 from pg_attribute f where f.attrelid = c.oid and f.attname = 'flow_id')
  and not exists (select 1 from pg_constraint k where k.conrelid = c.oid and k.contype = 'f') order by 1
"""
_EMPTY = """
create function pg_temp.empty_flow(p_flow integer, p_name text) returns void language plpgsql as $$
declare
  v_wids integer[] := array(select i.wid from wedsql.instance i where i.flow_id = p_flow);
begin
  {of_the_site}
  set local role wed_owner;
  perform wedsql._call_dropping(p_flow);
  delete from wedsql.message m where m.flow_id is null;  -- that it was dropped, which it is not
  delete from wedsql.bulk b using wedsql.bulk_row r where r.bulk_id = b.id and r.flow_id = p_flow;
  {statements}
  execute format('delete from %I.wed_flow', p_name);
  delete from wedsql.worker w where exists (
    select 1 from unnest(w.serves) s where split_part(s, ':', 1) = p_name);
  -- Tests name keys of workers after their flow.
  delete from wedsql.worker_secret s using wedsql.worker_key k
  where k.id = s.key_id and strpos(k.name, p_name) > 0;
  delete from wedsql.worker_key_use u using wedsql.worker_key k
  where k.id = u.key_id and strpos(k.name, p_name) > 0;
  delete from wedsql.worker_key k where strpos(k.name, p_name) > 0;
  set local role none;
end $$
"""
_DIGEST = """
create function pg_temp.digest_of(p_flow integer, p_name text) returns text language sql as $$
select md5(concat_ws(E'\\n', {tables},
  (select jsonb_agg(jsonb_build_array(c.oid, c.relname, c.relkind, c.relacl, c.reloptions, c.relowner,
     (select jsonb_agg(jsonb_build_array(a.attnum, a.attname, a.atttypid, a.attacl, a.attnotnull,
        a.attoptions, pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0),
     (select jsonb_agg(jsonb_build_array(g.tgname, g.tgenabled) order by g.oid) from pg_trigger g
      where g.tgrelid = c.oid)) order by c.oid)
   from pg_class c where c.relnamespace = n.oid),
  (select jsonb_agg(jsonb_build_array(p.oid, p.xmin::text, p.proname, p.proacl) order by p.oid)
   from pg_proc p where p.pronamespace = n.oid
     or p.pronamespace = 'wed_match'::regnamespace and p.proname ~ ('_' || p_flow || '$')),
  n.nspacl::text, to_regrole(quote_ident(p_name))::text))
from pg_namespace n where n.nspname = p_name $$
"""


class FlowPool:
    """Idle flows by their definition, in one database."""

    def __init__(self, admin: Connection, ends_transactions: bool = False) -> None:
        """Prepare the pool; ends_transactions: whether a test may have left transactions open."""
        self._admin = admin
        self._ends_transactions = ends_transactions
        admin.execute("set lock_timeout = '10s'")
        self._idle: OrderedDict[Key, str] = OrderedDict()
        self._digests: dict[str, str] = {}
        ours: list[str] = [
            f"delete from wedsql.{name} where wid = any (v_wids);" for (name,) in admin.execute(_BY_INSTANCE)
        ]
        of_the_site: list[str] = []
        for table, column, value, is_ours in admin.execute(_TABLES, {"definition": list(DEFINITION)}):
            statement = f"delete from wedsql.{table} where {column} = {value};"
            (ours if is_ours else of_the_site).append(statement)
        empty = _EMPTY.replace("{statements}", "\n  ".join(ours))
        admin.execute(empty.replace("{of_the_site}", "\n  ".join(of_the_site)))
        admin.execute(_DIGEST.replace("{tables}", ", ".join(map(_rows_of, DEFINITION))))

    def take(self, key: Key) -> str | None:
        """Return the name of an idle flow with this definition."""
        return self._idle.pop(key, None)

    def create(self, conn: Connection) -> str:
        """Create an empty flow and return its name."""
        name = f"f_{uuid.uuid4().hex[:12]}"
        api.flows.create(name, conn=conn)
        return name

    def remember(self, name: str) -> None:
        """Keep the digest of a flow that has just been made."""
        self._digests[name] = self._digest(name)

    def leave(self, name: str, key: Key) -> None:
        """Keep the flow for the next test if no test has changed it; drop it otherwise."""
        if self._ends_transactions:
            self._admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and state like 'idle in transaction%' and"
                " pid <> pg_backend_pid()"
            )
        if self._emptied(name) and key not in self._idle:
            self._idle[key] = name
            if len(self._idle) > MOST:
                self._drop(self._idle.popitem(last=False)[1])
        else:
            self._drop(name)

    def close(self) -> None:
        """Drop all idle flows."""
        while self._idle:
            self._drop(self._idle.popitem()[1])

    def _emptied(self, name: str) -> bool:
        """Empty the flow if it is unchanged and does nothing by itself; return whether it is so."""
        digest = self._digests.get(name)
        if not digest or self._digest(name) != digest or self._starts_by_time(name):
            return False
        query = "select pg_temp.empty_flow(id, name) from wedsql.flow where name = %s"
        for _time in range(_TIMES):
            try:
                self._admin.execute(query, [name])
            except (errors.DeadlockDetected, errors.LockNotAvailable):
                continue  # a process of the test may still work on the flow
            except psycopg.DatabaseError:
                return False  # it has what can only be dropped, such as looks
            return True
        return False

    def _starts_by_time(self, name: str) -> bool:
        """Return whether the reaper of another test would start instances of the flow."""
        query = "select 1 from wedsql.start_time s join wedsql.flow f on f.id = s.flow_id where f.name = %s"
        return self._admin.execute(query, [name]).fetchone() is not None

    def _digest(self, name: str) -> str:
        query = "select pg_temp.digest_of(id, name) from wedsql.flow where name = %s"
        row = self._admin.execute(query, [name]).fetchone()
        return str(row[0]) if row else ""

    def _drop(self, name: str) -> None:
        self._digests.pop(name, None)
        if self._admin.execute("select 1 from wedsql.flow where name = %s", [name]).fetchone():
            api.flows.drop(name, force=True, conn=self._admin)


def _rows_of(table: str) -> str:
    """Return the query for the flow's rows of a table, in an order that depends on the rows only."""
    column = "id" if table == "flow" else "flow_id"
    return f"(select jsonb_agg(t order by t::text) from wedsql.{table} t where t.{column} = p_flow)"


class OwnFlow:
    """The flow of one test, which another fixture creates and drops."""

    def __init__(self, name: str) -> None:
        self.name = name

    def define(self, text: str, connect: Callable[..., Connection]) -> str:
        """Define it by SQL and return its name."""
        _execute(connect(), self.name, text)
        return self.name

    def leave(self) -> None:
        """Leave it to its fixture."""


class PooledFlow:
    """A flow that the test has to itself, and that the pool may have had before."""

    def __init__(self, pool: FlowPool) -> None:
        self._pool = pool
        self._name = ""
        self._key: Key = ()

    def define(self, text: str, connect: Callable[..., Connection]) -> str:
        """Return the name of a flow with this definition, or add it to the definition of an earlier call."""
        if self._name:
            _execute(connect(), self._name, text)
            return self._name
        self._key = (text,)
        self._name = self._pool.take(self._key) or ""
        if not self._name:
            session = connect()
            with nullcontext() if ends_transaction(text) else session.transaction():
                self._name = self._pool.create(session)
                _execute(session, self._name, text)
            self._pool.remember(self._name)
        return self._name

    def leave(self) -> None:
        """Give it to the pool."""
        if self._name:
            self._pool.leave(self._name, self._key)


def ends_transaction(text: str) -> bool:
    """Return whether SQL commits itself, so that it cannot be executed together with other statements."""
    return re.search(r"^\s*commit\b", text, re.IGNORECASE | re.MULTILINE) is not None


def _execute(session: Connection, flow: str, text: str) -> None:
    """Execute SQL in one transaction with the flow's schema first in the search_path."""
    with session.transaction():
        session.execute(sql.SQL("set local search_path = {}, wedsql").format(sql.Identifier(flow)))
        session.execute(text)  # type: ignore[call-overload]
