-- Checks that the lock is one of this transaction, that the job was not fired by it, and that its time is not
-- over (K-08, K-09, K-45); returns until when it lasts, null for ever. The time counts from the beginning of
-- the transaction, as the lock is its first action. In a long transaction the reaper's observations are more
-- exact: the moment at which it first saw the lock counts, and a lock that it has not seen is younger than
-- its last round. p_held: the session has held jobs by <flow>.hold.
-- Raises: WD203, WD204, WD207, WD209.
create or replace function wedsql._paper_in_time(p_job wedsql.job_pool, p_held boolean) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = error as $$
declare
  v_now timestamptz := wedsql.now();
  v_since timestamptz;
begin
  if (p_held or wedsql._may_lock_by_session()) and wedsql._holds_by_session(p_job.wid, p_job.tgid) then
    perform wedsql._raise('WD207', 'The lock on job {job} belongs to the session, not to the transaction.',
      'Use pg_try_advisory_xact_lock: the lock must end with the transaction that does the work.',
      jsonb_build_object('job', p_job.id));
  end if;
  if p_job.state <> 'P' then
    perform wedsql._raise('WD203', case
        when p_job.state = 'K' then 'Job {job} is parked: it has used all its attempts.'
        when p_job.lckid is null then 'Job {job} is leased by another worker.'
        else 'Job {job} is leased by "{holder}".' end,
      'Take a job with state = ''P''.', jsonb_build_object('job', p_job.id, 'holder', p_job.lckid));
  end if;
  if p_job.assigned_to = '' then
    perform wedsql._raise('WD203', 'Job {job} of instance {instance} is performed by no worker.',
      'It waits for its children, or is a task of people. Take another job.',
      jsonb_build_object('job', p_job.id, 'instance', p_job.wid));
  elsif p_job.assigned_to <> all (wedsql._own_names(null)) then
    perform wedsql._raise('WD203', 'Job {job} is assigned to "{worker}".',
      'Take another job; the name of this worker is the setting wedsql.actor.',
      jsonb_build_object('job', p_job.id, 'worker', p_job.assigned_to));
  end if;
  if p_job.fired_xid = txid_current() then
    perform wedsql._raise('WD209', 'This transaction has written instance {instance} already.',
      'One update completes a job; a job that fired from it needs another transaction.',
      jsonb_build_object('instance', p_job.wid));
  end if;
  select greatest(now(), coalesce(
    (select min(s.xact_seen) from wedsql.lock_seen s
     where s.pid = pg_backend_pid() and s.wid = p_job.wid and s.tgid = p_job.tgid and s.xact_start = now()),
    (select b.seen_at from wedsql.beat b where b.name = 'reaper'))) into v_since;
  if p_job.timeout is not null and v_now - v_since > p_job.timeout then
    perform wedsql._raise('WD204',
                          'The result of job {job} of instance {instance} came too late (limit {timeout}).',
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout.',
      jsonb_build_object('job', p_job.id, 'instance', p_job.wid, 'timeout', p_job.timeout::text));
  end if;
  return v_since + p_job.timeout;
end $$;

-- Returns false where no lock that the session takes can outlive its transaction. Releasing such a lock that
-- does not exist writes a warning to the server's log, and a client of the paper would cause one with each
-- result.
create or replace function wedsql._may_lock_by_session() returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select has_function_privilege(session_user, 'pg_advisory_lock(integer,integer)', 'execute')
       or has_function_privilege(session_user, 'pg_try_advisory_lock(integer,integer)', 'execute')
$$;

-- Returns whether the lock on the job is the session's; the lock is kept. No warning is written to the
-- server's log for a session whose locks are all on jobs: releasing all locks of the session leaves those of
-- the transaction, without a warning, and the released ones are locked again. A lock of the client's own must
-- not be released even for a moment, so where there is one only this lock is tested.
create or replace function wedsql._holds_by_session(p_wid integer, p_tgid integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = error as $$
declare
  v_locks bigint[];
  v_jobs_only boolean;
  v_by_session boolean;
begin
  select bool_and(l.objsubid = 2 and l.mode = 'ExclusiveLock' and (l.objid = (-1)::oid or exists (
    select 1 from wedsql.instance i join wedsql.trig t on t.flow_id = i.flow_id
    where i.wid = l.classid::integer and t.tgid = l.objid::integer)))
  into v_jobs_only from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid();
  if v_jobs_only then
    v_locks := wedsql._pairs_locked();
    perform pg_advisory_unlock_all();
    v_by_session := not wedsql._holds(p_wid, p_tgid);
    perform pg_advisory_lock((k >> 32)::integer, (k << 32 >> 32)::integer) from unnest(v_locks) k
    where k <> all (wedsql._pairs_locked());
  else
    -- The transaction's own lock as well, so that no other session gets it before it is the session's again.
    perform pg_advisory_xact_lock(p_wid, p_tgid);
    v_by_session := pg_advisory_unlock(p_wid, p_tgid);
    if v_by_session then
      perform pg_advisory_lock(p_wid, p_tgid);
    end if;
  end if;
  return v_by_session;
end $$;

-- Returns the pairs of numbers on which this session holds an advisory lock, each as one number.
create or replace function wedsql._pairs_locked() returns bigint[]
language sql volatile set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(wedsql._key_locked(l.classid, l.objid)), '{}') from pg_locks l
where l.locktype = 'advisory' and l.objsubid = 2 and l.pid = pg_backend_pid()
$$;

-- Makes a transaction that wrote a result in time commit in time, or not at all (K-09). Runs as the commit
-- begins.
-- Raises: WD204.
create or replace function wedsql._commit_in_time() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if wedsql.now() > new.until then
    perform wedsql._raise('WD204', 'The commit of the result of instance {instance} came too late.',
      'Nothing was changed; the job goes back to the pool. Commit sooner, or give the trigger a longer '
      'timeout.',
      jsonb_build_object('instance', new.wid));
  end if;
  delete from wedsql.commit_by c where c.id = new.id;
  return null;
end $$;

-- Rejects deleting instances by hand; the history must be able to name them (K-29).
-- Raises: WD301.
create or replace function wedsql._never() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD301', 'Instances cannot be deleted or truncated.',
    'Cancel one with wedsql.cancel(wid, reason); retention removes old final ones.');
  return null;
end $$;
