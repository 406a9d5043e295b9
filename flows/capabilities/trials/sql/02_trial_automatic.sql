-- Settles the steps of a trial, and performs those that the kernel performs by itself, as 15_automatic.sql
-- does for instances: a definition that is not published has no functions of its own.

-- Returns the values of rendered assignments on a state, computed by the role without rights.
-- Raises: what PostgreSQL raises for the expressions.
create or replace function wed_match.set_values(p_columns text, p_values text, p_state jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_found jsonb;
begin
  execute format('select (select to_jsonb(v.*) from (select %s) v) from jsonb_to_record($1) as r (%s)',
                 p_values, p_columns)
  into v_found using p_state;
  return v_found;
end $$;

-- Returns the attributes that the kernel sets for a trigger.
create or replace function wedsql._tried_set_names(p_definition jsonb, p_trig wedsql.trig) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(a.attribute), '{}')
from wedsql.assignments(wedsql.parse(p_trig.sets, wedsql._given_types(p_definition), true)) a
where p_trig.sets is not null
$$;

-- Returns what the kernel sets for a trigger on a state; nothing for one that sets nothing.
-- Raises: WD211.
create or replace function wedsql._tried_sets(p_definition jsonb, p_trig wedsql.trig, p_state jsonb)
  returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
begin
  if p_trig.sets is null then
    return '{}';
  end if;
  perform wedsql.check_set_text(p_trig.sets, v_types);
  return wed_match.set_values(
    (select string_agg(format('%I %s', t.key, wedsql.sql_type(t.value)), ', ')
     from jsonb_each_text(v_types) t),
    (select string_agg(format('(%s)::%s as %I', a.qualified, wedsql.sql_type(v_types ->> a.attribute),
                              a.attribute), ', ')
     from wedsql.assignments(wedsql.parse(p_trig.sets, v_types, true)) a), p_state);
exception when data_exception or feature_not_supported or program_limit_exceeded then
  perform wedsql._raise_sets(coalesce(nullif(p_trig.tgname, ''), p_trig.trname), sqlstate, sqlerrm);
end $$;

-- Returns the triggers of a trial whose conditions have one of these letters.
create or replace function wedsql._tried_with(p_flow wedsql.flow, p_held text, p_letters text[],
  p_integrity boolean) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select t.tgid from wedsql.trig t
             where t.flow_id = p_flow.id and t.enabled and (t.integrity is not null) = p_integrity
               and substr(p_held, t.tgid - (wedsql._trial_number()).first_trigger + 1, 1) = any (p_letters)
             order by t.tgid)
$$;

-- Settles one step of a trial, whose state is given, and returns the letters of the conditions on it.
-- Raises: WD101, WD103, WD106, WD530.
create or replace function wedsql._settle_tried(p_flow wedsql.flow, p_definition jsonb,
  p_conditions wedsql.condition[], p_step wedsql.step, p_rematch boolean) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
  v_held text := (wedsql._values(p_conditions, v_types, jsonb_build_array(p_step.state)))[1];
  v_errors jsonb;
begin
  p_step.matched := wedsql._tried_with(p_flow, v_held, '{t}', false);
  select jsonb_agg(jsonb_build_object('tgid', t.tgid, 'sqlstate', x.code, 'message', x.message)
                   order by t.tgid)
  into v_errors
  from wed_match.failures(wedsql._columns_read(p_conditions, v_types),
    array(select c.canonical from unnest(p_conditions) c order by c.n), p_step.state) x
  join wedsql.trig t on t.tgid = (wedsql._trial_number()).first_trigger + x.n - 1 and t.enabled
    and t.integrity is null
  where v_held like '%e%';
  if v_errors is not null then
    p_step := wedsql._with_errors(p_flow, p_step, v_errors, wedsql.now());
  end if;
  perform set_config('wedsql.tried_violated',
    wedsql._tried_with(p_flow, v_held, '{f,e}', true)::text, true);
  perform wedsql._settle(p_flow.id, array[p_step], true, p_rematch);
  return v_held;
end $$;

-- Performs the automatic transitions of a trial until there are none, as wedsql._perform_automatic, and
-- returns the state and the letters of the conditions then.
-- Raises: WD103, WD106.
create or replace function wedsql._try_automatic(p_flow wedsql.flow, p_definition jsonb,
  p_conditions wedsql.condition[], inout p_state jsonb, inout p_held text, p_rematch boolean)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_new jsonb;
begin
  while (select i.status from wedsql.instance i where i.wid = p_flow.id) = 'R' loop
    select j.* into v_job from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
    where j.wid = p_flow.id and j.state = 'P' and t.performer = 'database' and t.enabled
    order by j.priority desc, j.tgid limit 1;
    exit when not found;
    begin
      v_new := wedsql._tried_state(p_flow, p_definition, p_conditions, v_job.tgid, p_state);
    exception when others then
      perform wedsql._park_automatic(p_flow, v_job, sqlstate, sqlerrm);
      return;
    end;
    p_held := wedsql._settle_tried(p_flow, p_definition, p_conditions, row(p_flow.id, false, v_job.id,
      v_job.tgid, v_job.trname, v_job.cause_seq, 'kernel', null, v_new, (
        select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_state) e
        where e.value is distinct from v_new -> e.key), null, null, null)::wedsql.step, p_rematch);
    p_state := v_new;
  end loop;
end $$;

-- Returns the state that an automatic transition of a trial gives.
-- Raises: as _tried_sets, _stored_state; WD530.
create or replace function wedsql._tried_state(p_flow wedsql.flow, p_definition jsonb,
  p_conditions wedsql.condition[], p_tgid integer, p_state jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_trig wedsql.trig := (select t from wedsql.trig t where t.tgid = p_tgid);
  v_new jsonb := wedsql._stored_state(p_definition, p_state
    || wedsql._tried_sets(p_definition, v_trig, p_state), false);
  v_violated integer[];
begin
  if p_flow.guarded then
    v_violated := array(
      select t.tgid from unnest(wedsql._tried_with(p_flow, (wedsql._values(p_conditions,
        wedsql._given_types(p_definition), jsonb_build_array(v_new)))[1], '{f,e}', true)) v
      join wedsql.trig t on t.tgid = v where t.integrity = 'always' order by t.tgid);
    if v_violated <> '{}' then
      perform wedsql._raise('WD530', 'The state violates the integrity condition: {conditions}.',
        'Nothing was changed. Write values for which the condition holds.',
        wedsql._integrity_facts(p_flow.id, v_violated));
    end if;
  end if;
  return v_new;
end $$;
