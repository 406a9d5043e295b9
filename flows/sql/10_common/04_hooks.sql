-- Hooks: the points at which the kernel lets capabilities take part, so that it names none of them. A
-- capability defines wedsql._on_HOOK_CAPABILITY with the arguments of the hook; the kernel calls
-- wedsql._call_HOOK, which each installation generates from what is installed. What no capability uses calls
-- nothing and reads no table. A capability may declare hooks in the same way, for those that use it.

-- A hook, which a function wedsql._hooks_OWNER declares. kind: `each` returns nothing, `any` whether one of
-- the functions returns true, `first` what the first returns that is not null, `least` the least of what they
-- return, `merge` the objects of all in one.
create type wedsql.hook as (name text, kind text, result text, volatility text, arguments text[]);

-- Returns the hooks of the engine.
create or replace function wedsql._hooks_engine() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  -- An operation by a person (cancel, suspend, skip ...) was written to the history of an instance.
  ('operated', 'each', 'void', 'volatile',
   '{p_flow wedsql.flow,p_wid integer,p_operation text}'::text[]),
  -- Before and after a re-match that a person asks for; what the first returns is given to the second.
  ('before_rematch', 'first', 'jsonb', 'volatile', '{p_flow wedsql.flow,p_wids integer[]}'),
  ('rematched', 'each', 'void', 'volatile', '{p_flow wedsql.flow,p_before jsonb}'),
  -- Steps ended the exceptions of instances, by the jobs _EXCPT: p_seqs, their numbers.
  ('repaired', 'each', 'void', 'volatile',
   '{p_flow wedsql.flow,p_steps wedsql.step[],p_wids integer[],p_seqs integer[]}'),
  -- Instances became exceptions, remain or no longer are some, or a person has changed their status.
  ('excepted', 'each', 'void', 'volatile', '{p_flow wedsql.flow,p_wids integer[],p_now timestamptz}'),
  -- Who decides about an exception or a late result of an instance, of which a case opens.
  ('decides', 'first', 'text', 'stable', '{p_flow wedsql.flow,p_wid integer,p_transition text}'),
  -- Up to p_limit living instances about whose exceptions a person decides, the last first.
  ('decided_by', 'first', 'integer[]', 'stable', '{p_person text,p_limit integer}'),
  -- Children ended by a step.
  ('child_ended', 'each', 'void', 'volatile', '{p_wids integer[]}'),
  -- Instances made a step, in a flow with triggers that start children or whose jobs people perform.
  ('stepped', 'each', 'void', 'volatile', '{p_wids integer[],p_now timestamptz}'),
  -- Jobs are no longer held by a worker, and are to be performed again, in such a flow.
  ('freed', 'each', 'void', 'volatile', '{p_wids integer[],p_now timestamptz}'),
  -- Jobs were withdrawn.
  ('withdrawn', 'each', 'void', 'volatile', '{p_wids integer[],p_ids bigint[],p_now timestamptz}'),
  -- Whether a job is the compensation of a step, so not one that its trigger fired.
  ('compensates', 'any', 'boolean', 'stable', '{p_wid integer,p_job bigint}'),
  -- Whether a job waits for the compensations of its instance.
  ('awaits_compensation', 'any', 'boolean', 'stable', '{p_wid integer,p_job bigint}'),
  -- The result of a compensation was committed; returns the number of its step.
  ('compensated', 'first', 'integer', 'volatile', '{p_flow wedsql.flow,p_step wedsql.step}'),
  -- The compensation of a step has used its attempts; its instance has the status X.
  ('compensation_failed', 'each', 'void', 'volatile',
   '{p_flow wedsql.flow,p_wid integer,p_actor text,p_why text,p_now timestamptz}'),
  -- The result of a job was rejected with an SQLSTATE; returns the number under which it is kept.
  ('rejected', 'first', 'bigint', 'volatile',
   '{p_flow text,p_wid integer,p_job bigint,p_claim bigint,p_changes jsonb,p_set text,p_actor text,'
   'p_code text}'),
  -- A trigger was changed, and may have pending jobs.
  ('trigger_changed', 'each', 'void', 'volatile',
   '{p_old wedsql.trig,p_new wedsql.trig,p_now timestamptz}'),
  -- The instances in which a trigger that would be changed has pending jobs that get something of it, as
  -- arrays of their numbers by capability.
  ('following', 'merge', 'jsonb', 'stable', '{p_old wedsql.trig,p_new wedsql.trig}'),
  -- What the choices of a publication mean for each living instance.
  ('chosen', 'first', 'wedsql.chosen', 'volatile',
   '{p_flow text,p_definition jsonb,p_choices jsonb,p_final boolean}'),
  -- The parts of a round of the reaper that capabilities have, as the keys of an object; one of them, in
  -- which a failure is noted.
  ('reap_parts', 'merge', 'jsonb', 'stable', '{}'),
  ('reap_part', 'each', 'void', 'volatile', '{p_part text,p_now timestamptz}'),
  -- The kinds of due items that capabilities have, each with 0, from which a round counts them; whether
  -- something of a flow may be due now; its due items of a kind, as a cursor of (wid, item); what is done
  -- with one: false where it is locked or no longer due.
  ('reap_kinds', 'merge', 'jsonb', 'stable', '{}'),
  ('may_be_due', 'any', 'boolean', 'stable', '{p_flow integer,p_now timestamptz}'),
  ('due_items', 'first', 'refcursor', 'volatile', '{p_flow integer,p_kind text,p_now timestamptz}'),
  ('reap_item', 'first', 'boolean', 'volatile',
   '{p_flow wedsql.flow,p_kind text,p_item bigint,p_now timestamptz}'),
  -- When the reaper is needed next.
  ('next_due', 'least', 'timestamptz', 'stable', '{}'),
  -- The clock was set back: what was planned by it is due when it was.
  ('clock_set_back', 'each', 'void', 'volatile', '{p_now timestamptz}'),
  -- The functions that a flow has for workers are created in its schema, or replaced.
  ('worker_functions', 'each', 'void', 'volatile', '{p_name text}'),
  -- The name that a worker has in a flow that requires keys, with its key, which is checked for these
  -- transitions; null where its session has none. Whether its key is for a transition.
  ('keyed_worker', 'first', 'text', 'volatile', '{p_flow integer,p_transitions text[],p_said text}'),
  ('may_work', 'any', 'boolean', 'stable', '{p_flow integer,p_transition text}'),
  -- The name under which a worker is registered that calls itself p_said, where that is not its own.
  ('registered_name', 'first', 'text', 'stable', '{p_said text}'),
  -- A flow will be dropped with its instances; all of its rows are still there.
  ('dropping', 'each', 'void', 'volatile', '{p_flow integer}'),
  -- A flow was dropped.
  ('dropped', 'each', 'void', 'volatile', '{p_name text}'),
  -- Where what persons lose is noted: the last note; what others than p_actor lost of a flow by later ones;
  -- who holds something of a flow besides what is of these triggers, or with null anything. Each person as
  -- an object with owner, tasks (their number) and since.
  ('last_loss', 'first', 'bigint', 'volatile', '{}'),
  ('losses', 'first', 'jsonb', 'volatile', '{p_flow integer,p_after bigint,p_actor text}'),
  ('holders', 'first', 'jsonb', 'stable', '{p_flow integer,p_kept integer[],p_actor text}'),
  -- What persons have asked for that is about to happen, as arrays by kind; a request of a kind is ended,
  -- because its person may no longer make it: true where it was one that waits.
  ('standing', 'merge', 'jsonb', 'stable', '{p_now timestamptz}'),
  ('end_standing', 'any', 'boolean', 'volatile', '{p_kind text,p_number bigint,p_why wedsql.why}'),
  -- What is true between any two commits; returns objects by name (I1, I2 ...), with a sentence and the query
  -- for violations, as in 70_maintenance/05_invariants.sql; without a sentence a part of one of the engine.
  ('invariants', 'merge', 'jsonb', 'stable', '{}'),
  -- The maintenance; returns counts of what was removed.
  ('maintain', 'merge', 'jsonb', 'volatile', '{}'),
  -- Whether an instance that has ended is still read: then it is not removed.
  ('reads', 'any', 'boolean', 'stable', '{p_flow integer,p_wid integer}'),
  -- Instances are removed with their history; both are still there.
  ('retired', 'each', 'void', 'volatile', '{p_wids integer[]}')
