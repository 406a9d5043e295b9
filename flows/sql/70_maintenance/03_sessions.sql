-- Sessions that hold a job longer than its timeout. PostgreSQL does not show when an advisory lock was taken,
-- so the reaper keeps what it saw (wedsql.lock_seen).

-- Ends sessions that hold a job longer than its timeout, counts the attempt (K-09), and returns how many. The
-- time counts from when the transaction was first seen with the lock; a session that keeps it over several
-- transactions has twice as long.
create or replace function wedsql._reap_sessions(p_max integer, p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_lock record;
  v_ended integer := 0;
begin
  perform wedsql._see_locks(p_now);
  for v_lock in
    select s as seen, a.state, j.timeout, j.flow_id from wedsql.lock_seen s
    join pg_stat_activity a on a.pid = s.pid and a.backend_start = s.backend_start
    join wedsql.job_pool j on j.wid = s.wid and j.tgid = s.tgid and j.id = s.job_id
    where least(s.xact_seen + least(j.timeout, wedsql._longest()),
                s.first_seen + 2 * least(j.timeout, wedsql._longest())) < p_now
      and (s.ended_at is null or s.ended_at < p_now - interval '2 seconds')
      and wedsql._may_try(j.flow_id, 'ended', j.wid, j.id, p_now)
    order by s.xact_seen + least(j.timeout, wedsql._longest()) limit p_max
  loop
    if wedsql._end_holder(v_lock.seen, v_lock.state, v_lock.flow_id, v_lock.timeout, p_now) then
      v_ended := v_ended + 1;
    end if;
  end loop;
  return v_ended;
end $$;

-- Updates lock_seen: which session holds which job now, since when in this session, and since when in its
-- present transaction.
-- Locks: rows that one reaper at a time writes.
create or replace function wedsql._see_locks(p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
with held as materialized (
  select l.pid, j.wid, j.tgid, j.id as job_id, a.backend_start,
         coalesce(a.xact_start, a.state_change) as xact_start
  from pg_locks l
  join pg_stat_activity a on a.pid = l.pid and coalesce(a.xact_start, a.state_change) is not null
  join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ExclusiveLock'
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.pid <> pg_backend_pid()
    and l.pid <> all (array(select x.pid from wedsql._foreign_sessions() x))),
gone as (
  delete from wedsql.lock_seen s
  where not exists (select 1 from held h where (h.pid, h.wid, h.tgid) = (s.pid, s.wid, s.tgid)))
insert into wedsql.lock_seen as s (pid, wid, tgid, job_id, backend_start, xact_start, xact_seen, first_seen)
select h.pid, h.wid, h.tgid, h.job_id, h.backend_start, h.xact_start, p_now, p_now from held h
on conflict (pid, wid, tgid) do update
set job_id = excluded.job_id, backend_start = excluded.backend_start, xact_start = excluded.xact_start,
    xact_seen = excluded.xact_seen,
    first_seen = case when s.job_id = excluded.job_id
      and s.backend_start = excluded.backend_start then s.first_seen else excluded.first_seen end,
    ended_at = case when s.job_id = excluded.job_id
      and s.backend_start = excluded.backend_start then s.ended_at end
where (s.job_id, s.backend_start, s.xact_start)
  is distinct from (excluded.job_id, excluded.backend_start, excluded.xact_start);
end $$;

-- Ends the session; returns true the first time, when the attempt is counted. A running statement is
-- cancelled, which ends the transaction. A session that still holds the job two seconds later, or is idle, is
-- terminated. Where only a superuser may end it, that is recorded (wedsql.trouble).
-- Locks: as _count_attempt.
create or replace function wedsql._end_holder(
  p_seen wedsql.lock_seen, p_state text, p_flow integer, p_timeout interval, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_first boolean := p_seen.ended_at is null;
begin
  if v_first and p_state = 'active' then
    perform pg_cancel_backend(p_seen.pid);
  else
    perform pg_terminate_backend(p_seen.pid);
  end if;
  update wedsql.lock_seen s set ended_at = p_now
  where (s.pid, s.wid, s.tgid) = (p_seen.pid, p_seen.wid, p_seen.tgid);
  if v_first then
    perform wedsql._count_attempt(p_seen.wid, p_seen.job_id, null, 'timeout', 
      wedsql._put_facts('The session was ended after {time}.', jsonb_build_object('time', p_timeout::text)),
      p_now);
    perform wedsql._no_trouble(p_flow, 'ended', p_seen.wid, p_seen.job_id);
  end if;
  return v_first;
exception
  when insufficient_privilege then
    perform wedsql._note_trouble(p_flow, 'ended', p_seen.wid, p_seen.job_id, sqlstate,
      wedsql._put_facts('Session {session} holds a job longer than its timeout, and the reaper has no right '
                        'to end it.',
        jsonb_build_object('session', p_seen.pid)), p_now);
    return false;
  when others then
    perform wedsql._note_trouble(p_flow, 'ended', p_seen.wid, p_seen.job_id, sqlstate, sqlerrm, p_now);
    return false;
end $$;

-- Ends the session's transaction; returns false when it no longer exists, or is a superuser's, which only a
-- superuser may end: one such session must not keep the reaper from everything else.
create or replace function wedsql._end_session(p_pid integer, p_state text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return case when p_state = 'active' then pg_cancel_backend(p_pid) else pg_terminate_backend(p_pid) end;
exception when insufficient_privilege then
  raise warning 'session % holds a job longer than its timeout, and the reaper has no right to end it', p_pid;
  return false;
end $$;
