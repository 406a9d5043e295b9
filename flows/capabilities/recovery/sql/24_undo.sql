-- The operations that undo steps of a living instance: roll_back to a step, compensate one step with what
-- depends on it, abort; and skip_compensation for one that cannot succeed.

-- Returns the flow of a living instance, locked for an operation that undoes its steps.
-- Locks: as _operate; the jobs' locks, which are not waited for.
-- Raises: WD009, WD104, WD105; WD203 while a worker holds a job.
create or replace function wedsql._hold_all(p_wid integer, p_reason text) returns wedsql.flow
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
begin
  perform wedsql._check_not_held(j) from wedsql.job_pool j where j.wid = p_wid order by j.tgid;
  return v_flow;
end $$;

-- Withdraws the jobs that the undone steps fired, or all jobs and timers; the other ones and their clocks
-- stop.
-- Locks: the jobs and timers; the caller holds the instance.
create or replace function wedsql._stop_jobs(p_wid integer, p_all boolean, p_undone integer[], p_actor text,
  p_reason text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform wedsql._withdraw_jobs(array[p_wid], array_agg(j.id), 'withdrawn', p_actor, p_reason, p_now)
  from wedsql.job_pool j
  where j.wid = p_wid and (p_all or j.tgid = 0 or j.cause_seq = any (p_undone) or exists (
    select 1 from wedsql.wed_trace h where h.wid = p_wid and h.seq = any (p_undone) and h.tgid = j.tgid))
  having count(*) > 0;
  perform wedsql._call_undoing(p_wid, p_now);
  update wedsql.job_pool j set state = 'S' where j.wid = p_wid and j.state = 'P';
  if p_all then
    delete from wedsql.timer x where x.wid = p_wid;
  else
    update wedsql.timer x set remaining = coalesce(x.remaining, x.due_at - p_now), due_at = 'infinity'
    where x.wid = p_wid;
  end if;
end $$;

-- Begins to undo steps, and returns the status that the instance has then: X while a compensation waits for a
-- worker. p_changes: values that the attributes get at the end. Rules for approvals are about the state at
-- the end. p_keep: false where the caller brings the cases in line.
-- Locks: the instance, its jobs and timers, the trace; the caller holds the wed_flow row.
-- Raises: WD111; WD520 if it needs approvals.
create or replace function wedsql._undo(p_flow wedsql.flow, p_wid integer, p_operation text, p_seq integer,
  p_reason text, p_actor text, p_override boolean, p_hold boolean, p_changes jsonb default '{}',
  p_keep boolean default true) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_actor text := wedsql._actor(p_actor);
  v_undone integer[] := wedsql._undone(p_wid, p_operation, p_seq);
  v_step wedsql.step := wedsql._note_step(p_wid, '_RECOVER:' || p_operation, v_actor, p_reason);
  v_recovery wedsql.recovery;
  v_seqs integer[];
  v_status text;
begin
  perform wedsql._check_planned(p_wid, v_undone, p_override);
  insert into wedsql.recovery (wid, operation, target_seq, undone, seqs, transitions, hold, exception, actor,
                               reason, began_at, began_seq, changes)
  select p_wid, p_operation, p_seq, v_undone, coalesce(p.seqs, '{}'), coalesce(p.transitions, '{}'), p_hold,
         i.reason, v_actor, p_reason, v_now, i.seq + 1, p_changes
  from wedsql.instance i
  cross join (select array_agg(o.seq order by o.seq desc) as seqs,
                     array_agg(o.compensated_by order by o.seq desc) as transitions
              from wedsql._planned(p_wid, v_undone) o) p
  where i.wid = p_wid
  returning * into v_recovery;
  if wedsql._call_has_checks(p_flow.id) then
    perform wedsql._call_check_operation(p_flow, p_wid, p_operation, a.written, a.state, null)
    from wedsql._after_undo(p_flow, v_recovery) a;
  end if;
  perform wedsql._stop_jobs(p_wid, p_operation <> 'compensate', v_undone, v_actor, p_reason, v_now);
  delete from wedsql.skipped s where s.wid = p_wid and s.seq > p_seq and p_operation <> 'compensate';
  perform wedsql._set_status(array[p_wid], 'X');
  v_step.cause_seq := p_seq;  -- a firing after it counts as undone from here on (wedsql._has_fired)
  v_seqs := wedsql._append_trace(p_flow, array[v_step], null, v_now);
  perform wedsql._notify(p_flow, array[p_wid], v_seqs, '{}', 0);
  v_status := wedsql._go_on(p_flow, p_wid, v_now, p_keep);
  perform wedsql._call_check_steps(p_wid, p_operation, v_recovery.began_seq - 1);
  return v_status;
end $$;

-- Checks that the instance has a step of this number.
-- Raises: WD110.
create or replace function wedsql._check_step(p_wid integer, p_seq integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select 1 from wedsql.wed_trace h where h.wid = p_wid and h.seq = p_seq) then
    perform wedsql._raise('WD110', 'Instance {instance} has no step {step}.', 'Its history has the numbers.',
      jsonb_build_object('instance', p_wid, 'step', p_seq));
  end if;
end $$;

-- Undoes all steps after p_seq: compensates them, the last one first, then gives the attributes the values
-- that they had at that step, except those that compensations wrote, and evaluates the conditions, or with
-- p_hold leaves the instance suspended. Returns the status.
-- Locks: as _hold_all and _undo.
-- Raises: WD009, WD104, WD105, WD110, WD111, WD203.
create or replace function wedsql.roll_back(p_wid integer, p_seq integer, p_reason text,
  p_actor text default null, p_override boolean default false, p_hold boolean default false) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._hold_all(p_wid, p_reason);
begin
  perform wedsql._check_step(p_wid, p_seq);
  return wedsql._undo(v_flow, p_wid, 'rollback', p_seq, p_reason, p_actor, p_override, p_hold);
end $$;

-- Undoes one step and those that depend on it, as roll_back does; other branches keep their values and jobs.
-- Locks: as _hold_all and _undo.
-- Raises: WD009, WD104, WD105, WD111, WD203; WD110 also for a step that no transition wrote, or that is
-- compensated already.
create or replace function wedsql.compensate(p_wid integer, p_seq integer, p_reason text,
  p_actor text default null, p_override boolean default false, p_hold boolean default false) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._hold_all(p_wid, p_reason);
begin
  perform wedsql._check_step(p_wid, p_seq);
  if not exists (select 1 from wedsql.wed_trace h where h.wid = p_wid and h.seq = p_seq and h.tgid > 0)
     or exists (select 1 from wedsql.wed_trace c where c.wid = p_wid and c.compensates_seq = p_seq) then
    perform wedsql._raise('WD110', 'Step {step} of instance {instance} cannot be compensated.',
      'Choose a step that a transition wrote and that is not compensated yet.',
      jsonb_build_object('instance', p_wid, 'step', p_seq));
  end if;
  return wedsql._undo(v_flow, p_wid, 'compensate', p_seq, p_reason, p_actor, p_override, p_hold);
end $$;

-- Undoes all steps of an instance, which ends then (status A). Returns the status.
-- Locks: as _hold_all and _undo.
-- Raises: WD009, WD104, WD105, WD111, WD203.
create or replace function wedsql.abort(p_wid integer, p_reason text, p_actor text default null,
                                        p_override boolean default false) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._hold_all(p_wid, p_reason);
begin
  return wedsql._undo(v_flow, p_wid, 'abort', 1, p_reason, p_actor, p_override, false);
end $$;

-- Goes on without the compensation that waits, because it cannot succeed or was done by hand. Returns the
-- status.
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105; WD203 while a worker holds the job.
create or replace function wedsql.skip_compensation(p_wid integer, p_reason text, p_actor text default null)
  returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason, true);
  v_now timestamptz := wedsql.now();
  v_job wedsql.job_pool;
  v_step wedsql.step := wedsql._note_step(p_wid, '', wedsql._actor(p_actor), 'Not compensated: ' || p_reason);
  v_seq integer;
begin
  select j.* into v_job from wedsql.recovery r
  join wedsql.job_pool j on j.wid = r.wid and j.id = r.job_id where r.wid = p_wid for update of j;
  if not found then
    perform wedsql._raise('WD105', 'Instance {instance} is not being compensated.', null,
                          jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._check_not_held(v_job);
  perform wedsql._withdraw_jobs(array[p_wid], array[v_job.id], 'withdrawn', v_step.actor, p_reason, v_now);
  v_step.state := wedsql._present_state(v_flow.name, p_wid);
  v_step.before := '{}';
  v_seq := wedsql._compensated(v_flow, v_step, v_now);
  perform wedsql._call_check_operation(v_flow, p_wid, 'skip_compensation', '{}', null, null);
  perform wedsql._notify(v_flow, array[p_wid], array[v_seq], '{}', 0);
  return wedsql._go_on(v_flow, p_wid, v_now);
end $$;
