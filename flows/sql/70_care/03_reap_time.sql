create or replace function wedsql._reap_leases(p_max integer, p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: expired leases are given back and the attempt counted.
declare
  v_job record;
  v_done integer := 0;
begin
  for v_job in select j.wid, j.id, j.claim, j.flow_id, j.trname from wedsql.job_pool j where j.state = 'L' and j.lease_until <= p_now
               order by j.lease_until limit p_max loop
    if wedsql._count_attempt(v_job.wid, v_job.id, v_job.claim, 'expired', 'the lease ran out', p_now) then
      v_done := v_done + 1;
      perform wedsql._wake(v_job.flow_id, array[v_job.trname]);
    end if;
  end loop;
  return v_done;
end $$;

create or replace function wedsql._reap_timers(p_max integer, p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: an instance with a due timer is matched again, so that the trigger that waited for the time fires (K-37).
declare
  v_timer record;
  v_done integer := 0;
begin
  for v_timer in select x.wid, f.id, f.name from wedsql.timer x join wedsql.flow f on f.id = x.flow_id where x.due_at <= p_now
                 order by x.due_at limit p_max loop
    if wedsql._hold(v_timer.name, v_timer.wid) then
      perform wedsql._rematch(v_timer.id, array[v_timer.wid], false, false, 'reaper', 'a timer is due');
      delete from wedsql.timer x where x.wid = v_timer.wid and x.due_at <= p_now;
      v_done := v_done + 1;
    end if;
  end loop;
  return v_done;
end $$;

create or replace function wedsql._reap_pickups(p_max integer, p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: a job nobody took within its pickup_deadline is marked late and logged; after as long again it is an exception (K-43).
declare
  v_job record;
  v_flow wedsql.flow;
  v_done integer := 0;
begin
  for v_job in
    select j.*, t.pickup_deadline from wedsql.trig t join wedsql.job_pool j on j.flow_id = t.flow_id and j.trname = t.trname and j.tgid = t.tgid
    where t.pickup_deadline is not null and j.state = 'P'
      and greatest(j.fired_at, j.not_before) + t.pickup_deadline * (case when j.late then 2 else 1 end) <= p_now
      and not exists (select 1 from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = j.wid::oid and l.objid = j.tgid::oid)
    order by j.fired_at limit p_max
  loop
    select f.* into v_flow from wedsql.flow f where f.id = v_job.flow_id;
    continue when not wedsql._hold(v_flow.name, v_job.wid);
    if v_job.late then
      perform wedsql._except(v_flow, v_job.wid, array[v_job.tgid], 'PICKUP', 'reaper', format('nobody took %s within %s', v_job.trname, v_job.pickup_deadline * 2), p_now);
    else
      update wedsql.job_pool j set late = true where j.wid = v_job.wid and j.id = v_job.id;
      insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
      values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, 'late', 'reaper', format('nobody took it within %s', v_job.pickup_deadline), v_job.attempts);
    end if;
    v_done := v_done + 1;
  end loop;
  return v_done;
end $$;

create or replace function wedsql.next_due() returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: when the earliest lease, timer or deferred job falls due; null when nothing waits for a time.
select least((select min(j.lease_until) from wedsql.job_pool j where j.state = 'L'), (select min(x.due_at) from wedsql.timer x))
$$;

create or replace function wedsql.maintain() returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: the history has partitions for this month and the next two, and none that is empty and older than a month;
-- how many were made and dropped, and how many rows (up to 1,000) fell into the default one.
begin
  return jsonb_build_object('partitions_made', wedsql.make_partitions(wedsql.now(), 2),
    'partitions_dropped', cardinality(wedsql.drop_empty_partitions(wedsql.now() - interval '1 month')),
    'in_default', (select count(*) from (select 1 from wedsql.wed_trace_default limit 1000) d));
end $$;
