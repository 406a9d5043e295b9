-- The form of the values of a definition: what cannot be read as its column's type.
do $$
begin
  if to_regtype('wedsql.problem') is null then
    create type wedsql.problem as (path jsonb, "position" integer, length integer, code text, message text,
                                   hint text, reason text);
  end if;
end $$;

-- Returns a problem at a place of the definition. Where the detail of the error has a column or a position,
-- they become part of it.
create or replace function wedsql._problem(p_path jsonb, p_code text, p_message text, p_hint text,
  p_detail text default null, p_table text default null) returns wedsql.problem
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_detail jsonb := case when p_detail like '{%' then p_detail::jsonb else '{}' end;
  v_name text := (select o.name from wedsql._options(p_table) o where o.col = v_detail ->> 'column');
begin
  return row(p_path || coalesce(to_jsonb(v_name), '[]'), v_detail -> 'position', v_detail -> 'length', p_code,
    p_message, p_hint, v_detail ->> 'reason')::wedsql.problem;
end $$;

-- Returns the values of an attribute, trigger or flow that have a wrong form, with the path of each.
create or replace function wedsql._form_problems(p_table text, p_given jsonb, p_path jsonb,
  p_options wedsql.option[]) returns setof wedsql.problem
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_one wedsql.option;
begin
  for v_one in select o.* from unnest(p_options) o where p_given ? o.name loop
    begin
      execute format('select jsonb_populate_record(null::wedsql.%I, $1)', p_table)
      using jsonb_build_object(v_one.col, p_given -> v_one.name);
    exception when data_exception then
      return next wedsql._problem(p_path || to_jsonb(v_one.name), 'WD009',
        wedsql._put_facts('A value of the definition has the wrong form: {problem}.',
          jsonb_build_object('problem', sqlerrm)),
        'See docs/defining-flows.md for the form of each option.');
    end;
  end loop;
end $$;

-- Returns a definition's part without the values of a wrong form.
create or replace function wedsql._well_formed(p_table text, p_given jsonb, p_options wedsql.option[])
  returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_given - array(select x.path ->> 0 from wedsql._form_problems(p_table, p_given, '[]', p_options) x)
$$;

-- Returns the places, from 1, of those attributes or triggers of which every option has an allowed value.
-- They are read in one statement; where it fails, each half is read by itself.
create or replace function wedsql._allowed_items(p_table text, p_items jsonb, p_options wedsql.option[])
  returns bigint[]
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_count integer := jsonb_array_length(p_items);
  v_half integer := v_count / 2;
  v_found bigint[];
begin
  execute format($q$
    select coalesce(array_agg(i.n), '{}') from (
      select e.n, %2$s as r, jsonb_populate_record(null::wedsql.%1$I, (
        select jsonb_object_agg(o.col, e.j -> o.name) from unnest($2) o where e.j ? o.name)) as given
      from jsonb_array_elements($1) with ordinality e (j, n) where jsonb_typeof(e.j) = 'object' offset 0) i
    cross join lateral (select (i.r).*) r
    where i.given is distinct from null
      and not exists (select from (values %3$s) t (col, fits) where t.fits is false)$q$, p_table,
    case p_table when 'attr' then 'wedsql._attribute_row(e.j, $2)'
                 else 'wedsql._trigger_row(e.j, $2, ''null'')' end, wedsql._value_tests(p_table))
  into v_found using p_items, p_options;
  return v_found;
exception when data_exception then
  if v_count = 1 then
    return '{}';
  end if;
  return wedsql._allowed_items(p_table, jsonb_path_query_array(p_items, '$[0 to $n]',
      jsonb_build_object('n', v_half - 1)), p_options)
    || array(select n + v_half from unnest(wedsql._allowed_items(p_table, jsonb_path_query_array(p_items,
      '$[$n to last]', jsonb_build_object('n', v_half)), p_options)) n);
end $$;

-- Returns the attributes of a definition beside the published ones that they are: the number decides, then
-- the earlier name, then the name.
create or replace function wedsql._origins(p_flow integer, p_definition jsonb)
  returns table (n integer, given wedsql.attr, published wedsql.attr)
language sql stable set search_path = pg_catalog, pg_temp as $$
with options as materialized (
       select o.list, wedsql._allowed_items('attr', p_definition -> 'attributes', o.list) as allowed
       from (select wedsql._option_list('attr') as list) o),
     e as materialized (
       select x.n, x.j from jsonb_array_elements(p_definition -> 'attributes') with ordinality x (j, n)
       where jsonb_typeof(x.j) = 'object')
select e.n::integer - 1, wedsql._attribute_row(case when e.n = any (o.allowed) then e.j
  else wedsql._well_formed('attr', e.j, o.list) end, o.list), p.a
from e cross join options o left join lateral (
  select a from wedsql.attr a
  where a.flow_id = p_flow and (a.aid::text = e.j ->> 'id' or a.aname in (e.j ->> 'was', e.j ->> 'name'))
    and (a.aid::text = e.j ->> 'id' or not exists (select 1 from e x where x.j ->> 'id' = a.aid::text))
    and (a.aid::text = e.j ->> 'id' or a.aname = e.j ->> 'was'
         or not exists (select 1 from e x where x.j ->> 'was' = a.aname))
  order by a.aid::text = e.j ->> 'id' desc nulls last,
    a.aname = e.j ->> 'was' desc nulls last limit 1) p on true
$$;
