-- What jobs that exclude each other need: the names, the keys by which they are held, and their queue
-- (50_work/02_exclusion.sql).

-- Writes to the jobs that this transaction fired in these instances which lock they need. Those that neither
-- workers nor people perform need none.
-- Locks: the jobs; the caller holds the instances.
create or replace function wedsql._name_locks(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
update wedsql.job_pool j set lock = wedsql._lock_name(j.flow_id, t.lock, wedsql._payload(j))
from wedsql.trig t
where j.wid = any (p_wids) and t.tgid = j.tgid and t.lock is not null and wedsql._excludes(t)
  and j.fired_xid = txid_current()
$$;

-- Returns the key by which the holder of a lock holds it: positive, as the numbers of jobs are locked by
-- their negatives (<flow>.take). Two names with one key would only wait for each other.
create or replace function wedsql._lock_key(p_name text) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$
select hashtextextended(p_name, 7) & 9223372036854775807
$$;

-- Returns the keys of what a job needs, in their order.
create or replace function wedsql._lock_keys(p_wid integer, p_id bigint) returns bigint[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array(
  select wedsql._lock_key(x.name) as key
  from wedsql.job_pool j left join wedsql.trig t on t.tgid = j.tgid and wedsql._excludes(t)
  cross join lateral (values (j.lock), (j.wid || ' ' || t.mutex)) x (name)
  where j.wid = p_wid and j.id = p_id and x.name is not null order by key)
$$;

-- Returns whether this session has the lock of such a key.
create or replace function wedsql._has_key(p_key bigint) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.pid = pg_backend_pid() and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and wedsql._key_locked(l.classid, l.objid) = p_key)
$$;

-- Returns the jobs that go before a job that needs the same: those that are leased, and older ones that are
-- ready for workers. Jobs that are parked, suspended or wait for their next try hold nothing up, nor do tasks
-- that people have not taken.
create or replace function wedsql._before(p_wid integer, p_id bigint) returns setof wedsql.job_pool
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select o.* from wedsql.job_pool j join wedsql.job_pool o on o.lock = j.lock
where j.wid = p_wid and j.id = p_id and o.id <> p_id
  and (o.state = 'L' or o.id < p_id and o.state = 'P' and o.assigned_to is distinct from ''
       and coalesce(o.not_before <= wedsql.now(), true))
union all
select o.* from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid and wedsql._excludes(t)
join wedsql.job_pool o on o.wid = p_wid and o.id <> p_id
join wedsql.trig g on g.tgid = o.tgid and g.mutex = t.mutex and wedsql._excludes(g)
where j.wid = p_wid and j.id = p_id
  and (o.state = 'L' or o.id < p_id and o.state = 'P' and o.assigned_to is distinct from ''
       and coalesce(o.not_before <= wedsql.now(), true))
$$;

-- Keeps what held jobs need until the transaction that applies their results ends, instead of until the
-- session ends.
-- Locks: the names, which the session has.
-- Raises: WD203 where it does not have them.
create or replace function wedsql._keep_until_commit(p_wids integer[], p_jobs bigint[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_key bigint;
begin
  for v_key in select k from unnest(p_wids, p_jobs) u (wid, id)
               cross join lateral unnest(wedsql._lock_keys(u.wid, u.id)) k loop
    if not wedsql._has_key(v_key) then
      perform wedsql._refuse_job('WD203', p_wids, p_jobs, array['{}'::jsonb]);
    end if;
    perform pg_try_advisory_xact_lock(v_key), pg_advisory_unlock(v_key);
  end loop;
end $$;
