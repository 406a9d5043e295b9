-- What children do at the hooks of the engine; those of instances that are dropped or removed are in
-- 01_family.sql.

-- Counts the children of a changed trigger again.
-- Locks: as _recount_children.
create or replace function wedsql._on_trigger_changed_children(
  p_old wedsql.trig, p_new wedsql.trig, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_new.child is not null then
    perform wedsql._recount_children(p_old, p_new, p_now);
  end if;
end $$;
