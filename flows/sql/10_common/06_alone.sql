-- What is looked at and then acted on: a thing that is created by one transaction at a time, and the
-- definition of a flow behind its lock.

-- Keeps other transactions from creating a thing of a kind of the same owner until this one ends. Whatever
-- looks whether there is one already, or counts how many there are, calls it first: what another transaction
-- has created meanwhile is seen then.
-- Locks: an advisory lock, which is waited for.
create or replace function wedsql._alone(p_kind text, p_owner text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select pg_advisory_xact_lock(hashtextextended('wedsql.' || p_kind || ' ' || coalesce(p_owner, ''), 0))
$$;

-- Locks a flow's table in a mode against a definition that is being changed, and returns the flow's row as it
-- is then. Whatever acts on options of a flow reads them behind a lock: a publication may have changed them
-- while the lock was waited for.
-- Locks: the flow's table.
-- Raises: WD001.
create or replace function wedsql._locked_flow(p_flow text, p_mode text) returns wedsql.flow
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('lock table %I.wed_flow in %s mode', (wedsql._flow(p_flow)).name, p_mode);
  return wedsql._flow(p_flow);
end $$;
