create or replace function wedsql._paper_in_time(p_job wedsql.job_pool) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = error as $$
-- Promise: the lock is one of this transaction, the job was not fired by it, and its time is not over (K-08, K-09, K-45).
-- The clock starts with the transaction, as the lock is its first act; where the reaper saw the lock appear later
-- in a long transaction, that moment counts.
-- Raises: WD203, WD204, WD207, WD209.
declare
  v_now timestamptz := wedsql.now();
  v_since timestamptz := now();
begin
  if pg_advisory_unlock(p_job.wid, p_job.tgid) then
    perform pg_advisory_lock(p_job.wid, p_job.tgid);
    perform wedsql._raise('WD207', format('The lock on job %s belongs to the session, not to the transaction.', p_job.id),
      'Use pg_try_advisory_xact_lock: the lock must end with the transaction that does the work.');
  end if;
  if p_job.state <> 'P' then
    perform wedsql._raise('WD203', format('Job %s is leased by %s.', p_job.id, coalesce(p_job.lckid, 'somebody else')), 'Take another job.');
  end if;
  if p_job.fired_xid = txid_current() then
    perform wedsql._raise('WD209', format('This transaction has written instance %s already.', p_job.wid),
      'One update finishes a job; the job that fired from it is the next transaction''s.');
  end if;
  select greatest(v_since, min(s.first_seen)) into v_since from wedsql.lock_seen s
  where s.pid = pg_backend_pid() and s.wid = p_job.wid and s.tgid = p_job.tgid and s.xact_start = now();
  if p_job.timeout is not null and v_now - coalesce(v_since, now()) > p_job.timeout
     and not (v_since is null and wedsql._reaper_alive(v_now)) then
    perform wedsql._raise('WD204', format('The result of job %s of instance %s came too late (limit %s).', p_job.id, p_job.wid, p_job.timeout),
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout.');
  end if;
end $$;

create or replace function wedsql._reaper_alive(p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: whether the reaper looked at the locks within the last three seconds, so that a lock it does not know is younger.
select exists (select 1 from wedsql.beat b where b.name = 'reaper' and b.seen_at > p_now - interval '3 seconds')
$$;

create or replace function wedsql._never() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: instances are never deleted by hand; the history must be able to name them (K-29).
begin
  perform wedsql._raise('WD301', 'Instances are not deleted or truncated.', 'Cancel one with wedsql.cancel(wid, reason); retention removes old final ones.');
  return null;
end $$;
