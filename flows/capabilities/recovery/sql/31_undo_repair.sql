-- Undoing the last repair of an instance: it is again what it was, as long as nothing followed from it. The
-- history keeps both, the repair and the step _RECOVER:undo.

-- Returns the number of the last entry about a job in the log; 0 without one.
create or replace function wedsql._last_entry(p_job wedsql.job_pool) returns bigint
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(max(l.id), 0) from wedsql.job_log l where l.wid = p_job.wid and l.job_id = p_job.id
$$;

-- Returns what an instance is besides its values, for wedsql.repaired; null for operations that are not
-- undone in this way. Each job has "logged", the last entry about it in the log, too.
create or replace function wedsql._before_repair(p_wid integer, p_operation text) returns wedsql.repaired
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
select row(i.wid, i.seq + 1, p_operation, i.status, i.reason,
  (select coalesce(jsonb_agg(to_jsonb(j) || jsonb_build_object('logged', wedsql._last_entry(j))), '[]')
   from wedsql.job_pool j where j.wid = p_wid),
  (select coalesce(jsonb_agg(to_jsonb(x)), '[]') from wedsql.timer x where x.wid = p_wid),
  (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from wedsql.skipped s where s.wid = p_wid))::wedsql.repaired
from wedsql.instance i where i.wid = p_wid
  and exists (select from wedsql._operations() o where o.operation = p_operation and o.can_be_undone)
$$;

-- Stores what an instance was before its last repair. A retry of several jobs has a step for each; the last
-- one counts.
-- Locks: the row; the caller holds the instance.
create or replace function wedsql._keep_before_repair(p_before wedsql.repaired) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.repaired as r
select (p_before).wid, case when (p_before).operation = 'retry' then i.seq else (p_before).seq end,
  (p_before).operation, (p_before).status, (p_before).reason, (p_before).jobs, (p_before).timers,
  (p_before).skipped
from wedsql.instance i where i.wid = (p_before).wid
on conflict (wid) do update set seq = excluded.seq, operation = excluded.operation, status = excluded.status,
  reason = excluded.reason, jobs = excluded.jobs, timers = excluded.timers, skipped = excluded.skipped
$$;

-- Returns the jobs of an instance that its last repair fired, or that wait for a repair.
create or replace function wedsql._jobs_of_repair(p_repaired wedsql.repaired) returns setof wedsql.job_pool
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select j.* from wedsql.job_pool j
where j.wid = p_repaired.wid and (j.tgid = 0 or not exists (
  select 1 from jsonb_array_elements(p_repaired.jobs) o where (o ->> 'id')::bigint = j.id))
$$;

-- Returns whether a worker has taken a job at any time.
create or replace function wedsql._was_taken(p_job wedsql.job_pool) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select p_job.state = 'L' or p_job.attempts > 0 or exists (
  select 1 from wedsql.job_log l where l.wid = p_job.wid and l.job_id = p_job.id)
$$;

-- Returns whether a worker has taken a job after the last repair: one that the repair fired or, after a
-- retry, any that there was.
create or replace function wedsql._was_taken_since(p_repaired wedsql.repaired) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (
    select 1 from wedsql._jobs_of_repair(p_repaired) j
    where wedsql._was_taken(j) and not exists (  -- a record _EXCPT that stayed, taken before the repair only
      select 1 from jsonb_array_elements(p_repaired.jobs) e
      where (e ->> 'id')::bigint = j.id and e ->> 'state' = j.state::text
        and (e ->> 'attempts')::integer = j.attempts and wedsql._last_entry(j) = (e ->> 'logged')::bigint))
  or p_repaired.operation = 'retry' and exists (
    select 1 from jsonb_array_elements(p_repaired.jobs) e
    where (e ->> 'tgid')::integer > 0 and not exists (
      select 1 from wedsql.job_pool j
      where j.wid = p_repaired.wid and j.id = (e ->> 'id')::bigint
        and (j.state <> 'L' or j.claim = (e ->> 'claim')::bigint)
        and j.attempts = (e ->> 'attempts')::integer
        and wedsql._last_entry(j) = (e ->> 'logged')::bigint))
