-- Skipping a job: its trigger does not fire in this instance until its condition was false once.
-- wedsql.skipped has these triggers; a flow without any pays nothing for them, one that has some is not plain
-- meanwhile (wedsql._apply_options), which the reaper ends.

-- Removes a job that no worker holds, with its trigger held back, and returns the step, which the caller
-- applies, with changes if there are any: then conditions are evaluated as after any other step.
-- Locks: as _operate; its jobs and timers; the caller holds the flow's row.
-- Raises: WD104, WD105, WD203 while a worker holds the job, WD205, WD210 for an attribute
-- that may not be repaired, WD212 for the job of an exception.
create or replace function wedsql._skip_step(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, (p_arguments ->> 'job')::bigint);
  v_changes jsonb := coalesce(p_arguments -> 'changes', '{}');
  v_step wedsql.step := wedsql._note_step(p_wid, '_RECOVER:skip', p_actor, v_job.trname || ': ' || p_reason);
begin
  perform wedsql._check_not_held(v_job);
  perform wedsql._check_repair(v_changes, wedsql._not_repairable(v_flow.id));
  perform wedsql._withdraw_jobs(array[p_wid], array[v_job.id], 'withdrawn', p_actor, p_reason, wedsql.now());
  insert into wedsql.skipped (wid, tgid, flow_id, seq)
  select i.wid, v_job.tgid, i.flow_id, i.seq + 1 from wedsql.instance i where i.wid = p_wid
  on conflict (wid, tgid) do update set seq = excluded.seq;
  update wedsql.flow f set plain = false where f.id = v_flow.id and f.plain;
  return v_step;
end $$;

-- Locks, raises: as _apply_step.
create or replace function wedsql._repair_skip(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._apply_step(p_wid, 'skip', p_arguments, p_reason, p_actor);
select null::jsonb
$$;
