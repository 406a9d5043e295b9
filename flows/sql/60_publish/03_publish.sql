create or replace function wedsql.definition(p_flow text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
-- Promise: the whole definition as one JSON object, in an order that never changes by itself; options of attributes and triggers that
-- have their default are left out.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return jsonb_build_object(
    'flow', v_flow.name, 'label', v_flow.label, 'description', v_flow.description,
    'final_when_pending', v_flow.final_when_pending, 'max_firings', v_flow.max_firings, 'default_timeout', v_flow.default_timeout::text,
    'notify_trace', v_flow.notify_trace, 'retention', v_flow.retention::text, 'version', v_flow.version,
    'attributes', coalesce((
      select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', a.aname, 'type', a.type, 'default', a.adv, 'options', a.options,
        'label', nullif(a.label, ''), 'description', nullif(a.description, ''), 'position', a.position)) order by a.aid)
      from wedsql.attr a where a.flow_id = v_flow.id), '[]'),
    'triggers', coalesce((select jsonb_agg(wedsql._trigger_json(t) order by t.tgid) from wedsql.trig t where t.flow_id = v_flow.id), '[]'));
end $$;

create or replace function wedsql._trigger_json(p_trig wedsql.trig) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: one trigger as its author would write it.
select jsonb_strip_nulls(jsonb_build_object(
    'name', nullif(p_trig.tgname, '_FINAL'), 'transition', nullif(p_trig.trname, '_FINAL'), 'condition', nullif(p_trig.cname, '_FINAL'),
    'predicate', p_trig.cpred, 'final', nullif(p_trig.cfinal, false), 'enabled', nullif(p_trig.enabled, true),
    'on_error', nullif(p_trig.on_error, 'exception'), 'revalidate', nullif(p_trig.revalidate, 'none'), 'mode', nullif(p_trig.mode, 'auto'),
    'max_attempts', nullif(p_trig.max_attempts, 5), 'backoff', nullif(p_trig.backoff, interval '1 second')::text,
    'max_firings', p_trig.max_firings, 'pickup_deadline', p_trig.pickup_deadline::text, 'priority', nullif(p_trig.priority, 0),
    'writes', p_trig.writes, 'due_attr', p_trig.due_attr, 'due_after', p_trig.due_after::text,
    'concurrent', nullif(p_trig.concurrent, false), 'fire_once', nullif(p_trig.fire_once, false),
    'refresh_payload', nullif(p_trig.refresh_payload, false), 'compensation', nullif(p_trig.compensation, 'none'),
    'compensated_by', p_trig.compensated_by, 'class', nullif(p_trig.class, 'retriable'),
    'label', nullif(p_trig.label, ''), 'description', nullif(p_trig.description, '')))
  || jsonb_build_object('timeout', p_trig.timeout::text)
$$;

