create or replace function wedsql.open_flow_role(p_flow text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: a log-in role named like the flow, whose search_path leads into the flow's schema, may define this flow, start its
-- instances and work on them with the paper's protocol, and may do nothing else. Runs with the caller's rights.
-- Raises: WD001, WD004 when a role of that name has other powers.
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r where r.rolname = v_name and (r.rolsuper or r.rolcreaterole or r.rolcreatedb)) then
    perform wedsql._raise('WD004', format('The role %I exists and may do more than work on a flow.', v_name), 'Rename that role, or name the flow otherwise.');
  elsif not exists (select 1 from pg_roles r where r.rolname = v_name) then
    execute format('create role %I login', v_name);
  end if;
  execute format('alter role %1$I in database %2$I set search_path = %1$I', v_name, current_database());
  perform wedsql._grant_flow(v_name);
  perform wedsql._grant_functions(v_name);
  return v_name;
end $$;

create or replace function wedsql.close_flow_role(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the flow's role is gone with its rights. Runs with the caller's rights.
-- Raises: WD001.
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r where r.rolname = v_name) then
    execute format('drop owned by %I', v_name);
    execute format('drop role %I', v_name);
  end if;
end $$;
