-- Calendars for clients. Whoever defines one may operate its flow; that is checked by the caller.

-- Returns a calendar for clients.
create or replace function wedsql._shown_calendar(p_calendar wedsql.calendar) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_calendar) - 'flow_id' || jsonb_build_object(
  'flow', (select f.name from wedsql.flow f where f.id = p_calendar.flow_id),
  'used_by', (select coalesce(jsonb_agg(s.name order by s.name), '[]') from wedsql.sla s
              where s.calendar_id = p_calendar.id))
$$;

-- Returns whether these are working hours: ranges per weekday, in order, that do not overlap.
create or replace function wedsql._are_hours(p_hours jsonb) returns boolean
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(p_hours) is distinct from 'object' then
    return false;
  elsif exists (select from jsonb_each(p_hours) d
                where d.key !~ '^[1-7]$' or jsonb_typeof(d.value) <> 'array') then
    return false;
  elsif exists (select from jsonb_each(p_hours) d where jsonb_array_length(d.value) > 8) then
    return false;
  elsif exists (
    select from jsonb_each(p_hours) d cross join lateral jsonb_array_elements(d.value) r
    where jsonb_typeof(r) <> 'array' or jsonb_typeof(r -> 0) is distinct from 'string'
      or jsonb_typeof(r -> 1) is distinct from 'string' or r -> 2 is not null) then
    return false;
  end if;
  return not exists (
    select from (
      select r ->> 0 as start, r ->> 1 as stop,
             lag(r ->> 1, 1, '') over (partition by d.key order by n.ordinality) as earlier
      from jsonb_each(p_hours) d
      cross join lateral jsonb_array_elements(d.value) with ordinality n (r, ordinality)) x
    where x.start !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' or x.stop !~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'
      or x.stop <= x.start collate "C" or x.start < x.earlier collate "C");
end $$;

