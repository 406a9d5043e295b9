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
-- WD302 where a second person has to approve it.
create or replace function wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean default false,
                                          p_reopen_final boolean default false,
                                          p_actor text default null, p_reason text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  if not p_dry_run then
    perform wedsql._begin_change(v_flow.id);
    perform wedsql._check_direct(p_flow, (wedsql._flow(p_flow)).needs_approval);
  end if;
  perform wedsql._check_definition(p_definition);
  return wedsql._publish_definition(v_flow, wedsql._with_own_numbers(v_flow, p_definition), p_dry_run,
    p_reopen_final, p_actor, p_reason);
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
      v_chosen := wedsql._held_back(p_flow.name, p_definition, p_choices, p_reopen_final);
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
      perform wedsql._raise_form(sqlerrm);
  end;
  return v_report || jsonb_build_object('dry_run', p_dry_run);
end $$;

-- Checks that the definition has the outer form of one; what is inside each attribute and trigger is checked
-- where it is stored.
-- Raises: WD009.
create or replace function wedsql._check_definition(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object'
     or jsonb_typeof(p_definition -> 'attributes') is distinct from 'array'
     or jsonb_typeof(p_definition -> 'triggers') is distinct from 'array' then
    perform wedsql._raise('WD009', 'A definition is an object with the lists "attributes" and "triggers".');
  end if;
  if exists (select 1
             from jsonb_array_elements((p_definition -> 'attributes') || (p_definition -> 'triggers')) e
             where jsonb_typeof(e) <> 'object') then
    perform wedsql._raise('WD009', 'Each attribute and each trigger of a definition is an object.');
  end if;
  with k (kind, word) as (
    select 'flow', w from jsonb_object_keys(p_definition) w
    union
    select 'attr', w from jsonb_array_elements(p_definition -> 'attributes') a
    cross join lateral jsonb_object_keys(a) w
    union
    select 'trig', w from jsonb_array_elements(p_definition -> 'triggers') t
    cross join lateral jsonb_object_keys(t) w)
  select k.word into v_bad from k
  where (k.kind, k.word) not in (('flow', 'flow'), ('flow', 'version'), ('flow', 'attributes'),
    ('flow', 'triggers'),
                                 ('attr', 'was'), ('attr', 'id'), ('trig', 'id'))
    and not exists (select 1 from wedsql._options(k.kind) o where o.name = k.word) limit 1;
  if v_bad is not null then
    perform wedsql._raise('WD009', 'The definition has an unknown option "{option}".',
      'See docs/defining-flows.md for the options.', jsonb_build_object('option', left(v_bad, 80)));
  end if;
  perform wedsql._check_twice(p_definition);
end $$;

-- Checks that no two attributes of the definition have the same name, earlier name or id, and no two triggers
-- the same id.
-- Raises: WD009 naming it.
create or replace function wedsql._check_twice(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad record;
begin
  select w.list, w.word, e ->> w.word as value into v_bad
  from (values ('attributes', 'name'), ('attributes', 'was'), ('attributes', 'id'),
        ('triggers', 'id')) w (list, word)
  cross join lateral jsonb_array_elements(p_definition -> w.list) e
  where e ->> w.word is not null group by w.list, w.word, e ->> w.word having count(*) > 1 limit 1;
  if found then
    perform wedsql._raise('WD009', 'The definition has {word} "{value}" more than once in the list {list}.',
      'Each must be unique; delete or rename the others.',
      jsonb_build_object('list', v_bad.list, 'word', v_bad.word, 'value', left(v_bad.value, 80)));
  end if;
end $$;
