-- What the keys of workers do at the hooks of the engine.

-- Returns the name of the worker whose key this session has logged in with.
create or replace function wedsql._on_registered_name_keys(p_said text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._login_name(p_said)
$$;

-- Ends the leases of keys that have ended.
create or replace function wedsql._on_reap_part_keys(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_part = 'keys' then
    perform wedsql._end_leases_of_ended_keys(p_now);
  end if;
end $$;
