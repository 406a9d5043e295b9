-- Counts an attempt that the kernel ended like one that failed; returns false when the instance is locked now
-- or the job has changed.
-- Locks: the instance, skipping a locked one; then the job.
create or replace function wedsql._count_attempt(
  p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_job record;
begin
  select f.* into v_flow from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id
  where j.wid = p_wid and j.id = p_job;
  if not found then
    return false;
  end if;
  if not wedsql._hold(v_flow.name, p_wid) then
    return false;
  end if;
  update wedsql.job_pool j
  set attempts = wedsql._one_more(j.attempts), state = 'P', claim = null, lckid = null, lease_until = null,
      last_error = p_why, last_state = 'WD204',
      not_before = p_now + wedsql._backoff(
        coalesce((select t.backoff from wedsql.trig t where t.tgid = j.tgid), interval '1 second'),
        j.attempts - j.earlier_attempts)
  where j.wid = p_wid and j.id = p_job and j.state in ('P', 'L') and j.claim is not distinct from p_claim
  returning j.*, j.tgid > 0 and j.attempts - j.earlier_attempts >= coalesce(
    (select t.max_attempts from wedsql.trig t where t.tgid = j.tgid), 5) as spent into v_job;
  if not found then
    return false;
  end if;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                              attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, p_outcome, 'reaper', 'WD204',
          p_why, v_job.attempts);
  if v_job.spent then
    perform wedsql._use_up(v_flow, p_wid, p_job, 'ATTEMPTS', 'reaper', p_why, p_now);
  end if;
  if v_flow.followed then
    perform wedsql._call_freed(array[p_wid], p_now);
  end if;
  return true;
end $$;

-- Gives an expired lease back and counts the attempt.
-- Locks: as _count_attempt.
create or replace function wedsql._expire(p_wid integer, p_job bigint, p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
begin
  select j.* into v_job from wedsql.job_pool j
  where j.wid = p_wid and j.id = p_job and j.state = 'L' and j.lease_until <= p_now;
  if found and wedsql._count_attempt(p_wid, p_job, v_job.claim, 'expired', 'The lease expired.', p_now) then
    perform wedsql._wake_job(v_job);
    return true;
  end if;
  return false;
end $$;

-- Matches an instance with a due timer again, so that the trigger that waited for the time fires (K-37).
-- Locks: the instance, skipping a locked one; its jobs and trace.
create or replace function wedsql._fire_timer(
  p_flow wedsql.flow, p_wid integer, p_tgid integer, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not wedsql._hold(p_flow.name, p_wid) then
    return false;
  end if;
  perform from wedsql.timer x where x.wid = p_wid and x.tgid = p_tgid and x.due_at <= p_now;
  if not found then
    return false;
  end if;
  perform wedsql._rematch(p_flow.id, array[p_wid], false, false, 'reaper', 'A timer is due.');
  delete from wedsql.timer x where x.wid = p_wid and x.due_at <= p_now;
  return true;
end $$;

-- Returns whether a job waits longer than the deadline, or twice as long when it is marked late already.
create or replace function wedsql._late(p_job wedsql.job_pool, p_deadline interval, p_now timestamptz)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select greatest(p_job.fired_at, p_job.not_before)
       + least(p_deadline, wedsql._longest()) * (case when p_job.late then 2 else 1 end) <= p_now
$$;

-- Marks and logs a job as late that no worker took within its pickup_deadline; after the same time again it
-- is an exception (K-43).
-- Locks: the instance, skipping a locked one; its job and trace.
create or replace function wedsql._not_picked_up(
  p_flow wedsql.flow, p_wid integer, p_job bigint, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job record;
begin
  if not wedsql._hold(p_flow.name, p_wid) then
    return false;
  end if;
  select j.*, t.pickup_deadline as deadline into v_job
  from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
  where j.wid = p_wid and j.id = p_job and j.state = 'P' and wedsql._late(j, t.pickup_deadline, p_now);
  if not found then
    return false;
  end if;
  if v_job.late then
    perform wedsql._park_as_exception(p_flow, p_wid, array[v_job.tgid::integer], 'PICKUP', 'reaper',
                                      wedsql._put_facts('No worker took a job of transition "{transition}" '
                                                        'within {time}.',
      jsonb_build_object('transition', v_job.trname, 'time', (v_job.deadline * 2)::text)), p_now);
  else
    update wedsql.job_pool j set late = true where j.wid = p_wid and j.id = p_job;
    insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
    values (v_job.id, p_wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, 'late', 'reaper',
            wedsql._put_facts('No worker took the job within {time}.',
                              jsonb_build_object('time', v_job.deadline::text)), v_job.attempts);
  end if;
  return true;
end $$;

-- Returns when the next lease, timer or publication falls due, now when the last round left some that it
-- could have handled, null when nothing waits for a time. What the last round could not handle (locked,
-- failed) waits for a later one and is not considered.
create or replace function wedsql.next_due() returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
with last as (
  select least(max(b.seen_at), wedsql.now()) as at, bool_or((b.detail ->> 'more')::boolean) as more
  from wedsql.beat b where b.name = 'reaper')
select case when l.more then wedsql.now() else nullif(wedsql._shown_time(least(
  (select min(d.at) from wedsql.flow f cross join lateral (
     select j.lease_until as at from wedsql.job_pool j
     where j.flow_id = f.id and j.state = 'L' and j.lease_until > coalesce(l.at, '-infinity')
     order by j.lease_until limit 1) d),
  (select min(d.at) from wedsql.flow f cross join lateral (
     select x.due_at as at from wedsql.timer x
     where x.flow_id = f.id and x.due_at > coalesce(l.at, '-infinity') order by x.due_at limit 1) d),
  (select min(s.due_at) from wedsql.start_time s where s.due_at > coalesce(l.at, '-infinity')),
  wedsql._call_next_due(),
  (select min(p.publish_at) from wedsql.publication p
   where p.status = 'approved' and p.publish_at > coalesce(l.at, '-infinity')),
  'infinity')), wedsql._shown_time('infinity')) end
from last l
$$;

-- Creates the partitions of the history for this month and the next two, and drops those that are empty and
-- older than a month; then capabilities remove what is old. Returns how many were created and dropped, how
-- many rows (up to 1,000) are in the default one, and what capabilities removed.
create or replace function wedsql.maintain() returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('partitions_made', wedsql.make_partitions(wedsql.now(), 2),
    'partitions_dropped', cardinality(wedsql.drop_empty_partitions(wedsql.now() - interval '1 month')),
    'in_default', (select count(*) from (select 1 from wedsql.wed_trace_default limit 1000) d))
    || wedsql._call_maintain();
end $$;
