-- The operations on many instances by kind.

-- Returns the hooks for operations on many instances that are not begun at once.
create or replace function wedsql._hooks_bulk() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  -- An operation was requested for these instances; p_hours: it is proposed, and waits so long. May reject
  -- it; returns the state in which it begins, null for running.
  ('begin_bulk', 'first', 'text', 'volatile',
   '{p_bulk wedsql.bulk,p_wids integer[],p_hours integer}'::text[]),
  -- The number of the proposal of an operation.
  ('proposal_of', 'first', 'bigint', 'stable', '{p_bulk bigint}')
$$;

-- Returns the arguments of an operation on many instances by kind, as _operations has them: "steps" is how
-- many steps of transitions a rollback undoes, from the last one. Null where there is no such operation.
create or replace function wedsql._bulk_kinds(p_operation text) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select o.many from wedsql._operations() o where o.operation = p_operation
$$;

-- Returns whether an operation on many instances repairs them: each must be at the step at which it was
-- confirmed.
create or replace function wedsql._is_bulk_repair(p_operation text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select exists (select from wedsql._operations() o
               where o.operation = p_operation and o.form = 'repair' and o.many is not null)
$$;

-- Returns whether an operation is about values and jobs, which are of one flow.
create or replace function wedsql._is_step_operation(p_operation text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(wedsql._bulk_kinds(p_operation) ? 'changes', false)
$$;

-- Returns whether an operation is about jobs, of which those of one transition can be meant.
create or replace function wedsql._is_about_jobs(p_operation text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select exists (select from wedsql._operations() o where o.operation = p_operation and o.arguments ? 'job')
$$;

-- Returns whether an operation writes one step, so that those of many instances are settled at once.
create or replace function wedsql._is_settled_at_once(p_operation text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_operation in ('patch', 'complete', 'skip', 'accept')
$$;
