create or replace function wedsql._sql_type(p_type text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Promise: the column type of a WED-attribute type.
select case p_type when 'enum' then 'text' else p_type end
$$;

create or replace function wedsql._attr_types(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: attribute name -> type, the form the lexer asks for.
select coalesce(jsonb_object_agg(a.aname, a.type), '{}') from wedsql.attr a where a.flow_id = p_flow
$$;

create or replace function wedsql._check_default(p_name text, p_type text, p_options text[], p_default text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the default can be a value of that type.
-- Raises: WD003 naming attribute, type and value.
declare
  v_ignored text;
begin
  if p_type = 'enum' and coalesce(cardinality(p_options), 0) = 0 then
    perform wedsql._raise('WD009', format('Attribute %I is an enum without options.', p_name),
      'Give at least one option.');
  end if;
  if p_default is null then
    return;
  end if;
  if p_type = 'enum' and not p_default = any (p_options) then
    perform wedsql._raise('WD003', format('Default %L of attribute %I is none of its options.', left(p_default, 80), p_name),
      format('Options: %s.', array_to_string(p_options, ', ')), jsonb_build_object('attribute', p_name)::text);
  end if;
  begin
    execute format('select ($1::%s)::text', wedsql._sql_type(p_type)) into v_ignored using p_default;
  exception when data_exception then
    perform wedsql._raise('WD003', format('Default %L of attribute %I is not a value of type %s.', left(p_default, 80), p_name, p_type),
      sqlerrm, jsonb_build_object('attribute', p_name)::text);
  end;
end $$;

create or replace function wedsql._places(p_flow integer, p_attr text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: where a definition names the attribute, in words.
select array_agg(p.place order by p.tgid, p.place) from (
  select t.tgid, format('%s of trigger %s', v.what, coalesce(nullif(t.tgname, ''), t.cname, t.trname, '#' || t.tgid)) as place
  from wedsql.trig t
  cross join lateral (values ('the predicate', p_attr = any (t.reads)), ('the write-set', p_attr = any (t.writes)),
                             ('the due attribute', p_attr = t.due_attr)) v (what, names_it)
  where t.flow_id = p_flow and v.names_it) p
$$;

create or replace function wedsql._lock_definition(p_flow integer, p_columns boolean default false) returns text
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
-- Promise: nobody writes an instance of the flow, nor changes its definition, until this transaction ends; the flow's name.
-- Locks: the flow's row, then its wed_flow table: in exclusive mode (readers go on), or where columns will change in access
-- exclusive mode at once, as raising the mode later could meet a worker that read the table and now wants to write it.
-- Raises: WD010 when a long transaction stands in the way.
declare
  v_name text;
begin
  select name into v_name from wedsql.flow where id = p_flow for no key update;
  execute format('lock table %I.wed_flow in %s mode', v_name, case when p_columns then 'access exclusive' else 'exclusive' end);
  return v_name;
exception when lock_not_available then
  perform wedsql._raise('WD010', 'Another transaction holds instances of this flow; the definition was left as it was.',
    'Try again in a moment; "select * from pg_stat_activity" shows who holds the transaction open.');
end $$;
