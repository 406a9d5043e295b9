-- Operations by which an instance goes on: patch, complete, accept.

-- Returns the job _EXCPT of an exception, locked.
-- Locks: the job; the caller holds the instance.
-- Raises: WD105 while the instance is suspended, WD203 while another session repairs it, WD212 where the
-- instance is not an exception.
create or replace function wedsql._exception_job(p_wid integer) returns wedsql.job_pool
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
begin
  perform wedsql._check_not_suspended(p_wid);
  select * into v_job from wedsql.job_pool j where j.wid = p_wid and j.tgid = 0 for update;
  if not found then
    perform wedsql._raise('WD212', 'Instance {instance} is not an exception.',
      'Complete or skip one of its jobs, or cancel it.', jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._check_not_held(v_job);
  return v_job;
end $$;

-- Returns the step by which attributes of an exception get new values, as the result of its job _EXCPT. When
-- the caller applies it, parked jobs end, and every condition is evaluated.
-- Locks: as _operate; its jobs.
-- Raises: as _exception_job; WD104, WD210 for an attribute that may not be repaired.
create or replace function wedsql._patch_step(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_job wedsql.job_pool := wedsql._exception_job(p_wid);
begin
  perform wedsql._check_repair(p_arguments -> 'changes', wedsql._not_repairable(v_flow.id));
  return wedsql._person_step(v_job, '_RECOVER:patch', p_actor, p_reason);
end $$;

-- Returns the step by which the result of a job is recorded as if its worker had committed it, for the caller
-- to apply; the history has the transition with the person as its actor, and the reason.
-- Locks: as _operate; its jobs.
-- Raises: WD002, WD104, WD105, WD203 while a worker holds the job, WD205, WD210 for an attribute
-- that the transition may not write, WD212 for the job of an exception.
create or replace function wedsql._complete_step(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, (p_arguments ->> 'job')::bigint);
  v_changes jsonb := coalesce(p_arguments -> 'changes', '{}');
begin
  perform wedsql._check_not_held(v_job);
  perform wedsql._check_states(wedsql._attribute_names(v_flow.id)::text[], array[v_changes]);
  if v_changes - (select t.writes from wedsql.trig t where t.tgid = v_job.tgid) <> '{}'
     or wedsql._internal_written(v_job.tgid, v_changes) <> '{}' then
    perform wedsql._refuse_job('WD210', array[p_wid], array[v_job.id], array[v_changes]);
  end if;
  return wedsql._person_step(v_job, v_job.trname, p_actor, p_reason);
end $$;

-- Returns the names of the integrity conditions that an instance violates where it becomes final as it is.
-- Raises: WD531 without p_override where it violates any.
create or replace function wedsql._accepted_violations(p_flow wedsql.flow, p_wid integer, p_override boolean)
  returns text[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_state jsonb;
  v_violated integer[];
begin
  if not p_flow.guarded then
    return '{}';
  end if;
  execute format('select r.state from %I._retest(array[$1]) r', p_flow.name) into v_state using p_wid;
  v_violated := wedsql._violated(p_flow, v_state, true);
  if v_violated <> '{}' and p_override is not true then
    perform wedsql._raise('WD531',
      'Instance {instance} cannot be final: its state violates the integrity condition {conditions}.',
      'Write values for which the condition holds, or accept the state with override.',
      wedsql._integrity_facts(p_wid, v_violated));
  end if;
  return array(select t.tgname from wedsql.trig t where t.tgid = any (v_violated) order by t.tgid);
end $$;

-- Returns the step of an operation that writes one: patch, complete, skip or accept.
-- Locks, raises: as the function of the operation.
create or replace function wedsql._step_of(p_wid integer, p_operation text, p_arguments jsonb, p_reason text,
  p_actor text) returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  case p_operation
    when 'patch' then return wedsql._patch_step(p_wid, p_arguments, p_reason, p_actor);
    when 'complete' then return wedsql._complete_step(p_wid, p_arguments, p_reason, p_actor);
    when 'skip' then return wedsql._skip_step(p_wid, p_arguments, p_reason, p_actor);
    when 'accept' then return (wedsql._accept_step(p_wid, p_arguments, p_reason, p_actor)).step;
  end case;
end $$;

-- Performs an operation that writes a step, on one instance.
-- Locks: as _step_of; timers, the trace.
-- Raises: as _step_of and _apply_steps.
create or replace function wedsql._apply_step(p_wid integer, p_operation text, p_arguments jsonb,
  p_reason text, p_actor text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._apply_steps(f,
    array[wedsql._step_of(p_wid, p_operation, p_arguments, p_reason, p_actor)], p_arguments -> 'changes')
  from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
end $$;

-- Locks, raises: as _apply_step.
create or replace function wedsql._repair_patch(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._apply_step(p_wid, 'patch', p_arguments, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as _apply_step.
create or replace function wedsql._repair_complete(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._apply_step(p_wid, 'complete', p_arguments, p_reason, p_actor);
select null::jsonb
$$;

-- Returns the step by which a person ends an exception as it is, for _accept_steps. With override it may
-- violate integrity conditions, which its reason names.
-- Locks: as _operate; its jobs.
-- Raises: WD104, WD531; as _exception_job.
create or replace function wedsql._accept_step(p_wid integer, p_arguments jsonb, p_reason text, p_actor text,
  out step wedsql.step, out violated text[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
begin
  perform wedsql._exception_job(p_wid);
  violated := wedsql._accepted_violations(v_flow, p_wid, (p_arguments ->> 'override')::boolean);
  step := wedsql._note_step(p_wid, '_RECOVER:accept', wedsql._actor(p_actor),
    p_reason || case when violated = '{}' then ''
                     else format(' (override: %s)', array_to_string(violated, ', ')) end);
end $$;

-- Ends exceptions of a flow as they are: the instances are final although no final condition holds, and what
-- was pending is withdrawn.
-- Locks: the jobs and timers, the trace; the caller holds the instances.
-- Raises: WD520 if one needs approvals.
create or replace function wedsql._accept_steps(p_flow wedsql.flow, p_steps wedsql.step[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_wids integer[] := array(select s.wid from unnest(p_steps) s order by s.wid);
  v_seqs integer[];
begin
  perform wedsql._withdraw_jobs(v_wids, array(select j.id from wedsql.job_pool j where j.wid = any (v_wids)),
    'withdrawn', '', 'The instance became final.', v_now);
  delete from wedsql.timer x where x.wid = any (v_wids);
  perform wedsql._set_status(v_wids, 'F', null, v_now);
  v_seqs := wedsql._append_trace(p_flow, p_steps, null, v_now);
  perform wedsql._call_check_operation(p_flow, w, 'accept', '{}', null, null) from unnest(v_wids) w;
  perform wedsql._call_excepted(p_flow, v_wids, v_now);
  perform wedsql._notify(p_flow, v_wids, v_seqs, '{}', 0);
end $$;

-- Ends one exception as it is; {"violated"} has the integrity conditions that it violates.
-- Locks, raises: as _accept_step and _accept_steps.
create or replace function wedsql._repair_accept(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_made record := wedsql._accept_step(p_wid, p_arguments, p_reason, p_actor);
begin
  perform wedsql._accept_steps(f, array[v_made.step])
  from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  return case when v_made.violated <> '{}' then jsonb_build_object('violated', v_made.violated) end;
end $$;
