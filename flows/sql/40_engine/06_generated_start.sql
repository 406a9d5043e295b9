-- Returns the source that reads an attribute's value from changes given as JSON: a value is what its text
-- means to the type of the attribute; null is NULL for every type, so a document that is only the JSON null
-- is NULL, too.
create or replace function wedsql._value_in(p_document text, p_name text, p_type text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_type
  when 'jsonb' then format('nullif(%s -> %L, ''null'')', p_document, p_name)
  else format('(%s ->> %L)::%s', p_document, p_name, wedsql.sql_type(p_type)) end
$$;

-- Returns the attributes of a flow, numbered as the columns of its table. quoted: the name in quotes.
create or replace function wedsql._columns(p_flow integer)
returns table (n smallint, name text, quoted text, type text, adv text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query select c.attnum, a.aname::text, '"' || a.aname || '"', a.type::text, a.adv::text
  from wedsql.flow f
  join wedsql.attr a on a.flow_id = f.id
  join pg_attribute c on c.attrelid = format('%I.wed_flow', f.name)::regclass and c.attname = a.aname
  where f.id = p_flow;
end $$;

-- Returns the names of the attributes of a flow, as the text of an array.
create or replace function wedsql._attribute_names(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(a.aname), '{}')::text from wedsql.attr a where a.flow_id = p_flow
$$;

-- Returns the values of a new row behind its number, each with a comma before it: those of the JSON object
-- u.s, or the defaults.
create or replace function wedsql._first_values(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(case when wedsql._number_prefix(a) is not null
  then wedsql._fill(', wedsql._numbered_name({flow}, {prefix:L}, {default:L}, {value})',
    jsonb_build_object('flow', p_flow, 'prefix', wedsql._number_prefix(a), 'default', c.adv,
      'value', wedsql._value_in('u.s', c.name, c.type)))
  else wedsql._fill(', case when u.s ? {name:L} then {value} else {default:L}::{type} end',
    jsonb_build_object('name', c.name, 'value', wedsql._value_in('u.s', c.name, c.type),
      'default', c.adv, 'type', wedsql.sql_type(c.type))) end, '' order by c.n), '')
from wedsql._columns(p_flow) c join wedsql.attr a on a.flow_id = p_flow and a.aname = c.name
$$;

-- Returns the body of <flow>._start. Numbers are limited, so a start that is rejected for its state or its
-- key uses none: where a state fires nothing or violates an integrity condition, the rows get negative
-- numbers, so that the table checks them, and settling rejects them.
create or replace function wedsql._start_body(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
#variable_conflict use_column
declare
  v_wids integer[];
  v_rows {flow:I}.wed_flow[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_none boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states({attributes:L}::text[], p_states);
  p_keys := array_replace(p_keys, '', null);
  if octet_length(array_to_string(p_keys, '')) > 0 then
    perform wedsql._check_keys({id}, p_keys);
  end if;
  select array_agg(n.r order by n.ord),
         array_agg(row(0, true, null, null, '_INIT', null, p_actor, null,
                       to_jsonb(n.r) - 'wid', null, n.holds, null, null)::wedsql.step order by n.ord),
         bool_or(0 > any (n.holds)), bool_or(0 >= all (n.holds){guard})
  into v_rows, v_steps, v_failed, v_none
  from (select b.ord, b.r, wed_match.f_{id}(b.r) as holds
        from (select u.ord, row(0{values})::{flow:I}.wed_flow as r
              from unnest(p_states) with ordinality u (s, ord) offset 0) b offset 0) n;
  perform wedsql._check_sizes(v_steps);
  for v_ord in 1..cardinality(v_rows) loop
    v_wids[v_ord] := case when v_none then - v_ord else nextval('wedsql.wid_seq')::integer end;
    v_rows[v_ord].wid := v_wids[v_ord];
    v_steps[v_ord].wid := v_wids[v_ord];{numbers}
  end loop;
  insert into {flow:I}.wed_flow select u.* from unnest(v_rows) u;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, {id}, f.version, v_now, v_now, p_actor, u.key
  from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = {id} where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status
    from wedsql._settle({id}, v_steps, v_failed) r;
end $t$, jsonb_build_object('flow', p_schema, 'id', p_flow,
    'attributes', wedsql._attribute_names(p_flow), 'values', wedsql._first_values(p_flow),
    'guard', wedsql._guard_start(p_flow), 'numbers', wedsql._gen_numbers(p_flow)));
end $g$;

-- Returns the source of <flow>._start, which starts any number of instances at once with typed columns and
-- settles them. The caller has locked the flow's table, so that the generated functions match the definition.
-- The body is a quoted literal, because a default of an attribute may have any dollar quote in its text.
create or replace function wedsql._gen_start(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
create or replace function {flow:I}._start(p_states jsonb[], p_actor text, p_keys text[])
returns table (ord integer, wid integer, status "char")
language plpgsql security definer set search_path = pg_catalog, pg_temp
set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set plan_cache_mode = force_generic_plan as {body:L}$t$,
    jsonb_build_object('flow', p_schema, 'body', wedsql._start_body(p_flow, p_schema)));
end $g$;

-- Rejects keys that are too long for the index, and those that an instance of the flow has; keys that another
-- transaction adds meanwhile are found by the index.
-- Raises: WD009, 23505.
create or replace function wedsql._check_keys(p_flow integer, p_keys text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_long text;
begin
  if octet_length(array_to_string(p_keys, '')) > 500 then
    select k into v_long from unnest(p_keys) k where octet_length(k) > 500 limit 1;
  end if;
  if v_long is not null then
    perform wedsql._raise('WD009', 'The key "{key}..." has {bytes} bytes; 500 are allowed.',
      'Use a shorter key, for example a hash.',
      jsonb_build_object('key', left(v_long, 40), 'bytes', octet_length(v_long)));
  elsif exists (select 1 from wedsql.instance i where i.flow_id = p_flow and i.key = any (p_keys)) then
    raise unique_violation using message = 'The key of a start is known.',
      constraint = 'instance_key', table = 'instance', schema = 'wedsql';
  end if;
end $$;

-- Checks that every state is a JSON object over attributes of the flow.
-- Raises: WD107, WD009, WD002 naming the attribute and the nearest known one.
create or replace function wedsql._check_states(p_attrs text[], p_states jsonb[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
  v_near text;
begin
  if exists (select 1 from unnest(p_states) s where jsonb_typeof(s) is distinct from 'object') then
    perform wedsql._raise('WD009', 'A state is a JSON object: attribute names with their values.');
  elsif exists (select 1 from unnest(p_states) s where octet_length(s::text) > wedsql.state_limit()) then
    perform wedsql._refuse_size();
  end if;
  select k into v_bad from unnest(p_states) s cross join lateral jsonb_object_keys(s - p_attrs) k limit 1;
  if found then
    v_near := wedsql.suggest(v_bad, p_attrs);
    perform wedsql._raise('WD002', '"{attribute}" is not an attribute of this flow.',
      case when p_attrs = '{}' then 'The flow has no attributes yet.'
           when v_near is null then 'Attributes: {attributes}.'
           else 'Did you mean {near}? Attributes: {attributes}.' end,
      jsonb_build_object('attribute', left(v_bad, 80), 'near', v_near, 'attributes', p_attrs));
  end if;
end $$;
