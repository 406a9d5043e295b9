-- The problems of a definition that only the published flow and its instances have: values that do not fit a
-- new type, jobs that are pending.

-- Returns the problems of changing the published flow to the definition.
create or replace function wedsql._change_problems(p_flow integer, p_name text, p_definition jsonb)
  returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_one record;
begin
  for v_one in
    select o.n, o.given, o.published, jsonb_build_array('attributes', o.n) as path
    from wedsql._origins(p_flow, p_definition) o where (o.published).aid is not null
  loop
    if coalesce(nullif((v_one.given).type, ''), 'text') is distinct from (v_one.published).type
       or (v_one.given).options is distinct from (v_one.published).options then
      return query select * from wedsql._value_problems(p_name, v_one.published, v_one.given, v_one.path);
    end if;
  end loop;
  return query
    select x.* from jsonb_array_elements(p_definition -> 'triggers') with ordinality e (j, n)
    join wedsql.trig t on t.flow_id = p_flow and t.tgid::text = e.j ->> 'id' and not t.cfinal
    cross join lateral wedsql._problem(jsonb_build_array('triggers', e.n - 1,
        case when e.j -> 'final' = 'true' then 'final' else 'integrity' end), 'WD007',
      'The trigger that is to be the final condition has pending jobs.',
      'Add the final condition as another trigger, or withdraw the jobs first with '
      'wedsql.withdraw(flow, tgid).') x
    where (e.j -> 'final' = 'true' or e.j ->> 'integrity' is not null)
      and exists (select 1 from wedsql.job_pool j where j.flow_id = p_flow and j.tgid = t.tgid);
end $$;

-- Returns whether the values in the table of a flow fit the new type and options of an attribute.
create or replace function wedsql._value_problems(p_name text, p_published wedsql.attr, p_given wedsql.attr,
  p_path jsonb) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_found boolean;
  v_why wedsql.why;
  v_type text := coalesce(nullif(p_given.type, ''), 'text');
begin
  if v_type <> all (array(select m[1] from regexp_matches(
       (select pg_get_constraintdef(c.oid) from pg_constraint c where c.conname = 'attr_type_check'),
       $q$'([a-z]+)'::text$q$, 'g') m)) then
    return;
  end if;
  if wedsql.sql_type(v_type) <> wedsql.sql_type(p_published.type) then
    execute format('select count(w.%1$I::text::%2$s) > 0 from %3$I.wed_flow w', p_published.aname,
      wedsql.sql_type(v_type), p_name) into v_found;
  end if;
  if v_type = 'enum' then
    execute format('select exists (select 1 from %2$I.wed_flow w where w.%1$I::text <> all ($1))',
      p_published.aname, p_name) into v_found using coalesce(p_given.options, '{}');
    if v_found and p_given.options <> '{}' then
      return next wedsql._problem(p_path || '"options"', 'WD003',
        wedsql._put_facts('Living instances have values of "{attribute}" that are not among its options.',
          jsonb_build_object('attribute', p_given.aname)),
        'Keep the old options, or repair those instances first.');
    end if;
  end if;
exception when data_exception then
  v_why := wedsql._unconverted(p_name, p_published.aname, p_given.aname, v_type);
  return next wedsql._problem(p_path || '"type"', v_why.code, v_why.message, v_why.hint, v_why.detail);
end $$;
