-- Returns the place of an item in the order of the definition that was published last; those that it does not
-- name, which were added directly, follow.
create or replace function wedsql._place(p_order integer[], p_number integer) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_position(p_order, p_number), 2147483647)
$$;

-- Returns the definition of a flow, with p_numbers the numbers of its attributes and triggers as "id".
create or replace function wedsql._definition(p_flow wedsql.flow, p_numbers boolean) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select jsonb_build_object('flow', p_flow.name, 'version', p_flow.version)
  || (select jsonb_object_agg(o.name, to_jsonb(p_flow) -> o.col) from wedsql._options('flow') o)
  || jsonb_build_object(
    'attributes', coalesce((
      select jsonb_agg(wedsql._attribute_given(a, (select wedsql._option_list('attr'))) || case when p_numbers
        then jsonb_build_object('id', a.aid) else '{}' end
                       order by wedsql._place(o.attributes, a.aid), a.aid)
      from wedsql.attr a left join wedsql.item_order o on o.flow_id = a.flow_id
      where a.flow_id = p_flow.id), '[]'),
    'triggers', coalesce((
      select jsonb_agg(wedsql._trigger_given(t, (select wedsql._option_list('trig'))) || case when p_numbers
        then jsonb_build_object('id', t.tgid) else '{}' end
                       order by wedsql._place(o.triggers, t.tgid), t.tgid)
      from wedsql.trig t left join wedsql.item_order o on o.flow_id = t.flow_id
      where t.flow_id = p_flow.id), '[]'))
$$;

