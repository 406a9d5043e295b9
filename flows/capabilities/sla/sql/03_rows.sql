-- SLAs for clients. Whoever defines one may operate its flow; that is checked by the caller.

-- Returns an SLA for clients: with its duration in seconds, and the share of instances whose clocks are
-- computed, estimated by their numbers.
create or replace function wedsql._shown_sla(p_sla wedsql.sla) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_sla) - '{flow_id,calendar_id,compiled,below}'::text[] || jsonb_build_object(
  'flow', (select f.name from wedsql.flow f where f.id = p_sla.flow_id),
  'calendar', coalesce((select c.name from wedsql.calendar c where c.id = p_sla.calendar_id), ''),
  'duration', extract(epoch from p_sla.duration)::float8,
  'computed', case when p_sla.below is null then 1 else (
    select coalesce(greatest(0, (x.top - p_sla.below + 1)::float8 / (x.top - x.low + 1)), 0)
    from (select (select min(i.wid) from wedsql.instance i where i.flow_id = p_sla.flow_id)::bigint as low,
                 (select max(i.wid) from wedsql.instance i where i.flow_id = p_sla.flow_id)::bigint as top) x)
    end)
$$;

-- Returns the three predicates of an SLA as they are evaluated.
-- Raises: WD001, WD005, WD006.
create or replace function wedsql._compiled_sla(p_flow text, p_sla wedsql.sla) returns text[]
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_compiled text[] := '{true,false,false}';
  v_given text[] := array[p_sla.start_when, p_sla.stop_when, p_sla.pause_when];
  v_number bigint;
begin
  for n in 1..3 loop
    if v_given[n] <> '' then
      if n > 1 then
        perform wedsql._compile_possible(v_given[n], wedsql._attr_types(f.id))
        from wedsql.flow f where f.name = p_flow;
      elsif (select wedsql._is_never_true(v_given[n], wedsql._attr_types(f.id))
             from wedsql.flow f where f.name = p_flow) then
        v_compiled[n] := 'false';
        continue;
      end if;
      v_number := wedsql.prepare_filter(p_flow, v_given[n]);
      v_compiled[n] := (select p.canonical from wedsql.filter_predicate p where p.id = v_number);
    end if;
  end loop;
  return v_compiled;
end $$;

-- Locks and returns an SLA of a flow.
-- Raises: WD513.
create or replace function wedsql._locked_sla(p_flow integer, p_sla bigint) returns wedsql.sla
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_sla wedsql.sla;
begin
  select * into v_sla from wedsql.sla s where s.id = p_sla and s.flow_id = p_flow for update;
  if not found then
    perform wedsql._raise('WD513', 'There is no SLA {sla}.', 'It may have been removed.',
      jsonb_build_object('sla', p_sla));
  end if;
  return v_sla;
end $$;

-- Rejects an SLA that cannot be computed.
-- Raises: WD512.
create or replace function wedsql._check_sla(p_sla wedsql.sla) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(p_sla.name, '') = '' or length(p_sla.name) > 80 then
    perform wedsql._raise('WD512', 'The name of an SLA has 1 to {limit} characters.', 'Give it a short name.',
      jsonb_build_object('limit', 80));
  elsif greatest(length(p_sla.start_when), length(p_sla.stop_when), length(p_sla.pause_when)) > 4000 then
    perform wedsql._raise('WD512', 'A condition of an SLA has at most {limit} characters.',
      'Use shorter conditions.', jsonb_build_object('limit', 4000));
  elsif p_sla.duration is null or not p_sla.duration between interval '1 minute' and interval '366 days' then
    perform wedsql._raise('WD512', 'The time of an SLA is from 1 minute to 366 days.', 'Give such a time.');
  elsif wedsql._after_working_time(p_sla.calendar_id, wedsql.now(), p_sla.duration) = 'infinity' then
    perform wedsql._raise('WD512', 'The calendar "{name}" does not have so much working time.',
      'Use a shorter time, or a calendar with more working hours.', jsonb_build_object('name',
        (select c.name from wedsql.calendar c where c.id = p_sla.calendar_id)));
  elsif exists (select from wedsql.sla s where s.flow_id = p_sla.flow_id and s.name = p_sla.name
                and s.id is distinct from p_sla.id) then
    perform wedsql._raise('WD512', 'The flow has an SLA "{name}" already.', 'Choose another name.',
      jsonb_build_object('name', p_sla.name));
  end if;
end $$;

-- Returns the SLA that a client gives: the columns of wedsql.sla, "duration" in seconds, "calendar" by name.
-- Raises: WD512.
create or replace function wedsql._given_sla(p_flow wedsql.flow, p_sla jsonb, p_id bigint) returns wedsql.sla
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_sla wedsql.sla;
begin
  v_sla.id := p_id;
  v_sla.flow_id := p_flow.id;
  v_sla.name := btrim(p_sla ->> 'name');
  v_sla.start_when := btrim(coalesce(p_sla ->> 'start_when', ''));
  v_sla.stop_when := btrim(coalesce(p_sla ->> 'stop_when', ''));
  v_sla.pause_when := btrim(coalesce(p_sla ->> 'pause_when', ''));
  v_sla.duration := case when (p_sla ->> 'duration')::float8 between 0 and 1e9
                    then make_interval(secs => (p_sla ->> 'duration')::float8) end;
  v_sla.calendar_id := wedsql._named_calendar(p_flow.name, coalesce(p_sla ->> 'calendar', ''));
  v_sla.enabled := coalesce((p_sla ->> 'enabled')::boolean, true);
  return v_sla;
