-- What the keys of workers do at the hooks of the engine; at `keyed_worker` and `may_work` in
-- 02_check.sql.

-- Returns the name of the worker of this session with its key, where it is logged in; else p_said. Names of
-- other keys stay as they are.
create or replace function wedsql._on_registered_name_keys(p_said text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((
  select case when p_said = k.name or starts_with(p_said, k.name || '/') then p_said
              else k.name || '/' || p_said end
  from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  where s.id = wedsql._login()), p_said)
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

grant execute on function wedsql.log_in_worker(text, text), wedsql.log_out_worker() to wed_web, wed_worker;
grant execute on function wedsql.transitions_of_role(text, text),
  wedsql.create_worker_key(text, jsonb, timestamptz, text),
  wedsql.rotate_worker_key(text, interval, text), wedsql.revoke_worker_key(text, text, text),
  wedsql.list_worker_keys(boolean, text, integer) to wed_web;
