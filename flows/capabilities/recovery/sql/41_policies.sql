-- The recovery policies of a flow, for clients. Whoever defines them may repair in the flow; that is checked
-- by the caller.

-- Returns the causes that a policy may be about: those of cases, and TIMEOUT, an ATTEMPTS whose last attempt
-- ran out of time.
create or replace function wedsql._policy_causes() returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array['', 'STUCK', 'CONDITION_ERROR', 'ATTEMPTS', 'TIMEOUT', 'FINAL_BLOCKED', 'LOOP', 'NO_PROGRESS',
             'PICKUP', 'WITHDRAWN', 'COMPENSATION_FAILED']
$$;

-- Returns the operations of a policy.
create or replace function wedsql._policy_operations() returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array_agg(o.operation) from wedsql._operations() o where o.in_policies
$$;

-- Returns whether an operation is never possible in cases of a cause: an instance with no way on has no job,
-- and only a compensation that failed is skipped.
create or replace function wedsql._never_possible(p_cause text, p_operation text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_operation = 'skip_compensation' and p_cause not in ('', 'COMPENSATION_FAILED')
  or p_operation in ('retry', 'complete', 'skip') and p_cause in ('STUCK', 'CONDITION_ERROR')
$$;

-- Returns the policies of a flow in their order: "delay" in seconds; "missing" has the attributes in the
-- condition that the flow no longer has, because of which the policy is left out.
-- Raises: WD001.
create or replace function wedsql.list_policies(p_flow text) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return query select jsonb_build_object('name', p.name, 'cause', p.cause, 'transition', p.transition,
      'condition', p.condition, 'operation', p.operation, 'arguments', p.arguments, 'times', p.times,
      'delay', extract(epoch from p.delay)::float8, 'changed_by', p.changed_by, 'changed_at', p.changed_at,
      'missing', (select coalesce(jsonb_agg(a order by a), '[]') from unnest(p.reads) a
                  where not wedsql._attr_types(v_flow.id) ? a))
    from wedsql.recovery_policy p where p.flow_id = v_flow.id order by p.position;
end $$;

-- Checks the values of a policy.
-- Raises: WD534.
create or replace function wedsql._check_policy(p_flow wedsql.flow, p_policy jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb := jsonb_build_object('policy', left(coalesce(p_policy ->> 'name', ''), 80));
begin
  if coalesce(p_policy ->> 'name', '') !~ '^[a-z0-9][a-z0-9_-]{0,39}$' then
    perform wedsql._raise('WD534',
      'The name of a policy has 1 to 40 lower-case letters, digits, "-" and "_".', 'Choose such a name.');
  elsif coalesce(p_policy ->> 'cause', '') <> all (wedsql._policy_causes()) then
    perform wedsql._raise('WD534', 'Policy "{policy}": cases have no such cause.',
      'Use a cause of cases, TIMEOUT, or none for any.', v_facts);
  elsif coalesce(p_policy ->> 'operation', '') <> all (wedsql._policy_operations()) then
    perform wedsql._raise('WD534', 'Policy "{policy}": this is no operation of a policy.',
      'Operations: {operations}.', v_facts || jsonb_build_object('operations', wedsql._policy_operations()));
  elsif wedsql._never_possible(coalesce(p_policy ->> 'cause', ''), p_policy ->> 'operation') then
    perform wedsql._raise('WD534',
      'Policy "{policy}": the operation is never possible in cases of its cause.',
      'Choose another operation, or another cause.',
      v_facts || jsonb_build_object('cause', p_policy ->> 'cause', 'operation', p_policy ->> 'operation'));
  elsif coalesce(p_policy ->> 'transition', '') <> '' and not exists (
    select 1 from wedsql.trig t where t.flow_id = p_flow.id and t.trname = p_policy ->> 'transition') then
    perform wedsql._raise('WD534', 'Policy "{policy}": the flow has no such transition.',
      'Use a transition of the flow, or none for any.', v_facts);
  elsif coalesce((p_policy ->> 'times')::numeric, 0) not between 1 and 100
        or (p_policy ->> 'times')::numeric % 1 <> 0 then
    perform wedsql._raise('WD534', 'Policy "{policy}" acts 1 to 100 times on an instance.',
      'Give such a number.', v_facts);
  elsif coalesce((p_policy ->> 'delay')::numeric, 0) not between 0 and 30 * 86400 then
    perform wedsql._raise('WD534', 'Policy "{policy}" waits 0 seconds to 30 days.', 'Give such a time.',
      v_facts);
  elsif length(p_policy ->> 'condition') > 4000 then
    perform wedsql._raise('WD534', 'The condition of policy "{policy}" has more than 4,000 characters.',
      'Use a shorter one.', v_facts);
  end if;
  perform wedsql._check_policy_arguments(p_flow, p_policy);
end $$;

-- Checks the arguments of a policy as those of its operation; the kernel finds the job of a case. "before"
-- names the transition before whose last step rollback and replay go back, instead of the number of a step.
-- Raises: WD109, WD534; WD002 and WD210 for what may not be written.
create or replace function wedsql._check_policy_arguments(p_flow wedsql.flow, p_policy jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_given jsonb := coalesce(p_policy -> 'arguments', '{}');
  v_operation text := p_policy ->> 'operation';
begin
  if jsonb_typeof(v_given) = 'object' and v_given ? 'before' and v_operation in ('rollback', 'replay') then
    if not exists (select 1 from wedsql.trig t
                   where t.flow_id = p_flow.id and t.trname = v_given ->> 'before') then
      perform wedsql._raise('WD534', 'Policy "{policy}": the flow has no such transition.',
        'Name a transition of the flow in "before".', jsonb_build_object('policy', p_policy ->> 'name'));
    end if;
    v_given := v_given - 'before' || '{"seq": 1}';
  end if;
  if v_operation in ('complete', 'skip') and jsonb_typeof(v_given) = 'object' then
    v_given := '{"job": 1}' || v_given;
  end if;
  perform wedsql._check_arguments(v_operation, v_given);
  if v_given ? 'changes' then
    perform wedsql._check_states(wedsql._attribute_names(p_flow.id)::text[], array[v_given -> 'changes']);
    perform wedsql._check_repair(v_given -> 'changes', wedsql._not_repairable(p_flow.id))
    where v_operation <> 'complete';
  end if;
end $$;

-- Replaces the policies of a flow by those of a list of {"name", "cause", "transition", "condition",
-- "operation", "arguments", "times", "delay"}; they apply to cases that are open, too. What a policy did
-- counts for the policy that has its name. Returns the policies.
-- Locks: the flow's row.
-- Raises: WD001, WD005, WD006, WD534; as _check_policy_arguments.
create or replace function wedsql.save_policies(p_flow text, p_policies jsonb, p_actor text)
  returns setof jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_one jsonb;
  v_condition wedsql.condition;
  v_position integer := 0;
begin
  perform from wedsql.flow f where f.id = v_flow.id for no key update;
  if jsonb_array_length(p_policies) > 50 then
    perform wedsql._raise('WD534', 'A flow has at most {limit} policies.', 'Use fewer policies.',
      jsonb_build_object('limit', 50));
  end if;
  perform wedsql._changing(p_actor);
  delete from wedsql.recovery_policy p where p.flow_id = v_flow.id;
  for v_one in select j from jsonb_array_elements(p_policies) with ordinality u (j, n) order by n loop
    v_position := v_position + 1;
    perform wedsql._check_policy(v_flow, v_one);
    if exists (select 1 from wedsql.recovery_policy p
               where p.flow_id = v_flow.id and p.name = v_one ->> 'name') then
      perform wedsql._raise('WD534', 'Two policies have the name "{policy}".', 'Choose another name.',
        jsonb_build_object('policy', v_one ->> 'name'));
    end if;
    v_condition := wedsql._compile_possible(coalesce(nullif(btrim(v_one ->> 'condition'), ''), 'true'),
                                       wedsql._attr_types(v_flow.id));
    insert into wedsql.recovery_policy (flow_id, position, name, cause, transition, condition, compiled,
      reads, operation, arguments, times, delay, changed_by, changed_at)
    values (v_flow.id, v_position, v_one ->> 'name', coalesce(v_one ->> 'cause', ''),
      coalesce(v_one ->> 'transition', ''), btrim(coalesce(v_one ->> 'condition', '')),
      v_condition.canonical, v_condition.reads, v_one ->> 'operation',
      coalesce(v_one -> 'arguments', '{}'), (v_one ->> 'times')::integer,
      make_interval(secs => coalesce((v_one ->> 'delay')::float8, 0)), wedsql._actor(p_actor), wedsql.now());
  end loop;
  delete from wedsql.policy_wait w using wedsql.repair_case c
  where c.number = w.number and c.flow_id = v_flow.id;
  insert into wedsql.policy_wait (number, seq, due_at)
  select c.number, c.seq, '-infinity' from wedsql.repair_case c
  where c.flow_id = v_flow.id and c.closed_at is null and v_position > 0
  on conflict (number) do update set due_at = excluded.due_at;
  return query select r from wedsql.list_policies(p_flow) r;
end $$;

grant execute on function wedsql.list_policies(text), wedsql.save_policies(text, jsonb, text) to wed_web;
