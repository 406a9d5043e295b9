create or replace function wedsql.reap(p_max integer default 200) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: one bounded round of everything that time does: overdue transactions are ended, expired leases given back,
-- due timers fired, jobs that nobody picks up made exceptions. Counts. Any number of reapers may run.
-- Locks: one instance at a time, skipping what is locked; then its jobs and trace.
declare
  v_now timestamptz := wedsql.now();
  v_clock jsonb := wedsql._reap_clock(v_now);
  v_report jsonb;
begin
  v_report := jsonb_build_object('ended', wedsql._reap_locks(p_max) + wedsql._reap_transactions(p_max, v_now), 'expired', wedsql._reap_leases(p_max, v_now),
    'timers', wedsql._reap_timers(p_max, v_now), 'late', wedsql._reap_pickups(p_max, v_now));
  delete from wedsql.worker w where w.seen_at < v_now - interval '1 hour';
  insert into wedsql.beat as b (name, seen_at, detail) values ('reaper', v_now, v_report || v_clock)
  on conflict (name) do update set seen_at = excluded.seen_at, detail = excluded.detail;
  return v_report;
end $$;

create or replace function wedsql._reap_transactions(p_max integer, p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: sessions that hold a job longer than its timeout are ended and the attempt counted (K-09): a running statement is
-- cancelled, a session idle in its transaction is terminated, as nothing less ends that transaction.
declare
  v_lock record;
  v_ended integer := 0;
begin
  delete from wedsql.lock_seen s where not exists (
    select 1 from pg_locks l where l.locktype = 'advisory' and l.pid = s.pid and l.objsubid = 2 and l.granted
      and l.classid::integer = s.wid and l.objid::integer = s.tgid)
    or not exists (select 1 from pg_stat_activity a where a.pid = s.pid and coalesce(a.xact_start, a.state_change) = s.xact_start);
  insert into wedsql.lock_seen (pid, wid, tgid, job_id, xact_start, first_seen)
  select l.pid, j.wid, j.tgid, j.id, coalesce(a.xact_start, a.state_change), p_now
  from pg_locks l
  join pg_stat_activity a on a.pid = l.pid and coalesce(a.xact_start, a.state_change) is not null
  join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ExclusiveLock'
    and l.database = (select d.oid from pg_database d where d.datname = current_database()) and l.pid <> pg_backend_pid()
    and l.pid <> all (array(select x.pid from wedsql._strangers() x))
  on conflict do nothing;
  for v_lock in
    select s.*, a.state, j.timeout from wedsql.lock_seen s
    join pg_stat_activity a on a.pid = s.pid and coalesce(a.xact_start, a.state_change) = s.xact_start
    join wedsql.job_pool j on j.wid = s.wid and j.tgid = s.tgid and j.id = s.job_id
    where s.first_seen + j.timeout < p_now order by s.first_seen + j.timeout limit p_max
  loop
    if wedsql._end_session(v_lock.pid, v_lock.state) then
      v_ended := v_ended + 1;
      delete from wedsql.lock_seen s where s.pid = v_lock.pid and s.wid = v_lock.wid and s.tgid = v_lock.tgid;
      perform wedsql._count_attempt(v_lock.wid, v_lock.job_id, null, 'timeout', format('ended after %s', v_lock.timeout), p_now);
    end if;
  end loop;
  return v_ended;
end $$;

create or replace function wedsql._end_session(p_pid integer, p_state text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the session's transaction is being ended; false when it is gone, or is a superuser's, which only a superuser may end:
-- one such session must not keep the reaper from everything else.
begin
  return case when p_state = 'active' then pg_cancel_backend(p_pid) else pg_terminate_backend(p_pid) end;
exception when insufficient_privilege then
  raise warning 'session % holds a job past its time, and the reaper may not end it', p_pid;
  return false;
end $$;

create or replace function wedsql._hold(p_flow text, p_wid integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: nobody else writes the instance until this transaction ends; false at once where somebody does so now.
-- Locks: the instance, skipping a locked one.
declare
  v_held integer;
begin
  execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked', p_flow) into v_held using p_wid;
  return v_held is not null;
end $$;

create or replace function wedsql._count_attempt(p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: an attempt that the kernel ended counts like one that failed; false when the instance is locked now or the job has moved on.
-- Locks: the instance, skipping a locked one; then the job.
declare
  v_flow wedsql.flow;
  v_job record;
begin
  select f.* into v_flow from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id where j.wid = p_wid and j.id = p_job;
  if not found then
    return false;
  end if;
  if not wedsql._hold(v_flow.name, p_wid) then
    return false;
  end if;
  update wedsql.job_pool j
  set attempts = j.attempts + 1, state = 'P', claim = null, lckid = null, lease_until = null, last_error = p_why, last_state = 'WD204',
      not_before = p_now + wedsql._backoff(coalesce((select t.backoff from wedsql.trig t where t.tgid = j.tgid), interval '1 second'), j.attempts::integer)
  where j.wid = p_wid and j.id = p_job and j.state <> 'K' and j.claim is not distinct from p_claim
  returning j.*, j.tgid > 0 and j.attempts >= coalesce((select t.max_attempts from wedsql.trig t where t.tgid = j.tgid), 5) as spent into v_job;
  if not found then
    return false;
  end if;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message, attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, p_outcome, 'reaper', 'WD204', p_why, v_job.attempts);
  if v_job.spent then
    perform wedsql._except(v_flow, p_wid, array[v_job.tgid::integer], 'ATTEMPTS', 'reaper', p_why, p_now);
  end if;
  return true;
end $$;
