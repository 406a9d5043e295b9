-- The form of a trigger whose jobs people perform: sections of fields, each of which asks for an attribute
-- that the trigger may write, or shows another one. shown, required and readonly are true, false or a
-- condition.

-- Returns the fields of a form in their order; section and place count from 1.
create or replace function wedsql._form_fields(p_form jsonb)
returns table (section integer, place integer, attribute text, field jsonb)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select s.n::integer, f.n::integer, f.j ->> 'attribute', f.j
from jsonb_array_elements(p_form -> 'sections') with ordinality s (j, n)
cross join lateral jsonb_array_elements(s.j -> 'fields') with ordinality f (j, n)
$$;

-- Returns the conditions in the fields of a form.
create or replace function wedsql._form_conditions(p_form jsonb)
returns table (attribute text, option text, predicate text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select f.attribute, o.name, f.field ->> o.name
from wedsql._form_fields(p_form) f cross join unnest(array['shown', 'required', 'readonly']) o (name)
where jsonb_typeof(f.field -> o.name) = 'string'
order by f.section, f.place, o.name
$$;

-- Returns the attributes that a form may change: those that the trigger may write and no outcome sets.
create or replace function wedsql._form_writes(p_trig wedsql.trig, p_types jsonb) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(
  select w from unnest(coalesce(p_trig.writes, array(select jsonb_object_keys(p_types)))) w
  where w <> all (array(select n from wedsql._outcome_lines(p_trig.outcomes) l
                        cross join lateral unnest(wedsql._outcome_names(l.sets, p_types)) n
                        where l.sets is not null)))
$$;

-- Checks the form of a trigger: its outline, each field, and each condition as those of triggers are checked.
-- Raises: WD001, WD002, WD009; WD005, WD006 with the field and its option in the detail.
create or replace function wedsql._check_form(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_writes text[];
  v_one record;
  v_seen text[] := '{}';
begin
  if p_trig.form is null then
    return;
  end if;
  perform wedsql._check_form_outline(p_trig.form);
  v_writes := wedsql._form_writes(p_trig, p_types);
  for v_one in select * from wedsql._form_fields(p_trig.form) f order by f.section, f.place loop
    perform wedsql._check_form_field(v_one.attribute, v_one.field, p_types,
                                     coalesce(v_one.attribute = any (v_writes), false));
    perform wedsql._check_form_query(v_one.attribute, v_one.field, p_types);
    if v_one.attribute = any (v_seen) then
      perform wedsql._refuse_form('WD009', 'The form has the attribute "{attribute}" twice.', v_one.attribute,
        'attribute', 'Each attribute is in one field at most.');
    end if;
    v_seen := v_seen || v_one.attribute;
  end loop;
  for v_one in select * from wedsql._form_conditions(p_trig.form) loop
    perform wedsql._check_form_condition(v_one.attribute, v_one.option, v_one.predicate, p_types);
  end loop;
end $$;

-- Rejects a form because of one of its fields and an option of it.
create or replace function wedsql._refuse_form(p_code text, p_message text, p_field text, p_option text,
  p_hint text default 'See docs/forms.md for what a form may have.', p_facts jsonb default '{}') returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select wedsql._raise(p_code, p_message, p_hint, jsonb_strip_nulls(p_facts || jsonb_build_object(
  'column', 'form', 'field', left(p_field, 80), 'attribute', left(p_field, 80), 'option', p_option)))
$$;

-- Checks that a form is an object with a list of sections, each with a list of fields, and not too large.
-- Raises: WD009.
create or replace function wedsql._check_form_outline(p_form jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
begin
  if coalesce(jsonb_typeof(p_form -> 'sections') <> 'array', true)
     or exists (select from jsonb_array_elements(p_form -> 'sections') s
                where jsonb_typeof(s -> 'fields') is distinct from 'array'
                   or coalesce(jsonb_typeof(s -> 'title'), 'string') <> 'string'
                   or coalesce(jsonb_typeof(s -> 'help'), 'string') <> 'string'
                   or exists (select from jsonb_array_elements(s -> 'fields') f
                              where jsonb_typeof(f -> 'attribute') is distinct from 'string')) then
    perform wedsql._refuse_form('WD009', 'A form is an object with the list "sections", each section an '
      'object with the list "fields", each field an object with an attribute.', null, null);
  elsif octet_length(p_form::text) > 100000 or (select count(*) from wedsql._form_fields(p_form)) > 200 then
    perform wedsql._refuse_form('WD009', 'The form is too large: it has at most 200 fields and 100000 bytes.',
      null, null, 'Split the task into several.');
  end if;
  select k into v_bad from jsonb_object_keys(p_form) k where k <> 'sections'
  union all
  select k from jsonb_array_elements(p_form -> 'sections') s cross join lateral jsonb_object_keys(s) k
  where k not in ('title', 'help', 'fields') limit 1;
  if found then
    perform wedsql._refuse_form('WD009', 'The form has an unknown entry "{entry}".', null, null,
      p_facts => jsonb_build_object('entry', left(v_bad, 80)));
  end if;
end $$;

-- Checks a condition of a field as those of triggers are checked.
-- Raises: WD005, WD006 with the field and its option in the detail.
create or replace function wedsql._check_form_condition(p_field text, p_option text, p_predicate text,
  p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  perform wedsql.check_predicate_text(p_predicate, p_types);
exception when sqlstate 'WD005' or sqlstate 'WD006' then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  v_why.detail := (coalesce(nullif(v_why.detail, ''), '{}')::jsonb
    || jsonb_build_object('column', 'form', 'field', p_field, 'option', p_option))::text;
  perform wedsql._raise(v_why);
end $$;

-- Returns whether a form names an attribute, in a field or in a condition.
create or replace function wedsql._form_names(p_form jsonb, p_name text, p_types jsonb) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if strpos(lower(p_form::text), p_name) = 0 then
    return false;
  end if;
  return exists (select from wedsql._form_fields(p_form) f where f.attribute = p_name)
    or exists (select from wedsql._form_conditions(p_form) c
               cross join lateral unnest(wedsql.parse(c.predicate, p_types || jsonb_build_object(p_name,
                 coalesce(p_types ->> p_name, 'text')))) t
               where t.kind = 'attribute' and t.text = p_name)
    or exists (select from wedsql._form_fields(p_form) f
               where wedsql._query_names(f.field -> 'query', p_name, p_types));
exception when sqlstate 'WD005' then
  return true;
end $$;

-- Returns a form with an attribute renamed in its fields and conditions.
-- Raises: WD004, WD005.
create or replace function wedsql._rename_in_form(p_form jsonb, p_old text, p_new text, p_types jsonb)
  returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_form is null or jsonb_typeof(p_form -> 'sections') is distinct from 'array'
     or strpos(lower(p_form::text), p_old) = 0 then
    return p_form;
  end if;
  return p_form || jsonb_build_object('sections', (
    select coalesce(jsonb_agg(s.j || jsonb_build_object('fields', (
      select coalesce(jsonb_agg(wedsql._rename_in_field(f.j, p_old, p_new, p_types) order by f.n), '[]')
      from jsonb_array_elements(s.j -> 'fields') with ordinality f (j, n))) order by s.n), '[]')
    from jsonb_array_elements(p_form -> 'sections') with ordinality s (j, n)));
exception when data_exception then
  return p_form;  -- half typed: its problem is shown at it
end $$;

-- Returns one field with an attribute renamed.
-- Raises: WD004, WD005.
create or replace function wedsql._rename_in_field(p_field jsonb, p_old text, p_new text, p_types jsonb)
  returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_field || case when p_field ->> 'attribute' = p_old then jsonb_build_object('attribute', p_new)
                       else '{}' end
  || coalesce((select jsonb_object_agg(o, wedsql.rename_in_predicate(p_field ->> o, p_old, p_new, p_types))
               from unnest(array['shown', 'required', 'readonly']) o
               where jsonb_typeof(p_field -> o) = 'string'), '{}')
  || case when p_field ? 'query' then jsonb_build_object('query',
       wedsql._rename_in_query(p_field -> 'query', p_old, p_new, p_types)) else '{}' end
$$;