-- Returns whether these are holidays: names by days from 2000 to 2099.
create or replace function wedsql._are_holidays(p_holidays jsonb) returns boolean
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_typeof(p_holidays) is not distinct from 'object' and not exists (
    select from jsonb_each(p_holidays) h
    where h.key !~ '^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'
      or jsonb_typeof(h.value) <> 'string' or length(h.value #>> '{}') > 80)
    and (select count(*) from jsonb_object_keys(p_holidays)) <= 2000
    and not exists (select from jsonb_object_keys(p_holidays) d
                    where to_char(to_date(d, 'YYYY-MM-DD'), 'YYYY-MM-DD') <> d);
exception when datetime_field_overflow then
  return false;
end $$;

-- Rejects a calendar whose working time cannot be computed.
-- Raises: WD512.
create or replace function wedsql._check_calendar(p_calendar wedsql.calendar) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(p_calendar.name, '') = '' or length(p_calendar.name) > 80 then
    perform wedsql._raise('WD512', 'The name of a calendar has 1 to {limit} characters.',
      'Give it a short name.', jsonb_build_object('limit', 80));
  elsif not exists (select from pg_timezone_names z where z.name = p_calendar.zone) then
    perform wedsql._raise('WD512', 'There is no time zone "{zone}".',
      'Use the name of a zone such as Europe/Berlin.', jsonb_build_object('zone', left(p_calendar.zone, 80)));
  elsif not wedsql._are_hours(p_calendar.hours) then
    perform wedsql._raise('WD512', 'The working hours of the calendar "{name}" cannot be read.',
      'Give up to 8 ranges per weekday in their order, such as 09:00-12:30, 13:30-18:00.',
      jsonb_build_object('name', p_calendar.name));
  elsif not wedsql._are_holidays(p_calendar.holidays) then
    perform wedsql._raise('WD512', 'The holidays of the calendar "{name}" cannot be read.',
      'Give up to 2,000 days such as 2026-12-25, each with a name of at most 80 characters.',
      jsonb_build_object('name', p_calendar.name));
  end if;
end $$;

-- Locks and returns a calendar of a flow.
-- Raises: WD513.
create or replace function wedsql._locked_calendar(p_flow integer, p_calendar bigint) returns wedsql.calendar
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_calendar wedsql.calendar;
begin
  select * into v_calendar from wedsql.calendar c
  where c.id = p_calendar and c.flow_id = p_flow for update;
  if not found then
    perform wedsql._raise('WD513', 'There is no calendar {calendar}.', 'It may have been removed.',
      jsonb_build_object('calendar', p_calendar));
  end if;
  return v_calendar;
end $$;

-- Saves a calendar of a flow; p_calendar has "name", "zone", "hours" and "holidays". With p_id an existing
-- one is replaced, and the clocks of its SLAs are computed again, for the past, too.
-- Locks: the calendar, its SLAs.
-- Raises: WD001, WD512, WD513.
create or replace function wedsql.save_calendar(p_flow text, p_calendar jsonb, p_actor text,
  p_id bigint default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_old wedsql.calendar;
  v_new wedsql.calendar;
begin
  perform wedsql._alone('calendar', p_flow);
  if p_id is not null then
    v_old := wedsql._locked_calendar(v_flow, p_id);
  elsif (select count(*) from wedsql.calendar c where c.flow_id = v_flow) >= 20 then
    perform wedsql._raise('WD512', 'The flow has {limit} calendars; there can be no more.',
      'Remove those that are not needed.', jsonb_build_object('limit', 20));
  end if;
  v_new.name := btrim(p_calendar ->> 'name');
  v_new.zone := p_calendar ->> 'zone';
  v_new.hours := p_calendar -> 'hours';
  v_new.holidays := coalesce(p_calendar -> 'holidays', '{}');
  perform wedsql._check_calendar(v_new);
  if exists (select from wedsql.calendar c
             where c.flow_id = v_flow and c.name = v_new.name and c.id is distinct from p_id) then
    perform wedsql._raise('WD512', 'The flow has a calendar "{name}" already.', 'Choose another name.',
      jsonb_build_object('name', v_new.name));
  end if;
  if v_old.name <> v_new.name then
    perform from wedsql.flow f where f.id = v_flow for no key update;  -- against a publication that names it
    perform wedsql._check_no_deadlines(v_old);
  end if;
  if p_id is null then
    insert into wedsql.calendar (flow_id, name, zone, hours, holidays, changed_by, changed_at)
    values (v_flow, v_new.name, v_new.zone, v_new.hours, v_new.holidays, p_actor, wedsql.now())
    returning * into v_new;
  else
    update wedsql.calendar c
    set name = v_new.name, zone = v_new.zone, hours = v_new.hours, holidays = v_new.holidays,
        revision = c.revision + 1, changed_by = p_actor, changed_at = wedsql.now()
    where c.id = p_id returning * into v_new;
  end if;
  if (v_old.zone, v_old.hours, v_old.holidays) is distinct from (v_new.zone, v_new.hours, v_new.holidays) then
    perform wedsql._fill_calendar(v_new);
    update wedsql.sla s set revision = s.revision + 1, below = 2147483647 where s.calendar_id = v_new.id;
  end if;
  return wedsql._shown_calendar(v_new);
end $$;

-- Removes a calendar that no SLA uses.
-- Locks: the calendar.
-- Raises: WD001, WD512, WD513.
create or replace function wedsql.delete_calendar(p_flow text, p_id bigint, p_actor text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_calendar wedsql.calendar;
begin
  perform wedsql._alone('calendar', p_flow);
  perform from wedsql.flow f where f.id = v_flow for no key update;  -- against a publication that names it
  v_calendar := wedsql._locked_calendar(v_flow, p_id);
  if exists (select from wedsql.sla s where s.calendar_id = p_id) then
    perform wedsql._raise('WD512', 'The calendar "{name}" is used by an SLA.',
      'Give that SLA another calendar first.', jsonb_build_object('name', v_calendar.name));
  end if;
  perform wedsql._check_no_deadlines(v_calendar);
  perform wedsql._changing(p_actor);
  delete from wedsql.calendar c where c.id = p_id;
end $$;

-- Raises: WD512 where deadlines of tasks count by a calendar, which is about to be removed or renamed.
create or replace function wedsql._check_no_deadlines(p_calendar wedsql.calendar) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from wedsql.flow f where f.id = p_calendar.flow_id and f.task_calendar = p_calendar.name)
  then
    perform wedsql._raise('WD512', 'The deadlines of tasks count by the calendar "{name}".',
      'Publish the flow with another calendar of deadlines first.',
      jsonb_build_object('name', p_calendar.name));
  end if;
end $$;

-- Returns the calendars of these flows, or with null of all.
create or replace function wedsql.list_calendars(p_flows text[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_calendar(c) from wedsql.calendar c join wedsql.flow f on f.id = c.flow_id
where p_flows is null or f.name = any (p_flows) order by f.name, c.name limit 1000
$$;

-- Returns the calendar of a flow by its number.
-- Raises: WD512.
create or replace function wedsql._named_calendar(p_flow text, p_calendar text) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_id bigint := (select c.id from wedsql.calendar c where c.flow_id = v_flow and c.name = p_calendar);
begin
  if v_id is null and p_calendar <> '' then
    perform wedsql._raise('WD512', 'The flow has no calendar "{name}".', 'Choose one of its calendars.',
      jsonb_build_object('name', left(p_calendar, 80)));
  end if;
  return v_id;
end $$;

-- Returns the working time between two instants; p_calendar: a name, or '' for all the time.
-- Raises: WD001, WD512.
create or replace function wedsql.working_time(p_flow text, p_calendar text, p_from timestamptz,
  p_to timestamptz) returns interval
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select wedsql._working_time(wedsql._named_calendar(p_flow, p_calendar), p_from, p_to)
$$;

-- Returns the first instant at which so much working time has passed since p_from.
-- Raises: WD001; WD512, also if the calendar does not have so much, up to twelve years ahead.
create or replace function wedsql.after_working_time(p_flow text, p_calendar text, p_from timestamptz,
  p_time interval) returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_at timestamptz := wedsql._after_working_time(wedsql._named_calendar(p_flow, p_calendar), p_from, p_time);
begin
  if v_at = 'infinity' then
    perform wedsql._raise('WD512', 'The calendar "{name}" does not have so much working time.',
      'Use a shorter time, or a calendar with more working hours.', jsonb_build_object('name', p_calendar));
  end if;
  return v_at;
end $$;

grant execute on function wedsql.save_calendar(text, jsonb, text, bigint),
  wedsql.delete_calendar(text, bigint, text), wedsql.list_calendars(text[]),
  wedsql.working_time(text, text, timestamptz, timestamptz),
  wedsql.after_working_time(text, text, timestamptz, interval) to wed_web;
