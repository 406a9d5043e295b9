-- What recoveries do at the hooks of the engine; those of instances that have ended are in
-- 32_decide_late.sql.

-- Returns the hooks for what may reject a repair, and for what is undone with the steps of an instance.
create or replace function wedsql._hooks_recovery() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  -- Whether operations on the instances of a flow are checked, so that what one will write has to be known.
  ('has_checks', 'any', 'boolean', 'stable', '{p_flow integer}'::text[]),
  -- An operation is about to be checked that has begun this instance: what follows from it belongs to it.
  ('checking', 'each', 'void', 'volatile', '{p_flow wedsql.flow,p_wid integer,p_operation text}'),
  -- An operation was performed on an instance, and wrote these attributes; p_state: the state after it, null
  -- for the present one; p_undone: the operation that it undoes.
  ('check_operation', 'each', 'void', 'volatile',
   '{p_flow wedsql.flow,p_wid integer,p_operation text,p_written text[],p_state jsonb,p_undone text}'),
  -- The same, with what the steps of the instance after p_seq have written.
  ('check_steps', 'each', 'void', 'volatile', '{p_wid integer,p_operation text,p_seq integer}'),
  -- Steps of an instance are undone; their jobs were withdrawn.
  ('undoing', 'each', 'void', 'volatile', '{p_wid integer,p_now timestamptz}'),
  -- Whether something has to be undone before the next step of an instance, and goes on with it then.
  ('undone_before', 'any', 'boolean', 'stable', '{p_wid integer}'),
  -- Whether an instance has started something that has not ended, and is undone with it.
  ('has_started', 'any', 'boolean', 'stable', '{p_wid integer}')
$$;

-- Returns what is true of instances whose steps are undone: exactly these have the status X, and each waits
-- for a compensation, or for what is undone before its steps.
create or replace function wedsql._on_invariants_recovery() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I1', jsonb_build_object('query', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status) as found from {i} i
  where i.status = 'X'
    and not exists (select 1 from wedsql.recovery r
                    left join wedsql.job_pool j on j.wid = r.wid and j.id = r.job_id
                    where r.wid = i.wid and (j.id is not null or wedsql._call_undone_before(r.wid)))
     or i.status <> 'X' and exists (select 1 from wedsql.recovery r where r.wid = i.wid)$q$))
$$;

-- Parks a compensation whose attempts are used up.
create or replace function wedsql._on_compensation_failed_recovery(p_flow wedsql.flow, p_wid integer,
  p_actor text, p_why text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._park_compensation(p_flow, p_wid, p_actor, p_why, p_now)
$$;

-- Applies the result of a compensation.
create or replace function wedsql._on_compensated_recovery(p_flow wedsql.flow, p_step wedsql.step)
  returns integer
language sql set search_path = pg_catalog, pg_temp as $$
select s.seq from wedsql._settle_compensation(p_flow, p_step) s
$$;

-- Returns whether a job is the compensation of a step.
create or replace function wedsql._on_compensates_recovery(p_wid integer, p_job bigint) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.recovery r where r.wid = p_wid and r.job_id = p_job)
$$;

-- Returns whether a job of an instance that is being compensated is none of its compensations.
create or replace function wedsql._on_awaits_compensation_recovery(p_wid integer, p_job bigint)
  returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.recovery r where r.wid = p_wid and r.job_id is distinct from p_job)
$$;

-- Keeps a result that came too late.
create or replace function wedsql._on_rejected_recovery(p_flow text, p_wid integer, p_job bigint,
  p_claim bigint, p_changes jsonb, p_set text, p_actor text, p_code text) returns bigint
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._keep_late(p_flow, p_wid, p_job, p_claim, p_changes, p_set, p_actor, p_code)
$$;

-- Has policies and late results that wait by a clock that was set back looked at now.
-- Locks: rows of wedsql.policy_wait and wedsql.late_result, skipping locked ones.
create or replace function wedsql._on_clock_set_back_recovery(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.policy_wait w set due_at = '-infinity'
where w.number = any (array(select o.number from wedsql.policy_wait o
                            where o.due_at > p_now and o.due_at < 'infinity' for update skip locked));
update wedsql.late_result l set look_at = p_now
where l.id = any (array(select o.id from wedsql.late_result o
                        where o.state = 'kept' and o.look_at > p_now for update skip locked))
$$;

-- Returns which instances have a late result that waits for a decision, with its transition, of several the
-- newest.
create or replace function wedsql._on_undecided_recovery(p_wids integer[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(jsonb_object_agg(l.wid, l.transition order by l.id), '{}')
from (select o.* from wedsql.late_result o where o.wid = any (p_wids) and o.state = 'conflict'
      union all
      select o.* from wedsql.late_result o where p_wids is null and o.state = 'conflict') l
$$;

grant execute on function
  wedsql.repair(integer, text, jsonb, text, text, integer),
  wedsql.preview_repair(integer, text, jsonb, text, text), wedsql.repair_operations(),
  wedsql.operations(), wedsql.operation_permissions(integer, text, jsonb),
  wedsql.last_repair(integer),
  wedsql.roll_back(integer, integer, text, text, boolean, boolean),
  wedsql.compensate(integer, integer, text, text, boolean, boolean),
  wedsql.abort(integer, text, text, boolean), wedsql.skip_compensation(integer, text, text),
  wedsql.compensations(integer, text, integer)
to wed_web;
