-- What an operator does to one job of a living instance: tries it again now, releases it, withdraws it,
-- changes its priority, gives it more time, or assigns it to a worker.

-- Returns the job of an instance that is held for an operation and not suspended, locked.
-- Locks: the job; the caller holds the instance.
-- Raises: WD105 while the instance is suspended, WD205, WD212 for the job of an exception unless p_exception,
-- and while the instance is being compensated for all but the compensation.
create or replace function wedsql._operated_job(p_wid integer, p_job bigint,
                                                p_exception boolean default false) returns wedsql.job_pool
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
begin
  perform wedsql._check_not_suspended(p_wid);
  select * into v_job from wedsql.job_pool j where j.wid = p_wid and j.id = p_job for update;
  if not found then
    perform wedsql._raise('WD205', 'Job {job} of instance {instance} is no longer pending.',
      'It was finished or withdrawn in the meantime.',
      jsonb_build_object('job', p_job, 'instance', p_wid));
  elsif v_job.tgid = 0 and not p_exception then
    perform wedsql._raise('WD212', 'Job {job} is the exception of instance {instance} itself.',
      'Repair the instance, or cancel it.', jsonb_build_object('job', p_job, 'instance', p_wid));
  elsif wedsql._call_awaits_compensation(p_wid, p_job) then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} waits for the compensations.',
      'It is offered again when they are done.', jsonb_build_object('job', p_job, 'instance', p_wid));
  end if;
  return v_job;
end $$;

-- Returns whether another session has the lock of a job.
create or replace function wedsql._is_held_elsewhere(p_wid integer, p_tgid integer) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.pid <> pg_backend_pid()
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    and l.classid::bigint = p_wid and l.objid::bigint = p_tgid)
$$;

-- Checks that no worker holds the job. Where wedsql.keeps_no_locks is 'yes', because the transaction has more
-- jobs than it may have locks, a worker that takes the job after that finds it gone at its commit.
-- Locks: the job's lock, or nothing.
-- Raises: WD203 where a worker holds the job now, by a lease or by a lock of its session.
create or replace function wedsql._check_not_held(p_job wedsql.job_pool) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (p_job).state = 'L' or (case when current_setting('wedsql.keeps_no_locks', true) = 'yes'
                                  then wedsql._is_held_elsewhere((p_job).wid, (p_job).tgid)
                                  else not pg_try_advisory_xact_lock((p_job).wid, (p_job).tgid) end) then
    perform wedsql._raise('WD203', case when (p_job).assigned_to = ''
        then '{holder} has taken the task that job {job} of instance {instance} is.'
        else 'A worker holds job {job} of instance {instance}: {holder}.' end,
      case when (p_job).assigned_to = ''
        then 'Ask that person to give it back, or take it from that person first.'
        else 'Release a lease first, or wait until the worker is done.' end,
      jsonb_build_object('job', (p_job).id, 'instance', (p_job).wid, 'holder',
        coalesce((p_job).lckid, wedsql._holder((p_job).wid, (p_job).tgid), '?')));
  end if;
end $$;

-- Returns the state of an instance as the payload of a job that is retried.
-- Locks: the wed_flow row.
-- Raises: WD533 where the condition of the job no longer holds, unless its trigger has revalidate = none.
create or replace function wedsql._retry_payload(p_flow wedsql.flow, p_job wedsql.job_pool) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now record;
begin
  execute format('select r.state, r.matched from %I._retest(array[$1]) r', p_flow.name)
    into v_now using p_job.wid;
  if not p_job.tgid = any (v_now.matched)
     and (select t.revalidate from wedsql.trig t where t.tgid = p_job.tgid) <> 'none' then
    perform wedsql._raise('WD533',
      'The condition of job {job} ("{transition}") of instance {instance} no longer holds.',
      'Skip or withdraw it, or change the state.', jsonb_build_object('job', p_job.id,
        'instance', p_job.wid, 'transition', p_job.trname));
  end if;
  return v_now.state;
end $$;

