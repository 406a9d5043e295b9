-- Moves conditions that failed from `matched` to `errors`, and applies options beyond the paper's.
-- Raises: WD106 when a trigger with on_error = abort fails.
create or replace function wedsql._prepare(p_flow wedsql.flow, p_steps wedsql.step[], p_now timestamptz)
returns wedsql.step[]
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_place integer;
begin
  for v_place in select u.ordinality from unnest(p_steps) with ordinality u where 0 > any (u.matched) loop
    p_steps[v_place] := wedsql._condition_errors(p_flow, p_steps[v_place], p_now);
  end loop;
  if not p_flow.plain then
    foreach v_place in array wedsql._steps_with_options(p_steps) loop
      p_steps[v_place] := wedsql._apply_options(p_flow, p_steps[v_place], p_now);
    end loop;
  end if;
  return p_steps;
end $$;

-- Returns the places of the steps for which _apply_options can do anything: most steps of flows with options
-- have none of them to do with.
create or replace function wedsql._steps_with_options(p_steps wedsql.step[]) returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set jit = off
set plan_cache_mode = force_generic_plan as $$
begin
  return array(
    select u.ordinality::integer from unnest(p_steps) with ordinality u
    where exists (select from wedsql.trig t where t.tgid = any (u.matched)
                  and (t.refresh_payload or t.fire_once or wedsql._has_due_time(t.due_attr, t.due_after)))
       or exists (select from wedsql.job_pool j cross join lateral (
                    select t.revalidate, t.performer from wedsql.trig t where t.tgid = j.tgid offset 0) t
                  where j.wid = u.wid and j.id is distinct from u.job_id and j.tgid <> all (u.matched)
                    and (t.revalidate = 'withdraw' or t.performer = 'database'))
       or exists (select from wedsql.timer x where x.wid = u.wid)
       or exists (select from wedsql.skipped s where s.wid = u.wid)
    order by u.ordinality);
end $$;

-- Treats a predicate that fails at run time as not true and names it in the history; it never blocks the
-- others.
-- Raises: WD106 when its trigger has on_error = abort.
create or replace function wedsql._condition_errors(p_flow wedsql.flow, p_step wedsql.step, p_now timestamptz)
returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb;
begin
  execute format('select wed_match.e_%s(jsonb_populate_record(null::%I.wed_flow, $1))', p_flow.id,
                 p_flow.name)
    into v_errors using p_step.state;
  return wedsql._with_errors(p_flow, p_step, v_errors, p_now);
end $$;

-- Returns the step with these failed predicates recorded.
-- Raises: WD106 when a trigger of one has on_error = abort.
create or replace function wedsql._with_errors(p_flow wedsql.flow, p_step wedsql.step, p_errors jsonb,
  p_now timestamptz) returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb;
  v_abort jsonb;
begin
  select jsonb_agg(e || jsonb_build_object('trigger', coalesce(t.tgname, t.trname))),
         jsonb_agg(e) filter (where t.on_error = 'abort')
  into v_errors, v_abort
  from jsonb_array_elements(p_errors) e join wedsql.trig t on t.tgid = (e ->> 'tgid')::integer;
  if v_abort is not null then
    perform wedsql._raise('WD106', 'The condition of trigger "{trigger}" failed: {sqlstate} {problem}',
      'Nothing was changed, because on_error of the trigger is abort.',
      jsonb_build_object('errors', v_errors, 'trigger', v_errors -> 0 -> 'trigger',
        'sqlstate', v_errors -> 0 -> 'sqlstate', 'problem', v_errors -> 0 -> 'message'));
  end if;
  insert into wedsql.condition_failure (tgid, flow_id, at, sqlstate, message, wid)
  select (e ->> 'tgid')::integer, p_flow.id, p_now, e ->> 'sqlstate', e ->> 'message', p_step.wid
  from jsonb_array_elements(v_errors) e;
  p_step.errors := v_errors;
  p_step.matched :=
    (select coalesce(array_agg(m order by m), '{}') from unnest(p_step.matched) m where m > 0);
  return p_step;
