-- How steps of an instance are undone: while its status is X (compensating), its steps are compensated one at
-- a time, the last one first. The kernel itself restores what an `inverse` step wrote; a compensation by a
-- transition is a job that workers take as any other, and the commit of its result offers the next one.

-- Appends the row of the history that compensates the step at the present place, and moves on to the next.
-- p_step: its state, the values before, job, claim, actor and reason. Returns its number.
-- Locks: the instance, the trace, the recovery; the caller holds the wed_flow row.
create or replace function wedsql._compensated(p_flow wedsql.flow, p_step wedsql.step, p_now timestamptz)
  returns integer
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_recovery wedsql.recovery;
  v_seq integer;
begin
  update wedsql.recovery r set place = r.place + 1, job_id = null where r.wid = p_step.wid
  returning * into v_recovery;
  update wedsql.instance i set seq = i.seq + 1, changed_at = p_now, reason = null where i.wid = p_step.wid
  returning i.seq into v_seq;
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, job_id, claim, before,
                                cause_seq, actor, reason, version, tx_at, compensates_seq)
  select p_flow.id, h.wid, v_seq, p_now, '_COMP:' || h.trw, p_step.state, 'X', p_step.job_id, p_step.claim,
         p_step.before, v_recovery.began_seq, p_step.actor, p_step.reason, p_flow.version, now(), h.seq
  from wedsql.wed_trace h
  where h.wid = p_step.wid and h.seq = v_recovery.seqs[v_recovery.place - 1];
  return v_seq;
end $$;

-- Applies the result of a compensation and offers the next one, or ends the recovery. It is what
-- wedsql._settle does for the job of a compensation; its step has the status X, whatever follows it.
-- Locks: as _compensated; the job.
create or replace function wedsql._settle_compensation(p_flow wedsql.flow, p_step wedsql.step)
returns table (wid integer, seq integer, status "char", fired text[], job_id bigint)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_now timestamptz := wedsql.now();
  v_seq integer;
begin
  delete from wedsql.job_pool j where j.wid = p_step.wid and j.id = p_step.job_id;
  v_seq := wedsql._compensated(p_flow, p_step, v_now);
  update wedsql.recovery r
  set restored = r.restored || array(select jsonb_object_keys(p_step.before)) where r.wid = p_step.wid;
  perform wedsql._notify(p_flow, array[p_step.wid], array[v_seq], '{}', 0);
  perform wedsql._go_on(p_flow, p_step.wid, v_now);
  return query select p_step.wid, v_seq, 'X'::"char", '{}'::text[], p_step.job_id;
end $$;

-- Compensates by the kernel what it can, up to a step that needs a worker, whose job is offered; after the
-- last step ends the recovery. Children are undone before it: the reaper goes on after the last one. Returns
-- the status of the instance. p_keep: false where the caller brings the cases in line.
-- Locks: the caller holds the wed_flow row.
create or replace function wedsql._go_on(p_flow wedsql.flow, p_wid integer, p_now timestamptz,
  p_keep boolean default true) returns "char"
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_recovery wedsql.recovery;
  v_status "char";
  v_state jsonb;  -- after what was compensated here
begin
  loop
    select * into v_recovery from wedsql.recovery r where r.wid = p_wid for update;
    if wedsql._call_undone_before(p_wid) then
      v_status := 'X';
      exit;
    elsif v_recovery.place > cardinality(v_recovery.seqs) then
      v_status := wedsql._end_recovery(p_flow, v_recovery, v_state, p_now);
      exit;
    elsif v_recovery.transitions[v_recovery.place] <> '' then
      perform wedsql._offer_compensation(p_flow, v_recovery, p_now);
      v_status := 'X';
      exit;
    end if;
    v_state := wedsql._compensate_at_once(p_flow, v_recovery, p_now);
  end loop;
  if p_keep then
    perform wedsql._call_excepted(p_flow, array[p_wid], p_now);
  end if;
  return v_status;
end $$;

-- Puts the compensation of a step into the pool. Its payload is the state that the step wrote; timeout,
-- attempts and back-off are those of the trigger whose step it undoes.
create or replace function wedsql._offer_compensation(
  p_flow wedsql.flow, p_recovery wedsql.recovery, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_job wedsql.job_pool;
begin
  insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid,
                               cause_seq, version)
  select h.wid, h.tgid, p_flow.id, p_recovery.transitions[p_recovery.place], t.timeout, h.state,
         coalesce(t.priority, 0), p_now, txid_current(), i.seq, p_flow.version
  from wedsql.wed_trace h join wedsql.instance i on i.wid = h.wid
  left join wedsql.trig t on t.tgid = h.tgid
  where h.wid = p_recovery.wid and h.seq = p_recovery.seqs[p_recovery.place]
  returning * into v_job;
  update wedsql.recovery r set job_id = v_job.id where r.wid = p_recovery.wid;
  perform wedsql._notify(p_flow, array[v_job.wid], array[v_job.cause_seq], array[v_job.trname], 1);
end $$;

-- Restores what the step at the present place wrote; where it has no compensation, only records that. What
-- the kernel restores is no longer counted as written by a compensation. Returns the state after it.
create or replace function wedsql._compensate_at_once(
  p_flow wedsql.flow, p_recovery wedsql.recovery, p_now timestamptz) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_changes jsonb := '{}';
  v_written record;
  v_step wedsql.step := wedsql._note_step(p_recovery.wid, '', p_recovery.actor, p_recovery.reason);
