-- What is looked at and then written: by one transaction at a time.

-- Keeps other transactions from creating a thing of a kind of the same owner until this one ends. Whatever
-- looks whether there is one already, or counts how many there are, calls it first: what another transaction
-- has created meanwhile is seen then.
-- Locks: an advisory lock, which is waited for.
create or replace function wedsql._alone(p_kind text, p_owner text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select pg_advisory_xact_lock(hashtextextended('wedsql.' || p_kind || ' ' || coalesce(p_owner, ''), 0))
$$;
