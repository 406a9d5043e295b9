-- Says what a job waits for.

-- Returns the hook for what a job waits for that only a capability knows: {"for": name}, and what belongs to
-- it.
create or replace function wedsql._hooks_reasons() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values ('waits_for', 'first', 'jsonb', 'stable', '{p_job wedsql.job_pool}'::text[])
$$;

-- Returns whether a worker that answered within p_silence serves a transition, and when one did last; a
-- client of the paper's protocol, which cannot register, counts from the moment it was seen.
create or replace function wedsql._served(p_flow text, p_transition text, p_silence interval,
  out served boolean, out seen_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(max(s.seen_at) > wedsql.now() - p_silence, false), max(s.seen_at)
from (select w.seen_at from wedsql.worker w where p_flow || ':' || p_transition = any (w.serves)
      union all
      select c.seen_at from wedsql.paper_client c join wedsql.flow f on f.id = c.flow_id
      where f.name = p_flow and c.trname = p_transition) s
$$;

-- Returns how many jobs of the same transition are taken before this one, at most a thousand.
create or replace function wedsql._jobs_ahead(p_job wedsql.job_pool) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select count(*)::integer from (
  select from wedsql.job_pool j
  where j.flow_id = (p_job).flow_id and j.trname = (p_job).trname and j.state = 'P'
    and (j.priority > (p_job).priority or j.priority = (p_job).priority and j.id < (p_job).id)
    and (j.not_before is null or j.not_before <= wedsql.now())
    and (j.assigned_to is null or j.assigned_to = (p_job).assigned_to)
  limit 1000) x
$$;

-- Returns of an assigned job to whom it is assigned, since when and by whom, how many jobs are before it, and
-- when such a worker that serves its transition was seen: "assigned", or "no_assignee" after p_silence.
create or replace function wedsql._waits_for_assignee(p_job wedsql.job_pool, p_silence interval) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_seen timestamptz := wedsql.assignee_seen((p_job).flow_id, (p_job).trname, (p_job).assigned_to);
begin
  return jsonb_build_object(
    'for', case when v_seen > wedsql.now() - p_silence then 'assigned' else 'no_assignee' end,
    'to', (p_job).assigned_to, 'since', (p_job).assigned_at, 'by', (p_job).assigned_by, 'seen', v_seen,
    'ahead', wedsql._jobs_ahead(p_job));
end $$;

-- Returns for which lock or exclusion group a ready job waits: {"for": "lock"} where another job holds it, or
-- "lock_queue" where an older one goes first, with the name, that job, its instance, flow and transition, and
-- the holder; null where it waits for none.
create or replace function wedsql._waits_for_lock(p_job wedsql.job_pool) returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select jsonb_build_object('for', case when h.holder is null then 'lock_queue' else 'lock' end,
  'lock', case when o.lock = (p_job).lock then wedsql._lock_title(o.lock) else t.mutex end,
  'job', o.id, 'instance', o.wid, 'flow', f.name, 'transition', o.trname, 'holder', h.holder)
from wedsql.flow f
join wedsql._sharers(p_job) o on o.flow_id = f.id
left join wedsql.trig t on t.tgid = (p_job).tgid
cross join lateral (select case when o.state = 'L' then coalesce(o.lckid, '')
                                else wedsql._holder(o.wid, o.tgid) end as holder) h
where h.holder is not null or o.id < (p_job).id and o.state = 'P' and '' <> all (array[
    coalesce(o.assigned_to, 'a worker'), coalesce((p_job).assigned_to, 'a worker')])
  and coalesce(o.not_before <= wedsql.now(), true)
order by h.holder is null, o.id limit 1
$$;

-- Returns what a job waits for: {"for": people, repair, suspended, held, lease, backoff, exclusion, lock,
-- lock_queue, task, signal, children, database, assigned, no_assignee, no_worker, queue or worker}, with the
-- facts that belong to it. Of "lock_queue" they have as "first" what the job that goes first waits for: that
-- may be a worker that does not exist.
create or replace function wedsql._waits_for(p_flow text, p_job wedsql.job_pool, p_silence interval)
  returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_holder text := wedsql._holder((p_job).wid, (p_job).tgid);
  v_lock jsonb;
  v_other jsonb;
  v_worker record;
  v_ahead integer;
begin
  if (p_job).tgid = 0 and (p_job).state <> 'S' then
    return '{"for": "people"}';
  elsif (p_job).state = 'K' then
    return '{"for": "repair"}';
  elsif (p_job).state = 'S' then
    return jsonb_build_object('for', 'suspended', 'since', (
      select t.tstmp from wedsql.wed_trace t where t.wid = (p_job).wid and t.trw = '_SUSPEND'
      order by t.seq desc limit 1));
  end if;
  if (p_job).assigned_to = '' then  -- the name of no worker
    v_other := wedsql._call_waits_for(p_job);
    v_lock := case when v_other ->> 'for' = 'task' then wedsql._waits_for_lock(p_job) end;
  end if;
  if v_lock is not null then
    return v_lock;
  elsif v_other is not null then
    return v_other;
  elsif (p_job).state = 'L' then
    return jsonb_build_object('for', 'lease', 'holder', (p_job).lckid, 'until', (p_job).lease_until);
  elsif v_holder is not null then
    return jsonb_build_object('for', 'held', 'holder', v_holder);
  elsif (p_job).not_before > wedsql.now() then
    return jsonb_build_object('for', 'backoff', 'until', (p_job).not_before);
  end if;
  if wedsql._waits((p_job).wid, (p_job).id) then
    return jsonb_build_object('for', 'exclusion', 'transition', (p_job).trname);
  end if;
  v_lock := wedsql._waits_for_lock(p_job);
  if v_lock ->> 'for' = 'lock_queue' then
    -- Its number is lower, so this ends.
    return v_lock || (select jsonb_build_object('first',
        wedsql._waits_for(v_lock ->> 'flow', o, p_silence) - 'first')
      from wedsql.job_pool o where o.wid = (v_lock ->> 'instance')::integer
        and o.id = (v_lock ->> 'job')::bigint);
  elsif v_lock is not null then
    return v_lock;
  end if;
  if (select t.signal from wedsql.trig t where t.tgid = (p_job).tgid) then
    return jsonb_build_object('for', 'signal', 'signal', (p_job).trname);
  end if;
  if (select t.performer from wedsql.trig t where t.tgid = (p_job).tgid) = 'database' then
    return '{"for": "database"}';
  end if;
  if (p_job).assigned_to is not null then
    return wedsql._waits_for_assignee(p_job, p_silence);
  end if;
  select * into v_worker from wedsql._served(p_flow, (p_job).trname, p_silence);
  if not v_worker.served then
    return jsonb_build_object('for', 'no_worker', 'since', v_worker.seen_at);
  end if;
  v_ahead := wedsql._jobs_ahead(p_job);
  return jsonb_build_object('for', case when v_ahead > 0 then 'queue' else 'worker' end, 'ahead', v_ahead);
end $$;
