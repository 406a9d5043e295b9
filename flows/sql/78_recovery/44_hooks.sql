-- What recoveries do at the hooks of the engine; those of instances that are removed are in 32_decide_late.sql.

-- Parks a compensation whose attempts are used up.
create or replace function wedsql._on_compensation_failed_recovery(p_flow wedsql.flow, p_wid integer,
  p_actor text, p_why text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._park_compensation(p_flow, p_wid, p_actor, p_why, p_now)
$$;
