-- The powerless look: PostgreSQL itself parses, types and plans a rendered expression as wed_eval, on no row at all.

-- Promise: the type of the column behind an attribute type; what is not known is text, as is enum.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.sql_type(p_type text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when p_type in ('integer', 'numeric', 'boolean', 'date', 'timestamptz', 'interval', 'jsonb', 'bigint')
              then p_type else 'text' end
$$;

-- Promise: a one-row source named r with every attribute null and typed; names and types come from closed sets.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.row_source(p_attrs jsonb)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select format('(select %s) as r', coalesce(string_agg(format('null::%s as %I', wedsql.sql_type(a.value), a.key), ', '
                                                        order by a.key), 'null::text as wed_none'))
  from jsonb_each_text(p_attrs) as a
$$;

-- Promise: null when PostgreSQL accepts p_query, a single select, else its SQLSTATE and message. The query is planned,
-- which evaluates its constant parts, and never fetched from. Runs as its owner wed_eval, who may do nothing; takes only
-- rendered text, so only the owner of the kernel may call it.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.plan_error(p_query text, out code text, out message text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, MDY' set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_cursor refcursor;
begin
  -- A cursor refuses more than one statement.
  open v_cursor no scroll for execute p_query;
  close v_cursor;
exception when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text;
end
$$;

-- Promise: what PostgreSQL made of p_query: the kinds of nodes in its parse tree and the functions behind its calls,
-- operators and casts. The tree is read from a temporary function whose creation is rolled back.
-- Locks: none that outlive the call
-- Raises: what the parser raises
create or replace function wedsql.parse_tree(p_query text, out nodes text[], out functions oid[])
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, MDY' set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_tree text;
begin
  begin
    execute format(e'create function pg_temp.wedsql_probe() returns setof record begin atomic %s\n; end', p_query);
    select prosqlbody::text into v_tree from pg_proc
    where oid = to_regprocedure('pg_temp.wedsql_probe()');
    raise exception using errcode = 'WDROL';
  exception when sqlstate 'WDROL' then
    null;
  end;
  nodes := array(select distinct m[1] from regexp_matches(v_tree, '\{([A-Z]+)', 'g') as m order by 1);
  functions := array(select distinct m[1]::oid from regexp_matches(v_tree, ':(?:funcid|opfuncid) ([0-9]+)', 'g') as m
                     where m[1] <> '0' order by 1);
end
$$;