-- Returns the whole definition as one JSON object, in an order that never changes by itself; options of
-- attributes and triggers that have their default value are left out.
-- Raises: WD001.
create or replace function wedsql.definition(p_flow text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._definition(wedsql._flow(p_flow), false)
$$;

-- Puts the changed definition into effect: re-matches living instances, keeps the version and notifies
-- listeners. p_chosen: see _rematch. With p_batches a long re-match is only begun, see 07_batches.sql; one
-- that was on its way is superseded.
-- Locks: instances in wid order, jobs, trace; the flow's definition is locked already.
create or replace function wedsql._publish(p_flow integer, p_actor text, p_reason text,
  p_chosen wedsql.chosen default null, p_batches boolean default false) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow;
  v_why text;
  v_report jsonb;
begin
  perform wedsql._follow_definition(p_flow);
  update wedsql.flow f
  set rematch_due = false, attrs_changed = false, reopen_final = false from wedsql.flow o
  where f.id = p_flow and o.id = f.id returning o.* into v_flow;
  insert into wedsql.flow_version as o (flow_id, version, actor, reason, definition, attrs_changed)
  values (p_flow, v_flow.version, p_actor, coalesce(p_reason, ''), wedsql.definition(v_flow.name),
          v_flow.attrs_changed)
  on conflict (flow_id, version) do update
  set definition = excluded.definition, actor = excluded.actor, attrs_changed = o.attrs_changed
    or excluded.attrs_changed;
  -- A version that is published again, before its first instance, is no longer what it was translated from.
  delete from wedsql.flow_source s where s.flow_id = p_flow and s.version = v_flow.version;
  v_why := 'version ' || v_flow.version || coalesce(': ' || nullif(p_reason, ''), '');
  perform wedsql._supersede_rematch(p_flow, v_flow.version);
  if p_batches and wedsql._needs_batches(v_flow) then
    v_report := wedsql._begin_rematch(v_flow, p_actor, v_why, p_chosen);
  else
    v_report := wedsql._rematch(p_flow, null, v_flow.attrs_changed, v_flow.reopen_final, p_actor, v_why,
                                p_chosen);
  end if;
  if v_flow.attrs_changed then
    perform wedsql._keep_states(v_flow, p_actor, v_why);
  end if;
  perform pg_notify('wedsql_flow', p_flow || ':' || v_flow.version || ':0');
  return v_report || jsonb_build_object('version', v_flow.version);
end $$;

-- Returns a definition without the numbers of its attributes and triggers ("id") where they may be those of
-- another flow or database: it names another flow, or one of them is none of this flow's numbers.
create or replace function wedsql._with_own_numbers(p_flow wedsql.flow, p_definition jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when coalesce(p_definition ->> 'flow', p_flow.name) = p_flow.name
    and not exists (select 1 from jsonb_array_elements(p_definition -> 'attributes') e
                    where e -> 'id' <> 'null' and not exists (
                      select 1 from wedsql.attr a where a.flow_id = p_flow.id and a.aid::text = e ->> 'id'))
    and not exists (select 1 from jsonb_array_elements(p_definition -> 'triggers') e
                    where e -> 'id' <> 'null' and not exists (
                      select 1 from wedsql.trig t where t.flow_id = p_flow.id and t.tgid::text = e ->> 'id'))
  then p_definition
  else p_definition || (
    select jsonb_object_agg(l.list, (select coalesce(jsonb_agg(e.j - 'id' order by e.n), '[]')
      from jsonb_array_elements(p_definition -> l.list) with ordinality e (j, n)))
    from (values ('attributes'), ('triggers')) l (list)) end
$$;

-- Makes the flow what the definition says, as a whole, and returns what that did to living instances; with
-- p_dry_run it returns the same report and changes nothing. Attributes and triggers that the definition does
-- not name are removed. They are identified by their numbers only where all of these are the flow's own.
-- Of a flow with many instances, "left" says how many of them are still to be re-matched, by continue_rematch
-- or the reaper.
-- Locks: the flow's definition, wed_flow, instances in wid order, jobs, trace.
-- Raises: every error for which an attribute or trigger can be rejected; WD009 for a malformed definition;
-- WD302 where a second person has to approve it; WD011 where p_held is not the number of tasks and cases that
-- other persons lose.
create or replace function wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean default false,
                                          p_reopen_final boolean default false,
                                          p_actor text default null, p_reason text default null,
                                          p_held integer default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_after bigint := wedsql.last_loss();
  v_report jsonb;
begin
  if not p_dry_run then
    perform wedsql._begin_change(v_flow.id);
    perform wedsql._check_direct(p_flow, (wedsql._flow(p_flow)).needs_approval);
  end if;
  perform wedsql._check_definition(p_definition);
  v_report := wedsql._publish_definition(v_flow, wedsql._with_own_numbers(v_flow, p_definition), p_dry_run,
    p_reopen_final, p_actor, p_reason);
  if not p_dry_run then
    perform wedsql._confirm_held(p_flow, wedsql._call_losses(v_flow.id, v_after, wedsql._actor(p_actor)),
      p_held);
  end if;
  return v_report;
end $$;

-- Does what publish does, for a caller that has checked that it may. With p_choices the re-match follows
-- them, and the report says what happened by trigger.
-- Locks: as publish.
-- Raises: as publish, but WD302.
create or replace function wedsql._publish_definition(p_flow wedsql.flow, p_definition jsonb,
  p_dry_run boolean, p_reopen_final boolean, p_actor text, p_reason text, p_choices jsonb default null)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_report jsonb;
  v_dry text;
  v_chosen wedsql.chosen;
  v_gone jsonb;
  v_numbers integer[];
  v_timers boolean;
begin
  perform wedsql._check_definition(p_definition);
  perform set_config('wedsql.actor', wedsql._actor(p_actor), true);
  begin
    perform wedsql._lock_definition(p_flow.id, exists (
      select 1 from wedsql._attribute_changes(wedsql._definition(p_flow, true) -> 'attributes',
        p_definition -> 'attributes')));
    if p_choices is not null then
      v_chosen := wedsql._call_chosen(p_flow.name, p_definition, p_choices, p_reopen_final);
      v_gone := wedsql._removed_jobs(p_flow, p_definition);
    end if;
    v_timers := exists (select 1 from wedsql.timer x where x.flow_id = p_flow.id);
    v_report := wedsql._apply_definition(p_flow.id, p_definition);
    update wedsql.flow f set reopen_final = p_reopen_final where f.id = p_flow.id;
    if p_choices is not null then
      select wedsql._trigger_numbers(f, p_definition) into v_numbers from wedsql.flow f
      where f.id = p_flow.id;
      v_report := v_report || v_gone || jsonb_build_object('numbers', v_numbers);
      v_chosen := wedsql._chosen_now(v_chosen, p_choices, v_numbers);
    end if;
    v_report := wedsql._add_counts(v_report,
      wedsql._publish(p_flow.id, wedsql._actor(p_actor), p_reason, v_chosen, not p_dry_run));
    if v_report ? 'left' then
      v_report := wedsql._settle_without_work(p_flow.id, v_report, v_chosen,
        v_timers or v_report -> 'triggers_removed' <> '0');
    end if;
    if v_chosen.keep_exceptions or v_chosen.held_wids <> '{}' then
      update wedsql.flow_version v set held_back = true
      where v.flow_id = p_flow.id and v.version = (v_report ->> 'version')::integer;
    end if;
    if p_dry_run then
      raise exception using errcode = 'WD999', message = v_report::text;
    end if;
  exception
    when sqlstate 'WD999' then
      get stacked diagnostics v_dry = message_text;
      v_report := v_dry::jsonb;
    when data_exception or check_violation or not_null_violation then
      perform wedsql._raise_form(sqlerrm, p_definition);
  end;
  return v_report || jsonb_build_object('dry_run', p_dry_run);
end $$;

-- Returns the choices with the numbers that the triggers have now that the definition is applied.
create or replace function wedsql._chosen_now(p_chosen wedsql.chosen, p_choices jsonb, p_numbers integer[])
  returns wedsql.chosen
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  p_chosen.withdraw := wedsql._chosen_triggers(p_choices, 'withdraw', p_numbers);
  p_chosen.held_tgids := array(
    select case when h.tgid < 0 then p_numbers[- h.tgid] else h.tgid end
    from unnest(p_chosen.held_tgids) with ordinality h (tgid, n) order by h.n);
  return p_chosen;
end $$;

-- Returns the jobs of triggers that a definition removes, by trigger, as part of a report.
create or replace function wedsql._removed_jobs(p_flow wedsql.flow, p_definition jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('by_rule', coalesce(jsonb_object_agg(g.tgid, jsonb_build_object(
    'withdrawn', g.n, 'withdrawn_sample', wedsql._some(g.wids))), '{}'))
from (select j.tgid, count(*) as n, array_agg(j.wid) as wids from wedsql.job_pool j
      where j.flow_id = p_flow.id and j.tgid > 0
        and j.tgid <> all (array_remove(wedsql._trigger_numbers(p_flow, p_definition), null))
      group by j.tgid) g
$$;

-- Returns which trigger of a definition is which published one: the number, null for a new one, by place.
create or replace function wedsql._trigger_numbers(p_flow wedsql.flow, p_definition jsonb) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
with o as (select wedsql._definition(p_flow, true) as d),
     t as materialized (select wedsql._triggers_given(o.d -> 'triggers', o.d -> 'default_timeout') as old,
                  wedsql._triggers_given(p_definition -> 'triggers',
                    case when p_definition ? 'default_timeout'
                    then p_definition else o.d end -> 'default_timeout') as new from o),
     p as materialized (select p.* from t cross join lateral wedsql._trigger_pairs(t.old, t.new) p)
select coalesce(array_agg((t.old -> (p.old_ord - 1)::integer ->> 'id')::integer order by n.ord), '{}')
from t cross join lateral generate_series(1, jsonb_array_length(t.new)) n (ord)
left join p on p.new_ord = n.ord
$$;
