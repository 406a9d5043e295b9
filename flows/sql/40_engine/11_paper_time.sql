create or replace function wedsql._paper_in_time(p_job wedsql.job_pool) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = error as $$
-- Promise: the lock is one of this transaction, the job was not fired by it, and its time is not over (K-08, K-09, K-45).
-- The clock starts with the transaction, as the lock is its first act; in a long transaction the reaper knows better:
-- the moment it first saw the lock counts, and a lock that it has not seen is younger than its last look.
-- Raises: WD203, WD204, WD207, WD209.
declare
  v_now timestamptz := wedsql.now();
  v_since timestamptz;
begin
  if pg_advisory_unlock(p_job.wid, p_job.tgid) then
    perform pg_advisory_lock(p_job.wid, p_job.tgid);
    perform wedsql._raise('WD207', format('The lock on job %s belongs to the session, not to the transaction.', p_job.id),
      'Use pg_try_advisory_xact_lock: the lock must end with the transaction that does the work.');
  end if;
  if p_job.state <> 'P' then
    perform wedsql._raise('WD203', case p_job.state when 'K' then format('Job %s is parked: it used up its attempts.', p_job.id)
        else format('Job %s is leased by %s.', p_job.id, coalesce(p_job.lckid, 'another worker')) end,
      'Take a job with state = ''P''.');
  end if;
  if p_job.fired_xid = txid_current() then
    perform wedsql._raise('WD209', format('This transaction has written instance %s already.', p_job.wid),
      'One update finishes a job; the job that fired from it is the next transaction''s.');
  end if;
  select greatest(now(), coalesce(
    (select min(s.xact_seen) from wedsql.lock_seen s
     where s.pid = pg_backend_pid() and s.wid = p_job.wid and s.tgid = p_job.tgid and s.xact_start = now()),
    (select b.seen_at from wedsql.beat b where b.name = 'reaper'))) into v_since;
  if p_job.timeout is not null and v_now - v_since > p_job.timeout then
    perform wedsql._raise('WD204', format('The result of job %s of instance %s came too late (limit %s).', p_job.id, p_job.wid, p_job.timeout),
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout.');
  end if;
end $$;

create or replace function wedsql._never() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: instances are never deleted by hand; the history must be able to name them (K-29).
begin
  perform wedsql._raise('WD301', 'Instances are not deleted or truncated.', 'Cancel one with wedsql.cancel(wid, reason); retention removes old final ones.');
  return null;
end $$;
