-- Chains: a task that becomes ready by a result made without a connection is offered on the device before the
-- result has arrived. The result of such a task names the result before it instead of a task.

-- Returns what a device needs of the tasks that can become ready by the result of a task that it has, and are
-- for the same person then, who has p_keys: {"after": what the task and its outcomes set, "tasks": for each
-- its rule, texts, form, and the tree of its condition with the attributes that it reads}; notes them.
-- Locks: the package.
-- Raises: WD590, WD610, WD611.
create or replace function wedsql.offline_chain(p_person text, p_key text, p_job bigint, p_keys text[])
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, true);
  v_task wedsql.task := wedsql._known_task(p_job);
  v_flow text := (select f.name from wedsql.flow f where f.id = v_task.flow_id);
  v_state jsonb;
  v_tasks jsonb;
  v_chain jsonb;
begin
  execute format('select to_jsonb(w.*) - ''wid'' from %I.wed_flow w where w.wid = $1', v_flow)
    into v_state using v_task.wid;
  select jsonb_agg(f.sheet order by f.tgid), jsonb_object_agg(f.transition, f.audience)
  into v_tasks, v_chain from wedsql._followers(v_task, p_person, p_keys, v_state) f;
  update wedsql.device_package g set chain = coalesce(v_chain, '{}')
  where g.device_id = v_device.id and g.job_id = p_job;
  return case when v_tasks is not null then jsonb_build_object('tasks', v_tasks,
    'after', wedsql._set_at_end(v_flow, v_task, v_state)) end;
end $$;

-- Returns the triggers whose tasks can follow a task for the same person: those for work without a connection
-- with a condition that a device can evaluate, and without files, which need a task of the site. At most 20.
create or replace function wedsql._followers(p_task wedsql.task, p_person text, p_keys text[], p_state jsonb)
returns table (tgid integer, transition text, audience text, sheet jsonb)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select g.tgid, g.trname, a.audience, wedsql._rule_sheet(g, y.types, p_state)
  || jsonb_build_object('tree', c.tree, 'asks', (wedsql.canonical(g.cpred, y.types)).reads)
from wedsql.trig this join wedsql.trig g on g.flow_id = this.flow_id and g.tgid <> this.tgid
cross join lateral (select wedsql._attr_types(g.flow_id) as types) y
cross join lateral (select wedsql._condition_tree(g.cpred, y.types) as tree) c
cross join lateral (select case when g.same_as = this.trname then 'p:' || p_person
                                else wedsql._audience(g, p_task.wid, p_state) end as audience) a
where this.tgid = p_task.tgid and g.enabled and g.performer = 'person' and g.offline and c.tree is not null
  and a.audience = any (array['p:' || p_person] || p_keys)
  and this.trname <> all (coalesce(g.not_by, '{}'))
  and not exists (select from wedsql._form_fields(g.form) f where f.field ->> 'kind' = 'file')
  and p_person <> all (wedsql._performers(p_task.wid, coalesce(g.not_by, '{}')))
order by g.tgid limit 20
$$;

