-- Scenarios of a flow: a path through it, and what is expected after each step. The content is
--   {"story": text, "attributes": {name: number}, "steps": [step, ...]}
-- A step is {"do": "start", "complete", "simulate", "due" or "repair", "rule": {"id", "name", "transition",
-- "final"}, "changes": {attribute: value}, "expected": {"status", "fired": [rule, ...], "holds": [rule, ...],
-- "values": {attribute: value}}}. "simulate" completes with the result of a stand-in, which is found when the
-- scenario is run. The first step is the start, and no other is. "rule" is that of a job or
-- of a time. What "expected" does not name is not compared. "attributes" has the numbers of the attributes
-- that had one, by which renamed ones are found.

-- Returns a limit of scenarios: bytes of one, steps of one, scenarios of a flow, scenarios in all.
create or replace function wedsql._scenario_limit(p_what text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_what when 'bytes' then 65536 when 'steps' then 100 when 'of a flow' then 200
  when 'in all' then 20000 end
$$;

-- Returns whether this names a rule: by at least one of number, name and transition, or as final.
create or replace function wedsql._is_rule_name(p_rule jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_typeof(p_rule) = 'object' and p_rule <> '{}'
  and p_rule - '{id,name,transition,final}'::text[] = '{}'
  and jsonb_typeof(coalesce(p_rule -> 'id', '0')) = 'number'
  and jsonb_typeof(coalesce(p_rule -> 'name', '""')) = 'string'
  and jsonb_typeof(coalesce(p_rule -> 'transition', '""')) = 'string'
  and jsonb_typeof(coalesce(p_rule -> 'final', 'true')) = 'boolean', false)
$$;

-- Returns whether this is an expectation of the form that the head of this file describes.
create or replace function wedsql._is_expected(p_expected jsonb) returns boolean
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(p_expected) <> 'object' or p_expected - '{status,fired,holds,values}'::text[] <> '{}'
    or not coalesce(p_expected ->> 'status', 'R') = any ('{R,E,F,C}')
    or jsonb_typeof(coalesce(p_expected -> 'fired', '[]')) <> 'array'
    or jsonb_typeof(coalesce(p_expected -> 'holds', '[]')) <> 'array'
    or jsonb_typeof(coalesce(p_expected -> 'values', '{}')) <> 'object' then
    return false;
  end if;
  return not exists (
    select 1 from jsonb_array_elements(coalesce(p_expected -> 'fired', '[]')
      || coalesce(p_expected -> 'holds', '[]')) r (j) where not wedsql._is_rule_name(r.j));
end $$;

-- Returns whether a step has the form that the head of this file describes.
create or replace function wedsql._is_scenario_step(p_step jsonb, p_first boolean) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_typeof(p_step) = 'object' and p_step - '{do,rule,changes,expected}'::text[] = '{}'
  and case p_step ->> 'do' when 'start' then p_first and not p_step ? 'rule'
        when 'repair' then not p_first and not p_step ? 'rule'
        when 'complete' then not p_first and wedsql._is_rule_name(p_step -> 'rule')
        else p_step ->> 'do' in ('due', 'simulate') and not p_first
          and wedsql._is_rule_name(p_step -> 'rule') and not p_step ? 'changes' end
  and jsonb_typeof(coalesce(p_step -> 'changes', '{}')) = 'object'
  and wedsql._is_expected(coalesce(p_step -> 'expected', '{}')), false)
$$;