end $$;

-- Applies what the options of triggers decide (wedsql._hold_back): withdraws jobs (K-26), writes timers
-- (K-37), forgets skipped jobs whose condition does not hold, and refreshes payloads (K-04).
create or replace function wedsql._apply_options(p_flow wedsql.flow, p_step wedsql.step, p_now timestamptz)
returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_jobs integer[] := array(select j.tgid from wedsql.job_pool j where j.wid = p_step.wid and j.tgid > 0
                            and j.id is distinct from p_step.job_id);
  v_rules wedsql.trig[] := array(select t from wedsql.trig t where t.tgid = any (p_step.matched || v_jobs));
  v_before wedsql.situation := wedsql._situation_of(p_step.wid, p_step.state, p_step.matched, v_rules, p_now);
  v_found wedsql.decision;
begin
  v_before.jobs := v_jobs;
  v_found := wedsql._hold_back(v_rules, p_flow.final_tgid, v_before);
  if v_found.withdrawn <> '{}' then
    perform wedsql._withdraw_jobs(array[p_step.wid], array_agg(j.id), 'withdrawn', p_step.actor,
                                  'The condition no longer holds.', p_now)
    from wedsql.job_pool j where j.wid = p_step.wid and j.tgid = any (v_found.withdrawn);
  end if;
  if exists (select 1 from unnest(v_rules) t where t.refresh_payload) then
    update wedsql.job_pool j set payload = p_step.state from unnest(v_rules) t
    where j.wid = p_step.wid and t.tgid = j.tgid and t.refresh_payload and j.tgid = any (p_step.matched)
      and t.child is null;  -- all children of a job have the values with which it was fired
  end if;
  delete from wedsql.skipped s where s.wid = p_step.wid and s.tgid <> all (p_step.matched);
  if v_found.timers <> v_before.timers then
    delete from wedsql.timer x where x.wid = p_step.wid and not v_found.timers ? x.tgid::text;
    insert into wedsql.timer as x (wid, tgid, flow_id, due_at)
    select p_step.wid, n.key::integer, p_flow.id, n.value::timestamptz from jsonb_each_text(v_found.timers) n
    on conflict (wid, tgid) do update set due_at = excluded.due_at where x.due_at <> excluded.due_at;
  end if;
  p_step.matched := v_found.acting;
  return p_step;
end $$;

-- Returns what a decision about an instance depends on, as the tables have it; without its jobs. The caller
-- sets how times are written.
create or replace function wedsql._situation_of(p_wid integer, p_state jsonb, p_matched integer[],
  p_rules wedsql.trig[], p_now timestamptz) returns wedsql.situation
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.situation;
begin
  v_found.state := p_state;
  v_found.matched := p_matched;
  v_found.at := p_now;
  select coalesce(jsonb_object_agg(x.tgid, x.due_at), '{}') into v_found.timers
  from wedsql.timer x where x.wid = p_wid;
  v_found.skipped := array(select s.tgid from wedsql.skipped s where s.wid = p_wid);
  v_found.fired := array(select t.tgid from unnest(p_rules) t
                         where t.fire_once and t.tgid = any (p_matched) and wedsql._has_fired(p_wid, t.tgid));
  return v_found;
end $$;

-- Returns when a trigger with a due time fires on the state: due_after later than the time in its due
-- attribute, or without one than the moment since which its condition holds. Null where the due attribute is
-- empty.
create or replace function wedsql._due_at(p_trig wedsql.trig, p_state jsonb, p_since timestamptz)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
select case when p_trig.due_attr is null then p_since else (p_state ->> p_trig.due_attr)::timestamptz end
       + coalesce(p_trig.due_after, interval '0')
$$;

-- Returns whether a person skipped a job of the trigger in this instance, and its condition has held ever
-- since.
create or replace function wedsql._is_skipped(p_wid integer, p_tgid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.skipped s where s.wid = p_wid and s.tgid = p_tgid)
$$;

