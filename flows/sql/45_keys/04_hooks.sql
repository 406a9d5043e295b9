-- What the keys of workers do at the hooks of the engine.

-- Returns the name of the worker whose key this session has logged in with.
create or replace function wedsql._on_registered_name_keys(p_said text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._login_name(p_said)
$$;

-- Returns the part of a round of the reaper in which keys take part.
create or replace function wedsql._on_reap_parts_keys() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"keys": true}'::jsonb $$;

-- Ends the leases of keys that have ended.
create or replace function wedsql._on_reap_part_keys(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_part = 'keys' then
    perform wedsql._end_leases_of_ended_keys(p_now);
  end if;
end $$;

-- Creates in the flow's schema, for this flow alone, the functions by which its workers log in and out.
create or replace function wedsql._on_worker_functions_keys(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off
set client_min_messages = warning as $$
begin
  execute wedsql._fill($q$
create or replace function {flow:I}.log_in_worker(p_key text, p_for text default 'session')
returns text language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql.log_in_worker(p_key, p_for)
$f$;
create or replace function {flow:I}.log_out_worker()
returns void language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql.log_out_worker()
$f$ $q$, jsonb_build_object('flow', p_name));
end $$;
