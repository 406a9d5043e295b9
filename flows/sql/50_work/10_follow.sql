-- What a job has from its trigger, and what becomes of that when the trigger changes while the job is
-- pending. The name of the transition, timeout, priority and lock follow the trigger, for each such job that
-- has the former value: one that a person prolonged or prioritized keeps its own. The timeout follows a
-- publication, whose impact counts these jobs; where a session writes wed_trig itself, it is the copy from
-- the moment of the firing that it is in the paper (section II.C). A worker that performs a job now may get
-- more time by that, but not less, and holds the lock that it has. The payload, the step that fired the job
-- and its version say what was fired, and a back-off when the next attempt is: they stay. All other options
-- are read from the trigger when they are needed.

-- Returns what a change of a trigger makes of its pending jobs: the new values of those that change. A
-- compensation is no job of the trigger.
create or replace function wedsql._following(p_old wedsql.trig, p_new wedsql.trig)
  returns table (wid integer, id bigint, timeout interval, priority smallint, relocks boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
return query with held as materialized (
  select l.classid::bigint as wid from pg_locks l
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.objid::bigint = p_old.tgid
    and l.database = (select d.oid from pg_database d where d.datname = current_database()))
select j.wid, j.id, n.timeout, n.priority, n.relocks
from wedsql.job_pool j
cross join lateral (select j.wid in (select h.wid from held h) as held) h
cross join lateral (select
  case when j.timeout is not distinct from p_old.timeout
         and (not h.held or p_new.timeout is null or p_new.timeout > j.timeout)
       then p_new.timeout else j.timeout end as timeout,
  case when j.priority = p_old.priority then p_new.priority else j.priority end as priority,
  p_new.lock is distinct from p_old.lock and not h.held and j.state <> 'L' as relocks) n
where j.flow_id = p_old.flow_id and j.tgid = p_old.tgid and not wedsql._call_compensates(j.wid, j.id)
  and (n.timeout is distinct from j.timeout or n.priority <> j.priority or n.relocks);
end $$;

-- Gives the pending jobs of a trigger that is changed what follows it. Locks are named from the present
-- state.
-- Locks: the jobs; the caller holds the definition of the flow.
create or replace function wedsql._follow_trigger(p_old wedsql.trig, p_new wedsql.trig) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
begin
  if not wedsql._is_applying(p_new.flow_id) then
    p_new.timeout := p_old.timeout;
  end if;
  if (p_new.timeout, p_new.priority, p_new.lock)
     is not distinct from (p_old.timeout, p_old.priority, p_old.lock) then
    return;
  end if;
  execute format($q$
    update wedsql.job_pool j
    set timeout = n.timeout, priority = n.priority,
        lock = case when not n.relocks then j.lock when $3 then
          wedsql._lock_name(j.flow_id, ($2).lock, (select to_jsonb(w.*) from %I.wed_flow w
                                                   where w.wid = j.wid)) end
    from wedsql._following($1, $2) n where j.wid = n.wid and j.id = n.id$q$,
    (select f.name from wedsql.flow f where f.id = p_new.flow_id))
  using p_old, p_new, wedsql._excludes(p_new);
end $$;
