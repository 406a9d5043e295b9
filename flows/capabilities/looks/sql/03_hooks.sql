-- What looks do at the hooks of the engine.

-- Removes looks that are no longer kept.
create or replace function wedsql._on_maintain_looks() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('looks_removed', wedsql._forget_looks(100000))
$$;
