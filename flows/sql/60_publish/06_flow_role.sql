-- Creates a log-in role named like the flow, whose search_path is the flow's schema. It may define this flow,
-- start its instances and work on them with the paper's protocol, and nothing else. Runs with the caller's
-- rights.
-- Raises: WD001; WD004 when a role of that name has other rights, or belongs to a flow of another database.
create or replace function wedsql.open_flow_role(p_flow text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r
             where r.rolname = v_name and (r.rolsuper or r.rolcreaterole or r.rolcreatedb)) then
    perform wedsql._raise('WD004', 'The role "{role}" exists and has more rights than a flow needs.',
      'Rename that role, or choose another name for the flow.', jsonb_build_object('role', v_name));
  elsif array_remove(wedsql._role_databases(v_name), current_database()) <> '{}' then
    perform wedsql._raise('WD004',
      'The role "{role}" belongs to a flow of database "{database}", and roles are shared by all databases '
      'of a server.',
      'Choose another name for one of the flows, or drop the role there with flow role --drop.',
      jsonb_build_object('role', v_name, 'database',
        (array_remove(wedsql._role_databases(v_name), current_database()))[1]));
  elsif not exists (select 1 from pg_roles r where r.rolname = v_name) then
    execute format('create role %I login', v_name);
  end if;
  execute wedsql._fill('alter role {flow:I} in database {database:I} set search_path = {flow:I}; '
                       'alter role {flow:I} in database {database:I} set jit = off',
                       jsonb_build_object('flow', v_name, 'database', current_database()));
  perform wedsql._grant_flow(v_name);
  perform wedsql._grant_functions(v_name);
  return v_name;
end $$;

-- Drops the flow's role with its rights; the role of a flow of another database is left unchanged. Runs with
-- the caller's rights.
-- Raises: WD001.
create or replace function wedsql.close_flow_role(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r where r.rolname = v_name)
     and wedsql._role_databases(v_name) <@ array[current_database()] then
    execute format('drop owned by %I', v_name);
    execute format('drop role %I', v_name);
  end if;
end $$;

-- Grants the role of a flow, if it was opened, the lock of the paper's protocol.
create or replace function wedsql._grant_locks(p_role text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if wedsql._has_role(p_role)
     and not has_function_privilege(p_role, 'pg_try_advisory_xact_lock(integer, integer)', 'execute') then
    execute format('grant execute on function pg_try_advisory_xact_lock(integer, integer), '
                   'pg_advisory_xact_lock(integer, integer) to %I', p_role);
  end if;
end $$;
