-- Registers this session's process as serving these transitions ('flow:transition'), and returns the number
-- by which it is notified.
create or replace function wedsql.register_worker(
  p_kind text, p_name text, p_host text, p_pid integer, p_serves text[])
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
insert into wedsql.worker (kind, name, host, pid, backend_pid, role, serves, started_at, seen_at)
values (p_kind, coalesce(wedsql._call_registered_name(p_name), p_name), p_host, p_pid, pg_backend_pid(),
        session_user, p_serves, wedsql.now(), wedsql.now())
returning id
$$;

-- Records that the worker, one of this session's role, is alive, and whether it sleeps and is to be notified;
-- returns false when it must register again.
create or replace function wedsql.heartbeat(p_worker bigint, p_waiting boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update wedsql.worker w set seen_at = wedsql.now(), waiting = p_waiting, backend_pid = pg_backend_pid()
  where w.id = p_worker and w.role = session_user;
  return found;
end $$;

-- Removes the worker, one of this session's role.
create or replace function wedsql.unregister_worker(p_worker bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
delete from wedsql.worker w where w.id = p_worker and w.role = session_user
$$;

-- Keeps, for the page of the workers, what hinders the worker of this session from serving more.
create or replace function wedsql.report_problems(p_worker bigint, p_text text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
update wedsql.worker w set problems = left(p_text, 20000)
where w.id = p_worker and w.backend_pid = pg_backend_pid()
$$;
