-- Names of transitions that workers ask for and never get jobs of, such as a misspelled one. They are not
-- rejected: a worker may be started before the rule is published.

-- Returns whether jobs of a transition of the flow may be offered to workers: those of rules that workers
-- perform, compensations, exceptions, and jobs of an earlier definition.
create or replace function wedsql._may_be_offered(p_flow integer, p_transition text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_transition = '_EXCPT'
  or exists (select 1 from wedsql.trig t where t.flow_id = p_flow and not t.cfinal and t.integrity is null
             and (t.trname = p_transition and wedsql._by_worker(t) and t.child is null
                  or t.compensation = 'transition' and t.compensated_by = p_transition))
  or exists (select 1 from wedsql.job_pool j where j.flow_id = p_flow and j.trname = p_transition
             and j.assigned_to is distinct from '')
$$;

-- Returns the transitions of a flow (null: of all) that workers perform, without those that are served.
create or replace function wedsql._not_served(p_flow integer, p_served text[]) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(
  select n.name
  from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
  cross join lateral (values (t.trname), (t.compensated_by)) n (name)
  where f.id = coalesce(p_flow, f.id) and n.name is not null and wedsql._may_be_offered(f.id, n.name)
    and not (f.name || ':' || n.name = any (p_served) or ':' || n.name = any (p_served)))
$$;

-- Returns those of the served names 'flow:transition' of which no worker gets a job, each with what is meant
-- perhaps; ':transition' is served in every flow, and 'flow:' names a flow alone. "flow" is null where there
-- is no such flow.
create or replace function wedsql.never_offered(p_serves text[])
returns table (serves text, flow text, transition text, near text, message text, hint text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_one record;
  v_why wedsql.why;
begin
  for v_one in
    select s.name, split_part(s.name, ':', 1) as said, substr(s.name, strpos(s.name, ':') + 1) as asked,
           f.id, f.name as flow
    from (select distinct n from unnest(p_serves) n where strpos(n, ':') > 0) s (name)
    left join wedsql.flow f on f.name = split_part(s.name, ':', 1) order by s.name
  loop
    continue when v_one.id is not null
      and (v_one.asked = '' or wedsql._may_be_offered(v_one.id, v_one.asked));
    continue when v_one.said = '' and (v_one.asked = ''
      or exists (select 1 from wedsql.flow f where wedsql._may_be_offered(f.id, v_one.asked)));
    v_why := wedsql._why_never_offered(v_one.id, v_one.said, v_one.asked, p_serves);
    serves := v_one.name;
    flow := v_one.flow;
    transition := v_one.asked;
    near := v_why.detail::jsonb ->> 'near';
    message := v_why.message;
    hint := coalesce(v_why.hint, '');
    return next;
  end loop;
end $$;

-- Returns why a name is never offered: p_flow, the number of the flow p_said, null without such a flow.
create or replace function wedsql._why_never_offered(
  p_flow integer, p_said text, p_transition text, p_served text[]) returns wedsql.why
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb := jsonb_build_object('flow', p_said, 'transition', p_transition);
  v_near text;
begin
  if exists (select 1 from wedsql.trig t where t.flow_id = p_flow and t.trname = p_transition) then
    return wedsql._why('01WD1', 'Workers get no jobs of the transition "{transition}" of flow "{flow}".',
      'The database or people perform it, or its rule waits for a signal or for children.', v_facts);
  end if;
  v_near := case when p_flow is null and p_said <> '' then wedsql.suggest(p_said, array(
      select f.name from wedsql.flow f where p_transition = '' or wedsql._may_be_offered(f.id, p_transition)))
    else wedsql.suggest(p_transition, wedsql._not_served(p_flow, p_served)) end;
  v_facts := v_facts || jsonb_strip_nulls(jsonb_build_object('near', v_near));
  return case
    when p_said = '' then wedsql._why('01WD1', 'No rule has the transition "{transition}".',
      case when v_near is not null then 'Did you mean {near}?' end, v_facts)
    when p_flow is null then wedsql._why('01WD1', 'There is no flow "{flow}".',
      case when v_near is not null then 'Did you mean {near}?' end, v_facts)
    else wedsql._why('01WD1', 'No rule of flow "{flow}" has the transition "{transition}".',
      case when v_near is not null then 'Did you mean {near}?' end, v_facts) end;
end $$;

-- Sends a notice of SQLSTATE 01WD1 for each of the transitions of which the caller never gets a job: once per
-- session and version of the flow, and again after a rollback. Its detail has the version.
create or replace function wedsql._note_never_offered(p_flow text, p_transitions text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow record;
  v_key text;
  v_one record;
begin
  select f.id, f.version into v_flow from wedsql.flow f where f.name = p_flow;
  if not exists (select 1 from unnest(p_transitions) n
                 where n <> '' and not wedsql._may_be_offered(v_flow.id, n)) then
    return;
  end if;
  v_key := md5(concat_ws(',', p_flow, v_flow.version, p_transitions));
  if current_setting('wedsql.noted', true) = v_key then
    return;
  end if;
  perform set_config('wedsql.noted', v_key, false);
  for v_one in
    select n.* from wedsql.never_offered(array(select p_flow || ':' || t from unnest(p_transitions) t)) n
  loop
    raise notice using errcode = '01WD1', message = v_one.message, hint = v_one.hint,
      detail = jsonb_build_object('flow', p_flow, 'transition', v_one.transition,
                                  'version', v_flow.version)::text;
  end loop;
end $$;
