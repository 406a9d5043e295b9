-- Forms of tasks: which of their fields are shown, required and read-only on a state, and what a result may
-- not change because of that. Drafts of forms.

-- Returns for each field of a form whether it is shown, required and read-only on a state: t, f, u for
-- unknown, e where the condition failed. Only t counts.
create or replace function wedsql._form_letters(p_form jsonb, p_types jsonb, p_state jsonb)
returns table (attribute text, field jsonb, shown text, required text, readonly text)
language sql stable set search_path = pg_catalog, pg_temp as $$
with c as materialized (
  select row_number() over ()::integer as n, c.attribute, c.option, r.qualified, r.reads
  from wedsql._form_conditions(p_form) c
  cross join lateral wedsql.canonical(c.predicate, p_types) r),
v as materialized (
  select (wedsql._values(array(select row(c.n, null, c.qualified, c.reads, null)::wedsql.condition
                               from c order by c.n), p_types, jsonb_build_array(p_state)))[1] as letters)
select f.attribute, f.field, l.options[1], l.options[2], l.options[3]
from wedsql._form_fields(p_form) f cross join v cross join lateral (
  select array_agg(coalesce(substr(v.letters, c.n, 1), left(f.field ->> o.name, 1), o.usual) order by o.i)
    as options
  from unnest(array['shown', 'required', 'readonly'], array['t', 'f', 'f']) with ordinality o (name, usual, i)
  left join c on c.attribute = f.attribute and c.option = o.name) l
order by f.section, f.place
$$;

