-- The operations on an instance and its jobs that exist for operators, too, as operations of the repair desk.

-- Retries a job, or each parked job of the instance, with the present state as its payload.
-- Locks, raises: as retry_job; WD212 where no job is parked.
create or replace function wedsql._repair_retry(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_jobs bigint[] := array[(p_arguments ->> 'job')::bigint];
begin
  if not p_arguments ? 'job' then
    v_jobs := array(select j.id from wedsql.job_pool j where j.wid = p_wid and j.state = 'K' order by j.id);
    if v_jobs = '{}' then
      perform wedsql._raise('WD212', 'Instance {instance} has no parked job.', 'There is nothing to retry.',
        jsonb_build_object('instance', p_wid));
    end if;
  end if;
  perform wedsql.retry_job(p_wid, j, p_reason, p_actor) from unnest(v_jobs) j;
  return null;
end $$;

-- Locks, raises: as release_job.
create or replace function wedsql._repair_release(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.release_job(p_wid, (p_arguments ->> 'job')::bigint, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as withdraw_job.
create or replace function wedsql._repair_withdraw(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.withdraw_job(p_wid, (p_arguments ->> 'job')::bigint, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as extend_job.
create or replace function wedsql._repair_extend(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.extend_job(p_wid, (p_arguments ->> 'job')::bigint,
  make_interval(secs => (p_arguments ->> 'seconds')::double precision), p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as prioritize_job.
create or replace function wedsql._repair_priority(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.prioritize_job(p_wid, (p_arguments ->> 'job')::bigint, (p_arguments ->> 'priority')::integer,
  p_reason, p_actor);
select null::jsonb
$$;

-- Evaluates the present conditions on the instance again (_REMATCH in the history, where something follows).
-- Locks: as _operate; its jobs, timers, trace.
-- Raises: WD009, WD104, WD105.
create or replace function wedsql._repair_rematch(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
begin
  perform wedsql._check_not_suspended(p_wid);
  perform wedsql._rematch(v_flow.id, array[p_wid], false, false, p_actor, p_reason);
  return null;
end $$;

-- Locks, raises: as suspend.
create or replace function wedsql._repair_suspend(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.suspend(p_wid, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as resume.
create or replace function wedsql._repair_resume(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.resume(p_wid, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as cancel.
create or replace function wedsql._repair_cancel(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.cancel(p_wid, p_reason, p_actor);
select null::jsonb
$$;

-- Locks, raises: as reassign_job.
create or replace function wedsql._repair_reassign(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.reassign_job(p_wid, (p_arguments ->> 'job')::bigint, p_arguments ->> 'worker', p_reason,
  p_actor);
select null::jsonb
$$;
