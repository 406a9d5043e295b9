-- The instances of a flow as of a moment of the history. What an instance was then is in the last step that
-- was recorded until that moment: every change of a state or a status writes a step, a cancellation and a
-- suspension, too. Instances that retention has removed since are missing.

-- Returns the last step of an instance that was recorded until p_at. Steps before p_from are not looked for,
-- so that partitions of earlier months are not read. One statement, which PostgreSQL inlines.
create or replace function wedsql.last_step(p_wid integer, p_from timestamptz, p_at timestamptz)
returns table (seq integer, status "char", at timestamptz, state jsonb)
language sql stable rows 1 as $$
select t.seq, t.status, t.tstmp, t.state from wedsql.wed_trace t
where t.wid = p_wid and t.tstmp >= p_from and t.tstmp <= p_at order by t.seq desc limit 1
$$;

-- Returns a time before the last step of an instance that was recorded until p_at, as p_from of last_step: an
-- instance that has not changed since then needs no search in the months before. The clock may have been set
-- back by a day. One expression, which PostgreSQL inlines.
create or replace function wedsql.search_from(
  p_started timestamptz, p_changed timestamptz, p_at timestamptz) returns timestamptz
language sql stable as $$
select case when p_changed <= p_at then p_changed else p_started end - interval '1 day'
$$;

-- Returns a number that is above those of all instances of a flow that started until p_at: of an instance
-- that started more than a day later, and almost the first of these. Numbers follow the time but for a clock
-- that was set back.
create or replace function wedsql.wids_until(p_flow integer, p_at timestamptz) returns integer
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_low integer := 0;
  v_high integer := 2147483647;
  v_middle integer;
  v_bound integer := 2147483647;
  v_one record;
begin
  while v_high - v_low > 1 loop
    v_middle := v_low + (v_high - v_low) / 2;
    select i.wid, i.started_at into v_one from wedsql.instance i
    where i.flow_id = p_flow and i.wid >= v_middle order by i.wid limit 1;
    if not found then
      v_high := v_middle;
    elsif v_one.started_at > p_at + interval '1 day' then
      v_high := v_middle;
      v_bound := v_one.wid;
    else
      v_low := v_one.wid;
    end if;
  end loop;
  return v_bound;
end $$;

-- Returns the instances that may have been living at p_at: without those that ended before. The first part
-- reads an index by status, the second one by the time of the end. One statement, which PostgreSQL inlines.
create or replace function wedsql.living_until(p_flow integer, p_at timestamptz, p_below integer)
returns setof wedsql.instance
language sql stable as $$
select i.* from wedsql.instance i
where i.flow_id = p_flow and i.status = any ('{R,E,S,X}'::"char"[]) and i.finished_at is null
  and i.wid < p_below and i.started_at <= p_at
union all
select i.* from wedsql.instance i
where i.flow_id = p_flow and i.finished_at > p_at and i.wid < p_below and i.started_at <= p_at
$$;

-- Returns how many instances a flow had in each status at p_at. Examines at most p_max of those that were
-- living, and counts as many of those that had ended; null for no limit. "capped" says that there are more.
-- Raises: WD001.
create or replace function wedsql.population(p_flow text, p_at timestamptz, p_max integer default 10000)
returns table (status "char", n bigint, capped boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_below integer := wedsql.wids_until(v_flow, p_at);
begin
  return query
  with ended as materialized (
    select i.status from wedsql.instance i where i.flow_id = v_flow and i.finished_at <= p_at
    order by i.finished_at desc limit p_max + 1),
  examined as materialized (
    select i.wid, i.started_at, i.changed_at from wedsql.living_until(v_flow, p_at, v_below) i
    limit p_max + 1),
  found as (
    select e.status, false as living from ended e
    union all
    select s.status, true from examined e
    cross join lateral wedsql.last_step(e.wid, wedsql.search_from(e.started_at, e.changed_at, p_at), p_at) s),
  more as (
    select (select count(*) > p_max from ended) as ended, (select count(*) > p_max from examined) as living)
  select f.status, least(count(*), p_max::bigint),
         coalesce(bool_or(not f.living) and m.ended or bool_or(f.living) and m.living, false)
  from found f cross join more m group by f.status, m.ended, m.living;
end $$;

-- Returns a state of the history as a row of its flow's table. A value that the attribute cannot have now,
-- whose type was changed since, is null, and so is one that did not exist then.
create or replace function wedsql.past_row(p_row anyelement, p_wid integer, p_state jsonb) returns anyelement
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_one record;
begin
  return jsonb_populate_record(p_row, p_state || jsonb_build_object('wid', p_wid));
exception when others then
  p_row := jsonb_populate_record(p_row, jsonb_build_object('wid', p_wid));
  for v_one in select * from jsonb_each(p_state) e (name, value) loop
    begin
      p_row := jsonb_populate_record(p_row, jsonb_build_object(v_one.name, v_one.value));
    exception when others then
      continue;
    end;
  end loop;
  return p_row;
end $$;

-- Returns the time of the first instance of a flow that is kept; null without any.
-- Raises: WD001.
create or replace function wedsql.kept_since(p_flow text) returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select i.started_at from wedsql._flow(p_flow) f cross join lateral (
  select n.started_at from wedsql.instance n where n.flow_id = f.id order by n.wid limit 1) i
$$;

grant execute on function wedsql.last_step(integer, timestamptz, timestamptz),
  wedsql.search_from(timestamptz, timestamptz, timestamptz), wedsql.wids_until(integer, timestamptz),
  wedsql.living_until(integer, timestamptz, integer), wedsql.population(text, timestamptz, integer),
  wedsql.past_row(anyelement, integer, jsonb), wedsql.kept_since(text) to wed_web;
