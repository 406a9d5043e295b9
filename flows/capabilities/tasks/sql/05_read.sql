-- Lists of tasks.

-- A task in a list. `behind`: the values after which a next page begins.
do $$
begin
  if to_regtype('wedsql.task_item') is null then
    create type wedsql.task_item as (
      job_id bigint, wid integer, flow text, tgid integer, transition text, label text, state "char",
      audience text, owner text, priority smallint, arrived_at timestamptz, due_at timestamptz,
      owned_at timestamptz, hidden_until timestamptz, given_by text, offline boolean, ended_at timestamptz,
      ended_by text, outcome text, seq integer, size bigint);
  end if;
end $$;

-- Returns these tasks as lists have them, in their order; those that there are.
create or replace function wedsql.task_items(p_ids bigint[]) returns setof wedsql.task_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query
  select t.job_id, t.wid, f.name::text, t.tgid, coalesce(g.trname, ''),
    coalesce(nullif(g.label, ''), g.trname, ''), t.state, t.audience, t.owner, (- t.rank)::smallint,
    t.arrived_at, nullif(t.due_at, 'infinity'), t.owned_at,
    case when t.hidden_until > wedsql.now() then t.hidden_until end, t.given_by, coalesce(g.offline, false),
    t.ended_at, t.ended_by, t.outcome, t.seq, t.size
  from unnest(p_ids[:501]) with ordinality p (id, place) join wedsql.task t on t.job_id = p.id
  join wedsql.flow f on f.id = t.flow_id left join wedsql.trig g on g.tgid = t.tgid order by p.place;
end $$;

-- Returns the tasks that a person holds, up to 500: those to be done, or with p_aside those that are put
-- aside. Without an order those to be done come by priority and deadline, and the others by when they come
-- back.
-- Raises: WD009 for another order.
create or replace function wedsql.own_tasks(p_person text, p_aside boolean default false,
  p_order text default null) returns setof wedsql.task_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform wedsql._check_order(coalesce(p_order, 'arrival'));
  return query select i.* from wedsql.task_items(array(
  select t.job_id from wedsql.task t
  left join wedsql.task_place p on p.person = p_person and p.job_id = t.job_id and p_order = 'own'
  where t.owner = p_person and t.state in ('S', 'L', 'X')
    and (coalesce(t.hidden_until, '-infinity') > wedsql.now()) = p_aside
  order by case when p_aside and p_order is null then t.hidden_until end,
    case when p_order = 'readiest' then t.app <> all (wedsql.task_applications(p_person)) end,
    case when p_order in ('size', 'readiest') then t.size end,
    case when p_order in ('arrival', 'own') then coalesce(p.at, t.arrived_at) end,
    case when p_order = 'own' then coalesce(p.number, t.job_id) end,
    case when p_order = 'priority' or p_order is null then t.rank end,
    case when p_order = 'deadline' or p_order is null then t.due_at end, t.job_id limit 500)) i;
end $$;

-- Returns the tasks that a person completed or failed, the last first, up to p_limit before the task
-- p_before.
create or replace function wedsql.done_tasks(p_person text, p_before bigint default null,
  p_limit integer default 50) returns setof wedsql.task_item
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select i.* from wedsql.task_items(array(
  select t.job_id from wedsql.task t
  where t.ended_by = p_person and t.ended_at is not null
    and (p_before is null or (t.ended_at, t.job_id)
         < (select o.ended_at, o.job_id from wedsql.task o where o.job_id = p_before))
  order by t.ended_at desc, t.job_id desc limit least(greatest(p_limit, 1), 501))) i
$$;

-- Returns the open tasks of a flow, up to p_limit after the task p_after.
-- Raises: WD001.
create or replace function wedsql.flow_tasks(p_flow text, p_after bigint default 0,
  p_limit integer default 50)
returns setof wedsql.task_item
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select i.* from wedsql.task_items(array(
  -- offset: the flow is looked up in any case
  select o.job_id from wedsql._flow(p_flow) f cross join lateral (
    select t.job_id from wedsql.task t
    where t.flow_id = f.id and t.ended_at is null and t.job_id > p_after
    order by t.job_id limit least(greatest(p_limit, 1), 501) offset 0) o)) i
$$;

-- Returns the tasks of an instance, the last first, up to p_limit; ended ones included.
create or replace function wedsql.instance_tasks(p_wid integer, p_limit integer default 100)
returns setof wedsql.task_item
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select i.* from wedsql.task_items(array(
  select t.job_id from wedsql.task t where t.wid = p_wid
  order by t.job_id desc limit least(greatest(p_limit, 1), 501))) i
$$;

