-- What of a definition is no value of its option, found when the definition is rejected.

-- Rejects a definition because of a value that cannot be read or is not allowed; where the definition is
-- given, that value is named.
-- Raises: WD009.
create or replace function wedsql._raise_form(p_error text, p_definition jsonb default null) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_one record;
begin
  for v_one in
    select p.*, wedsql._misfit(p.part, p.given) as col from (
      select 'trig' as part, e.n, e.j as given,
             coalesce(nullif(e.j ->> 'name', ''), e.j ->> 'transition', e.n::text) as name
      from jsonb_array_elements(p_definition -> 'triggers') with ordinality e (j, n)
      union all
      select 'attr', e.n, e.j, e.j ->> 'name'
      from jsonb_array_elements(p_definition -> 'attributes') with ordinality e (j, n)
      union all
      select 'flow', 0, p_definition, '' where p_definition is not null) p
  loop
    continue when v_one.col is null;
    perform wedsql._raise('WD009', case v_one.part
        when 'trig' then 'Rule "{name}" has the value "{value}" of {column}, which is not allowed.'
        when 'attr' then 'Attribute "{name}" has the value "{value}" of {column}, which is not allowed.'
        else 'The flow has the value "{value}" of {column}, which is not allowed.' end, 'Allowed: {allowed}.',
      jsonb_build_object('name', left(v_one.name, 80), 'place', v_one.n, 'column', o.name,
        'value', coalesce(left(v_one.given ->> o.name, 80), 'null'),
        'allowed', wedsql._allowed_values(v_one.part, o.col)))
    from wedsql._options(v_one.part) o where o.col = v_one.col;
  end loop;
  perform wedsql._raise('WD009', 'A value of the definition has the wrong form: {problem}.',
    'See docs/defining-flows.md for the form of each option.', jsonb_build_object('problem', p_error));
end $$;

-- Returns the first column of a part of a definition (trig, attr or flow) whose value is not of its type, or
-- is not allowed; null where all are.
create or replace function wedsql._misfit(p_part text, p_given jsonb) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_options wedsql.option[] := wedsql._option_list(p_part);
  v_one wedsql.option;
  v_given jsonb;
begin
  foreach v_one in array v_options loop
    v_given := jsonb_build_object(v_one.col, p_given -> v_one.name);
    begin
      case p_part when 'trig' then
        perform jsonb_populate_record(null::wedsql.trig, v_given);
      when 'attr' then
        perform jsonb_populate_record(null::wedsql.attr, v_given);
      else
        perform jsonb_populate_record(null::wedsql.flow, v_given);
      end case;
    exception when data_exception then
      return v_one.col;
    end;
  end loop;
  return case p_part
    when 'trig' then wedsql._unfit(wedsql._with_names(wedsql._trigger_row(p_given, v_options, 'null')))
    when 'attr' then wedsql._unfit(wedsql._attribute_row(p_given, v_options))
    else wedsql._unfit(jsonb_populate_record(null::wedsql.flow,
                                             wedsql._as_columns(p_given, v_options, true))) end;
end $$;
