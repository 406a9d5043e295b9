-- What cases do at the hooks of the engine; what they still read of instances that have ended is in
-- 03_people.sql.

-- Opens and closes the cases of these instances.
-- Locks: as _keep_cases.
create or replace function wedsql._on_excepted_cases(p_flow wedsql.flow, p_wids integer[],
  p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._keep_cases(p_flow, p_wids, p_now)
$$;