-- Offers a job now that waits for its next try, or that is parked, with the present state as its payload; it
-- has all its attempts again, and the timeout of its trigger if that is longer. When no parked job remains,
-- an exception runs again, and a failed compensation is one no longer. A compensation keeps its payload.
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105, WD203, WD205, WD212; as _retry_payload.
create or replace function wedsql.retry_job(p_wid integer, p_job_id bigint, p_reason text,
                                            p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason, true);
  v_now timestamptz := wedsql.now();
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, p_job_id);
begin
  perform wedsql._check_not_held(v_job);
  if v_job.state = 'P' and coalesce(v_job.not_before <= v_now, true) then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} is ready already.',
      'It waits for a worker.', jsonb_build_object('job', p_job_id, 'instance', p_wid));
  end if;
  if not wedsql._call_compensates(p_wid, p_job_id) then
    v_job.payload := wedsql._retry_payload(v_flow, v_job);
    select case when t.timeout is null then null else greatest(v_job.timeout, t.timeout) end
    into v_job.timeout from wedsql.trig t where t.tgid = v_job.tgid;
    v_job.lock := (select wedsql._lock_name(v_flow.id, t.lock, v_job.payload) from wedsql.trig t
                   where t.tgid = v_job.tgid and wedsql._excludes(t));
  end if;
  update wedsql.job_pool j set state = 'P', not_before = null, earlier_attempts = j.attempts,
    payload = v_job.payload, lock = v_job.lock, timeout = v_job.timeout
  where j.wid = p_wid and j.id = p_job_id;
  if v_job.state = 'K' and not exists (
    select 1 from wedsql.job_pool j where j.wid = p_wid and j.state = 'K') then
    delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = 0;
    update wedsql.instance i set status = case when i.status = 'E' then 'R' else i.status end, reason = null
    where i.wid = p_wid;
  end if;
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:retry', p_actor, p_reason, array[v_job.trname], v_now);
end $$;

-- Ends the lease of a job, of that of an exception as well, so that others may take it; the holder's result
-- will be rejected (WD203).
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105, WD203 for a lock of a session, WD205, WD212.
create or replace function wedsql.release_job(p_wid integer, p_job_id bigint, p_reason text,
                                              p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason, true);
  v_now timestamptz := wedsql.now();
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, p_job_id, true);
begin
  if v_job.state <> 'L' then
    perform wedsql._check_not_held(v_job);
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} is not held by a lease.',
      'There is nothing to release.', jsonb_build_object('job', p_job_id, 'instance', p_wid));
  end if;
  update wedsql.job_pool j set state = 'P', claim = null, lckid = null, lease_until = null
  where j.wid = p_wid and j.id = p_job_id;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, v_now, 'released',
          wedsql._actor(p_actor), p_reason, v_job.attempts);
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:release', p_actor, p_reason, array[v_job.trname], v_now);
end $$;

-- Withdraws a job that no worker holds. Where its condition still holds, or nothing else is pending, the
-- instance becomes an exception (WITHDRAWN), because the next step would fire the job again or none would
-- follow. So does an exception whose last parked job it is; otherwise that runs again.
-- Locks: as _operate; the job, the trace; as a re-match.
-- Raises: WD009, WD104, WD105, WD203, WD205, WD212.
create or replace function wedsql.withdraw_job(p_wid integer, p_job_id bigint, p_reason text,
                                               p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_now timestamptz := wedsql.now();
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, p_job_id);
  v_matched integer[];
  v_status "char";
begin
  perform wedsql._check_not_held(v_job);
  perform wedsql._withdraw_jobs(array[p_wid], array[p_job_id], 'withdrawn', wedsql._actor(p_actor), p_reason,
                                v_now);
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:withdraw', p_actor, p_reason, '{}', v_now);
  execute format('select r.matched from %I._retest(array[$1]) r', v_flow.name) into v_matched using p_wid;
  select i.status into v_status from wedsql.instance i
  where i.wid = p_wid and (i.status = 'R' or i.status = 'E' and v_job.state = 'K' and not exists (
    select 1 from wedsql.job_pool j where j.wid = p_wid and j.state = 'K'));
  if v_status is not null and (
     v_job.tgid = any (v_matched) or not wedsql._has_timer(p_wid)
     and not exists (select 1 from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0)) then
    perform wedsql._park_as_exception(v_flow, p_wid, '{}', 'WITHDRAWN', wedsql._actor(p_actor), p_reason,
                                      v_now);
  elsif v_status = 'E' then
    perform wedsql._rematch(v_flow.id, array[p_wid], false, false, wedsql._actor(p_actor), p_reason);
  end if;
end $$;

-- Changes the priority of a job: among the ready jobs of its transition the highest is taken first.
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105, WD205, WD212.
create or replace function wedsql.prioritize_job(p_wid integer, p_job_id bigint, p_priority integer,
                                                 p_reason text, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason, true);
  v_job wedsql.job_pool;
