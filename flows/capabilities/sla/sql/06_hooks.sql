-- What SLAs do at the hooks of the engine.

-- Adds years to calendars.
create or replace function wedsql._on_maintain_sla() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._extend_calendars();
  return '{}';
end $$;

-- Removes the clocks of instances.
create or replace function wedsql._on_retired_sla(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.sla_clock c where c.wid = any (p_wids)
$$;
