-- Calendars and the arithmetic of working time. An instant is working time if its local time is in a range
-- of its weekday and its day is no holiday; so a range that contains a change to or from daylight saving time
-- is shorter or longer on that day.

-- Returns the years of working time that a calendar has: from 2015 up to twelve years ahead.
create or replace function wedsql._calendar_years() returns tstzrange
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select tstzrange('2015-01-01', date_trunc('year', wedsql.now()) + interval '12 years')
$$;

-- Returns the periods of a zone in which its offset from UTC does not change. A change is at a full minute.
create or replace function wedsql._offsets(p_zone text, p_years tstzrange)
returns table (from_at timestamptz, to_at timestamptz, utc_offset interval)
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
with days as (
  select d.at, lead(d.at) over w as next, d.utc_offset, lead(d.utc_offset) over w as next_offset
  from (select g.at, (g.at at time zone p_zone) - (g.at at time zone 'UTC') as utc_offset
        from generate_series(lower(p_years), upper(p_years), interval '1 day') g (at)) d
  window w as (order by d.at)),
changes as (
  select (select min(m.at) from generate_series(d.at, d.next, interval '1 minute') m (at)
          where (m.at at time zone p_zone) - (m.at at time zone 'UTC') = d.next_offset) as at,
         d.next_offset as utc_offset
  from days d where d.utc_offset <> d.next_offset
  union all
  (select d.at, d.utc_offset from days d order by d.at limit 1))
select c.at, lead(c.at, 1, upper(p_years)) over (order by c.at), c.utc_offset from changes c
$$;

-- Writes the spans of a calendar.
-- Raises: WD512 if it has no working time.
create or replace function wedsql._fill_calendar(p_calendar wedsql.calendar) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set timezone = 'UTC' set jit = off as $$
declare
  v_years tstzrange := wedsql._calendar_years();
begin
  delete from wedsql.calendar_span s where s.calendar_id = p_calendar.id;
  with ranges as materialized (
    select d.day + (r ->> 0)::time as from_local, d.day + (r ->> 1)::time as to_local
    from generate_series(lower(v_years) - interval '1 day', upper(v_years), interval '1 day') g (at)
    cross join lateral (select g.at::date as day) d
    cross join lateral jsonb_array_elements(p_calendar.hours -> extract(isodow from d.day)::text) r
    where not p_calendar.holidays ? to_char(d.day, 'YYYY-MM-DD')),
  spans as (
    select greatest(r.from_local - o.utc_offset, o.from_at at time zone 'UTC') at time zone 'UTC' as from_at,
           least(r.to_local - o.utc_offset, o.to_at at time zone 'UTC') at time zone 'UTC' as to_at
    from wedsql._offsets(p_calendar.zone, v_years) o
    join ranges r on r.to_local > (o.from_at at time zone 'UTC') + o.utc_offset
                 and r.from_local < (o.to_at at time zone 'UTC') + o.utc_offset)
  insert into wedsql.calendar_span (calendar_id, from_at, to_at, before)
  select p_calendar.id, s.from_at, s.to_at,
         coalesce(sum(s.to_at - s.from_at) over (order by s.from_at
           rows between unbounded preceding and 1 preceding), '0')
  from spans s;
  if not found then
    perform wedsql._raise('WD512', 'The calendar "{name}" has no working time.',
      'Give working hours of at least one weekday.', jsonb_build_object('name', p_calendar.name));
  end if;
end $$;

-- Writes the spans of further years where a calendar ends in fewer than ten.
create or replace function wedsql._extend_calendars() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_calendar wedsql.calendar;
begin
  for v_calendar in
    select c.* from wedsql.calendar c
    where not exists (select from wedsql.calendar_span s
                      where s.calendar_id = c.id and s.from_at > wedsql.now() + interval '10 years')
      and exists (select from wedsql.calendar_span s where s.calendar_id = c.id)
    for update skip locked
  loop
    perform wedsql._fill_calendar(v_calendar);
  end loop;
end $$;

-- Returns how much working time of a calendar is before an instant, from the beginning of its years.
create or replace function wedsql._worked(p_calendar bigint, p_at timestamptz) returns interval
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select coalesce((
  select s.before + (least(p_at, s.to_at) - s.from_at) from wedsql.calendar_span s
  where s.calendar_id = p_calendar and s.from_at <= p_at order by s.from_at desc limit 1), '0')
$$;

-- Returns the working time between two instants; without a calendar all time is working time.
create or replace function wedsql._working_time(p_calendar bigint, p_from timestamptz, p_to timestamptz)
returns interval
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select case when p_from is null or p_to is null then null
            when p_to <= p_from then '0' when p_calendar is null then p_to - p_from
            else wedsql._worked(p_calendar, p_to) - wedsql._worked(p_calendar, p_from) end
$$;

-- Returns the first instant at which so much working time has passed since p_from; 'infinity' if the calendar
-- does not have so much.
create or replace function wedsql._after_working_time(p_calendar bigint, p_from timestamptz, p_time interval)
returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set plan_cache_mode = force_generic_plan as $$
begin
  if p_from is null or p_time is null or p_time <= '0' or p_calendar is null then
    return case when p_time <= '0' then p_from else p_from + p_time end;
  end if;
  return coalesce((
    select case when n.wanted - s.before <= s.to_at - s.from_at then s.from_at + (n.wanted - s.before) end
    from (select wedsql._worked(p_calendar, p_from) + p_time as wanted) n
    cross join lateral (select s.* from wedsql.calendar_span s
                        where s.calendar_id = p_calendar and s.before < n.wanted
                        order by s.before desc limit 1) s), 'infinity');
end $$;