$$;

-- Returns all hooks, those that capabilities declare for others included.
create or replace function wedsql._hooks() returns setof wedsql.hook
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  for v_name in select p.proname from pg_proc p
  where p.pronamespace = 'wedsql'::regnamespace and p.proname ~ '^_hooks_[a-z]+$' order by 1 loop
    return query execute format('select * from wedsql.%I()', v_name);
  end loop;
end $$;

-- Returns the functions by which capabilities take part in a hook, in the order of their names.
create or replace function wedsql._hooked(p_hook text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(p.proname::text order by p.proname collate "C"), '{}') from pg_proc p
where p.pronamespace = 'wedsql'::regnamespace and p.proname ~ format('^_on_%s_[a-z]+$', p_hook)
$$;

-- Raises: an error for developers where a function has the name of no hook, or not its arguments.
create or replace function wedsql._check_hooks() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_wrong text := (
    select string_agg(p.oid::regprocedure::text, ', ') from pg_proc p
    where p.pronamespace = 'wedsql'::regnamespace and p.proname ~ '^_on_' and not exists (
      select from wedsql._hooks() h
      where p.proname = any (wedsql._hooked(h.name))
        and p.prorettype = h.result::regtype
        and p.proargtypes::text = array_to_string(array(
          select split_part(a, ' ', 2)::regtype::oid from unnest(h.arguments) with ordinality o (a, place)
          order by place), ' ')));