begin
  if p_priority is null or p_priority not between -32768 and 32767 then
    perform wedsql._raise('WD009', 'A priority is a whole number between -32768 and 32767.');
  end if;
  v_job := wedsql._operated_job(p_wid, p_job_id);
  update wedsql.job_pool j set priority = p_priority::smallint where j.wid = p_wid and j.id = p_job_id;
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:priority', p_actor,
                           v_job.trname || ' ' || v_job.priority || ' -> ' || p_priority || ': ' || p_reason,
                           '{}', wedsql.now());
end $$;

-- Prolongs the time limit of one job, of one that is held as well: each check reads the limit from the job. A
-- lease lasts longer by the same time. Other jobs of the transition keep its timeout.
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105, WD205, WD212 for a job that is parked, has no limit, or is a task of people.
create or replace function wedsql.extend_job(p_wid integer, p_job_id bigint, p_by interval, p_reason text,
                                             p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason, true);
  v_job wedsql.job_pool;
begin
  if p_by is null or p_by <= interval '0' or p_by > interval '30 days' then
    perform wedsql._raise('WD009', 'A job is prolonged by more than 0 seconds and at most 30 days.');
  end if;
  v_job := wedsql._operated_job(p_wid, p_job_id);
  if v_job.state = 'K' then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} is parked.', 'Retry it.',
      jsonb_build_object('job', p_job_id, 'instance', p_wid));
  elsif v_job.assigned_to = ''
        and exists (select from wedsql.trig t where t.tgid = v_job.tgid and t.performer = 'person') then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} is a task of people.',
      'Give the task another deadline.', jsonb_build_object('job', p_job_id, 'instance', p_wid));
  elsif v_job.timeout is null and v_job.state <> 'L' then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} has no time limit.',
      'There is nothing to prolong.', jsonb_build_object('job', p_job_id, 'instance', p_wid));
  end if;
  update wedsql.job_pool j
  set timeout = least(j.timeout, wedsql._longest()) + p_by,
      lease_until = case when j.state = 'L' then greatest(j.lease_until, wedsql.now()) + p_by end
  where j.wid = p_wid and j.id = p_job_id;
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:extend', p_actor,
                           v_job.trname || ' +' || p_by || ': ' || p_reason, '{}', wedsql.now());
end $$;

-- Assigns a job to a worker, or to those of a name that several have (_worker_names): from now on only such a
-- worker takes it, in each of its attempts. An empty name gives it back to all.
-- Locks: as _operate; the job, the trace.
-- Raises: WD009, WD104, WD105, WD203 while a worker holds it, WD205, WD212.
create or replace function wedsql.reassign_job(p_wid integer, p_job_id bigint, p_to text, p_reason text,
                                               p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_now timestamptz := wedsql.now();
  v_to text := wedsql._assignee(p_to);
  v_job wedsql.job_pool := wedsql._operated_job(p_wid, p_job_id);
begin
  if v_job.assigned_to = '' then
    perform wedsql._raise('WD212', 'Job {job} of instance {instance} is performed by no worker.',
      'It waits for its children, or is a task of people: give that to a person.',
      jsonb_build_object('job', p_job_id, 'instance', p_wid));
  end if;
  perform wedsql._check_not_held(v_job);
  update wedsql.job_pool j
  set assigned_to = v_to, assigned_by = case when v_to is not null then wedsql._actor(p_actor) end,
      assigned_at = case when v_to is not null then v_now end
  where j.wid = p_wid and j.id = p_job_id;
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:reassign', p_actor,
                           format('%s %s -> %s: %s', v_job.trname, coalesce(v_job.assigned_to, '*'),
                                  coalesce(v_to, '*'), p_reason),
                           case when v_job.state = 'P' then array[v_job.trname] else '{}' end, v_now);
end $$;

-- Returns the name of a worker as jobs are assigned to it, null for an empty one.
-- Raises: WD009.
create or replace function wedsql._assignee(p_name text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_name is null or length(p_name) > 200 or p_name ~ '[[:cntrl:]]' then
    perform wedsql._raise('WD009', 'The name of a worker has at most 200 characters, and no line breaks.',
      'An empty name gives the job back to all workers.');
  end if;
  return nullif(btrim(p_name), '');
end $$;
