-- Integrity conditions: triggers with integrity 'always' or 'final'. They fire nothing and are no part of the
-- matcher; wed_match.i_<flow> returns those that a state violates. A flow without any has no such function
-- and pays nothing.

-- Returns the integrity conditions that a state violates. p_final: whether those of a final state count, too.
create or replace function wedsql._violated(p_flow wedsql.flow, p_state jsonb, p_final boolean)
  returns integer[]
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_violated integer[];
begin
  if p_flow.id < 0 then  -- a definition that is tried (trials/sql/01_trial.sql) has evaluated them
    return array(
      select t.tgid from unnest(current_setting('wedsql.tried_violated')::integer[]) v
      join wedsql.trig t on t.tgid = v where p_final or t.integrity = 'always' order by t.tgid);
  end if;
  execute format('select wed_match.i_%s(jsonb_populate_record(null::%I.wed_flow, $1), $2)', p_flow.id,
                 p_flow.name)
    into v_violated using p_state, p_final;
  return v_violated;
end $$;

-- Returns the steps with what integrity conditions make of them: a state that would be final and violates one
-- is not final and fires nothing, so that without pending work it is an exception; its errors name the
-- conditions. p_rematch: no state is written, so conditions that hold always are not required.
-- Raises: WD530 for a state that violates a condition that holds always, and for a first state that would be
-- final and violates one.
create or replace function wedsql._check_integrity(p_flow wedsql.flow, p_steps wedsql.step[],
  p_rematch boolean) returns wedsql.step[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_step wedsql.step;
  v_final boolean;
  v_violated integer[];
begin
  for i in 1..cardinality(p_steps) loop
    v_step := p_steps[i];
    v_final := wedsql._is_final(p_flow.final_tgid, v_step.matched);
    v_violated := wedsql._violated(p_flow, v_step.state, v_final);
    if not p_rematch then
      perform wedsql._refuse_violation(v_step, v_violated);
    end if;
    if v_final and v_violated <> '{}' then
      v_step.matched := '{}';
      v_step.errors := coalesce(v_step.errors, '[]') || wedsql._integrity_errors(v_violated);
      p_steps[i] := v_step;
    end if;
  end loop;
  return p_steps;
end $$;

-- Returns the condition, with "or" before it, that the first state n.r, on which the triggers n.holds hold,
-- violates an integrity condition, so that its start will be rejected; empty for a flow without any.
create or replace function wedsql._guard_start(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((
  select format(E'\n           or wed_match.i_%s(n.r, wedsql._is_final(%s, n.holds)) <> ''{}''', f.id,
    coalesce((select t.tgid::text from wedsql.trig t where t.tgid = f.final_tgid
              and not wedsql._has_due_time(t.due_attr, t.due_after)), 'null::integer'))
  from wedsql.flow f where f.id = p_flow and f.guarded), '')
$$;

-- Returns the name of an integrity condition, with its label where it has one.
create or replace function wedsql._integrity_name(p_trig wedsql.trig) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_trig.tgname || coalesce(' (' || nullif(btrim(p_trig.label), '') || ')', '')
$$;

-- Returns violated integrity conditions as the history has errors of conditions.
create or replace function wedsql._integrity_errors(p_violated integer[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_agg(jsonb_build_object('tgid', t.tgid, 'trigger', t.tgname, 'sqlstate', 'WD531',
  'message', wedsql._integrity_name(t)) order by t.tgid)
from wedsql.trig t where t.tgid = any (p_violated)
$$;

-- Returns the facts of an error about violated integrity conditions.
create or replace function wedsql._integrity_facts(p_wid integer, p_violated integer[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('instance', p_wid,
  'conditions', string_agg(wedsql._integrity_name(t), ', ' order by t.tgid),
  'names', jsonb_agg(t.tgname order by t.tgid), 'tgids', jsonb_agg(t.tgid order by t.tgid))
from wedsql.trig t where t.tgid = any (p_violated)
$$;

-- Rejects a step whose state violates an integrity condition that holds always, or any one where it is the
-- first of its instance.
-- Raises: WD530.
create or replace function wedsql._refuse_violation(p_step wedsql.step, p_violated integer[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_refused integer[] := array(
    select t.tgid from wedsql.trig t
    where t.tgid = any (p_violated) and (p_step.fresh or t.integrity = 'always'));
begin
  if v_refused <> '{}' then
    perform wedsql._raise('WD530', 'The state violates the integrity condition: {conditions}.',
      case when p_step.fresh
           then 'No instance was started. Start it with values for which the condition holds.'
           else 'Nothing was changed. Write values for which the condition holds.' end,
      wedsql._integrity_facts(p_step.wid, v_refused));
  end if;
end $$;
