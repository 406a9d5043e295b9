-- The last part of a disk is for the work that runs: nothing new is started there. PostgreSQL cannot tell how much of its
-- disk is free, so somebody who sees it says so (the reaper where it lives on the database's machine, docs/operating.md).
create or replace function wedsql.report_disk(p_free bigint, p_total bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: so many bytes of the database's disk are free as of now; believed for five minutes.
insert into wedsql.disk as d (free, total, reported_at) values (p_free, p_total, wedsql.now())
on conflict (only_row) do update set free = excluded.free, total = excluded.total, reported_at = excluded.reported_at
$$;

create or replace function wedsql.data_directory() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: where this server keeps its files; null when the kernel may not know.
begin
  return current_setting('data_directory');
exception when insufficient_privilege then
  return null;
end $$;

create or replace function wedsql._room() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: no instance is started while the last report says that less than a twentieth of the disk is free; whatever
-- runs goes on. Every door starts an instance by an INSERT into its wed_flow, so this one look a statement is enough.
-- Raises: WD905.
declare
  v_disk wedsql.disk;
begin
  select * into v_disk from wedsql.disk d where d.free < d.total / 20 and d.reported_at > wedsql.now() - interval '5 minutes';
  if found then
    perform wedsql._raise('WD905', format('The disk of the database is nearly full: %s of %s are free. Under 5 %% nothing is started.',
        pg_size_pretty(v_disk.free), pg_size_pretty(v_disk.total)),
      'Make room there. What runs goes on and may be completed, and starting works again some seconds after there is room.',
      jsonb_build_object('free', v_disk.free, 'total', v_disk.total)::text);
  end if;
  return null;
end $$;
