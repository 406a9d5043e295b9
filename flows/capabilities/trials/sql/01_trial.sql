-- Tries a definition that is not published on one invented instance: what a step does follows from the
-- functions that settle every commit. For the time of one call, inside a block that is rolled back, the
-- definition has rows of its own with a negative number, and so has the instance; no other session sees them.
--
-- A situation is what the call before left: {"state", "status", "reason", "seq", "jobs": [{"trigger",
-- "parked"}], "timers": [{"trigger", "due_at"}], "history": [{"trigger", "fired", "transition"}], "passed":
-- {trigger: time}}. Triggers are named by their places in the definition, from 0; -1 is the repair of an
-- exception. "passed" are the times in due attributes that have come in the trial; the clock does not know.

-- Returns the numbers that the rows of a trial have in this session: of the flow and the instance, and of
-- the trigger at place 0.
create or replace function wedsql._trial_number(out flow integer, out first_trigger integer)
language sql stable set search_path = pg_catalog, pg_temp as $$
select - pg_backend_pid(), 2000000000 + pg_backend_pid() % 100000 * 1000
$$;

-- Returns a text of an error with the name of the flow that is tried instead of that of its trial, which is
-- another one because a flow of that name may exist; "trial" if it has none. Null for an empty text.
create or replace function wedsql._with_flow_name(p_text text, p_flow text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select nullif(replace(p_text, n.name, coalesce(nullif(p_flow, ''), 'trial')), '')
from (select 'wed_trial_' || - (wedsql._trial_number()).flow as name) n
$$;

-- Stores the definition for the time of a trial and returns its flow.
create or replace function wedsql._store_trial(p_definition jsonb, p_conditions wedsql.condition[])
  returns wedsql.flow
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow;
  v_id integer := (wedsql._trial_number()).flow;
  v_options wedsql.option[] := wedsql._option_list('trig');
begin
  execute format(
    'insert into wedsql.flow (id, name, version, %s) select $1, $2, 1, %s from (select ($3).*) n',
    wedsql._option_columns('flow'), wedsql._option_columns('flow', 'n.'))
  using v_id, 'wed_trial_' || - v_id,
    jsonb_populate_record(null::wedsql.flow, wedsql._as_columns(p_definition, wedsql._option_list('flow'),
      true));
  execute format('insert into wedsql.trig (tgid, flow_id, canonical, reads, disjuncts, %s)
      select $1 + c.n - 1, $2, c.canonical, c.reads, c.disjuncts, %s
      from unnest($3) c cross join lateral wedsql._with_names(
        wedsql._trigger_row($4 -> ''triggers'' -> (c.n - 1), $5, ''null'')) n order by c.n',
    wedsql._option_columns('trig'), wedsql._option_columns('trig', 'n.'))
  using (wedsql._trial_number()).first_trigger, v_id, p_conditions, p_definition, v_options;
  perform wedsql._derive(v_id);
  select * into v_flow from wedsql.flow f where f.id = v_id;
  return v_flow;
end $$;

-- Stores the invented instance as a situation has it.
create or replace function wedsql._store_situation(p_flow wedsql.flow, p_situation jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_first integer := (wedsql._trial_number()).first_trigger;
  v_now timestamptz := wedsql.now();
begin
  insert into wedsql.instance (wid, flow_id, status, seq, version, reason, started_at, changed_at)
  values (p_flow.id, p_flow.id, coalesce(p_situation ->> 'status', 'R')::"char",
          coalesce((p_situation ->> 'seq')::integer, 0), 1, p_situation ->> 'reason', v_now, v_now);
  insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, state, fired_at, fired_xid, version)
  select p_flow.id, t.tgid, p_flow.id, t.trname, p_situation -> 'state',
         case when (j ->> 'parked')::boolean then 'K' else 'P' end::"char", v_now, 0, 1
  from jsonb_array_elements(p_situation -> 'jobs') j
  join wedsql.trig t on t.tgid = v_first + (j ->> 'trigger')::integer and t.flow_id = p_flow.id;
  insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, version)
  select p_flow.id, 0, p_flow.id, '_EXCPT', p_situation -> 'state', v_now, 0, 1
  where p_situation ->> 'status' = 'E';
  insert into wedsql.timer (wid, tgid, flow_id, due_at)
  select p_flow.id, t.tgid, p_flow.id, (j ->> 'due_at')::timestamptz
  from jsonb_array_elements(p_situation -> 'timers') j
  join wedsql.trig t on t.tgid = v_first + (j ->> 'trigger')::integer and t.flow_id = p_flow.id;
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, tgid, fired, version, tx_at)
  select p_flow.id, p_flow.id, h.n, v_now, coalesce(h.j ->> 'transition', ''), '{}', 'R',
         case when (h.j ->> 'trigger')::integer < 0 then 0 else v_first + (h.j ->> 'trigger')::integer end,
         array(select v_first + f::integer from jsonb_array_elements_text(h.j -> 'fired') f), 1, v_now
  from jsonb_array_elements(p_situation -> 'history') with ordinality h (j, n);
