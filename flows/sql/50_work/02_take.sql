create or replace function wedsql._pick(p_flow wedsql.flow, p_transitions text[], p_limit integer, p_ids bigint[], out wids integer[], out ids bigint[])
language plpgsql set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
-- Promise: locks up to p_limit ready jobs of different instances, by priority and age; asks for no lock that another holds.
-- Locks: one transaction-level advisory lock (wid, tgid) a job, as the paper's workers take.
declare
  v_now timestamptz := wedsql.now();
  v_job record;
begin
  wids := '{}';
  ids := '{}';
  for v_job in
    select c.id, c.wid, c.tgid
    from unnest(p_transitions) n
    cross join lateral (
      select j.id, j.wid, j.tgid, j.priority from wedsql.job_pool j
      where j.flow_id = p_flow.id and j.trname = n and j.state = 'P' and (j.not_before is null or j.not_before <= v_now)
        and (p_ids is null or j.id = any (p_ids))
      order by j.priority desc, j.id limit p_limit * 4 + 64) c
    order by c.priority desc, c.id
  loop
    continue when v_job.wid = any (wids);
    continue when p_flow.shared and v_job.tgid > 0 and wedsql._waits(v_job.wid, v_job.id);
    if pg_try_advisory_xact_lock(v_job.wid, v_job.tgid) then
      wids := wids || v_job.wid;
      ids := ids || v_job.id;
      exit when cardinality(ids) >= p_limit;
    end if;
  end loop;
end $$;

create or replace function wedsql._waits(p_wid integer, p_id bigint) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: whether an older job of the same transition of the instance goes first (K-23, concurrent = false).
select exists (
  select 1 from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
  join wedsql.job_pool o on o.wid = j.wid and o.trname = j.trname and o.id < j.id
  where j.wid = p_wid and j.id = p_id and not t.concurrent)
$$;

create or replace function wedsql.take(p_flow text, p_transitions text[], p_limit integer default 1, p_actor text default null, p_job_ids bigint[] default null)
returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_pick record;
begin
  select * into v_pick from wedsql._pick(v_flow, p_transitions, p_limit, p_job_ids);
  if v_pick.ids = '{}' then
    return;
  end if;
  if nullif(current_setting('wedsql.took', true), '') is null then
    perform set_config('wedsql.took', extract(epoch from wedsql.now())::text, true);
  end if;
  if exists (select 1 from wedsql.trig t where t.flow_id = v_flow.id and t.revalidate = 'at_take') then
    v_pick := wedsql._drop_stale(v_flow, v_pick.wids, v_pick.ids);
  end if;
  return query execute format('select * from %I._taken($1, $2) t where t.job_id is not null', p_flow) using v_pick.wids, v_pick.ids;
end $$;

create or replace function wedsql._drop_stale(p_flow wedsql.flow, p_wids integer[], p_ids bigint[], out wids integer[], out ids bigint[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: jobs whose condition no longer holds are withdrawn as they are taken (revalidate = at_take, K-26); the rest is left.
-- Locks: the instances concerned, then the jobs.
declare
  v_stale integer[];
begin
  execute format($q$ select array_agg(r.wid) from %I._retest($1) r join wedsql.job_pool j on j.wid = r.wid and j.id = any ($2)
                     join wedsql.trig t on t.tgid = j.tgid where t.revalidate = 'at_take' and not j.tgid = any (r.matched) $q$, p_flow.name)
    into v_stale using p_wids, p_ids;
  v_stale := coalesce(v_stale, '{}');
  with gone as (delete from wedsql.job_pool j where j.wid = any (v_stale) and j.id = any (p_ids) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)
  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'withdrawn', 'its condition no longer held when it was taken' from gone g;
  if v_stale <> '{}' then
    perform wedsql._rematch(p_flow.id, v_stale, true, false, 'kernel', 'a job was stale');
  end if;
  select coalesce(array_agg(u.wid order by u.o), '{}'), coalesce(array_agg(u.id order by u.o), '{}') into wids, ids
  from unnest(p_wids, p_ids) with ordinality u (wid, id, o) where not u.wid = any (v_stale);
end $$;

create or replace function wedsql.offer(p_flow text, p_transitions text[], p_limit integer default 100, p_exclude bigint[] default '{}')
returns table (job_id bigint, wid integer, tgid integer, trname text)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Promise: a plain look at jobs that are ready, by priority and age; promises nothing about them being free.
select c.id, c.wid, c.tgid, c.trname
from unnest(p_transitions) n
cross join lateral (
  select j.id, j.wid, j.tgid, j.trname, j.priority from wedsql.job_pool j
  where j.flow_id = (select f.id from wedsql.flow f where f.name = p_flow) and j.trname = n and j.state = 'P'
    and (j.not_before is null or j.not_before <= wedsql.now()) and not j.id = any (p_exclude)
  order by j.priority desc, j.id limit p_limit) c
order by c.priority desc, c.id limit p_limit
$$;
