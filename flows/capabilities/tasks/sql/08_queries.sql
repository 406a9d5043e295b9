-- The rows that a query of a form offers. They are read in parts by the number of the instance, newest first:
-- up to 1,000 rows that may fit, among at most 10,000; the condition is evaluated over each part by the role
-- without rights. A query has two seconds: it reads no more parts then.

-- Returns the comparisons "attribute of the row = attribute of the instance" that have to hold where a
-- condition does, so that an index of the rows can be used.
create or replace function wedsql._query_equals(p_query jsonb, p_rows jsonb, p_own jsonb)
returns table (attribute text, own text)
language sql stable set search_path = pg_catalog, pg_temp as $$
with t as materialized (
  select wedsql._condition_tree(p_query ->> 'where', wedsql._query_types(p_rows, p_own)) as tree
  where p_query ? 'where'),
parts as (
  select p from t cross join lateral jsonb_array_elements(case t.tree ->> 0
    when 'and' then t.tree when '=' then jsonb_build_array('and', t.tree) else '[]' end) p)
select case when p_rows ? a.one then a.one else a.two end,
       substr(case when p_rows ? a.one then a.two else a.one end, 4)
from parts cross join lateral (select case when p #>> '{2,0}' = 'attribute' then p #>> '{2,1}' end as one,
                                      case when p #>> '{3,0}' = 'attribute' then p #>> '{3,1}' end as two) a
where jsonb_typeof(p) = 'array' and p ->> 0 = '=' and (p_rows ? a.one) <> (p_rows ? a.two)
  and p_rows ->> (case when p_rows ? a.one then a.one else a.two end)
      = p_own ->> substr(case when p_rows ? a.one then a.two else a.one end, 4)
$$;

-- Returns the text of the statement that reads a part of the rows: $1 the number before which, $2 the state
-- of the instance, $3 what is searched for, $4 a value that is asked for. It returns the rows, and the number
-- before which the next part is, null for the last one. Names are quoted, types come from a closed set.
create or replace function wedsql._query_statement(p_flow text, p_query jsonb, p_reads text[], p_rows jsonb,
  p_own jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select format($q$with part as materialized (
    select (select x.wid from %3$I.wed_flow x where x.wid < $1
            order by x.wid desc offset 9999 limit 1) as first)
  select coalesce(jsonb_agg(p.row order by p.wid desc) filter (where p.is_found), '[]'),
    case when count(*) = 1000 then min(p.wid) else (select first from part) end
  from (select w.wid, jsonb_build_object('wid', w.wid, %1$s) as row,
               $3 is null or strpos(lower(concat_ws(' ', %2$s)), lower($3)) > 0 as is_found
        from %3$I.wed_flow w join wedsql.instance i on i.wid = w.wid
        where w.wid < $1 and w.wid >= coalesce((select first from part), 0) and i.status <> 'C' %4$s %5$s
        order by w.wid desc limit 1000) p$q$,
  (select string_agg(format('%L, w.%I', n, n), ', ') from (
     select unnest(p_reads) union select wedsql._query_shows(p_query)) r (n) where p_rows ? n),
  (select string_agg(format('w.%I', n), ', ') from wedsql._query_shows(p_query) n),
  p_flow,
  (select string_agg(format('and w.%I = ($2 ->> %L)::%s', e.attribute, e.own,
                            wedsql.sql_type(p_rows ->> e.attribute)), ' ')
   from wedsql._query_equals(p_query, p_rows, p_own) e),
  format('and ($4 is null or w.%I = $4::%s)', p_query ->> 'value',
         wedsql.sql_type(p_rows ->> (p_query ->> 'value'))))
$$;

-- Returns how long a query reads rows.
create or replace function wedsql._query_time() returns interval
language sql immutable set search_path = pg_catalog, pg_temp as $$ select interval '2 seconds' $$;

-- Returns the rows that a query offers on a state of the instance, newest first, up to p_limit: for each its
-- value and the texts of its columns. complete: there are no more. p_search: only those that have this text;
-- p_value: only those with this value.
-- Raises: WD597 where the query no longer fits the flow, nothing was found in the time that it has, or the
-- server canceled the statement.
create or replace function wedsql._query_rows(p_query jsonb, p_flow wedsql.flow, p_state jsonb, p_search text,
  p_limit integer, p_value text default null, out items jsonb, out complete boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set plan_cache_mode = force_custom_plan as $$
declare
  v_own jsonb := wedsql._attr_types(p_flow.id);
  v_rows jsonb := wedsql._query_row_types(p_query, v_own);
  v_all jsonb := wedsql._query_types(v_rows, v_own);
  v_condition wedsql.condition;
  v_statement text;
  v_mine jsonb := (select coalesce(jsonb_object_agg('my_' || s.key, s.value), '{}')
                   from jsonb_each(p_state) s);
  v_before integer := 2147483647;
  v_part jsonb;
  v_until timestamptz := clock_timestamp() + wedsql._query_time();
begin
  if exists (select from wedsql._query_shows(p_query) n where v_rows is null or not v_rows ? n) then
    perform wedsql._raise('WD597', 'The query is about a flow or an attribute that there is no longer.',
                          'Report this to the designer of the flow.', '{}');
  end if;
  select 1, null, c.qualified, c.reads, null into v_condition
  from wedsql.canonical(coalesce(p_query ->> 'where', 'true'), v_all) c;
  v_statement := wedsql._query_statement(coalesce(p_query ->> 'flow', p_flow.name), p_query,
                                         v_condition.reads, v_rows, v_own);
  items := '[]';
  loop
    execute v_statement into v_part, v_before using v_before, p_state, p_search, p_value;
    items := items || wedsql._offered(p_query, v_part, v_mine, v_condition, v_all);
    complete := v_before is null;
    exit when complete or jsonb_array_length(items) > p_limit;
    if clock_timestamp() > v_until then
      if items = '[]' then
        perform wedsql._raise('WD597', 'The query found nothing in the {seconds} seconds that it has.',
          'Search for a part of the text; or report this to the designer of the flow.',
          jsonb_build_object('seconds', extract(epoch from wedsql._query_time())::integer));
      end if;
      exit;
    end if;
  end loop;
  complete := complete and jsonb_array_length(items) <= p_limit;
  items := jsonb_path_query_array(items, '$[0 to $n]', jsonb_build_object('n', p_limit - 1));
exception when sqlstate 'WD005' then
  perform wedsql._raise('WD597', 'The query is about a flow or an attribute that there is no longer.',
                        'Report this to the designer of the flow.', '{}');
when query_canceled then
  perform wedsql._raise('WD597', 'The query took longer than the server lets a statement run.',
    'Try again in a moment; or report this to the designer of the flow.', '{}');
end $$;

-- Returns those of the rows on which the condition holds, as a form offers them.
create or replace function wedsql._offered(p_query jsonb, p_rows jsonb, p_mine jsonb,
  p_condition wedsql.condition, p_types jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg(jsonb_build_object('value', r.j -> (p_query ->> 'value'), 'instance', r.j -> 'wid',
    'texts', (select coalesce(jsonb_agg(coalesce(left(r.j ->> s.n, 200), '') order by s.o), '[]')
              from wedsql._query_shows(p_query) with ordinality s (n, o) where s.o > 1)) order by r.n), '[]')
from (select case when p_rows = '[]' then '{}'::text[] else wedsql._values(array[p_condition], p_types, (
        select jsonb_agg(p_mine || e.j order by e.n)
        from jsonb_array_elements(p_rows) with ordinality e (j, n))) end as letters) v
cross join lateral jsonb_array_elements(p_rows) with ordinality r (j, n)
where v.letters[r.n] = 't' and coalesce(r.j -> (p_query ->> 'value'), 'null') <> 'null'
$$;

-- Returns what a query reads of its rows: what it shows, and what its condition names. Who may not see all of
-- this gets no rows.
create or replace function wedsql._query_reads(p_query jsonb, p_own jsonb) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_rows jsonb := coalesce(wedsql._query_row_types(p_query, p_own), '{}');
begin
  return array(
    select s from wedsql._query_shows(p_query) s
    union
    select r from unnest((wedsql.canonical(coalesce(p_query ->> 'where', 'true'),
                                           wedsql._query_types(v_rows, p_own))).reads) r where v_rows ? r);
exception when sqlstate 'WD005' then
  return array(select wedsql._query_shows(p_query));
end $$;

-- Returns whether a query offers a value on a state.
-- Raises: WD597 with the field in the detail.
create or replace function wedsql._is_offered(p_task wedsql.task, p_field jsonb, p_value jsonb, p_state jsonb)
  returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
  v_flow wedsql.flow;
begin
  select f.* into v_flow from wedsql.flow f where f.id = p_task.flow_id;
  return (select r.items <> '[]' from wedsql._query_rows(p_field -> 'query', v_flow, p_state, null, 1,
                                                         p_value #>> '{}') r);
exception when sqlstate 'WD597' then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  v_why.detail := (coalesce(nullif(v_why.detail, ''), '{}')::jsonb
    || jsonb_build_object('field', p_field ->> 'attribute'))::text;
  perform wedsql._raise(v_why);
end $$;

-- Returns what a field of a task's form offers with these values typed: {"items": [{"value", "instance",
-- "texts"}], "complete"}. Whether the reader may see these rows is checked by the caller.
-- Raises: WD590; WD597 also for a field without a query.
create or replace function wedsql.task_choices(p_job bigint, p_attribute text, p_data jsonb,
  p_search text default null, p_limit integer default 50) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
  v_flow wedsql.flow;
  v_query jsonb := (
    select f.field -> 'query' from wedsql.trig t cross join lateral wedsql._form_fields(t.form) f
    where t.tgid = v_task.tgid and f.attribute = p_attribute);
  v_state record;
begin
  if v_query is null then
    perform wedsql._raise('WD597', 'The form of task {task} has no field "{field}" with a query.', null,
      wedsql._task_facts(v_task) || jsonb_build_object('field', left(p_attribute, 80)));
  end if;
  select f.* into v_flow from wedsql.flow f where f.id = v_task.flow_id;
  v_state := wedsql._typed_state(v_flow.name, v_task.wid, coalesce(p_data, '{}'));
  return (select jsonb_build_object('items', r.items, 'complete', r.complete)
          from wedsql._query_rows(v_query, v_flow, v_state.after, nullif(btrim(left(p_search, 200)), ''),
                                  least(greatest(coalesce(p_limit, 50), 1), 200)) r);
end $$;

grant execute on function wedsql.task_choices(bigint, text, jsonb, text, integer) to wed_web;
