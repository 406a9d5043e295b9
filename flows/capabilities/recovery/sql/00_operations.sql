-- The operations on an instance: the one table of them. SQL, flows.api, pages, commands and the HTTP API read
-- which there are, their arguments, who may perform them and in which statuses from here.

-- Returns the operations on an instance and its jobs.
-- permission: what a user must be allowed in the flow (flows/access.py). unparked: what is enough, too, where
-- the job that is named is not parked.
-- statuses: of the instances on which it is possible; on all others it is rejected.
-- arguments: those of one instance by kind: "job" and "seq" are numbers, "whole" any whole number, "seconds"
-- a number with a fraction, "object" attributes with values, "text" and "boolean" what they say; "?" marks
-- one that may be left out.
-- many: its arguments on many instances at once, null where it is for one only. jobs: what those must have
-- besides (flows/capabilities/bulk/queries.py), '' for nothing.
-- form: 'operation' is confirmed as it is; a 'repair' of many is previewed and confirmed at the step of each.
-- in_policies: recovery policies may perform it. can_be_undone: by "undo". can_need_approval: rules for
-- approvals are about it.
create or replace function wedsql._operations() returns table (operation text, permission text,
  unparked text, statuses text, arguments jsonb, many jsonb, jobs text, form text, in_policies boolean,
  can_be_undone boolean, can_need_approval boolean)
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  ('suspend', 'operate', null::text, 'RE', jsonb '{}', jsonb '{}', '', 'operation', false, false, true),
  ('resume', 'operate', null, 'S', '{}', '{}', '', 'operation', false, false, true),
  ('cancel', 'operate', null, 'RES', '{}', '{}', '', 'operation', true, false, true),
  ('rematch', 'operate', null, 'RE', '{}', '{}', '', 'operation', true, false, true),
  ('retry', 'handle', 'operate', 'REX', '{"job": "job?"}', '{}', 'parked', 'operation', true, true, true),
  ('release', 'operate', null, 'REX', '{"job": "job"}', null, '', 'operation', false, false, true),
  ('withdraw', 'operate', null, 'RE', '{"job": "job"}', null, '', 'operation', false, false, true),
  ('extend', 'operate', null, 'REX', '{"job": "job", "seconds": "seconds"}', null, '', 'operation',
   false, false, true),
  ('priority', 'operate', null, 'REX', '{"job": "job", "priority": "whole"}', '{}', 'pending', 'operation',
   false, false, false),
  ('reassign', 'operate', null, 'RE', '{"job": "job", "worker": "text"}', '{}', 'assignable', 'operation',
   false, false, true),
  ('hand_over', 'move', null, 'R', '{"peer": "text", "hours": "whole?"}', null, '', 'operation',
   false, false, true),
  ('patch', 'handle', null, 'E', '{"changes": "object"}', '{"changes": "object"}', '', 'repair',
   true, true, true),
  ('complete', 'handle', null, 'RE', '{"job": "job", "changes": "object?"}', '{"changes": "object?"}',
   'free', 'repair', true, false, true),
  ('skip', 'handle', null, 'RE', '{"job": "job", "changes": "object?"}', '{"changes": "object?"}',
   'free', 'repair', true, true, true),
  ('accept', 'repair', null, 'E', '{"override": "boolean?"}', '{"override": "boolean?"}', '', 'repair',
   true, true, true),
  ('rollback', 'repair', null, 'RES', '{"seq": "seq", "override": "boolean?", "hold": "boolean?"}',
   '{"steps": "seq", "override": "boolean?", "hold": "boolean?"}', 'undoable', 'repair', true, false, true),
  ('compensate', 'repair', null, 'RES', '{"seq": "seq", "override": "boolean?", "hold": "boolean?"}',
   null, '', 'repair', false, false, true),
  ('replay', 'repair', null, 'RES', '{"seq": "seq", "changes": "object?", "override": "boolean?"}',
   null, '', 'repair', true, false, true),
  ('migrate', 'repair', null, 'RE', '{"version": "seq?", "changes": "object?", "override": "boolean?"}',
   null, '', 'repair', false, false, true),
  ('abort', 'repair', null, 'RES', '{"override": "boolean?"}', '{"override": "boolean?"}', 'unheld',
   'repair', true, false, true),
  ('skip_compensation', 'repair', null, 'X', '{}', null, '', 'repair', true, false, true),
  ('branch', 'repair', null, 'RESXFCA', '{"seq": "seq", "key": "text?"}', null, '', 'repair',
   false, false, true),
  ('undo', 'handle', null, 'REF', '{}', null, '', 'repair', false, false, true),
  ('merge_late', 'handle', null, 'RE', '{"late": "job", "changes": "object?"}', null, '', 'repair',
   false, false, true),
  ('discard_late', 'handle', null, 'RESXFCA', '{"late": "job"}', null, '', 'repair', false, false, true)
$$;

-- Returns the operations in their order, with what _operations says of each.
create or replace function wedsql.operations() returns jsonb
language sql immutable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_agg(to_jsonb(o) - 'ordinality' order by o.ordinality) from wedsql._operations() with ordinality o
$$;

-- Returns the operations with the arguments of each, as _operations has them.
create or replace function wedsql.repair_operations() returns jsonb
language sql immutable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_object_agg(o.operation, o.arguments) from wedsql._operations() o
$$;

-- Returns the permissions of which a user needs one for an operation on an instance with these arguments, {}
-- where there is no such operation. Retrying a job that is not parked takes less, undoing a repair also what
-- the repair took.
create or replace function wedsql.operation_permissions(p_wid integer, p_operation text, p_arguments jsonb)
  returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce((select array_remove(array[
    case when p_operation = 'undo' then coalesce(
      (select u.permission from wedsql.repaired r join wedsql._operations() u on u.operation = r.operation
       where r.wid = p_wid and u.permission = 'repair'), o.permission) else o.permission end,
    case when wedsql._is_argument(p_arguments -> 'job', 'job') and not exists (
      select from wedsql.job_pool j
      where j.wid = p_wid and j.id = (p_arguments ->> 'job')::bigint and j.state = 'K') then o.unparked end],
    null)
  from wedsql._operations() o where o.operation = p_operation), '{}')
$$;
