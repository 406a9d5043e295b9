-- Advisory locks stand for jobs, and any session could take any of them. So the effect of a lock depends on
-- what the role that holds it may do in the flow, and a session may fill no more than its share of the
-- server's table of locks.

-- Returns whether the role, or one that it may become, may take jobs of the flow or write its states.
create or replace function wedsql._may_work(p_role oid, p_flow text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from pg_roles r where pg_has_role(p_role, r.oid, 'member')
    and (has_table_privilege(r.oid, to_regclass(format('%I.wed_flow', p_flow)), 'update')
         or has_function_privilege(r.oid,
                                   to_regprocedure(format('%I.take(text[], integer, text, bigint[])',
                                                          p_flow)), 'execute')))
$$;

-- Returns sessions that hold the locks of jobs of a flow in which they have no rights.
create or replace function wedsql._foreign_sessions()
returns table (pid integer, role name, flow text, jobs bigint)
language sql stable set search_path = pg_catalog, pg_temp as $$
with held as materialized (
  select l.pid, a.usesysid, a.usename, i.flow_id, count(*) as jobs
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  join wedsql.instance i on i.wid = l.classid::integer
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and a.usesysid is not null
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.objid::integer = -1
         or exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid = l.objid::integer))
  group by l.pid, a.usesysid, a.usename, i.flow_id),
rights as materialized (
  select k.usesysid, f.id, f.name, wedsql._may_work(k.usesysid, f.name) as may
  from (select distinct h.usesysid, h.flow_id from held h) k join wedsql.flow f on f.id = k.flow_id)
select h.pid, h.usename, r.name, h.jobs
from held h join rights r on r.usesysid = h.usesysid and r.id = h.flow_id where r.may is false
$$;

-- Returns how many advisory locks one session may hold: a quarter of the server's maximum.
create or replace function wedsql._lock_share() returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select current_setting('max_locks_per_transaction')::integer * current_setting('max_connections')::integer / 4
$$;

-- Ends, at the reaper's next round, a session that holds jobs of a flow in which its role has no rights, or
-- more than its share of locks, and writes that to the server's log. No attempt is counted, as no worker held
-- the job.
create or replace function wedsql._reap_locks(p_max integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_session record;
  v_ended integer := 0;
begin
  for v_session in
    select s.pid, s.role,
           format('it holds %s locks of jobs of flow %I, in which its role may do nothing', s.jobs,
                  s.flow) as why from wedsql._foreign_sessions() s
    union all
    select l.pid, a.usename,
           format('it holds %s advisory locks, more than a quarter of those that the server has room for',
                  count(*))
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
    group by l.pid, a.usename having count(*) > wedsql._lock_share()
    limit p_max
  loop
    begin
      raise warning 'session % of % is ended: %', v_session.pid, v_session.role, v_session.why;
      if wedsql._end_session(v_session.pid, 'idle') then
        v_ended := v_ended + 1;
      end if;
    exception when others then
      perform wedsql._note_trouble(0, 'locks', 0, v_session.pid, sqlstate, sqlerrm, wedsql.now());
    end;
  end loop;
  return v_ended;
end $$;

-- Restricts the advisory locks of this database to the kernel, the owner of the database, and, for those of a
-- transaction on a pair of numbers, the roles of flows. Runs with the caller's rights: only a superuser has
-- them.
create or replace function wedsql.close_advisory_locks() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^pg_(try_)?advisory_'
      and has_function_privilege('public', p.oid, 'execute') order by p.oid
  loop
    execute format('grant execute on function %s to wed_owner with grant option', v_function);
    execute format('grant execute on function %s to %I', v_function,
      (select r.rolname from pg_database d join pg_roles r on r.oid = d.datdba
       where d.datname = current_database()));
    execute format('revoke execute on function %s from public', v_function);
  end loop;
  perform wedsql._grant_locks(f.name) from wedsql.flow f;
end $$;
