-- Mutual exclusion (workflow patterns 17, 39 and 40). Of the jobs of one instance whose triggers have the
-- same "mutex", and of all jobs with the same "lock", at most one is held at a time. The pool itself is the
-- queue: a job is taken only when no older ready one needs the same, in the order of their numbers, and a
-- holder keeps an advisory lock on the name, or its lease. So a lock is free as soon as its holder has ended
-- in any way, and there is nothing to pass on or to repair. Tasks of people are no part of the queue, as they
-- may wait for days: a person takes any of them while no other job has what it needs.

-- Locks a job with all that it needs, or nothing: where another session, or this one for another job, has
-- some of it, or a job goes before it. The arguments from p_rows on are those of _pick.
-- Locks: the names by their keys, then as _pick; none is waited for.
create or replace function wedsql._pick_one(p_wid integer, p_id bigint, p_tgid integer, p_rows text,
                                            p_avoid_busy boolean, p_session boolean) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_keys bigint[] := wedsql._lock_keys(p_wid, p_id);
  v_key bigint;
begin
  foreach v_key in array v_keys loop
    if wedsql._has_key(v_key) or not pg_try_advisory_xact_lock(v_key) then
      raise lock_not_available;  -- releases the locks of this block
    end if;
  end loop;
  -- The holder before may have ended since the job was found, or another one may have leased its job.
  if v_keys <> '{}' and exists (select 1 from wedsql._before(p_wid, p_id)) then
    raise lock_not_available;
  elsif p_rows is not null and not wedsql._pick_row(p_rows, p_wid, p_tgid, p_avoid_busy, false) then
    raise lock_not_available;
  elsif not ((pg_try_advisory_xact_lock(p_wid, -1) or not p_avoid_busy)
             and pg_try_advisory_xact_lock(p_wid, p_tgid)) then
    raise lock_not_available;
  end if;
  if p_session then
    perform pg_try_advisory_lock(p_wid, -1), pg_try_advisory_lock(p_wid, p_tgid);
    perform pg_try_advisory_lock(k) from unnest(v_keys) k;
  end if;
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Does what _pick does, in a flow with triggers that exclude each other. Only a transaction that sees what
-- others have committed gets jobs: another one would not see who holds a lock.
-- Locks: as _pick_one.
create or replace function wedsql._pick_exclusive(p_flow integer, p_shared boolean, p_transitions text[],
                                        p_limit integer, p_ids bigint[], p_session boolean,
                                        p_rows text, p_actor text, out wids integer[], out ids bigint[])
language plpgsql set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := wedsql.now();
  v_look integer := p_limit + 4;
  v_avoid_busy boolean := true;
  v_found integer;
  v_job record;
begin
  wids := '{}';
  ids := '{}';
  while current_setting('transaction_isolation') = 'read committed' loop
    v_found := 0;
    for v_job in
      select c.id, c.wid, c.tgid
      from unnest(p_transitions) n
      cross join lateral (
        select j.id, j.wid, j.tgid, j.priority from wedsql.job_pool j
        where j.flow_id = p_flow and j.trname = n and j.state = 'P'
          and (j.not_before is null or j.not_before <= v_now)
          and (p_ids is null or j.id = any (p_ids))
          and (j.assigned_to is null or j.assigned_to = any ((select wedsql._own_names(p_actor))::text[]))
          and not exists (select 1 from wedsql.job_pool o
                          where o.lock = j.lock and o.id < j.id and o.state = 'P'
                            and o.assigned_to is distinct from ''
                            and (o.not_before is null or o.not_before <= v_now))
          and not exists (select 1 from wedsql.job_pool o where o.lock = j.lock and o.state = 'L')
        order by j.priority desc, j.id limit v_look) c
      order by c.priority desc, c.id
    loop
      v_found := v_found + 1;
      continue when v_job.wid = any (wids)
        or v_job.tgid > 0 and p_shared and wedsql._waits(v_job.wid, v_job.id);
      if wedsql._pick_one(v_job.wid, v_job.id, v_job.tgid, p_rows, v_avoid_busy, p_session) then
        wids := wids || v_job.wid;
        ids := ids || v_job.id;
        exit when cardinality(ids) >= p_limit;
      end if;
    end loop;
    exit when cardinality(ids) >= p_limit;
    if v_found >= v_look then
      v_look := v_look * 8;
    elsif v_avoid_busy then
      v_avoid_busy := false;
    else
      exit;
    end if;
  end loop;
