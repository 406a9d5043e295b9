-- The last part of a disk is reserved for running work: nothing new is started there. PostgreSQL cannot
-- report how much of its disk is free, so a program that can see it reports it (the reaper where it runs on
-- the database's machine, docs/operating.md).

-- Records how many bytes of the database's disk are free; the report is valid for five minutes.
create or replace function wedsql.report_disk(p_free bigint, p_total bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
insert into wedsql.disk as d (free, total, reported_at) values (p_free, p_total, wedsql.now())
on conflict (only_row) do update set free = excluded.free, total = excluded.total,
reported_at = excluded.reported_at
$$;

-- Writes a row, whose commit proves that the server can commit, and more than its memory takes, which needs
-- room on the disk. To be called in a transaction of its own, whose commit waits for no other server.
-- Locks: the row of wedsql.beat, skipping a locked one: then another session commits.
-- Raises: what a commit of any change would raise (25006, class 53, class 58).
create or replace function wedsql.check_commit() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set work_mem = '64kB' as $$
begin
  perform set_config('synchronous_commit', 'local', true);
  perform max(length(s.filling))
  from (select repeat('x', 400) as filling from generate_series(1, 1000) order by random()) s;
  perform from wedsql.beat b where b.name = 'commit' for update skip locked;
  if found then
    update wedsql.beat b set seen_at = wedsql.now() where b.name = 'commit';
  else
    insert into wedsql.beat (name, seen_at) values ('commit', wedsql.now()) on conflict do nothing;
  end if;
end $$;

grant execute on function wedsql.check_commit() to wed_web;

-- Returns where this server keeps its files; null when the kernel may not read that setting.
create or replace function wedsql.data_directory() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return current_setting('data_directory');
exception when insufficient_privilege then
  return null;
end $$;
