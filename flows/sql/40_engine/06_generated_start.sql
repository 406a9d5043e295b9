create or replace function wedsql._value_in(p_document text, p_name text, p_type text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Return the source that reads an attribute's value from changes given as JSON: a value is what its text means to the type of
-- the attribute; null is NULL for every type, so a document that is only the JSON null is NULL, too.
select case p_type when 'jsonb' then format('nullif(%s -> %L, ''null'')', p_document, p_name)
                   else format('(%s ->> %L)::%s', p_document, p_name, wedsql._sql_type(p_type)) end
$$;

create or replace function wedsql._column_list(p_flow integer, p_form text, p_document text default '', p_between text default ', ') returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: the attributes in table order, each put into the format string: 1 name in quotes, 2 name as literal, 3 type,
-- 4 default as literal, 5 its value in p_document.
select string_agg(format(p_form, '"' || a.aname || '"', quote_literal(a.aname), wedsql._sql_type(a.type), quote_nullable(a.adv),
                         wedsql._value_in(p_document, a.aname, a.type)), p_between order by a.aid)
from wedsql.attr a where a.flow_id = p_flow
$$;

create or replace function wedsql._gen_start(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
-- Promise: the source of <flow>._start, which starts instances set-wise with typed columns and settles them. What is refused
-- for its state or its key takes no number: numbers come to an end.
declare
  v_columns text := format('select c.attname from pg_attribute c where c.attrelid = %L::regclass and c.attnum > 0 and not c.attisdropped order by c.attnum',
                           format('%I.wed_flow', p_schema));
  v_names name[];
begin
  execute format('select array(%s)', v_columns) into v_names;
  return format($t$
create or replace function %1$I._start(p_states jsonb[], p_actor text, p_keys text[]) returns table (ord integer, wid integer, status "char")
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
declare
  v_wids integer[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_none boolean;
  v_now timestamptz := wedsql.now();
begin
  lock table %1$I.wed_flow in row exclusive mode;  -- a definition that is being published comes first
  -- The row below is put together by the places of the columns: what waited for a rename would write the wrong ones.
  if array(%7$s) <> %8$L::name[] then
    perform wedsql._refuse_changed(%2$s);
  end if;
  perform wedsql._check_states(%3$L::text[], p_states);
  p_keys := array_replace(p_keys, '', null);
  if octet_length(array_to_string(p_keys, '')) > 500 then
    perform wedsql._check_keys(p_keys);
  end if;
  select array_agg(row(0, true, null, null, '_INIT', null, p_actor, null, to_jsonb(b.r) - 'wid', null, b.holds, null, null)::wedsql.step order by b.ord),
         bool_or(0 > any (b.holds)), bool_or(0 >= all (b.holds))
  into v_steps, v_failed, v_none
  from (select n.ord, n.r, wed_match.f_%2$s(n.r) as holds
        from (select u.ord, row(null%6$s)::%1$I.wed_flow as r from unnest(p_states) with ordinality u (s, ord) offset 0) n offset 0) b;
  perform wedsql._check_sizes(v_steps);
  if v_none then
    perform wedsql._refuse_start(%2$s, v_steps);
  elsif octet_length(array_to_string(p_keys, '')) > 0 then
    perform wedsql._check_known(%2$s, p_keys);
  end if;
  v_wids := array(select nextval('wedsql.wid_seq')::integer from generate_series(1, cardinality(p_states)));
  for v_ord in 1..cardinality(v_wids) loop
    v_steps[v_ord].wid := v_wids[v_ord];
  end loop;
  insert into %1$I.wed_flow (wid%4$s) select u.wid%5$s from unnest(v_wids, p_states) u (wid, s);
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, %2$s, f.version, v_now, v_now, p_actor, u.key from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = %2$s where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status from wedsql._settle(%2$s, v_steps, v_failed) r;
end $f$ $t$, p_schema, p_flow,
    coalesce((select array_agg(a.aname) from wedsql.attr a where a.flow_id = p_flow), '{}'),
    coalesce(', ' || wedsql._column_list(p_flow, '%1$s'), ''),
    coalesce(', ' || wedsql._column_list(p_flow, 'case when u.s ? %2$s then %5$s else %4$s::%3$s end', 'u.s'), ''),
    coalesce((select string_agg(format(', case when u.s ? %L then %s else %L::%s end', a.aname, wedsql._value_in('u.s', a.aname, a.type), a.adv,
                                       wedsql._sql_type(a.type)), '' order by c.attnum)
              from wedsql.attr a join pg_attribute c on c.attrelid = format('%I.wed_flow', p_schema)::regclass and c.attname = a.aname
              where a.flow_id = p_flow), ''), v_columns, v_names);
end $g$;

create or replace function wedsql._refuse_changed(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: a start whose function was made for another definition does nothing.
-- Raises: WD010, 40001.
declare
  v_flow wedsql.flow;
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow;
  perform wedsql._refuse_half_defined(v_flow);
  perform wedsql._raise('40001', format('The definition of flow %I was changed while this call waited.', v_flow.name), 'Do the same again.');
end $$;

create or replace function wedsql._refuse_start(p_flow integer, p_steps wedsql.step[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: says why the first state that fires nothing is refused, before it has a number.
-- Raises: 23514 as the column's check would, WD010, WD101, WD106.
declare
  v_flow wedsql.flow;
  v_step wedsql.step;
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow;
  perform wedsql._refuse_half_defined(v_flow);
  foreach v_step in array p_steps loop
    if 0 >= all (v_step.matched) then
      perform wedsql._check_enums(p_flow, v_step.state);
      perform wedsql._refuse(v_flow, v_step.wid, '?', wedsql._prepare(v_flow, array[v_step], wedsql.now()));
    end if;
  end loop;
end $$;

create or replace function wedsql._check_enums(p_flow integer, p_state jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: each enum of the state has one of its options, or none.
-- Raises: 23514.
declare
  v_attr wedsql.attr;
begin
  select * into v_attr from wedsql.attr a
  where a.flow_id = p_flow and a.type = 'enum' and not p_state ->> a.aname = any (a.options) order by a.aid limit 1;
  if found then
    raise check_violation using message = format('%L is none of the options of %I.', left(p_state ->> v_attr.aname, 80), v_attr.aname),
      hint = format('Options: %s.', array_to_string(v_attr.options, ', '));
  end if;
end $$;

create or replace function wedsql._check_known(p_flow integer, p_keys text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Promise: no instance of the flow has one of these keys yet. What comes in between is found by the index.
-- Raises: 23505.
begin
  if exists (select 1 from wedsql.instance i where i.flow_id = p_flow and i.key = any (p_keys)) then
    raise unique_violation using message = 'The key of a start is known.', constraint = 'instance_key', table = 'instance', schema = 'wedsql';
  end if;
end $$;

create or replace function wedsql._check_keys(p_keys text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: every key of a start is short enough for the index that finds it again.
-- Raises: WD009.
declare
  v_long text;
begin
  select k into v_long from unnest(p_keys) k where octet_length(k) > 500 limit 1;
  if found then
    perform wedsql._raise('WD009', format('The key %L... has %s bytes; 500 are allowed.', left(v_long, 40), octet_length(v_long)),
      'Use a shorter key, for example a hash of what it is made of.');
  end if;
end $$;

create or replace function wedsql._check_states(p_attrs text[], p_states jsonb[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: every state is a JSON object over attributes of the flow.
-- Raises: WD107, WD009, WD002 naming the attribute and the nearest known one.
declare
  v_bad text;
begin
  if exists (select 1 from unnest(p_states) s where jsonb_typeof(s) is distinct from 'object') then
    perform wedsql._raise('WD009', 'A state is a JSON object: attribute names with their values.');
  elsif exists (select 1 from unnest(p_states) s where octet_length(s::text) > wedsql.state_limit()) then
    perform wedsql._refuse_size();
  end if;
  select k into v_bad from unnest(p_states) s cross join lateral jsonb_object_keys(s - p_attrs) k limit 1;
  if found then
    perform wedsql._raise('WD002', format('%L is no attribute of this flow.', left(v_bad, 80)),
      case when p_attrs = '{}' then 'The flow has no attributes yet.'
           else coalesce('Did you mean ' || wedsql.suggest(v_bad, p_attrs) || '? ', '')
                || format('Attributes: %s.', array_to_string(p_attrs, ', ')) end,
      jsonb_build_object('attribute', v_bad)::text);
  end if;
end $$;
