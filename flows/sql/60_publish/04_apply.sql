create or replace function wedsql._apply_definition(p_flow integer, p_definition jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: attributes and triggers become those of the definition; how many were added, changed and removed.
-- An attribute with "was" is renamed. Triggers are the same when condition, transition and finality agree in name
-- (or "id" says so), so that pending jobs stay theirs.
declare
  v_report jsonb;
begin
  perform wedsql._touch(p_flow, false);
  perform wedsql._apply_settings(p_flow, p_definition);
  v_report := wedsql._apply_new_attributes(p_flow, p_definition -> 'attributes');
  v_report := v_report || wedsql._apply_triggers(p_flow, p_definition -> 'triggers');
  with gone as (delete from wedsql.attr a where a.flow_id = p_flow and not exists (
      select 1 from jsonb_array_elements(p_definition -> 'attributes') d where d ->> 'name' = a.aname) returning 1)
  select v_report || jsonb_build_object('attributes_removed', count(*)) into v_report from gone;
  perform wedsql._generate(p_flow);
  return v_report;
end $$;

create or replace function wedsql._apply_settings(p_flow integer, p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the flow's settings become those of the definition; those that it does not name stay. Where null says something
-- (no timeout, kept for ever) a null is a value, elsewhere it is as good as not named.
declare
  v_old wedsql.flow;
  v_new wedsql.flow;
begin
  select * into v_old from wedsql.flow f where f.id = p_flow;
  update wedsql.flow f
  set label = coalesce(n.label, f.label), description = coalesce(n.description, f.description),
      final_when_pending = coalesce(n.final_when_pending, f.final_when_pending), max_firings = coalesce(n.max_firings, f.max_firings),
      notify_trace = coalesce(n.notify_trace, f.notify_trace), default_timeout = n.default_timeout, retention = n.retention
  from jsonb_populate_record(v_old, p_definition - 'version') n
  where f.id = p_flow returning f.* into v_new;
  perform wedsql._check_flow_spans(v_new);
  if v_new.default_timeout is distinct from v_old.default_timeout then
    perform wedsql._default_timeout(p_flow, v_old.name);
  end if;
end $$;

create or replace function wedsql._apply_new_attributes(p_flow integer, p_attributes jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: attributes are renamed, altered and added as told; those not named stay for now, as predicates may still name them.
declare
  v_changed integer := wedsql._apply_renames(p_flow, p_attributes);
  v_added integer;
begin
  update wedsql.attr a set adv = d.adv, type = d.type, options = d.options, label = d.label, description = d.description, position = d.position
  from (select * from wedsql._attribute_rows(p_attributes)) d
  where a.flow_id = p_flow and a.aname = d.aname
    and (a.adv, a.type, a.options, a.label, a.description, a.position)
        is distinct from (d.adv, d.type, d.options, d.label, d.description, d.position);
  get diagnostics v_added = row_count;
  v_changed := v_changed + v_added;
  insert into wedsql.attr (flow_id, aname, adv, type, options, label, description, position)
  select p_flow, d.aname, d.adv, d.type, d.options, d.label, d.description, d.position from wedsql._attribute_rows(p_attributes) d
  where not exists (select 1 from wedsql.attr a where a.flow_id = p_flow and a.aname = d.aname) order by d.ord;
  get diagnostics v_added = row_count;
  return jsonb_build_object('attributes_added', v_added, 'attributes_changed', v_changed);
end $$;

create or replace function wedsql._apply_renames(p_flow integer, p_attributes jsonb) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: attributes that say what they were called have their new names, also where they swap them; how many were renamed.
-- A name that is still another's waits for that one; where each waits for the next, one steps aside for a moment.
declare
  v_todo jsonb;
  v_next jsonb;
  v_count integer;
begin
  select coalesce(jsonb_object_agg(a.aid, d ->> 'name'), '{}'), count(*) into v_todo, v_count
  from jsonb_array_elements(p_attributes) d join wedsql.attr a on a.flow_id = p_flow and a.aname = d ->> 'was' and d ->> 'was' <> d ->> 'name';
  while v_todo <> '{}' loop
    select jsonb_object_agg(t.key, t.value) into v_next from jsonb_each_text(v_todo) t
    where not exists (select 1 from wedsql.attr a where a.flow_id = p_flow and a.aname = t.value and v_todo ? a.aid::text);
    if v_next is null then
      update wedsql.attr a set aname = 'wed_renamed_' || a.aid where a.aid = (select min(k::integer) from jsonb_object_keys(v_todo) k);
    else
      update wedsql.attr a set aname = t.value from jsonb_each_text(v_next) t where a.aid = t.key::integer;
      v_todo := v_todo - array(select jsonb_object_keys(v_next));
    end if;
  end loop;
  return v_count;
end $$;

create or replace function wedsql._attribute_rows(p_attributes jsonb)
returns table (ord bigint, aname text, adv text, type text, options text[], label text, description text, "position" integer)
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Promise: the attributes of a definition as rows.
select d.ord, d.a ->> 'name', d.a ->> 'default', coalesce(d.a ->> 'type', 'text'),
       case when jsonb_typeof(d.a -> 'options') = 'array' then array(select jsonb_array_elements_text(d.a -> 'options')) end,
       coalesce(d.a ->> 'label', ''), coalesce(d.a ->> 'description', ''), (d.a ->> 'position')::integer
from jsonb_array_elements(p_attributes) with ordinality d (a, ord)
$$;

create or replace function wedsql._attributes_differ(p_flow integer, p_attributes jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: whether the attributes of a definition are others than the flow's, so that columns will change.
select exists (
  select 1 from wedsql._attribute_rows(p_attributes) d full join (select * from wedsql.attr x where x.flow_id = p_flow) a on a.aname = d.aname
  where (a.aname, a.adv, a.type, a.options, a.label, a.description, a.position)
        is distinct from (d.aname, d.adv, d.type, d.options, d.label, d.description, d.position))
$$;

create or replace function wedsql._trigger_rows(p_flow integer, p_triggers jsonb) returns table (ord bigint, same integer, t wedsql.trig)
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Promise: the triggers of a definition as rows, each with the tgid of the trigger that it is today, if any: the one that its id
-- says, else one of the same names that no id of the definition claims.
with d as (
  select x.ord, x.j, (select t.tgid from wedsql.trig t where t.flow_id = p_flow and t.tgid = (x.j ->> 'id')::integer) as claimed, jsonb_populate_record(null::wedsql.trig,
    '{"enabled": true, "cfinal": false, "on_error": "exception", "revalidate": "none", "mode": "auto", "max_attempts": 5, "backoff": "1 second",
      "priority": 0, "concurrent": false, "fire_once": false, "refresh_payload": false, "compensation": "none", "class": "retriable",
      "label": "", "description": ""}'::jsonb
      || jsonb_build_object('timeout', (select f.default_timeout from wedsql.flow f where f.id = p_flow)) || (x.j - 'writes') || jsonb_build_object(
      'flow_id', p_flow, 'tgid', 0, 'tgname', x.j -> 'name', 'trname', x.j -> 'transition', 'cname', x.j -> 'condition', 'cpred', x.j -> 'predicate',
      'cfinal', coalesce(x.j -> 'final', 'false'), 'writes', x.j -> 'writes')) as t
  from jsonb_array_elements(p_triggers) with ordinality x (j, ord)),
ranked as (
  select d.*, row_number() over (partition by (d.t).cfinal, case when (d.t).cfinal then '' else (d.t).trname end,
                                 case when (d.t).cfinal then '' else coalesce((d.t).cname, '') end order by d.ord) as nth
           from d where d.claimed is null),
now as (
  select t.tgid, t.cfinal, case when t.cfinal then '' else t.trname end as trname, case when t.cfinal then '' else coalesce(t.cname, '') end as cname,
         row_number() over (partition by t.cfinal, case when t.cfinal then '' else t.trname end, case when t.cfinal then '' else coalesce(t.cname, '') end order by t.tgid) as nth
  from wedsql.trig t where t.flow_id = p_flow and not exists (select 1 from d where d.claimed = t.tgid))
select d.ord, d.claimed, d.t from d where d.claimed is not null
union all
select r.ord, n.tgid, r.t
from ranked r left join now n on n.cfinal = (r.t).cfinal and n.nth = r.nth
  and n.trname = case when (r.t).cfinal then '' else (r.t).trname end and n.cname = case when (r.t).cfinal then '' else coalesce((r.t).cname, '') end
$$;

create or replace function wedsql._apply_triggers(p_flow integer, p_triggers jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: triggers are removed, changed and added as told. Jobs of removed triggers are withdrawn.
declare
  v_rows jsonb;
  v_removed integer;
  v_changed integer;
  v_added integer;
begin
  select coalesce(jsonb_agg(jsonb_build_object('same', r.same, 't', to_jsonb(r.t)) order by r.ord), '[]') into v_rows from wedsql._trigger_rows(p_flow, p_triggers) r;
  with gone as (
    delete from wedsql.job_pool j where j.flow_id = p_flow and j.tgid > 0 and not exists (
      select 1 from jsonb_array_elements(v_rows) r where (r ->> 'same')::integer = j.tgid) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message)
  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'withdrawn', wedsql._actor(), 'its trigger was removed' from gone g;
  delete from wedsql.trig t where t.flow_id = p_flow and not exists (
    select 1 from jsonb_array_elements(v_rows) r where (r ->> 'same')::integer = t.tgid);
  get diagnostics v_removed = row_count;
  update wedsql.trig t
  set (tgname, enabled, trname, cname, cpred, cfinal, timeout, on_error, revalidate, mode, max_attempts, backoff, max_firings, pickup_deadline, priority, writes,
       due_attr, due_after, concurrent, fire_once, refresh_payload, compensation, compensated_by, class, label, description) =
      (n.tgname, n.enabled, n.trname, n.cname, n.cpred, n.cfinal, n.timeout, n.on_error, n.revalidate, n.mode, n.max_attempts, n.backoff, n.max_firings,
       n.pickup_deadline, n.priority, n.writes, n.due_attr, n.due_after, n.concurrent, n.fire_once, n.refresh_payload, n.compensation, n.compensated_by,
       n.class, n.label, n.description)
  from jsonb_array_elements(v_rows) r cross join lateral jsonb_populate_record(null::wedsql.trig, r -> 't') n
  where t.tgid = (r ->> 'same')::integer and wedsql._trigger_json(n) is distinct from wedsql._trigger_json(t);
  get diagnostics v_changed = row_count;
  insert into wedsql.trig (flow_id, tgname, enabled, trname, cname, cpred, cfinal, timeout, on_error, revalidate, mode, max_attempts, backoff, max_firings, pickup_deadline,
    priority, writes, due_attr, due_after, concurrent, fire_once, refresh_payload, compensation, compensated_by, class, label, description)
  select p_flow, n.tgname, n.enabled, n.trname, n.cname, n.cpred, n.cfinal, n.timeout, n.on_error, n.revalidate, n.mode, n.max_attempts, n.backoff, n.max_firings,
    n.pickup_deadline, n.priority, n.writes, n.due_attr, n.due_after, n.concurrent, n.fire_once, n.refresh_payload, n.compensation, n.compensated_by, n.class, n.label, n.description
  from jsonb_array_elements(v_rows) with ordinality r (j, ord) cross join lateral jsonb_populate_record(null::wedsql.trig, r.j -> 't') n
  where r.j ->> 'same' is null order by r.ord;
  get diagnostics v_added = row_count;
  return jsonb_build_object('triggers_added', v_added, 'triggers_changed', v_changed, 'triggers_removed', v_removed);
end $$;