-- Returns whether a step of this name undoes all steps after its cause.
create or replace function wedsql._goes_back(p_name text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_name = '_RECOVER:rollback' or p_name = '_RECOVER:replay'
$$;

-- Returns whether the trigger has fired in this instance before; a firing that was undone does not count.
create or replace function wedsql._has_fired(p_wid integer, p_tgid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from wedsql.wed_trace h
  where h.wid = p_wid and p_tgid = any (h.fired)
    and not exists (  -- it led to no step that remained
      select 1 from wedsql.wed_trace r
      where r.wid = p_wid and wedsql._goes_back(r.trw) and r.seq > h.seq
        and not exists (select 1 from wedsql.wed_trace d
                        where d.wid = p_wid and d.cause_seq = h.seq and d.tgid = p_tgid
                          and d.seq <= r.cause_seq))
    and not exists (select 1 from wedsql.wed_trace u
                    where u.wid = p_wid and u.trw = '_RECOVER:undo' and u.cause_seq = h.seq)
    and not exists (select 1 from wedsql.wed_trace d
                    join wedsql.wed_trace c on c.wid = p_wid and c.compensates_seq = d.seq
                    where d.wid = p_wid and d.cause_seq = h.seq and d.tgid = p_tgid))
$$;

-- Returns whether a timer of a trigger whose condition holds can have any effect: its due attribute is not
-- empty, and it has not yet fired where it may fire only once.
create or replace function wedsql._may_wait(p_trig wedsql.trig, p_wid integer, p_state jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select (p_trig.due_attr is null or p_state ->> p_trig.due_attr is not null)
       and not (p_trig.fire_once and wedsql._has_fired(p_wid, p_trig.tgid))
$$;

-- Returns whether one of the conditions that hold has no job and would act (wedsql._acts).
create or replace function wedsql._would_act(p_wid integer, p_state jsonb, p_matched integer[])
returns boolean
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
select exists (
  select 1 from wedsql.trig t left join wedsql.timer x on x.wid = p_wid and x.tgid = t.tgid
  where t.tgid = any (p_matched)
    and not exists (select 1 from wedsql.job_pool j where j.wid = p_wid and j.tgid = t.tgid)
    and wedsql._acts(t, p_state, x.due_at,
                     exists (select 1 from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0),
                     t.fire_once and wedsql._has_fired(p_wid, t.tgid),
                     wedsql._is_skipped(p_wid, t.tgid), wedsql.now()))
$$;

-- Returns whether the instance has a timer, which counts as pending work.
create or replace function wedsql._has_timer(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.timer x where x.wid = p_wid)
$$;

-- Parks a trigger that fired more than max_firings times in one instance and makes the instance an exception
-- (K-18, K-31). Firings before the last repair, a step by the _EXCPT job, do not count. Returns whether it
-- did so.
create or replace function wedsql._check_firing_limit(
  p_flow wedsql.flow, p_wid integer, p_seq integer, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_step wedsql.wed_trace;
  v_exceeded integer[];
  v_repaired integer :=
    coalesce((select max(x.seq) from wedsql.wed_trace x where x.wid = p_wid and x.tgid = 0), 0);
begin
  select * into v_step from wedsql.wed_trace t where t.wid = p_wid and t.seq = p_seq;
  select array_agg(t.tgid) into v_exceeded from wedsql.trig t
  where t.tgid = any (v_step.fired) and coalesce(t.max_firings, p_flow.max_firings) < (
    select count(*) from wedsql.wed_trace x
    where x.wid = p_wid and x.seq >= v_repaired and t.tgid = any (x.fired));
  if v_exceeded is null then
    return false;
  end if;
  perform wedsql._park(p_flow, p_wid, v_exceeded,
                       case when v_step.before is not null and v_step.state @> v_step.before
    then 'NO_PROGRESS' else 'LOOP' end, null, p_now);
  update wedsql.wed_trace t set status = 'E' where t.wid = p_wid and t.seq = p_seq;
  return true;
end $$;