-- Returns the present state of an instance, and with these values in it. A value that is none of its
-- attribute's type is left out: the result with it is refused for that.
create or replace function wedsql._typed_state(p_flow text, p_wid integer, p_data jsonb, out before jsonb,
  out after jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_one record;
  v_made jsonb;
begin
  execute format('select to_jsonb(w.*) - ''wid'' from %1$I.wed_flow w where w.wid = $1', p_flow)
    into before using p_wid;
  after := before;
  for v_one in select d.key, d.value from jsonb_each(p_data) d where before ? d.key loop
    begin
      execute format('select to_jsonb((jsonb_populate_record(null::%1$I.wed_flow, $1)).%2$I)', p_flow,
        v_one.key) into v_made using jsonb_build_object(v_one.key, v_one.value);
      after := after || jsonb_build_object(v_one.key, v_made);
    exception when data_exception then
      null;
    end;
  end loop;
end $$;

-- Rejects values of a task that its form does not take on the state with them: a field that is shown and
-- required has none, one that is hidden or read-only is changed, or one has a value that it does not take
-- (08_fields.sql). The outcome FAILED needs no form.
-- Raises: WD595 naming all these fields, and the cells of tables; WD597.
create or replace function wedsql._check_form_values(p_flow text, p_task wedsql.task, p_data jsonb,
  p_outcome text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_form jsonb := (select t.form from wedsql.trig t where t.tgid = p_task.tgid);
  v_state record;
  v_wrong jsonb;
  v_fields jsonb;
  v_types jsonb;
begin
  if v_form is null or p_outcome = 'FAILED' or jsonb_typeof(p_data) <> 'object' then
    return;
  end if;
  v_types := wedsql._attr_types(p_task.flow_id);
  v_state := wedsql._typed_state(p_flow, p_task.wid, p_data);
  select jsonb_object_agg(l.attribute, l.why), jsonb_agg(l.attribute order by l.place)
  into v_wrong, v_fields from (
    select f.attribute, f.place, case
      when f.shown <> 't' or f.readonly = 't'
        then case when c.changed then case when f.shown <> 't' then 'hidden' else 'readonly' end end
      when f.required = 't' and coalesce(p_data -> f.attribute, v_state.after -> f.attribute, 'null')
                                in ('null', '""', '[]') then 'required'
      when c.changed then wedsql._value_problem(p_task, f.field, v_state.after -> f.attribute,
                                                v_state.after) end as why
    from wedsql._form_letters(v_form, v_types, v_state.after)
      with ordinality f (attribute, field, shown, required, readonly, place)
    cross join lateral (select v_state.before -> f.attribute is distinct from v_state.after -> f.attribute
                          as changed) c) l
  where l.why is not null;
  if v_wrong is not null then
    perform wedsql._refuse_form_values(p_task, v_form, v_wrong, v_fields, v_state.after);
  end if;
end $$;

-- Rejects values of a form. p_wrong: why, by attribute; p_fields: these attributes in the order of the form.
-- Raises: WD595.
create or replace function wedsql._refuse_form_values(p_task wedsql.task, p_form jsonb, p_wrong jsonb,
  p_fields jsonb, p_state jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_cells jsonb;
  v_limits jsonb;
  v_texts text;
begin
  select coalesce(jsonb_object_agg(f.attribute, wedsql._wrong_cells(f.field -> 'columns',
                    p_state -> f.attribute)) filter (where p_wrong ->> f.attribute = 'cells'), '{}'),
    coalesce(jsonb_object_agg(f.attribute, l.kept) filter (where l.kept is not null), '{}'),
    string_agg(format('%s: %s %s', f.attribute, p_wrong ->> f.attribute, l.kept #>> '{}'), ', '
               order by f.section, f.place) filter (where l.kept is not null)
  into v_cells, v_limits, v_texts
  from wedsql._form_fields(p_form) f
  cross join lateral (select case when p_wrong ->> f.attribute = any (wedsql._limit_options())
                             then f.field -> (p_wrong ->> f.attribute) end as kept) l;
  perform wedsql._raise('WD595', 'The form of task {task} does not take the values of {fields}.',
    case when v_texts is null
      then 'A field that is required needs a value; one that is read-only or hidden keeps the value it has.'
      else 'Keep the limits of the fields: {limit}.' end,
    wedsql._task_facts(p_task) || jsonb_build_object('wrong', p_wrong, 'fields', p_fields, 'cells', v_cells,
      'limits', v_limits) || jsonb_strip_nulls(jsonb_build_object('limit', left(v_texts, 2000))));
end $$;

-- Returns the form of a trigger for a page: each field as the definition has it, with its type, whether the
-- task may change it, what it is now, and the trees of its conditions; null without a form.
create or replace function wedsql._form_sheet(p_trig wedsql.trig, p_types jsonb, p_state jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with l as materialized (select * from wedsql._form_letters(p_trig.form, p_types, p_state)),
w as materialized (select wedsql._form_writes(p_trig, p_types) as names),
c as materialized (
  select c.attribute, jsonb_object_agg(c.option, jsonb_build_object(
    'tree', wedsql._condition_tree(c.predicate, p_types),
    'reads', (wedsql.canonical(c.predicate, p_types)).reads)) as conditions
  from wedsql._form_conditions(p_trig.form) c group by c.attribute)
select case when p_trig.form is not null then jsonb_build_object('sections', (
  select coalesce(jsonb_agg(s.j || jsonb_build_object('fields', (
    select coalesce(jsonb_agg(l.field || jsonb_build_object('type', p_types -> l.attribute,
      'writable', l.attribute = any (w.names), 'conditions', coalesce(c.conditions, '{}'),
      'query_reads', case when l.field ? 'query'
        then wedsql._query_reads(l.field -> 'query', p_types) end,
      'now', jsonb_build_object('shown', l.shown, 'required', l.required, 'readonly', l.readonly))
      order by f.place), '[]')
    from w cross join wedsql._form_fields(p_trig.form) f join l on l.attribute = f.attribute
    left join c on c.attribute = f.attribute where f.section = s.n)) order by s.n), '[]')
  from jsonb_array_elements(p_trig.form -> 'sections') with ordinality s (j, n))) end
$$;

-- Returns what each field of a task's form is with these values typed: by attribute, shown, required and
-- readonly as _form_letters.
-- Raises: WD590.
create or replace function wedsql.task_form(p_job bigint, p_data jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
  v_state record := wedsql._typed_state((select f.name from wedsql.flow f where f.id = v_task.flow_id),
                                        v_task.wid, coalesce(p_data, '{}'));
begin
  return (select coalesce(jsonb_object_agg(l.attribute, jsonb_build_object('shown', l.shown,
            'required', l.required, 'readonly', l.readonly)), '{}')
          from wedsql.trig t cross join lateral wedsql._form_letters(t.form,
            wedsql._attr_types(v_task.flow_id), v_state.after) l
          where t.tgid = v_task.tgid);
end $$;

-- Returns a form that need not be published as read_task has the one of a task, over attributes of these
-- types and on a state of them.
-- Raises: WD002, WD005, WD006, WD009.
create or replace function wedsql.preview_form(p_trigger jsonb, p_types jsonb, p_state jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_trig wedsql.trig := jsonb_populate_record(null::wedsql.trig, jsonb_build_object(
    'form', p_trigger -> 'form', 'writes', p_trigger -> 'writes', 'outcomes', p_trigger -> 'outcomes'));
begin
  perform wedsql._need_writable();
  perform wedsql._check_form(v_trig, p_types);
  return wedsql._form_sheet(v_trig, p_types, coalesce(p_state, '{}'));
end $$;

-- Keeps what a person has typed into the form of a task that is theirs, which replaces what was kept; with
-- p_touched only these fields of it, as others may have been typed in another tab. Without anything typed
-- there is no draft.
-- Locks: the task.
-- Raises: WD009 where it is too large; WD590, WD592, WD593.
create or replace function wedsql.keep_task_draft(p_job bigint, p_person text, p_fields jsonb,
  p_touched text[] default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  perform from wedsql.task t where t.job_id = p_job for update;
  v_task := wedsql._known_task(p_job);
  if v_task.owner is null or v_task.ended_at is not null then
    perform wedsql._raise('WD593', 'You do not hold task {task}.', 'Take it first.',
                          wedsql._task_facts(v_task));
  elsif v_task.owner <> p_person then
    perform wedsql._refuse_taken(v_task);
  elsif jsonb_typeof(p_fields) = 'object' and p_touched is not null then
    p_fields := coalesce((select d.fields - p_touched from wedsql.task_draft d
                          where d.job_id = p_job and d.person = p_person), '{}')
      || (select coalesce(jsonb_object_agg(f.key, f.value), '{}') from jsonb_each(p_fields) f
          where f.key = any (p_touched));
  end if;
  if jsonb_typeof(p_fields) is distinct from 'object' or octet_length(p_fields::text) > 1000000 then
    perform wedsql._raise('WD009', 'What was typed is too long to be kept.');
  end if;
  if p_fields = '{}' then
    delete from wedsql.task_draft d where d.job_id = p_job and d.person = p_person;
    return false;
  end if;
  insert into wedsql.task_draft (job_id, person, fields, saved_at)
  values (p_job, p_person, p_fields, wedsql.now())
  on conflict (job_id, person) do update set fields = excluded.fields, saved_at = excluded.saved_at;
  return true;
end $$;

-- Returns what a person has typed into the form of a task and not sent: {"fields", "saved_at"}; null for
-- nothing.
create or replace function wedsql.read_task_draft(p_job bigint, p_person text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('fields', d.fields, 'saved_at', d.saved_at)
from wedsql.task_draft d where d.job_id = p_job and d.person = p_person
$$;

grant execute on function wedsql.task_form(bigint, jsonb), wedsql.preview_form(jsonb, jsonb, jsonb),
  wedsql.keep_task_draft(bigint, text, jsonb, text[]), wedsql.read_task_draft(bigint, text)
to wed_web;