$$;

-- Returns why the last repair cannot be undone: "none", "ended", "moved", "published" or "taken"; null if it
-- can.
create or replace function wedsql._undo_problem(p_wid integer) returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select case
  when r.wid is null then 'none'
  when i.status not in ('R', 'E', 'S', 'F') then 'ended'
  when i.seq <> r.seq then case when i.status = 'F' then 'ended' else 'moved' end
  when f.version <> (select t.version from wedsql.wed_trace t where t.wid = p_wid and t.seq = r.seq)
    then 'published'
  when wedsql._was_taken_since(r) then 'taken' end
from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
left join wedsql.repaired r on r.wid = i.wid
where i.wid = p_wid
$$;

-- Checks that the last repair can be undone and returns what the instance was before.
-- Locks: the jobs that the repair fired, against workers; the caller holds the instance.
-- Raises: WD528.
create or replace function wedsql._repaired_before(p_wid integer) returns wedsql.repaired
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.repaired;
  v_problem text := wedsql._undo_problem(p_wid);
begin
  select * into v_found from wedsql.repaired r where r.wid = p_wid;
  if v_problem is null and exists (
    select 1 from wedsql.job_pool j
    where j.wid = p_wid and (v_found.operation = 'retry' or j.id = any (array(
        select o.id from wedsql._jobs_of_repair(v_found) o)))
      and not pg_try_advisory_xact_lock(j.wid, j.tgid)) then
    v_problem := 'taken';
  end if;
  if v_problem = 'none' then
    perform wedsql._raise('WD528', 'Instance {instance} has no repair that can be undone.',
      'New values, a skipped or retried job and accepting can be undone. To undo other steps, roll back.',
      jsonb_build_object('instance', p_wid, 'problem', v_problem));
  elsif v_problem is not null then
    perform wedsql._raise('WD528', case v_problem
      when 'taken' then 'A worker has taken a job of instance {instance} after its repair, step {step}.'
      when 'published' then 'The flow of instance {instance} was published after step {step}.'
      else 'Instance {instance} went on after its repair, step {step}.' end,
      'The repair can no longer be undone. Enter the former values, or roll back to the step before it.',
      jsonb_build_object('instance', p_wid, 'step', v_found.seq, 'problem', v_problem));
  end if;
  return v_found;
end $$;