-- Returns the other persons who hold tasks of these instances, 20 at most, who have the most first: how many
-- each has, and since when the last one.
create or replace function wedsql.tasks_of_others(p_wids integer[], p_person text)
returns table (owner text, tasks bigint, since timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select t.owner, count(*), max(t.owned_at)
from wedsql._open_tasks_of(p_wids) t
where t.state in ('S', 'L', 'X') and t.owner <> p_person
group by t.owner order by count(*) desc, t.owner limit 20
$$;

-- Returns the persons who hold tasks of rules of the flow that are not among these, which are what stays of
-- them: how many each has, and since when the last one; 20 at most, who have the most first.
-- Raises: WD001.
create or replace function wedsql.tasks_of_other_rules(p_flow text, p_rules integer[])
returns table (owner text, tasks bigint, since timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select l.* from wedsql._flow(p_flow) f cross join lateral (
  select t.owner, count(*), max(t.owned_at) from wedsql.task t
  where t.flow_id = f.id and t.ended_at is null and t.owner is not null and t.tgid <> all (p_rules)
  group by t.owner order by count(*) desc, t.owner limit 20) l
$$;

-- Returns who holds how many tasks of a flow, and how many of these are late.
-- Raises: WD001.
create or replace function wedsql.task_load(p_flow text)
returns table (owner text, held bigint, late bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select l.* from wedsql._flow(p_flow) f cross join lateral (
  select t.owner, count(*), count(*) filter (where t.due_at < wedsql.now()) from wedsql.task t
  where t.flow_id = f.id and t.ended_at is null and t.owner is not null
  group by t.owner order by count(*) desc, t.owner limit 500) l
$$;

-- Returns who holds how many tasks in these flows (null: in all), and how many of these are late; without an
-- owner those that are open, of which the first 1,001 of a flow are counted. At most 500 rows, by flow, large
-- numbers first.
create or replace function wedsql.team_load(p_flows text[] default null)
returns table (flow text, owner text, held bigint, late bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select f.name::text, l.owner, l.held, l.late from (
  select t.flow_id, t.owner, count(*), count(*) filter (where t.due_at < wedsql.now())
  from wedsql.task t where t.state in ('S', 'L', 'X') group by t.flow_id, t.owner
  union all
  select g.id, null, o.held, o.late from wedsql.flow g cross join lateral (
    select count(*), count(*) filter (where x.due_at < wedsql.now()) from (
      select t.due_at from wedsql.task t
      where t.flow_id = g.id and t.ended_at is null and t.state = 'R' order by t.job_id limit 1001) x)
    o (held, late)
  where g.followed and o.held > 0) l (flow_id, owner, held, late)
join wedsql.flow f on f.id = l.flow_id
where p_flows is null or f.name = any (p_flows)
order by f.name, l.owner is not null, l.held desc, l.owner limit 500
$$;

-- Returns a task with what is needed to perform it: its texts, what it reads and may write with the present
-- values, its outcomes, and `claim`, the token of its holding, for its owner. p_person: who asks.
-- Raises: WD590.
create or replace function wedsql.read_task(p_job bigint, p_person text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
  v_trig wedsql.trig;
  v_flow wedsql.flow;
  v_state jsonb;
  v_writes text[];
begin
  select t.* into v_trig from wedsql.trig t where t.tgid = v_task.tgid;
  select f.* into v_flow from wedsql.flow f where f.id = v_task.flow_id;
  execute format('select to_jsonb(w.*) - ''wid'' from %I.wed_flow w where w.wid = $1', v_flow.name)
    into v_state using v_task.wid;
  v_writes := coalesce(v_trig.writes, array(select a.aname from wedsql.attr a
                                            where a.flow_id = v_flow.id order by a.aid));
  return (select to_jsonb(i) from wedsql.task_items(array[p_job]) i) || jsonb_build_object(
    'description', coalesce(v_trig.description, ''), 'reads', to_jsonb(coalesce(v_trig.reads, '{}')),
    'writes', to_jsonb(array(select w from unnest(v_writes) w
      where w <> all (array(select n from wedsql._outcome_lines(v_trig.outcomes) l
                            cross join lateral unnest(wedsql._outcome_names(l.sets,
                              wedsql._attr_types(v_flow.id))) n where l.sets is not null)))),
    'outcomes', to_jsonb(array(select l.name from wedsql._outcome_lines(v_trig.outcomes) l order by l.place)),
    'application', wedsql._linked(v_trig.application, v_state), 'state_of', v_state,
    'form', wedsql._form_sheet(v_trig, wedsql._attr_types(v_flow.id), v_state),
    'claim', (select j.claim::text from wedsql.job_pool j
              where j.wid = v_task.wid and j.id = p_job and v_task.owner = p_person));
end $$;

-- Returns the link of an application with the values of a state, each encoded for an address; null for none.
create or replace function wedsql._linked(p_link text, p_state jsonb) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  foreach v_name in array wedsql._link_names(p_link) loop
    p_link := replace(p_link, '{' || v_name || '}', wedsql._encoded(coalesce(p_state ->> v_name, '')));
  end loop;
  return p_link;
end $$;

-- Returns a text as a part of a web address.
create or replace function wedsql._encoded(p_text text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(case when c ~ '^[A-Za-z0-9_.~-]$' then c
    else upper(regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', E'%\\1', 'g')) end, ''
    order by place), '')
from regexp_split_to_table(p_text, '') with ordinality s (c, place) where c <> ''
$$;

grant execute on function
  wedsql.take_task(bigint, text, text[], boolean), wedsql.take_first_task(bigint[], text, text[]),
  wedsql.start_task(bigint, text),
  wedsql.release_task(bigint, text, boolean, text),
  wedsql.give_task(bigint, text, text, text, boolean, text),
  wedsql.put_task_aside(bigint, text, timestamptz),
  wedsql.complete_task(bigint, text, jsonb, text, bigint), wedsql.fail_task(bigint, text, text, bigint),
  wedsql.read_task(bigint, text)
to wed_web;
grant execute on function wedsql.task_items(bigint[]), wedsql.done_tasks(text, bigint, integer),
  wedsql.flow_tasks(text, bigint, integer), wedsql.instance_tasks(integer, integer), wedsql.task_load(text),
  wedsql.tasks_of_others(integer[], text),
  wedsql.tasks_of_other_rules(text, integer[]), wedsql.team_load(text[])
to wed_web, wed_monitor;