begin
  if p_recovery.transitions[p_recovery.place] = '' then
    v_changes := wedsql._restorable(p_recovery.wid, p_recovery.undone, p_recovery.seqs[p_recovery.place]);
  else
    v_step.reason := 'Not compensated: ' || v_step.reason;
  end if;
  v_written := wedsql._write_changes(p_flow, p_recovery.wid, v_changes);
  v_step.state := v_written.state;
  v_step.before := v_written.before;
  perform wedsql._compensated(p_flow, v_step, p_now);
  update wedsql.recovery r
  set restored = array(select a from unnest(r.restored) a where not v_changes ? a)
  where r.wid = p_recovery.wid;
  return v_step.state;
end $$;

-- Gives the attributes their values and the instance its next status: aborted, suspended, or what follows
-- from the conditions. p_state: the present state, null where it is not known. Returns the status.
-- Locks: the instance, its jobs and timers, the trace; the caller holds the wed_flow row.
create or replace function wedsql._end_recovery(p_flow wedsql.flow, p_recovery wedsql.recovery,
  p_state jsonb, p_now timestamptz) returns "char"
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_target jsonb := wedsql._target_state(p_recovery);
  v_step wedsql.step := wedsql._note_step(p_recovery.wid, '_RECOVER:' || p_recovery.operation,
                                          p_recovery.actor, p_recovery.reason);
  v_ready text[] := '{}';
  v_seqs integer[];
begin
  if p_state is not null and not exists (select 1 from jsonb_each(v_target) t
                                         where p_state ? t.key and p_state -> t.key <> t.value) then
    v_step.state := p_state;  -- nothing is left to write
    v_step.before := '{}';
  else
    select w.state, w.before into v_step.state, v_step.before
    from wedsql._write_changes(p_flow, p_recovery.wid, v_target) w;
  end if;
  v_step.cause_seq := p_recovery.target_seq;
  delete from wedsql.recovery r where r.wid = p_recovery.wid;
  update wedsql.instance i
  set reason = case when p_recovery.operation = 'abort' then p_recovery.reason else p_recovery.exception end,
      finished_at = case when p_recovery.operation = 'abort' then p_now end,
      status = case when p_recovery.operation = 'abort' then 'A' when p_recovery.hold then 'S'
                    else i.status end::"char"
  where i.wid = p_recovery.wid;
  if p_recovery.operation = 'abort' or p_recovery.hold then
    v_seqs := wedsql._append_trace(p_flow, array[v_step], null, p_now);
    if p_recovery.hold then
      v_seqs := wedsql._append_trace(p_flow, array[wedsql._note_step(p_recovery.wid, '_SUSPEND',
                                     p_recovery.actor, p_recovery.reason)], null, p_now);
    end if;
    perform wedsql._notify(p_flow, array[p_recovery.wid], v_seqs, '{}', 0);
    return case when p_recovery.hold then 'S' else 'A' end;
  end if;
  v_ready := wedsql._continue_branches(p_recovery, p_now);
  execute format('select r.matched from %I._retest(array[$1]) r', p_flow.name)
    into v_step.matched using p_recovery.wid;
  perform wedsql._settle(p_flow.id, array[v_step], true, true);
  if p_recovery.operation = 'replay' then
    perform wedsql._replay_steps(p_flow, p_recovery);
  end if;
  perform wedsql._wake(p_flow.id, v_ready) where v_ready <> '{}';
  return (select i.status from wedsql.instance i where i.wid = p_recovery.wid);
end $$;

-- Offers the jobs of branches that stay again, with the time that was left, and returns their transitions.
-- Locks: the jobs and timers; the caller holds the instance.
create or replace function wedsql._continue_branches(p_recovery wedsql.recovery, p_now timestamptz)
  returns text[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_ready text[];
begin
  with ready as (
    update wedsql.job_pool j
    set state = 'P', not_before = greatest(j.fired_at, j.not_before) + (p_now - p_recovery.began_at)
    where j.wid = p_recovery.wid and j.state = 'S' returning j.trname)
  select coalesce(array_agg(r.trname), '{}') into v_ready from ready r;
  update wedsql.timer x set remaining = null,
    due_at = case when t.due_attr is null then p_now else p_recovery.began_at end + x.remaining
  from wedsql.trig t where x.wid = p_recovery.wid and t.tgid = x.tgid and x.remaining is not null;
  return v_ready;
end $$;

-- Keeps a compensation whose attempts are used up without offering it: the instance stays in status X with
-- the reason COMPENSATION_FAILED until the job is retried or the compensation skipped.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._park_compensation(p_flow wedsql.flow, p_wid integer, p_actor text,
  p_why text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_seqs integer[];
begin
  with parked as (
    update wedsql.job_pool j set state = 'K', claim = null, lckid = null, lease_until = null
    from wedsql.recovery r
    where r.wid = p_wid and j.wid = p_wid and j.id = r.job_id and j.state in ('P', 'L') returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                              attempt)
  select k.id, k.wid, k.tgid, k.flow_id, k.trname, p_now, 'parked', coalesce(p_actor, 'kernel'), k.last_state,
         'COMPENSATION_FAILED', k.attempts from parked k;
  update wedsql.instance i set reason = 'COMPENSATION_FAILED' where i.wid = p_wid;
  v_seqs := wedsql._append_trace(p_flow, array[wedsql._note_step(p_wid, '_FAIL', coalesce(p_actor, 'kernel'),
    'COMPENSATION_FAILED' || coalesce(': ' || p_why, ''))], null, p_now);
  perform wedsql._call_excepted(p_flow, array[p_wid], p_now);
  perform wedsql._notify(p_flow, array[p_wid], v_seqs, '{}', 0);
end $$;
