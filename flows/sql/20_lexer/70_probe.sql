-- Checks without rights: PostgreSQL itself parses, types and plans a rendered expression as wed_eval, on no
-- row at all. The time zone and the styles of dates and intervals are set here as in every function that
-- evaluates conditions.

-- Returns the type of the column behind an attribute type; unknown types are text, as is enum.
create or replace function wedsql.sql_type(p_type text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when p_type in ('integer', 'numeric', 'boolean', 'date', 'timestamptz', 'interval', 'jsonb',
                              'bigint')
              then p_type else 'text' end
$$;

-- Returns a one-row source named r with every attribute null and typed. Names are quoted, types come from a
-- closed set. offset 0 keeps the planner from folding the nulls away, so that it plans as it does with real
-- rows.
create or replace function wedsql.row_source(p_attrs jsonb)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select format('(select %s offset 0) as r',
                coalesce(string_agg(format('null::%s as %I', wedsql.sql_type(a.value), a.key), ', '
                                                        order by a.key), 'null::text as wed_none'))
  from jsonb_each_text(p_attrs) as a
$$;

-- Returns the source of the attributes that stand in p_tokens: a flow may have a thousand more, which
-- PostgreSQL would read for each expression.
create or replace function wedsql.row_source(p_tokens wedsql.token[], p_attrs jsonb)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select wedsql.row_source(coalesce(jsonb_object_agg(t.text, p_attrs -> t.text), '{}'))
  from unnest(p_tokens) as t where t.kind = 'attribute'
$$;

-- Returns null when PostgreSQL accepts p_query, a single select, else its SQLSTATE and message. The query is
-- planned, which evaluates its constant parts, and never fetched from. Runs as its owner wed_eval, which has
-- no rights, and takes rendered text, so that only the owner of the kernel may call it.
create or replace function wedsql.plan_error(p_query text, out code text, out message text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_cursor refcursor;
begin
  -- A cursor rejects more than one statement.
  open v_cursor no scroll for execute p_query;
  close v_cursor;
exception
when insufficient_resources or operator_intervention or system_error then raise;
when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text;
end
$$;

-- Returns whether PostgreSQL's planner proves that no row passes the condition of p_query, a single select:
-- that two of its parts exclude each other. What it cannot prove is false. Runs as plan_error does.
create or replace function wedsql.is_never_true(p_query text) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' set constraint_exclusion = 'on' set transform_null_equals = off
set standard_conforming_strings = on as $$
declare
  v_line text;
begin
  for v_line in execute 'explain (costs off) ' || p_query loop
    if v_line ~ '(One-Time )?Filter: (false|NULL::boolean)$' then
      return true;
    end if;
  end loop;
  return false;
end
$$;

-- Returns the type of the one expression p_expression over p_source, which is planned and never evaluated on
-- a row.
-- Raises: what PostgreSQL raises for the expression.
create or replace function wedsql.type_of(p_expression text, p_source text)
returns text language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_cursor refcursor;
  v_type text;
begin
  open v_cursor no scroll for execute
    format(e'select pg_typeof((select x from (select (%s) as x from %s) as q limit 0))::text', p_expression,
           p_source);
  fetch v_cursor into v_type;
  close v_cursor;
  return v_type;
end
$$;

-- Returns how PostgreSQL parsed p_query: the kinds of nodes in its parse tree, the functions behind its
-- calls, operators and casts, and the tree itself. The tree is read from a function whose creation is rolled
-- back before the return. It is created in an existing schema: a schema created for it would invalidate every
-- plan of the session after each call. Where nothing can be created (a read-only transaction, in which
-- nothing can be stored either) all are empty.
-- Locks: none that outlive the call.
-- Raises: what the parser raises.
create or replace function wedsql.parse_tree(
  p_query text, out nodes text[], out functions oid[], out tree text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_name text := 'probe_' || pg_backend_pid();
begin
  if current_setting('transaction_read_only')::boolean then
    nodes := '{}'; functions := '{}';
    return;
  end if;
  begin
    execute format(e'create function wed_match.%s() returns setof record begin atomic %s\n; end', v_name,
                   p_query);
    -- Concatenation reads a long tree now: where it is stored out of line, it is deleted with the function.
    select prosqlbody::text || ' ' into strict tree from pg_proc
    where proname = v_name and pronamespace = 'wed_match'::regnamespace;
    raise exception using errcode = 'WDROL';
  exception when sqlstate 'WDROL' then
    null;
  end;
  nodes := array(select rtrim(split_part(p.piece, ' ', 1), '}')
                 from string_to_table(tree, '{') with ordinality p (piece, i) where p.i > 1);
  functions := array(select distinct f.oid from (
    select split_part(p.piece, ' ', 1)::oid as oid
    from string_to_table(replace(tree, ':opfuncid ', ':funcid '), ':funcid ') with ordinality p (piece, i)
    where p.i > 1) f
    where f.oid <> 0 order by 1);
end
$$;