-- Returns what a device needs of a trigger.
create or replace function wedsql._rule_sheet(p_trig wedsql.trig, p_types jsonb, p_state jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('tgid', p_trig.tgid, 'transition', p_trig.trname,
  'label', coalesce(p_trig.label, ''), 'description', coalesce(p_trig.description, ''),
  'reads', to_jsonb(coalesce(p_trig.reads, '{}')),
  'writes', to_jsonb(coalesce(p_trig.writes, array(select n.aname from wedsql.attr n
                                                   where n.flow_id = p_trig.flow_id order by n.aid))),
  'outcomes', to_jsonb(array(select l.name from wedsql._outcome_lines(p_trig.outcomes) l order by l.place)),
  'form', wedsql._form_sheet(p_trig, p_types, p_state))
$$;

-- Returns what a device needs of the rule of a transition, on the state of the instance of a task; null where
-- its flow has no such task.
create or replace function wedsql.offline_rule(p_job bigint, p_transition text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
  v_trig wedsql.trig;
  v_state jsonb;
begin
  select g.* into v_trig from wedsql.trig g
  where g.flow_id = v_task.flow_id and g.trname = p_transition and g.performer = 'person';
  if v_trig.tgid is null then
    return null;
  end if;
  execute format('select to_jsonb(w.*) - ''wid'' from %I.wed_flow w where w.wid = $1',
                 (select f.name from wedsql.flow f where f.id = v_task.flow_id))
    into v_state using v_task.wid;
  return wedsql._rule_sheet(v_trig, wedsql._attr_types(v_task.flow_id), v_state);
end $$;

-- Returns what completing a task sets besides the values of its form, by outcome, on the present state: ""
-- for one without a name. What cannot be said now is left out.
create or replace function wedsql._set_at_end(p_flow text, p_task wedsql.task, p_state jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_trig wedsql.trig;
  v_names text[];
  v_name text;
  v_sets jsonb;
  v_found jsonb := '{}';
begin
  select t.* into v_trig from wedsql.trig t where t.tgid = p_task.tgid;
  v_names := array(select l.name from wedsql._outcome_lines(v_trig.outcomes) l where l.name <> 'FAILED');
  foreach v_name in array case when v_names = '{}' then array[''] else v_names end loop
    begin
      v_sets := wedsql._with_outcome(p_flow, p_task, '{}', nullif(v_name, ''));
      v_found := v_found || jsonb_build_object(v_name,
        v_sets || case when v_trig.sets is null then '{}'
                       else wedsql._set_on(p_flow, v_trig.sets, p_state || v_sets) end);
    exception when others then
      if left(sqlstate, 2) not in ('WD', '22') then
        raise;
      end if;
    end;
  end loop;
  return v_found;
end $$;

-- Returns a result that follows another one of the device with the task that it is about: the one of its
-- transition that became ready by that result. Without a task the server has decided otherwise.
create or replace function wedsql._find_follower(p_device wedsql.device, p_result wedsql.device_result)
  returns wedsql.device_result
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_before wedsql.device_result;
begin
  select r.* into v_before from wedsql.device_result r
  where r.device_id = p_device.id and r.number = (p_result.content ->> 'after')::integer;
  if v_before.state = 'A' and v_before.wid = p_result.wid then
    select t.job_id into p_result.job_id
    from wedsql.task t join wedsql.trig g on g.tgid = t.tgid
    where t.wid = v_before.wid and g.trname = p_result.content ->> 'transition'
    order by t.ended_at is not null, t.job_id desc limit 1;
    insert into wedsql.device_package as g (device_id, job_id, wid, claim, seq, version, given_at, chain)
    select p_device.id, p_result.job_id, v_before.wid, 0, v_before.seq, '', wedsql.now(), b.chain
    from wedsql.device_package b
    where b.device_id = p_device.id and b.job_id = v_before.job_id and p_result.job_id is not null
    on conflict (device_id, job_id) do update  -- transferred meanwhile as a task that could be locked
    set claim = excluded.claim, seq = excluded.seq, chain = excluded.chain where g.claim is null;
  end if;
  p_result.content := p_result.content || jsonb_build_object('seq', coalesce(v_before.seq, 1));
  return p_result;
end $$;

-- Takes the task of a result that follows another one, for the person to whom the device offered it.
-- Locks: as take_task.
-- Raises: as take_task; WD616 where the task is not for whom it was to be.
create or replace function wedsql._take_following(p_device wedsql.device, p_result wedsql.device_result)
  returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_result.job_id);
  v_for text := (select g.chain ->> (p_result.content ->> 'transition') from wedsql.device_package g
                 where g.device_id = p_device.id and g.job_id = p_result.job_id);
begin
  if v_task.owner is null and v_task.ended_at is null and v_task.audience is distinct from v_for then
    perform wedsql._raise('WD616', 'Task {task} is for others than when it was offered without a connection.',
      'People decide what becomes of the result.', wedsql._task_facts(v_task));
  end if;
  return (wedsql.take_task(p_result.job_id, p_device.person, array[v_for], true)).claim;
end $$;

-- Keeps a result whose task did not become ready as a late result, about which people decide; returns its
-- number, null where the device was given no task of its instance. One that waits for a decision already, of
-- the same transition with the same values, keeps its number.
-- Locks: the instance, its case.
create or replace function wedsql._late_following(p_device wedsql.device, p_result wedsql.device_result)
  returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_trig wedsql.trig;
  v_late wedsql.late_result;
begin
  if not exists (select from wedsql.device_package g
                 where g.device_id = p_device.id and g.wid = p_result.wid and g.claim is not null) then
    return null;
  end if;
  select g.* into v_trig from wedsql.instance i join wedsql.trig g on g.flow_id = i.flow_id
  where i.wid = p_result.wid and g.trname = p_result.content ->> 'transition';
  if v_trig.tgid is null or coalesce(p_result.content -> 'values', '{}') = '{}' or (
       select count(*) from wedsql.late_result l
       where l.wid = p_result.wid and l.state in ('kept', 'conflict')) >= 100 then
    return null;
  end if;
  begin
    perform wedsql._check_states(wedsql._attribute_names(v_trig.flow_id)::text[],
                                 array[p_result.content -> 'values']);
  exception when others then
    if left(sqlstate, 2) not in ('WD', '22') then
      raise;
    end if;
    return null;  -- what is no state of this flow cannot be kept
  end;
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update',
                 (select f.name from wedsql.flow f where f.id = v_trig.flow_id)) using p_result.wid;
  select l.* into v_late from wedsql.late_result l
  where l.wid = p_result.wid and l.job_id < 0 and l.state = 'conflict' and l.tgid = v_trig.tgid
    and l.changes = p_result.content -> 'values' limit 1;
  if v_late.id is not null then
    return v_late.id;
  end if;
  insert into wedsql.late_result (flow_id, wid, job_id, tgid, transition, base_seq, changes, code, actor,
                                  received_at, look_at)
  values (v_trig.flow_id, p_result.wid, -(p_device.id << 31 | p_result.number), v_trig.tgid, v_trig.trname,
          (p_result.content ->> 'seq')::integer, p_result.content -> 'values', 'WD616', p_device.person,
          wedsql.now(), wedsql.now())
  returning * into v_late;
  perform wedsql._end_late(v_late, 'conflict', '', '');
  return v_late.id;
end $$;

-- Returns the answer to a result that follows another one, whose task did not become ready.
-- Locks: as _late_following.
create or replace function wedsql._not_ready(p_device wedsql.device, p_result wedsql.device_result)
  returns wedsql.device_result
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  p_result.late_id := wedsql._late_following(p_device, p_result);
  p_result.state := case when p_result.late_id is null then 'R' else 'L' end;
  p_result.problem := jsonb_build_object('code', 'WD616', 'message',
    'The task did not become ready by the result before it.', 'hint',
    case when p_result.late_id is null then '' else 'People decide what becomes of the result.' end);
  return p_result;
end $$;

grant execute on function wedsql.offline_chain(text, text, bigint, text[]),
  wedsql.offline_rule(bigint, text) to wed_web;