end $$;

-- Saves an SLA; p_sla is as in _given_sla. With p_id an existing one is replaced. The reaper computes its
-- clocks, for the past, too; again if anything but its name has changed.
-- Locks: the SLAs and calendars of the flow against others that are saved or removed (wedsql._alone).
-- Raises: WD001, WD005, WD006, WD512, WD513.
create or replace function wedsql.save_sla(p_flow text, p_sla jsonb, p_actor text, p_id bigint default null)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_old wedsql.sla;
  v_new wedsql.sla;
begin
  perform wedsql._alone('sla', p_flow), wedsql._alone('calendar', p_flow);
  v_new := wedsql._given_sla(v_flow, p_sla, p_id);
  if p_id is not null then
    v_old := wedsql._locked_sla(v_flow.id, p_id);
  elsif (select count(*) from wedsql.sla s where s.flow_id = v_flow.id) >= 20 then
    perform wedsql._raise('WD512', 'The flow has {limit} SLAs; there can be no more.',
      'Remove those that are not needed.', jsonb_build_object('limit', 20));
  end if;
  perform wedsql._check_sla(v_new);
  v_new.compiled := wedsql._compiled_sla(v_flow.name, v_new);
  if v_new.compiled[1] in (v_new.compiled[2], 'false') or v_new.compiled[2] = 'true' then
    perform wedsql._raise('WD512', 'The clock of the SLA "{name}" would never start.',
      'It starts where the start condition holds and the stop condition does not.',
      jsonb_build_object('name', v_new.name));
  end if;
  if p_id is null then
    insert into wedsql.sla (flow_id, name, start_when, stop_when, pause_when, duration, calendar_id, enabled,
      changed_by, changed_at, compiled, below)
    values (v_flow.id, v_new.name, v_new.start_when, v_new.stop_when, v_new.pause_when, v_new.duration,
      v_new.calendar_id, v_new.enabled, p_actor, wedsql.now(), v_new.compiled, 2147483647)
    returning * into v_new;
  else
    update wedsql.sla s
    set name = v_new.name, start_when = v_new.start_when, stop_when = v_new.stop_when,
        pause_when = v_new.pause_when, duration = v_new.duration, calendar_id = v_new.calendar_id,
        enabled = v_new.enabled, compiled = v_new.compiled, revision = s.revision + 1, changed_by = p_actor,
        changed_at = wedsql.now(), error = null,
        below = case when (v_new.compiled, v_new.duration, v_new.calendar_id, v_new.enabled)
                          is distinct from (s.compiled, s.duration, s.calendar_id, s.enabled)
                       or s.error is not null then 2147483647 else s.below end
    where s.id = p_id returning * into v_new;
  end if;
  return wedsql._shown_sla(v_new);
end $$;

-- Removes an SLA with its clocks.
-- Locks: the SLA.
-- Raises: WD001, WD513.
create or replace function wedsql.delete_sla(p_flow text, p_id bigint, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._locked_sla((wedsql._flow(p_flow)).id, p_id);
  perform wedsql._changing(p_actor);
  delete from wedsql.sla s where s.id = p_id;
end $$;

-- Returns the SLAs of these flows, or with null of all.
create or replace function wedsql.list_slas(p_flows text[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_sla(s) from wedsql.sla s join wedsql.flow f on f.id = s.flow_id
where p_flows is null or f.name = any (p_flows) order by f.name, s.name limit 1000
$$;

-- Returns the state of a clock at a time: running, at_risk (runs, and 80 % are used), paused, breached, met,
-- or cancelled. flows/filters has the same as conditions that use indexes.
create or replace function wedsql.sla_state(p_clock wedsql.sla_clock, p_now timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_clock.stopped_at is not null then p_clock.state
            when p_clock.breached_at is not null or p_clock.due_at < p_now then 'breached'
            when p_clock.risk_at <= p_now then 'at_risk' else p_clock.state end
$$;

-- Returns the clocks of an instance, of SLAs that are enabled: those that were started last first.
create or replace function wedsql.list_clocks(p_wid integer) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('sla', s.name, 'calendar', coalesce(k.name, ''), 'zone', coalesce(k.zone, 'UTC'),
  'state', wedsql.sla_state(c, n.at), 'duration', extract(epoch from s.duration)::float8,
  'used', extract(epoch from c.used + case when c.state = 'running' then wedsql._working_time(
    s.calendar_id, c.changed_at, n.at) else '0' end)::float8,
  'started_at', c.started_at, 'started_seq', c.started_seq,
  'due_at', case when isfinite(c.due_at) then c.due_at end, 'breached_at',
  coalesce(c.breached_at, case when c.due_at < n.at and c.stopped_at is null then c.due_at end),
  'paused_at', case when c.state = 'paused' then c.changed_at end, 'stopped_at', c.stopped_at, 'last', c.last)
from (select wedsql.now() as at) n, wedsql.sla_clock c
join wedsql.sla s on s.id = c.sla_id and s.enabled left join wedsql.calendar k on k.id = s.calendar_id
where c.wid = p_wid order by c.last desc, c.started_at desc, s.name limit 100
$$;

grant execute on function wedsql.save_sla(text, jsonb, text, bigint), wedsql.delete_sla(text, bigint, text),
  wedsql.list_slas(text[]), wedsql.list_clocks(integer) to wed_web;
