-- Times at which instances start, in the notation of ISO 8601: a moment, or a repetition of a duration, with
-- or without its first moment. What is due is started by 70_maintenance/11_starts.sql.

do $$
begin
  if to_regtype('wedsql.repetition') is null then
    create type wedsql.repetition as (first_at timestamptz, every interval, times integer);
  end if;
end $$;

-- Returns what an entry says: its first moment (null: one duration after the publication), the duration (null
-- for one moment), and how many times (null for no limit).
-- Raises: WD009.
create or replace function wedsql._repetition(p_entry text) returns wedsql.repetition
language plpgsql immutable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_moment constant text := '[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){1,2}(?:Z|[+-][0-9]{2}:?[0-9]{2})';
  v_parts text[] := regexp_match(p_entry,
    format('^(?:R([0-9]{0,6})/)?(%s)?(/?)(P[0-9YMWDTHS]+)?$', v_moment));
  v_found wedsql.repetition;
  v_fits boolean := false;
begin
  begin
    v_found := row(v_parts[2], v_parts[4], nullif(v_parts[1], ''))::wedsql.repetition;
    v_fits := case when v_parts[1] is null then v_parts[2] is not null and v_parts[3] || v_found.every is null
                   else v_found.every between '1 second' and wedsql._longest()
                        and (v_parts[2] is not null) = (v_parts[3] = '/')
                        and coalesce(v_found.times, 1) > 0 end;
  exception when data_exception then
    null;
  end;
  if v_fits is not true then
    perform wedsql._raise('WD009', '"{value}" is not a time at which instances can start.',
      'Write a moment such as 2027-01-01T06:00Z, or a repetition such as R/PT1H or R5/2027-01-01T06:00Z/P1D, '
      'of at least one second.', jsonb_build_object('column', 'start_at', 'value', left(p_entry, 80)));
  end if;
  return v_found;
end $$;

-- Checks the times at which instances of a flow start: at most 20, each as _repetition reads it.
-- Raises: WD009.
create or replace function wedsql._check_start_times(p_flow wedsql.flow) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if cardinality((p_flow).start_at) > 20 then
    perform wedsql._raise('WD009', 'A flow has at most 20 times at which instances start.', null,
      jsonb_build_object('column', 'start_at'));
  end if;
  perform wedsql._repetition(e) from unnest((p_flow).start_at) e;
end $$;

-- Returns the first moment of a repetition after p_after; null when none is left. Days and months are those
-- of UTC.
create or replace function wedsql._next_start(p_what wedsql.repetition, p_base timestamptz,
  p_after timestamptz) returns timestamptz
language plpgsql immutable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_months integer := extract(year from (p_what).every) * 12 + extract(month from (p_what).every);
  -- A month counts as 31 days, so that the search does not begin too late.
  v_length double precision := v_months * 31 * 86400
    + extract(epoch from (p_what).every - v_months * interval '1 month');
  v_number bigint := greatest(floor(extract(epoch from p_after - p_base) / v_length), 0);
begin
  if p_base > p_after or (p_what).every is null then
    return case when p_base > p_after then p_base end;
  end if;
  while p_base + v_number * (p_what).every <= p_after loop
    v_number := v_number + 1;
  end loop;
  return case when v_number < coalesce((p_what).times, v_number + 1)
              then p_base + v_number * (p_what).every end;
end $$;

-- Returns those of these times at which no instance would start any more if they were published now.
-- Raises: WD009.
create or replace function wedsql.past_start_times(p_entries text[]) returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select array(
  select e from unnest(p_entries) with ordinality u (e, n)
  cross join lateral (select wedsql._repetition(e) as what) r
  where (r.what).first_at is not null
    and wedsql._next_start(r.what, (r.what).first_at, wedsql.now()) is null order by u.n)
$$;

-- Follows a change of the times at which instances of a flow start. One that stays keeps its next moment; of
-- a new one, what lies in the past starts nothing.
-- Locks: the rows of the times.
-- Raises: WD009.
create or replace function wedsql._set_start_times(p_flow wedsql.flow, p_before wedsql.flow) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
begin
  if (p_flow).start_at is not distinct from (p_before).start_at then
    return;
  end if;
  perform wedsql._check_start_times(p_flow);
  delete from wedsql.start_time s
  where s.flow_id = (p_flow).id and s.entry <> all (coalesce((p_flow).start_at, '{}'));
  insert into wedsql.start_time (flow_id, entry, base_at, due_at)
  select (p_flow).id, n.entry, n.base_at, wedsql._next_start(n.what, n.base_at, v_now)
  from (select distinct on (e) e as entry, x as what, coalesce(x.first_at, v_now + x.every) as base_at
        from unnest((p_flow).start_at) e cross join lateral wedsql._repetition(e) x) n
  on conflict (flow_id, entry) do nothing;
end $$;

-- Checks that an attribute with what starts an instance is a text or has options.
-- Raises: WD009.
create or replace function wedsql._check_start_source(p_name text, p_type text, p_source boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_source and p_type not in ('text', 'enum') then
    perform wedsql._raise('WD009',
      'Attribute "{attribute}" of type {type} cannot have what starts an instance.',
      'The name of a signal, or a time, is a text or an option.',
      jsonb_build_object('column', 'start_source', 'attribute', p_name, 'type', p_type));
  end if;
end $$;

-- Returns the values of the attributes with what starts an instance: the name of a signal, or a time.
create or replace function wedsql._start_source(p_flow integer, p_source text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(a.aname, p_source), '{}') from wedsql.attr a
where a.flow_id = p_flow and a.start_source
$$;
