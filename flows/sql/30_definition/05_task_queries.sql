-- The query of a field: rows of this or another flow to choose from. It is a condition in the language of
-- conditions, over the attributes of these rows and, with my_ before their names, over those of the instance
-- of the task; it is checked as conditions of triggers are, and evaluated as they are, by the role without
-- rights. {"flow", "where", "value", "columns"}: value is what is written, columns what is shown beside it.

-- Returns the types of all that the condition of a query may name.
create or replace function wedsql._query_types(p_rows jsonb, p_own jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_rows || coalesce((select jsonb_object_agg('my_' || o.key, o.value) from jsonb_each(p_own) o), '{}')
$$;

-- Returns the types of the attributes of the rows that a query chooses from; null for a flow that there is
-- not.
create or replace function wedsql._query_row_types(p_query jsonb, p_own jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when not p_query ? 'flow' then p_own
            else (select wedsql._attr_types(f.id) from wedsql.flow f where f.name = p_query ->> 'flow') end
$$;

-- Checks the query of a field, if it has one.
-- Raises: WD001, WD002, WD009; WD005, WD006 with the field in the detail.
create or replace function wedsql._check_form_query(p_name text, p_field jsonb, p_own jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_query jsonb := p_field -> 'query';
  v_rows jsonb;
  v_bad text;
begin
  if v_query is null then
    return;
  end if;
  perform wedsql._check_query_outline(p_name, v_query);
  v_rows := wedsql._query_row_types(v_query, p_own);
  if v_rows is null then
    perform wedsql._refuse_form('WD001', 'The query of "{attribute}" is about the flow "{flow}", which there '
      'is not.', p_name, 'query', 'Name a flow whose instances are to be chosen from.',
      jsonb_build_object('flow', left(v_query ->> 'flow', 80)));
  end if;
  select n into v_bad from wedsql._query_shows(v_query) n where not v_rows ? n limit 1;
  if found then
    perform wedsql._refuse_form('WD002', 'The query of "{attribute}" shows "{name}", which is not an '
      'attribute of the flow.', p_name, 'query', p_facts => jsonb_build_object('name', left(v_bad, 80)));
  elsif wedsql.sql_type(v_rows ->> (v_query ->> 'value')) <> wedsql.sql_type(p_own ->> p_name) then
    perform wedsql._refuse_form('WD009', 'The query of "{attribute}" gives "{name}", which is of another '
      'type.', p_name, 'query', 'Choose a value of type {type}.',
      jsonb_build_object('name', v_query ->> 'value', 'type', p_own ->> p_name));
  end if;
  perform wedsql._check_query_condition(p_name, v_query, v_rows, p_own);
end $$;

-- Checks what a query has.
-- Raises: WD009.
create or replace function wedsql._check_query_outline(p_name text, p_query jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
begin
  select k into v_bad from jsonb_each(p_query) e (k, v)
  where not case k when 'flow' then jsonb_typeof(v) = 'string' when 'value' then jsonb_typeof(v) = 'string'
                   when 'where' then jsonb_typeof(v) = 'string' and length(v #>> '{}') <= 4000
                   when 'columns' then jsonb_typeof(v) = 'array' and jsonb_array_length(v) <= 10
                     and not jsonb_path_exists(v, 'strict $[*] ? (@.type() <> "string")')
                   else false end limit 1;
  if found or not p_query ? 'value' then
    perform wedsql._refuse_form('WD009', 'The query of "{attribute}" is an object with the attribute '
      '"value", and perhaps "flow", the condition "where", and "columns", a list of attributes.', p_name, 'query',
      p_facts => jsonb_strip_nulls(jsonb_build_object('entry', left(v_bad, 80))));
  end if;
end $$;

-- Returns the attributes that a query shows: its value, then its columns.
create or replace function wedsql._query_shows(p_query jsonb) returns setof text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_query ->> 'value'
union all
select c from jsonb_array_elements_text(coalesce(p_query -> 'columns', '[]')) c
where c <> p_query ->> 'value'
$$;

-- Checks the condition of a query.
-- Raises: WD009 where it could mean an attribute of either; WD005, WD006 with the field in the detail.
create or replace function wedsql._check_query_condition(p_name text, p_query jsonb, p_rows jsonb,
  p_own jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_both text := (select o from jsonb_object_keys(p_own) o where p_rows ? ('my_' || o) limit 1);
begin
  if not p_query ? 'where' then
    return;
  elsif v_both is not null then
    perform wedsql._refuse_form('WD009', 'In the query of "{attribute}" my_{name} is an attribute of the '
      'rows, and means "{name}" of the instance, too.', p_name, 'query', 'Rename one of them.',
      jsonb_build_object('name', v_both));
  end if;
  perform wedsql._check_form_condition(p_name, 'query', p_query ->> 'where',
                                       wedsql._query_types(p_rows, p_own));
end $$;

-- Returns whether a query names an attribute of the instance of the task.
-- Raises: WD005.
create or replace function wedsql._query_names(p_query jsonb, p_name text, p_own jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_query is not null and coalesce(
  not p_query ? 'flow' and exists (select from wedsql._query_shows(p_query) s where s = p_name)
  or p_query ? 'where' and exists (
    select from unnest(wedsql.parse(p_query ->> 'where', wedsql._query_types(
      coalesce(wedsql._query_row_types(p_query, p_own), '{}'), p_own || jsonb_build_object(p_name,
        coalesce(p_own ->> p_name, 'text'))))) t
    where t.kind = 'attribute'
      and t.text in ('my_' || p_name, case when not p_query ? 'flow' then p_name end)), false)
$$;

-- Returns a query with an attribute of the instance renamed.
-- Raises: WD004, WD005.
create or replace function wedsql._rename_in_query(p_query jsonb, p_old text, p_new text, p_own jsonb)
  returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._query_types(coalesce(wedsql._query_row_types(p_query, p_own), '{}'), p_own);
  v_where text := p_query ->> 'where';
begin
  if jsonb_typeof(p_query) is distinct from 'object' then
    return p_query;
  end if;
  if v_where is not null then
    v_where := wedsql.rename_in_predicate(v_where, 'my_' || p_old, 'my_' || p_new, v_types);
  end if;
  if not p_query ? 'flow' then
    v_where := wedsql.rename_in_predicate(v_where, p_old, p_new, v_types
      || jsonb_build_object('my_' || p_new, v_types -> ('my_' || p_old)));
    p_query := p_query || jsonb_build_object('value', case when p_query ->> 'value' = p_old then p_new
                                                           else p_query ->> 'value' end)
      || case when p_query ? 'columns' then jsonb_build_object('columns', (
           select coalesce(jsonb_agg(case when c = p_old then p_new else c end order by n), '[]')
           from jsonb_array_elements_text(p_query -> 'columns') with ordinality x (c, n))) else '{}' end;
  end if;
  return p_query || case when v_where is not null then jsonb_build_object('where', v_where) else '{}' end;
end $$;