create or replace function wedsql._publish(p_flow integer, p_actor text, p_reason text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
-- Promise: the changed definition takes effect: living instances are re-matched, the version is kept, listeners are told.
-- Locks: the flow's definition is held already; instances in wid order, jobs, trace.
declare
  v_flow wedsql.flow;
  v_report jsonb;
begin
  perform wedsql._generate(p_flow);  -- with immediate constraints this runs before the statement's own trigger does
  update wedsql.flow f set rematch_due = false, attrs_changed = false, reopen_final = false, defining_xid = null from wedsql.flow o
  where f.id = p_flow and o.id = f.id returning o.* into v_flow;
  insert into wedsql.flow_version as o (flow_id, version, actor, reason, definition, attrs_changed)
  values (p_flow, v_flow.version, p_actor, coalesce(p_reason, ''), wedsql.definition(v_flow.name), v_flow.attrs_changed)
  on conflict (flow_id, version) do update
  set definition = excluded.definition, actor = excluded.actor, attrs_changed = o.attrs_changed or excluded.attrs_changed;
  v_report := wedsql._rematch(p_flow, null, v_flow.attrs_changed, v_flow.reopen_final, p_actor, 'version ' || v_flow.version || coalesce(': ' || nullif(p_reason, ''), ''));
  perform pg_notify('wedsql_flow', p_flow || ':' || v_flow.version || ':0');
  return v_report || jsonb_build_object('version', v_flow.version);
end $$;

create or replace function wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean default false, p_reopen_final boolean default false,
                                          p_actor text default null, p_reason text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
-- Promise: makes the flow what the definition says, in one piece, and tells what that did to living instances; with
-- p_dry_run the same report and nothing done. Attributes and triggers that the definition does not name go.
-- Locks: the flow's definition, wed_flow, instances in wid order, jobs, trace.
-- Raises: whatever an attribute or trigger can be refused for; WD009 for a malformed definition.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_report jsonb;
  v_dry text;
begin
  perform wedsql._check_definition(p_definition);
  perform set_config('wedsql.actor', wedsql._actor(p_actor), true);
  begin
    perform wedsql._lock_definition(v_flow.id, wedsql._attributes_differ(v_flow.id, p_definition -> 'attributes'));
    v_report := wedsql._apply_definition(v_flow.id, p_definition);
    update wedsql.flow f set reopen_final = p_reopen_final where f.id = v_flow.id;
    v_report := v_report || wedsql._publish(v_flow.id, wedsql._actor(p_actor), p_reason);
    if p_dry_run then
      raise exception using errcode = 'WD999', message = v_report::text;
    end if;
  exception
    when sqlstate 'WD999' then
      get stacked diagnostics v_dry = message_text;
      v_report := v_dry::jsonb;
    when data_exception or check_violation or not_null_violation then
      perform wedsql._raise('WD009', 'A value of the definition has the wrong form: ' || sqlerrm || '.', 'docs/defining-flows.md tells the form of each word.');
  end;
  return v_report || jsonb_build_object('dry_run', p_dry_run);
end $$;

create or replace function wedsql._check_definition(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the definition has the outer form of one; what is inside each attribute and trigger is checked where it is stored.
-- Raises: WD009.
declare
  v_bad text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object' or jsonb_typeof(p_definition -> 'attributes') is distinct from 'array'
     or jsonb_typeof(p_definition -> 'triggers') is distinct from 'array' then
    perform wedsql._raise('WD009', 'A definition is an object with the lists "attributes" and "triggers".');
  end if;
  if exists (select 1 from jsonb_array_elements((p_definition -> 'attributes') || (p_definition -> 'triggers')) e where jsonb_typeof(e) <> 'object') then
    perform wedsql._raise('WD009', 'Each attribute and each trigger of a definition is an object.');
  end if;
  select k into v_bad from jsonb_object_keys(p_definition) k
  where k not in ('flow', 'version', 'label', 'description', 'final_when_pending', 'max_firings', 'default_timeout', 'notify_trace', 'retention',
    'attributes', 'triggers') limit 1;
  if not found then
    select k into v_bad from jsonb_array_elements(p_definition -> 'attributes') a cross join lateral jsonb_object_keys(a) k
    where k not in ('name', 'type', 'default', 'options', 'label', 'description', 'position', 'was') limit 1;
  end if;
  if not found then
    select k into v_bad from jsonb_array_elements(p_definition -> 'triggers') t cross join lateral jsonb_object_keys(t) k
    where k not in ('name', 'transition', 'condition', 'predicate', 'final', 'enabled', 'timeout', 'on_error', 'revalidate', 'mode',
      'max_attempts', 'backoff', 'max_firings', 'pickup_deadline', 'priority', 'writes', 'due_attr', 'due_after', 'concurrent', 'fire_once',
      'refresh_payload', 'compensation', 'compensated_by', 'class', 'label', 'description', 'id') limit 1;
  end if;
  if v_bad is not null then
    perform wedsql._raise('WD009', format('The definition has an unknown word %L.', left(v_bad, 80)), 'docs/defining-flows.md lists the words.');
  end if;
  perform wedsql._check_twice(p_definition);
end $$;

create or replace function wedsql._check_twice(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: no two attributes of the definition have one name or were called the same, no two triggers have one id.
-- Raises: WD009 naming it.
declare
  v_bad record;
begin
  select w.list, w.word, e ->> w.word as value into v_bad
  from (values ('attributes', 'name'), ('attributes', 'was'), ('triggers', 'id')) w (list, word)
  cross join lateral jsonb_array_elements(p_definition -> w.list) e
  where e ->> w.word is not null group by w.list, w.word, e ->> w.word having count(*) > 1 limit 1;
  if found then
    perform wedsql._raise('WD009', format('The definition has %s %L more than once among its %s.', v_bad.word, left(v_bad.value, 80), v_bad.list),
      'Each stands for one; remove or rename the others.', jsonb_build_object('list', v_bad.list, 'word', v_bad.word, 'value', v_bad.value)::text);
  end if;
end $$;