end $$;

-- Locks what the job of a client of the paper's protocol needs, which has locked only the job.
-- Locks: the names, which are not waited for.
-- Raises: WD213 where another worker holds one of them.
create or replace function wedsql._lock_for_paper(p_job wedsql.job_pool) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_key bigint;
  v_free boolean := true;
begin
  foreach v_key in array wedsql._lock_keys((p_job).wid, (p_job).id) loop
    v_free := v_free and pg_try_advisory_xact_lock(v_key);
  end loop;
  if not v_free or exists (select 1 from wedsql._before((p_job).wid, (p_job).id) o where o.state = 'L') then
    perform wedsql._raise('WD213',
      'Job {job} of instance {instance} needs a lock that another worker holds.',
      'Roll back, and take the job again when the lock is free.',
      jsonb_build_object('job', (p_job).id, 'instance', (p_job).wid));
  end if;
end $$;

-- Returns the other jobs that need a lock of this job, or are of its exclusion group, at most 1000 of each.
create or replace function wedsql._sharers(p_job wedsql.job_pool) returns setof wedsql.job_pool
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
(select o.* from wedsql.job_pool o where o.lock = (p_job).lock and o.id <> (p_job).id
 order by o.id limit 1000)
union all
(select o.* from wedsql.trig t join wedsql.job_pool o on o.wid = (p_job).wid and o.id <> (p_job).id
 join wedsql.trig g on g.tgid = o.tgid and g.mutex = t.mutex and wedsql._excludes(g)
 where t.tgid = (p_job).tgid and wedsql._excludes(t) order by o.id limit 1000)
$$;

-- Returns the name of a lock as the definition has it, without the number of its flow.
create or replace function wedsql._lock_title(p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select regexp_replace(p_name, '^[0-9]+:', '')
$$;

-- Returns the session that holds a job in transaction mode by its advisory lock, null if none does.
create or replace function wedsql._holder(p_wid integer, p_tgid integer) returns text
language sql volatile set search_path = pg_catalog, pg_temp as $$
select coalesce(nullif(a.application_name, ''), a.usename::text, '') || ' (' || l.pid || ')'
from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
where l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  and l.classid::bigint = p_wid and l.objid::bigint = p_tgid
limit 1
$$;

-- Returns the jobs of a flow that need a lock and are ready or held, at most p_limit: by lock, its holder
-- first (its name; null where none holds it), then in the order in which they get it. `key` is the name of
-- the lock as it is stored; with p_after, only the locks after this key.
-- Raises: WD001.
create or replace function wedsql.list_locks(p_flow text, p_limit integer default 200,
                                             p_after text default null)
returns table (lock text, job_id bigint, wid integer, trname text, fired_at timestamptz, holder text,
               lease_until timestamptz, not_before timestamptz, key text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
begin
  return query select wedsql._lock_title(j.lock), j.id, j.wid, j.trname, j.fired_at, h.holder, j.lease_until,
    case when j.not_before > wedsql.now() then j.not_before end, j.lock
  from (select o.* from wedsql.job_pool o
        where o.flow_id = v_flow and o.lock is not null and o.state in ('P', 'L')
          and (p_after is null or o.lock > p_after)
        order by o.lock, o.state = 'P', o.id limit p_limit) j
  cross join lateral (select case when j.state = 'L' then coalesce(j.lckid, '')
                                  else wedsql._holder(j.wid, j.tgid) end as holder) h
  order by j.lock, h.holder is null, coalesce(j.not_before > wedsql.now(), false), j.id;
end $$;