-- Checks the name, the form and the size of a scenario.
-- Raises: WD413, WD414.
create or replace function wedsql._check_scenario(p_name text, p_content jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
begin
  if p_name is null or p_name !~ '^[^[:cntrl:][:space:]]([^[:cntrl:]]{0,98}[^[:cntrl:][:space:]])?$' then
    perform wedsql._raise('WD414', '"{name}" cannot be the name of a scenario.',
      'Use one line of 1 to 100 characters without spaces at its ends.',
      jsonb_build_object('name', left(p_name, 120)));
  elsif octet_length(p_content::text) > wedsql._scenario_limit('bytes') then
    perform wedsql._raise('WD413', 'The scenario has {bytes} bytes; a scenario has at most {limit}.',
      'Make several scenarios of it, or use smaller values.',
      jsonb_build_object('bytes', octet_length(p_content::text), 'limit', wedsql._scenario_limit('bytes')));
  elsif jsonb_typeof(p_content -> 'steps') is distinct from 'array'
    or jsonb_typeof(p_content -> 'story') is distinct from 'string'
    or jsonb_typeof(p_content -> 'attributes') is distinct from 'object'
    or p_content - '{story,attributes,steps}'::text[] <> '{}' then
    perform wedsql._raise('WD414',
      'A scenario is an object with "story", "attributes" and the list "steps".');
  elsif jsonb_array_length(p_content -> 'steps') > wedsql._scenario_limit('steps') then
    perform wedsql._raise('WD413', 'The scenario has {steps} steps; a scenario has at most {limit}.',
      'Make several scenarios of it.',
      jsonb_build_object('steps', jsonb_array_length(p_content -> 'steps'), 'limit',
        wedsql._scenario_limit('steps')));
  elsif jsonb_array_length(p_content -> 'steps') = 0 then
    perform wedsql._raise('WD414', 'A scenario has at least one step, the start.');
  end if;
  select s.ord::text into v_bad
  from jsonb_array_elements(p_content -> 'steps') with ordinality s (j, ord)
  where not wedsql._is_scenario_step(s.j, s.ord = 1) order by s.ord limit 1;
  if found then
    perform wedsql._raise('WD414', 'Step {step} of the scenario cannot be read.',
      'The first step is "start"; the others are "complete", "simulate" or "due" with a rule, or "repair".',
      jsonb_build_object('step', v_bad));
  end if;
end $$;

-- Returns a scenario of a flow, with p_lock locked until the end of the transaction.
-- Raises: WD411.
create or replace function wedsql._scenario(p_flow text, p_name text, p_lock boolean) returns wedsql.scenario
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_scenario wedsql.scenario;
begin
  if p_lock then
    select * into v_scenario from wedsql.scenario s where s.flow = p_flow and s.name = p_name for update;
  else
    select * into v_scenario from wedsql.scenario s where s.flow = p_flow and s.name = p_name;
  end if;
  if not found then
    perform wedsql._raise('WD411', 'Flow "{flow}" has no scenario "{name}".', 'List the existing scenarios.',
      jsonb_build_object('flow', left(p_flow, 80), 'name', left(p_name, 120)));
  end if;
  return v_scenario;
end $$;

-- Checks that the scenario is still at the revision from which a change of it was made.
-- Raises: WD412 with the present revision, who saved it and when.
create or replace function wedsql._check_scenario_revision(p_scenario wedsql.scenario, p_revision integer)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  if p_revision is distinct from p_scenario.revision then
    perform wedsql._raise('WD412',
      'Flow "{flow}" has a scenario "{name}" at revision {revision}, saved by {actor}.',
      'Open it and change it, or save yours under another name.',
      jsonb_build_object('flow', p_scenario.flow, 'name', p_scenario.name, 'revision', p_scenario.revision,
        'actor', p_scenario.changed_by, 'at', p_scenario.changed_at));
  end if;
end $$;

-- Saves a scenario and returns it. p_revision is the revision that the change was made from; 0 is a new one.
-- The flow need not exist yet.
-- Locks: the scenario.
-- Raises: WD004, WD411, WD412, WD413, WD414.
create or replace function wedsql.save_scenario(p_flow text, p_name text, p_revision integer, p_content jsonb,
  p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_scenario wedsql.scenario;
begin
  perform wedsql._alone('scenario', '');
  perform wedsql.check_name(p_flow, 'flow'), wedsql._check_scenario(p_name, p_content);
  if p_revision = 0 then
    insert into wedsql.scenario (flow, name, revision, content, created_at, created_by, changed_at,
      changed_by)
    values (p_flow, p_name, 1, p_content, v_now, wedsql._actor(p_actor), v_now, wedsql._actor(p_actor))
    on conflict do nothing returning * into v_scenario;
    if found then
      perform wedsql._check_scenario_count(p_flow);
      return to_jsonb(v_scenario) - 'id';
    end if;
  end if;
  v_scenario := wedsql._scenario(p_flow, p_name, true);
  perform wedsql._check_scenario_revision(v_scenario, p_revision);
  update wedsql.scenario s
  set content = p_content, revision = s.revision + 1, changed_at = v_now, changed_by = wedsql._actor(p_actor)
  where s.id = v_scenario.id returning * into v_scenario;
  return to_jsonb(v_scenario) - 'id';
end $$;

-- Checks, with the new scenario, how many there are.
-- Raises: WD413.
create or replace function wedsql._check_scenario_count(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (select count(*) from wedsql.scenario s where s.flow = p_flow) > wedsql._scenario_limit('of a flow')
    or (select count(*) from wedsql.scenario s) > wedsql._scenario_limit('in all') then
    perform wedsql._raise('WD413',
      'There are too many scenarios: a flow has at most {limit}, all flows together {total}.',
      'Delete one that is not needed.',
      jsonb_build_object('limit', wedsql._scenario_limit('of a flow'), 'total',
        wedsql._scenario_limit('in all')));
  end if;
end $$;

-- Returns a scenario with its content.
-- Raises: WD411.
create or replace function wedsql.read_scenario(p_flow text, p_name text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(s) - 'id' from wedsql._scenario(p_flow, p_name, false) s
$$;

-- Returns the scenarios of a flow with their contents, by their names.
create or replace function wedsql.list_scenarios(p_flow text) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(s) - 'id' from wedsql.scenario s where s.flow = p_flow order by s.name
$$;

-- Deletes a scenario.
-- Locks: the scenario.
-- Raises: WD411, WD412.
create or replace function wedsql.delete_scenario(p_flow text, p_name text, p_revision integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_scenario wedsql.scenario := wedsql._scenario(p_flow, p_name, true);
begin
  perform wedsql._check_scenario_revision(v_scenario, p_revision);
  delete from wedsql.scenario s where s.id = v_scenario.id;
end $$;

grant execute on function
  wedsql.save_scenario(text, text, integer, jsonb, text), wedsql.read_scenario(text, text),
  wedsql.list_scenarios(text), wedsql.delete_scenario(text, text, integer)
to wed_web;