end $$;

-- Returns a state as it would be stored: complete, each value of its attribute's type.
-- Raises: WD002, WD003, WD009, WD107.
create or replace function wedsql._stored_state(p_definition jsonb, p_state jsonb,
  p_defaults boolean) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_attr wedsql.attr;
  v_value jsonb;
  v_state jsonb := '{}';
begin
  perform wedsql._check_states(array(select a ->> 'name'
    from jsonb_array_elements(p_definition -> 'attributes') a),
    array[p_state]);
  for v_attr in
    select n.* from jsonb_array_elements(p_definition -> 'attributes') a
    cross join lateral wedsql._attribute_row(a, wedsql._option_list('attr')) n
  loop
    v_value := case when p_state ? v_attr.aname then p_state -> v_attr.aname
                    when p_defaults then to_jsonb(v_attr.adv) else 'null' end;
    begin
      if v_attr.type = 'jsonb' and p_state ? v_attr.aname then
        null;
      elsif v_value is null or v_value = 'null' then
        v_value := 'null';
      elsif v_attr.type = 'enum' and not v_value #>> '{}' = any (v_attr.options) then
        perform wedsql._raise('WD003', '"{value}" is not one of the options of "{attribute}".',
          'Options: {options}.',
          jsonb_build_object('attribute', v_attr.aname, 'value', left(v_value #>> '{}', 80), 'options',
            v_attr.options));
      else
        execute format('select to_jsonb($1::%s)',
          wedsql.sql_type(v_attr.type)) into v_value using v_value #>> '{}';
      end if;
    exception when data_exception then
      perform wedsql._raise('WD003', '"{value}" is not a value of type {type} for attribute "{attribute}".',
        '{problem}',
        jsonb_build_object('attribute', v_attr.aname, 'value', left(v_value #>> '{}', 80), 'type',
          v_attr.type,
          'problem', sqlerrm));
    end;
    v_state := v_state || jsonb_build_object(v_attr.aname, v_value);
  end loop;
  return v_state;
end $$;

-- Lets the times in due attributes come that have come in this trial, while their attributes still have them:
-- the trigger counts back from such a time as far as it is ahead of the clock. Returns these times, with that
-- of p_timer.
create or replace function wedsql._pass_times(p_flow wedsql.flow, p_situation jsonb, p_timer integer,
  p_state jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  v_first integer := (wedsql._trial_number()).first_trigger;
  v_passed jsonb := coalesce(p_situation -> 'passed', '{}');
begin
  select coalesce(jsonb_object_agg(t.tgid - v_first, p_state -> t.due_attr), '{}') into v_passed
  from wedsql.trig t
  where t.flow_id = p_flow.id and isfinite((p_state ->> t.due_attr)::timestamptz)
    and (v_passed ->> (t.tgid - v_first)::text = p_state ->> t.due_attr
         or t.tgid - v_first = p_timer and exists (select 1 from wedsql.timer x
                                                   where x.wid = p_flow.id and x.tgid = t.tgid));
  update wedsql.trig t
  set due_after = least(coalesce(t.due_after, interval '0'),
                        wedsql.now() - (p_state ->> t.due_attr)::timestamptz)
  where t.flow_id = p_flow.id and t.due_attr is not null and v_passed ? (t.tgid - v_first)::text;
  return v_passed;
end $$;

-- Returns what a trial left behind, as the situation for the next step, with what this step did, and what the
-- kernel performed after it: "automatic" has {"trigger", "fired", "changes"} per step, and {"trigger",
-- "error"} of the one that failed.
create or replace function wedsql._trial_situation(p_flow wedsql.flow, p_before jsonb, p_state jsonb,
  p_held text, p_trigger integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
with n as (select (wedsql._trial_number()).first_trigger as first),
     l as (select t.*, row_number() over (order by t.seq) as place from wedsql.wed_trace t
           where t.wid = p_flow.id and t.seq > coalesce((p_before ->> 'seq')::integer, 0)),
     h as (select l.*, case when l.place = 1 then p_trigger else l.tgid - n.first end as trigger,
                  (select coalesce(jsonb_agg(f - n.first order by f), '[]') from unnest(l.fired) f) as places
           from l cross join n)
select jsonb_build_object('state', p_state, 'status', i.status, 'reason', i.reason, 'seq', i.seq, 'held',
  p_held,
  'jobs', coalesce((select jsonb_agg(jsonb_build_object('trigger', j.tgid - n.first, 'parked', j.state = 'K')
                                     order by j.tgid) from wedsql.job_pool j where j.wid = i.wid
                                       and j.tgid > 0), '[]'),
  'timers', coalesce((select jsonb_agg(jsonb_build_object('trigger', x.tgid - n.first, 'due_at', x.due_at)
                                       order by x.tgid) from wedsql.timer x where x.wid = i.wid), '[]'),
  'fired', coalesce((select h.places from h where h.place = 1), '[]'),
  'withdrawn', (select coalesce(jsonb_agg(o.tgid - n.first order by o.id), '[]') from wedsql.job_log o
                where o.wid = i.wid and o.outcome = 'withdrawn'),
  'errors', (select coalesce(jsonb_agg(e - 'tgid' || jsonb_build_object('trigger',
    (e ->> 'tgid')::integer - n.first) order by h.seq), '[]') from h, jsonb_array_elements(h.errors) e),
  'automatic', (
    select coalesce(jsonb_agg(a.j order by a.seq), '[]') from (
      select h.seq, jsonb_build_object('trigger', h.trigger, 'fired', h.places, 'changes', (
        select coalesce(jsonb_object_agg(k, h.state -> k), '{}') from jsonb_object_keys(h.before) k)) as j
      from h where h.place > 1 and h.tgid > 0
      union all
      select 2147483647, jsonb_build_object('trigger', o.tgid - n.first, 'error', o.message)
      from wedsql.job_log o where o.wid = i.wid and o.outcome = 'failed') a),
  'history', coalesce(p_before -> 'history', '[]') || coalesce((
    select jsonb_agg(jsonb_build_object('trigger', h.trigger, 'transition', h.trw, 'fired', h.places)
                     order by h.seq) from h), '[]'))
from wedsql.instance i cross join n where i.wid = p_flow.id
$$;

-- Does one step of a trial in rows that the caller rolls back.
create or replace function wedsql._try(p_definition jsonb, p_conditions wedsql.condition[], p_situation jsonb,
  p_trigger integer, p_changes jsonb, p_timer integer) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow := wedsql._store_trial(p_definition, p_conditions);
  v_first integer := (wedsql._trial_number()).first_trigger;
  v_fresh boolean := p_situation is null;
  v_before jsonb := coalesce(p_situation -> 'state', '{}');
  v_changes jsonb := coalesce(p_changes, '{}');
  v_state jsonb := wedsql._stored_state(p_definition, v_before || v_changes, v_fresh);
  v_done wedsql.trig;
  v_held text;
  v_passed jsonb;
  v_step wedsql.step;
begin
  perform wedsql._store_situation(v_flow, coalesce(p_situation, '{}'));
  v_passed := wedsql._pass_times(v_flow, p_situation, p_timer, v_state);
  if p_trigger is not null then
    v_done := wedsql._finish_tried(v_flow, p_definition, p_trigger, p_changes);
    if p_trigger < 0 then
      perform wedsql._check_repair(p_changes, array(
        select n.aname from jsonb_array_elements(p_definition -> 'attributes') a
        cross join lateral wedsql._attribute_row(a, wedsql._option_list('attr')) n where not n.repairable));
    end if;
    v_changes := v_changes || wedsql._tried_sets(p_definition, v_done, v_state);
    v_state := wedsql._stored_state(p_definition, v_state || v_changes, false);
  elsif p_timer is not null then
    update wedsql.timer x set due_at = wedsql.now() where x.wid = v_flow.id and x.tgid = v_first + p_timer;
  end if;
  v_step := row(v_flow.id, v_fresh, null, case when p_trigger < 0 then 0 else v_done.tgid end,
    case when v_fresh then '_INIT' when p_timer is not null then '_REMATCH' when p_trigger < 0 then '_EXCPT'
         else v_done.trname end, null, 'trial', null, v_state,
    (select coalesce(jsonb_object_agg(k, v_before -> k), '{}') from jsonb_object_keys(v_changes) k), null,
    null, null)::wedsql.step;
  v_held := wedsql._settle_tried(v_flow, p_definition, p_conditions, v_step, p_timer is not null);
  select * into v_state, v_held
  from wedsql._try_automatic(v_flow, p_definition, p_conditions, v_state, v_held, p_timer is not null);
  return wedsql._trial_situation(v_flow, p_situation, v_state, v_held, p_trigger)
    || jsonb_build_object('passed', v_passed);
end $$;

-- Takes the job of a tried trigger, or the repair of an exception, out of the pool and returns its trigger.
-- Raises: WD201, WD210, WD102.
create or replace function wedsql._finish_tried(p_flow wedsql.flow, p_definition jsonb, p_trigger integer,
  p_changes jsonb) returns wedsql.trig
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_trig wedsql.trig;
  v_more jsonb;
begin
  select t.* into v_trig from wedsql.trig t
  where t.tgid = (wedsql._trial_number()).first_trigger + p_trigger and t.flow_id = p_flow.id;
  delete from wedsql.job_pool j where j.wid = p_flow.id and j.tgid = case when p_trigger < 0 then 0
    else v_trig.tgid end;
  if not found then
    perform wedsql._raise('WD201', 'Transition "{transition}" has no pending job in this situation.',
      'Complete one of the transitions that are pending.',
      jsonb_build_object('transition', coalesce(v_trig.trname, '_EXCPT')));
  end if;
  v_more := p_changes - v_trig.writes - wedsql._tried_set_names(p_definition, v_trig);
  if v_more <> '{}' then
    perform wedsql._raise('WD210',
      'The result of transition "{transition}" writes {attributes}, which it does not declare.',
      'Add the attribute to the write-set of the trigger, or do not write it.',
      jsonb_build_object('transition', v_trig.trname,
        'attributes', (select string_agg(k, ', ') from jsonb_object_keys(v_more) k)));
  end if;
  return v_trig;
end $$;

-- Tries one step of a definition that need not be published, and returns the new situation with what the step
-- did: held (a letter per trigger, as evaluate), fired, withdrawn, errors, automatic. Without a situation it
-- starts an instance with p_changes; with p_trigger the job of that trigger is completed with p_changes (-1:
-- the exception is repaired); with p_timer the timer of that trigger is due. Nothing is stored.
-- Raises: WD005, WD006, WD009 for the definition; and what the same step raises on a published one: WD002,
-- WD003, WD101, WD103, WD106, WD201, WD210.
create or replace function wedsql.try_step(p_flow text, p_definition jsonb, p_situation jsonb,
  p_changes jsonb,
  p_trigger integer default null, p_timer integer default null) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_conditions wedsql.condition[];
  v_found text;
  v_why wedsql.why;
begin
  perform wedsql._check_definition(p_definition);
  perform wedsql._need_writable();
  v_conditions := array(select c from wedsql._compile((select f.id from wedsql.flow f where f.name = p_flow),
    p_definition) c order by c.n);
  begin
    v_found := wedsql._try(p_definition, v_conditions, p_situation, p_changes => coalesce(p_changes, '{}'),
      p_trigger => p_trigger, p_timer => p_timer)::text;
    raise exception using errcode = 'WD999';
  exception
    when sqlstate 'WD999' then
      return v_found::jsonb;
    when others then
      get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
        v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
      perform wedsql._raise(row(v_why.code, wedsql._with_flow_name(v_why.message, p_flow),
        wedsql._with_flow_name(v_why.hint, p_flow),
        wedsql._with_flow_name(v_why.detail, p_flow))::wedsql.why);
  end;
end $$;

grant execute on function wedsql.try_step(text, jsonb, jsonb, jsonb, integer, integer) to wed_web;
