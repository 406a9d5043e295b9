-- Roles: who performs the jobs of a trigger. A role is a text that people choose; no check of a job reads it.

-- Checks the role of a trigger.
-- Raises: WD009.
create or replace function wedsql._check_role(p_role text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (length(p_role) <= 60 and p_role = btrim(p_role) and p_role !~ '[[:cntrl:]]') is not true then
    perform wedsql._raise('WD009', 'The role "{value}" is not a name of at most 60 characters in one line.',
      'Allowed: such a name without spaces at its ends, or an empty text for none.',
      jsonb_build_object('column', 'role', 'value', coalesce(left(p_role, 80), 'null')));
  end if;
end $$;

-- Returns the transitions of a flow that a role performs, by name.
-- Raises: WD001, WD575.
create or replace function wedsql.transitions_of_role(p_flow text, p_role text) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_found text[] := array(
    select distinct t.trname from wedsql.trig t
    where t.flow_id = v_flow.id and t.role = p_role and p_role <> '' and not t.cfinal and t.integrity is null
    order by t.trname);
begin
  if v_found = '{}' then
    perform wedsql._raise('WD575', 'Flow "{flow}" has no transition of the role "{role}".',
      'The roles of a flow are options of its triggers.',
      jsonb_build_object('flow', p_flow, 'role', coalesce(left(p_role, 80), 'null')));
  end if;
  return v_found;
end $$;
