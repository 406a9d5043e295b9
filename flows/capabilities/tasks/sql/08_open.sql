-- The tasks that are open to a person, in each order. A person belongs to many audiences; the tasks of each
-- are read by its own index, in two passes: the first finds where the page ends, the second reads up to
-- there.

-- Raises: WD009 for an order that there is not.
create or replace function wedsql._check_order(p_order text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_order is null or p_order not in ('arrival', 'priority', 'deadline', 'size', 'readiest', 'own') then
    perform wedsql._raise('WD009', 'Tasks are listed by arrival, priority, deadline, size, readiest or own.');
  end if;
end $$;

-- Creates the function that returns the open tasks of some audiences in an order: p_limit after the task
-- p_after, of these flows (null: all), besides p_besides. It is generated for each column of an order, so
-- that its statements have plans of their own, which the session keeps, and once more for tasks of some flows
-- only: of each audience and flow they are read by their own index, whatever comes before them.
create or replace function wedsql._gen_open_tasks(p_order text, p_column text, p_type text, p_least text,
  p_most text, p_of_flows boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $gen$
begin
  execute format($f$
create or replace function wedsql._open_by_%1$s%6$s(p_person text, p_keys text[], p_after wedsql.task,
  p_limit integer, p_flows integer[], p_besides bigint[]) returns setof wedsql.task_item
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  -- Any number is right, this one is cheap.
  v_each integer := p_limit / greatest(cardinality(p_keys) %9$s, 1) + 4;
  v_from %3$s := coalesce(p_after.%2$s, %4$L);
  v_after bigint := coalesce(p_after.job_id, -9223372036854775808);
  v_to %3$s;
  v_last bigint;
begin
  %10$s
  select c.%2$s, c.job_id into v_to, v_last
  from unnest(p_keys) k %7$s cross join lateral (
    select t.%2$s, t.job_id from wedsql.task t
    where t.audience = k and t.state = 'R' and (t.%2$s, t.job_id) > (v_from, v_after)
      and p_person <> all (t.excluded) %8$s
      and t.job_id <> all (p_besides)
    order by %11$s t.%2$s, t.job_id limit v_each) c
  order by c.%2$s, c.job_id offset p_limit - 1 limit 1;
  v_to := coalesce(v_to, %5$L);
  v_last := coalesce(v_last, 9223372036854775807);
  return query
  select t.job_id, t.wid, f.name::text, t.tgid, coalesce(g.trname, ''),
    coalesce(nullif(g.label, ''), g.trname, ''), t.state, t.audience, t.owner, (- t.rank)::smallint,
    t.arrived_at, nullif(t.due_at, 'infinity'), t.owned_at, null::timestamptz, t.given_by,
    coalesce(g.offline, false), t.ended_at, t.ended_by, t.outcome, t.seq, t.size
  from (
    select c.* from unnest(p_keys) k %7$s cross join lateral (
      select t.* from wedsql.task t
      where t.audience = k and t.state = 'R' and (t.%2$s, t.job_id) > (v_from, v_after)
        and (t.%2$s, t.job_id) <= (v_to, v_last)
        and p_person <> all (t.excluded) %8$s
        and t.job_id <> all (p_besides)
      order by %11$s t.%2$s, t.job_id limit p_limit) c
    order by c.%2$s, c.job_id limit p_limit) t
  join wedsql.flow f on f.id = t.flow_id left join wedsql.trig g on g.tgid = t.tgid
  order by t.%2$s, t.job_id;
end $$ $f$, p_order, p_column, p_type, p_least, p_most, case when p_of_flows then '_of' else '' end,
  case when p_of_flows then 'cross join unnest(p_flows) f (id)' else '' end,
  case when p_of_flows then 'and t.flow_id = f.id' else '' end,
  case when p_of_flows then '* cardinality(p_flows)' else '' end,
  case when p_of_flows then '' else format('if p_flows is not null then
    return query select * from wedsql._open_by_%s_of(p_person, p_keys, p_after, p_limit, p_flows, p_besides);
    return;
  end if;', p_order) end,
  case when p_of_flows then 't.flow_id,' else '' end);  -- so that no index without the flow has the order
end $gen$;

do $$
begin
  perform wedsql._gen_open_tasks('arrival', 'arrived_at', 'timestamptz', '-infinity', 'infinity', f.of_flows),
    wedsql._gen_open_tasks('priority', 'rank', 'smallint', '-32768', '32767', f.of_flows),
    wedsql._gen_open_tasks('deadline', 'due_at', 'timestamptz', '-infinity', 'infinity', f.of_flows)
  from (values (true), (false)) f (of_flows);
end $$;

-- Returns the audiences of a person, each once: the given ones, and those that the kernel knows.
create or replace function wedsql._all_keys(p_person text, p_keys text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return array(select distinct k from unnest(p_keys || wedsql.person_keys(p_person)) k where k is not null);
end $$;

-- Returns the open tasks that a person with these keys may take, up to p_limit after the task p_after, in an
-- order: 'arrival', 'priority', 'deadline', 'size' (of the data), 'readiest' (first those that need no
-- application that the person has not used yet, of these the ones with the fewest data), or 'own'.
-- Raises: WD009 for another order.
create or replace function wedsql.open_tasks(p_person text, p_keys text[], p_order text default 'arrival',
  p_after bigint default null, p_limit integer default 50, p_flows text[] default null)
returns setof wedsql.task_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_limit integer := least(greatest(p_limit, 1), 501);
  v_keys text[] := wedsql._all_keys(p_person, p_keys);
  v_flows integer[];
  v_after wedsql.task;
begin
  perform wedsql._check_order(p_order);
  if p_flows is not null then
    v_flows := array(select f.id from wedsql.flow f where f.name = any (p_flows));
  end if;
  if p_after is not null then
    select t.* into v_after from wedsql.task t where t.job_id = p_after;
  end if;
  case p_order
  when 'arrival' then
    return query select * from wedsql._open_by_arrival(p_person, v_keys, v_after, v_limit, v_flows, '{}');
  when 'priority' then
    return query select * from wedsql._open_by_priority(p_person, v_keys, v_after, v_limit, v_flows, '{}');
  when 'deadline' then
    return query select * from wedsql._open_by_deadline(p_person, v_keys, v_after, v_limit, v_flows, '{}');
  when 'own' then
    return query select * from wedsql._open_by_own(p_person, v_keys, v_after, v_limit, v_flows);
  else
    return query select * from wedsql._open_by_size(p_person, v_keys, v_after, v_limit, v_flows,
                                                    p_order = 'readiest');
  end case;
end $$;

-- The open tasks of an audience with an application, behind a size and up to another; later: after those of
-- the other streams.
do $$
begin
  if to_regtype('wedsql.task_stream') is null then
    create type wedsql.task_stream as (audience text, app integer, later boolean, from_size bigint,
                                       from_job bigint, to_size bigint, to_job bigint);
  end if;
end $$;

-- Returns the applications of the open tasks of some audiences, each with its audience: one look into the
-- index for each.
create or replace function wedsql._open_applications(p_keys text[])
returns table (audience text, app integer)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
  select k, a.app from unnest(p_keys) k cross join lateral (
    with recursive found as (
      (select t.app from wedsql.task t where t.audience = k and t.state = 'R' order by t.app limit 1)
      union all
      select (select t.app from wedsql.task t where t.audience = k and t.state = 'R' and t.app > f.app
              order by t.app limit 1) from found f where f.app is not null)
    select f.app from found f where f.app is not null limit 200) a;
end $$;

-- Returns the open tasks of some audiences, those with the fewest data first; with p_readiest first those
-- whose application the person has used, or that have none.
create or replace function wedsql._open_by_size(p_person text, p_keys text[], p_after wedsql.task,
  p_limit integer, p_flows integer[], p_readiest boolean) returns setof wedsql.task_item
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_ready integer[] := case when p_readiest then wedsql.task_applications(p_person) end;
  v_later boolean := coalesce(p_after.app <> all (v_ready), false);  -- the page before ended among the others
  v_streams wedsql.task_stream[];
  v_end wedsql.task;
begin
  v_streams := array(
    select row(a.audience, a.app, s.later,
      case when s.later = v_later then coalesce(p_after.size, -1) else -1 end,
      case when s.later = v_later then coalesce(p_after.job_id, 0) else 0 end,
      9223372036854775807, 9223372036854775807)::wedsql.task_stream
    from wedsql._open_applications(p_keys) a
    cross join lateral (select coalesce(a.app <> all (v_ready), false) as later) s
    where s.later or not v_later);
  v_end := t from wedsql.task t where t.job_id = (
    wedsql._of_streams(v_streams, p_person, p_flows, p_limit / greatest(cardinality(v_streams), 1) + 4,
                       p_limit))[p_limit];
  if v_end.job_id is not null then
    v_later := coalesce(v_end.app <> all (v_ready), false);
    v_streams := array(
      select row(s.audience, s.app, s.later, s.from_size, s.from_job,
        case when s.later = v_later then v_end.size else s.to_size end,
        case when s.later = v_later then v_end.job_id else s.to_job end)::wedsql.task_stream
      from unnest(v_streams) s where v_later or not s.later);
  end if;
  return query select * from wedsql.task_items(wedsql._of_streams(v_streams, p_person, p_flows, p_limit,
                                                                  p_limit));
end $$;

-- Returns the first p_limit tasks of some streams, each the open tasks of an audience with an application
-- between two sizes, of which p_each are read.
create or replace function wedsql._of_streams(p_streams wedsql.task_stream[], p_person text,
  p_flows integer[], p_each integer, p_limit integer) returns bigint[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return array(
    select c.job_id from unnest(p_streams) k cross join lateral (
      select t.size, t.job_id from wedsql.task t
      where t.audience = k.audience and t.state = 'R' and t.app = k.app
        and (t.size, t.job_id) > (k.from_size, k.from_job) and (t.size, t.job_id) <= (k.to_size, k.to_job)
        and p_person <> all (t.excluded) and (p_flows is null or t.flow_id = any (p_flows))
      order by t.size, t.job_id limit p_each) c
    order by k.later, c.size, c.job_id limit p_limit);
end $$;

-- Returns the open tasks of some audiences in the person's own order: those that the person has put somewhere
-- are there, the others in the order of their arrival.
create or replace function wedsql._open_by_own(p_person text, p_keys text[], p_after wedsql.task,
  p_limit integer, p_flows integer[]) returns setof wedsql.task_item
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_placed bigint[] := array(select p.job_id from wedsql.task_place p where p.person = p_person);
  v_place wedsql.task_place := wedsql._place_of(p_person, p_after);
  v_found bigint[];
begin
  p_after.arrived_at := v_place.at;
  p_after.job_id := floor(v_place.number)::bigint;  -- a number of an arrival is whole
  v_found := array(
    select o.job_id from (
      select i.arrived_at as at, i.job_id::numeric as number, i.job_id
      from wedsql._open_by_arrival(p_person, p_keys, p_after, p_limit, p_flows, v_placed) i
      union all
      select p.at, p.number, p.job_id
      from wedsql.task_place p join wedsql.task t on t.job_id = p.job_id
      where p.person = p_person and t.state = 'R' and t.audience = any (p_keys)
        and p_person <> all (t.excluded) and (p_flows is null or t.flow_id = any (p_flows))
        and (v_place.at is null or (p.at, p.number) > (v_place.at, v_place.number))) o
    order by o.at, o.number limit p_limit);
  return query select * from wedsql.task_items(v_found);
end $$;

-- Returns what has come to a person since a task, the newest first, for a notification; with null the newest
-- one.
create or replace function wedsql.newest_tasks(p_person text, p_keys text[], p_after bigint default null,
  p_limit integer default 5) returns setof wedsql.task_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_limit integer := case when p_after is null then 1 else least(greatest(p_limit, 1), 100) end;
  v_keys text[] := wedsql._all_keys(p_person, p_keys);
begin
  return query select * from wedsql.task_items(array(
    select c.job_id from unnest(v_keys) k cross join lateral (
      select t.arrived_at, t.job_id from wedsql.task t
      where t.audience = k and t.state = 'R' and p_person <> all (t.excluded)
      order by t.arrived_at desc, t.job_id desc limit v_limit) c
    where p_after is null or c.job_id > p_after
    order by c.arrived_at desc, c.job_id desc limit v_limit));
end $$;

grant execute on function wedsql.open_tasks(text, text[], text, bigint, integer, text[]),
  wedsql.newest_tasks(text, text[], bigint, integer), wedsql.own_tasks(text, boolean, text)
to wed_web, wed_monitor, wed_reaper;