-- Puts jobs, timers and skipped triggers of an instance back to what they were, except jobs that are there
-- still; the record _EXCPT is made again. What the repair fired is withdrawn, and retried jobs wait or are
-- parked again.
-- Locks: the jobs and timers; the caller holds the instance.
create or replace function wedsql._put_back(p_before wedsql.repaired, p_actor text, p_reason text,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' set enable_seqscan = off as $$
begin
  perform wedsql._withdraw_jobs(array[p_before.wid], array(
    select j.id from wedsql._jobs_of_repair(p_before) j where j.tgid > 0), 'withdrawn', p_actor, p_reason,
    p_now);
  delete from wedsql.job_pool j where j.wid = p_before.wid and j.tgid = 0;
  insert into wedsql.job_pool
  select (o.job).* from (
    select jsonb_populate_record(null::wedsql.job_pool, e || case when e ->> 'state' = 'L' then
      '{"state": "P", "claim": null, "lckid": null, "lease_until": null}'::jsonb else '{}' end) as job
    from jsonb_array_elements(p_before.jobs) e) o
  where (o.job).tgid > 0
  on conflict on constraint job_pool_pkey do nothing;
  update wedsql.job_pool j set payload = nullif(e -> 'payload', 'null')
  from jsonb_array_elements(p_before.jobs) e
  where j.wid = p_before.wid and j.tgid > 0 and j.id = (e ->> 'id')::bigint and j.state = 'P'
    and j.payload is distinct from nullif(e -> 'payload', 'null');
  if p_before.operation = 'retry' then
    update wedsql.job_pool j
    set state = o.state, not_before = o.not_before, earlier_attempts = o.earlier_attempts
    from (select (jsonb_populate_record(null::wedsql.job_pool, e)).*
          from jsonb_array_elements(p_before.jobs) e) o
    where j.wid = p_before.wid and j.tgid > 0 and j.id = o.id;
  end if;
  delete from wedsql.timer x where x.wid = p_before.wid;
  insert into wedsql.timer select (jsonb_populate_record(null::wedsql.timer, e)).*
  from jsonb_array_elements(p_before.timers) e;
  delete from wedsql.skipped s where s.wid = p_before.wid;
  insert into wedsql.skipped select (jsonb_populate_record(null::wedsql.skipped, e)).*
  from jsonb_array_elements(p_before.skipped) e;
end $$;

-- Returns the flow of an instance whose last repair is to be undone, also if the instance is final by it.
-- Locks: as _operate.
-- Raises: WD104, WD105.
create or replace function wedsql._flow_to_undo(p_wid integer, p_reason text) returns wedsql.flow
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
begin
  select f.* into v_flow from wedsql.repaired r join wedsql.instance i on i.wid = r.wid and i.seq = r.seq
  join wedsql.flow f on f.id = i.flow_id
  where r.wid = p_wid and i.status = 'F';  -- _repair has locked it
  return case when found then v_flow else wedsql._operate(p_wid, p_reason) end;
end $$;

-- Undoes the last repair of an instance while nothing followed from it: new values, a skipped or retried job,
-- or that it was accepted. The values, the status and the jobs are again what they were, and its case is
-- reopened. It needs the approvals that the repair itself would need now. Returns {"undone": step}.
-- Locks: as _operate; its jobs and timers, the trace.
-- Raises: WD104, WD105, WD520, WD528.
create or replace function wedsql._repair_undo(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._flow_to_undo(p_wid, p_reason);
  v_before wedsql.repaired := wedsql._repaired_before(p_wid);
  v_now timestamptz := wedsql.now();
  v_written record;
  v_step wedsql.step := wedsql._note_step(p_wid, '_RECOVER:undo', p_actor, p_reason);
  v_seqs integer[];
  v_ready text[];
begin
  v_written := wedsql._write_changes(v_flow, p_wid, coalesce((
    select t.before from wedsql.wed_trace t where t.wid = p_wid and t.seq = v_before.seq), '{}'));
  v_step.state := v_written.state;
  v_step.before := v_written.before;
  v_step.cause_seq := v_before.seq;
  perform wedsql._put_back(v_before, p_actor, p_reason, v_now);
  delete from wedsql.repaired r where r.wid = p_wid;
  perform wedsql._set_status(array[p_wid], v_before.status, v_before.reason);
  v_seqs := wedsql._append_trace(v_flow, array[v_step], null, v_now);
  if v_before.status = 'E' then
    perform wedsql._except_job(v_flow, p_wid, v_now);
  end if;
  perform wedsql._call_check_operation(v_flow, p_wid, 'undo',
    array(select jsonb_object_keys(v_written.before)), v_written.state, v_before.operation);
  perform wedsql._call_excepted(v_flow, array[p_wid], v_now);
  v_ready := array(select j.trname from wedsql.job_pool j where j.wid = p_wid and j.state = 'P');
  perform wedsql._notify(v_flow, array[p_wid], v_seqs, v_ready, cardinality(v_ready));
  return jsonb_build_object('undone', v_before.seq);
end $$;

-- Returns the last repair of an instance that was one of those that can be undone: {"seq", "operation",
-- "actor", "values": those before it, "problem": as _undo_problem}; null without one.
create or replace function wedsql.last_repair(p_wid integer) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select jsonb_build_object('seq', r.seq, 'operation', r.operation, 'actor', t.actor,
  'values', coalesce(t.before, '{}'), 'problem', wedsql._undo_problem(p_wid))
from wedsql.repaired r join wedsql.wed_trace t on t.wid = r.wid and t.seq = r.seq where r.wid = p_wid
$$;