begin
  if v_wrong is not null then
    raise exception using errcode = 'WD907',
      message = format('%s: no hook of this name and type is listed by wedsql._hooks()', v_wrong);
  end if;
end $$;

-- Returns the body of a function that calls these functions, with the arguments of their hook.
create or replace function wedsql._hook_body(p_kind text, p_result text, p_functions text[],
  p_arguments text[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
with c as (
  select array_agg(format('wedsql.%I(%s)', f.name, (
           select string_agg(split_part(a.name, ' ', 1), ', ' order by a.place)
           from unnest(p_arguments) with ordinality a (name, place))) order by f.place) as calls
  from unnest(p_functions) with ordinality f (name, place))
select case
  when c.calls is null then
    'select ' || case p_kind when 'any' then 'false' when 'merge' then '''{}''::jsonb'
                             when 'each' then 'null' else 'null::' || p_result end
  when p_kind in ('first', 'least') then
    format('select %s(%s)', case p_kind when 'first' then 'coalesce' else 'least' end,
           array_to_string(c.calls, ', '))
  else 'select ' || array_to_string(c.calls,
    case p_kind when 'any' then ' or ' when 'merge' then ' || ' else '; select ' end) end
from c
$$;

-- Generates the functions by which the kernel calls the capabilities that are installed. They name all with
-- schemas and have no search_path of their own, so that PostgreSQL writes their call in place of them.
-- Raises: as _check_hooks.
create or replace function wedsql._generate_hooks() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_hook record;
begin
  perform wedsql._check_hooks();
  for v_hook in select * from wedsql._hooks() loop
    execute format('create or replace function wedsql._call_%s(%s) returns %s language sql %s as %L',
      v_hook.name, array_to_string(v_hook.arguments, ', '), v_hook.result, v_hook.volatility,
      wedsql._hook_body(v_hook.kind, v_hook.result, wedsql._hooked(v_hook.name), v_hook.arguments));
  end loop;
end $$;
