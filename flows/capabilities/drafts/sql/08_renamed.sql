-- Renames an attribute in the triggers of a definition that need not be published, as publishing renames it
-- in those that run.

-- Returns the triggers of the definition, which has the attribute p_old, with p_new in its place: in
-- conditions, write-sets, due attributes and locks. A condition that cannot be rewritten is unchanged, and so
-- are all triggers if another attribute has one of the two names already.
create or replace function wedsql.renamed_triggers(p_definition jsonb, p_old text, p_new text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
  v_triggers jsonb := p_definition -> 'triggers';
begin
  perform wedsql._check_draft(p_definition);
  if (select array_agg(a ->> 'name') from jsonb_array_elements(p_definition -> 'attributes') a
      where a ->> 'name' in (p_old, p_new)) is distinct from array[p_old] then
    return v_triggers;
  end if;
  return coalesce((select jsonb_agg(wedsql._renamed_trigger(e.j, p_old, p_new, v_types) order by e.n)
                   from jsonb_array_elements(v_triggers) with ordinality e (j, n)), '[]');
end $$;

-- Returns one trigger with the new name of an attribute.
create or replace function wedsql._renamed_trigger(p_trigger jsonb, p_old text, p_new text, p_types jsonb)
  returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if strpos(lower(p_trigger::text), p_old) = 0 then
    return p_trigger;
  elsif p_trigger ->> 'due_attr' = p_old then
    p_trigger := p_trigger || jsonb_build_object('due_attr', p_new);
  end if;
  if jsonb_typeof(p_trigger -> 'lock') = 'string' then
    p_trigger := p_trigger || jsonb_build_object('lock',
      replace(p_trigger ->> 'lock', '{' || p_old || '}', '{' || p_new || '}'));
  end if;
  if jsonb_typeof(p_trigger -> 'writes') = 'array' then
    p_trigger := p_trigger || jsonb_build_object('writes', (
      select coalesce(
        jsonb_agg(case when w.j = to_jsonb(p_old) then to_jsonb(p_new) else w.j end order by w.n), '[]')
      from jsonb_array_elements(p_trigger -> 'writes') with ordinality w (j, n)));
  end if;
  if p_trigger ?| array['outcomes', 'candidate', 'application', 'form'] then
    p_trigger := p_trigger || wedsql._renamed_for_people(p_trigger, p_old, p_new, p_types);
  end if;
  if jsonb_typeof(p_trigger -> 'predicate') = 'string' then
    p_trigger := p_trigger || jsonb_build_object('predicate',
      wedsql.rename_in_predicate(p_trigger ->> 'predicate', p_old, p_new, p_types));
  end if;
  if jsonb_typeof(p_trigger -> 'sets') = 'string' then
    p_trigger := p_trigger || jsonb_build_object('sets',
      wedsql.rename_in_predicate(p_trigger ->> 'sets', p_old, p_new, p_types, true));
  end if;
  return p_trigger;
exception when sqlstate 'WD004' or sqlstate 'WD005' or sqlstate 'WD211' then
  return p_trigger;  -- its problem is shown at it
end $$;

-- Returns those options of a trigger that are about people, with the new name of an attribute; what is half
-- typed is unchanged, and its problem is shown at it.
-- Raises: WD004, WD005, WD211.
create or replace function wedsql._renamed_for_people(p_trigger jsonb, p_old text, p_new text, p_types jsonb)
  returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_given jsonb := (
    select jsonb_object_agg(k, p_trigger -> k)
    from unnest(array['outcomes', 'candidate', 'application', 'form']) k where p_trigger ? k);
begin
  return (select jsonb_object_agg(k, to_jsonb(r) -> k)
          from wedsql._rename_in_person(jsonb_populate_record(null::wedsql.trig, v_given), p_old, p_new,
                                        p_types) r
          cross join jsonb_object_keys(v_given) k);
exception when data_exception then
  return v_given;
end $$;

grant execute on function wedsql.renamed_triggers(jsonb, text, text) to wed_web;
