-- What people do with alerts: acknowledge, silence, read the history.

-- Acknowledges the active alert of a rule; one that is acknowledged gets the new name and note.
-- Locks: the rule.
-- Raises: WD508, WD509.
create or replace function wedsql.acknowledge_alert(p_rule bigint, p_actor text, p_note text default '')
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_rule wedsql.alert_rule := wedsql._locked_alert_rule(p_rule);
  v_alert bigint;
begin
  update wedsql.alert a
  set acknowledged_at = wedsql.now(), acknowledged_by = p_actor, note = left(p_note, 500)
  where a.rule_id = p_rule and a.ended_at is null returning a.id into v_alert;
  if v_alert is null then
    perform wedsql._raise('WD508', 'The alert "{name}" is not active.', 'There is nothing to acknowledge.',
      jsonb_build_object('name', v_rule.name));
  end if;
  perform wedsql._note_alert(p_rule, 'acknowledged', p_actor, left(p_note, 500), null, v_alert);
  return wedsql._alert_rule(v_rule);
end $$;

-- Reports nothing of a rule until a time; with null, it is reported from now on again.
-- Locks: the rule.
-- Raises: WD508, WD509.
create or replace function wedsql.silence_alert(p_rule bigint, p_until timestamptz, p_actor text,
  p_note text default '') returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_rule wedsql.alert_rule := wedsql._locked_alert_rule(p_rule);
begin
  if p_until <= wedsql.now() or p_until > wedsql.now() + interval '366 days' then
    perform wedsql._raise('WD508', 'An alert is silenced until a time within a year from now.',
      'Choose a later time, or an earlier one.');
  end if;
  perform wedsql._changing(p_actor);
  update wedsql.alert_rule r set silenced_until = p_until, next_at = wedsql.now()
  where r.id = p_rule returning r.* into v_rule;
  perform wedsql._note_alert(p_rule, case when p_until is null then 'unsilenced' else 'silenced' end, p_actor,
    concat_ws(': ', to_char(p_until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), nullif(left(p_note, 500), '')));
  return wedsql._alert_rule(v_rule);
end $$;

-- Returns the history of a rule before an entry, the newest first, each with its deliveries.
create or replace function wedsql.alert_history(p_rule bigint, p_before bigint default null,
  p_limit integer default 100) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(e) - 'rule_id' || jsonb_build_object('deliveries', coalesce((
  select jsonb_agg(to_jsonb(d) - '{event_id,hook_id,message}'::text[] order by d.id)
  from wedsql.delivery d where d.event_id = e.id), '[]'))
from wedsql.alert_event e where e.rule_id = p_rule and (p_before is null or e.id < p_before)
order by e.id desc limit least(p_limit, 500)
$$;

grant execute on function wedsql.acknowledge_alert(bigint, text, text),
  wedsql.silence_alert(bigint, timestamptz, text, text), wedsql.alert_history(bigint, bigint, integer)
  to wed_web;
