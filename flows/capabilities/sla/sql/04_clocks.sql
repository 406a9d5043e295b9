-- The clock of an SLA in one instance, by the steps of the instance: it starts with a step after which the
-- start condition holds and the stop condition does not, unless one is on already; it is paused while the
-- pause condition holds or the instance is suspended; it stops when the stop condition holds or the instance
-- ends. What follows from a step depends on the steps up to it only, so that reading steps twice changes
-- nothing, and live clocks are those that are computed later from the history.

-- Returns for each state which of three conditions hold on it; null where one of them cannot be evaluated.
create or replace function wed_match.sla_marks(p_schema text, p_conditions text[], p_states jsonb[])
returns boolean[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_marks boolean[];
begin
  execute format('select array_agg(array[coalesce((%s)::boolean, false), coalesce((%s)::boolean, false), '
                 'coalesce((%s)::boolean, false)] order by s.n) from unnest($1) with ordinality s (j, n) '
                 'cross join lateral jsonb_populate_record(null::%I.wed_flow, s.j) r',
                 p_conditions[1], p_conditions[2], p_conditions[3], p_schema) into v_marks using p_states;
  return v_marks;
exception
when insufficient_resources or operator_intervention or system_error or internal_error then raise;
when others then
  return null;
end $$;

-- Returns for each state which of three conditions hold on it; one that fails on a state does not hold there.
create or replace function wedsql._sla_marks(p_schema text, p_conditions text[], p_states jsonb[])
returns boolean[]
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_marks boolean[] := wed_match.sla_marks(p_schema, p_conditions, p_states);
  v_state jsonb;
begin
  if v_marks is not null then
    return v_marks;
  end if;
  v_marks := '{}';
  foreach v_state in array p_states loop
    v_marks := v_marks || array[wed_match.holds(p_schema, p_conditions, v_state)];
  end loop;
  return v_marks;
end $$;

-- Returns a clock that has run or stood still until a time: what is used, and whether it is breached. One
-- that stops at its due time is met.
create or replace function wedsql._until(p_sla wedsql.sla, p_clock wedsql.sla_clock, p_at timestamptz)
returns wedsql.sla_clock
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  if p_clock.state = 'running' then
    p_clock.used := p_clock.used + wedsql._working_time(p_sla.calendar_id, p_clock.changed_at, p_at);
    if p_at > p_clock.due_at then
      p_clock.breached_at := coalesce(p_clock.breached_at, p_clock.due_at);
    end if;
  end if;
  p_clock.changed_at := p_at;
  return p_clock;
end $$;

-- Returns the clock in a new state since its changed_at.
create or replace function wedsql._switched(p_sla wedsql.sla, p_clock wedsql.sla_clock, p_state text)
returns wedsql.sla_clock
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_left interval := p_sla.duration - p_clock.used;
begin
  p_clock.state := p_state;
  if p_state = 'running' then
    p_clock.due_at := coalesce(p_clock.breached_at,
      wedsql._after_working_time(p_sla.calendar_id, p_clock.changed_at, v_left));
    p_clock.risk_at := wedsql._after_working_time(p_sla.calendar_id, p_clock.changed_at,
                                                  v_left - p_sla.duration * 0.2);
    return p_clock;
  end if;
  p_clock.risk_at := null;
  if p_state = 'paused' then
    p_clock.due_at := p_clock.breached_at;
    return p_clock;
  end if;
  p_clock.stopped_at := p_clock.changed_at;
  p_clock.state := case when p_clock.breached_at is null then p_state else 'breached' end;
  return p_clock;
end $$;

-- Returns the state that a clock has after a step, null if there is none.
create or replace function wedsql._clock_state(p_is_on boolean, p_status "char", p_start boolean,
  p_stop boolean, p_pause boolean) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when not p_is_on and (not p_start or p_stop or p_status in ('F', 'A', 'C')) then null
            when p_status in ('A', 'C') then 'cancelled' when p_stop or p_status = 'F' then 'met'
            when p_pause or p_status = 'S' then 'paused' else 'running' end
$$;

-- Stores a clock, which becomes the last one of its instance.
create or replace function wedsql._save_clock(p_clock wedsql.sla_clock) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.sla_clock c set last = false
where c.sla_id = p_clock.sla_id and c.wid = p_clock.wid and c.last and c.started_seq < p_clock.started_seq;
insert into wedsql.sla_clock as c select (p_clock).*
on conflict (sla_id, wid, started_seq) do update
set seq = excluded.seq, changed_at = excluded.changed_at, used = excluded.used, state = excluded.state,
    risk_at = excluded.risk_at, due_at = excluded.due_at, breached_at = excluded.breached_at,
    stopped_at = excluded.stopped_at
$$;

-- Returns a new clock at a step, without a state.
create or replace function wedsql._new_clock(p_sla bigint, p_wid integer, p_seq integer, p_at timestamptz)
returns wedsql.sla_clock
language sql immutable set search_path = pg_catalog, pg_temp as $$
select row(p_sla, p_wid, p_seq, p_seq, p_at, p_at, '0', null, null, null, null, null, true)::wedsql.sla_clock
$$;

-- Advances the clocks of an SLA in one instance by the steps after p_after and after their last change.
-- Returns how many steps it read.
create or replace function wedsql._advance_clock(p_sla wedsql.sla, p_schema text, p_wid integer,
  p_after integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_clock wedsql.sla_clock;
  v_steps wedsql.wed_trace[];
  v_marks boolean[];
  v_state text;
  v_on boolean;
  v_after integer;
  v_read integer := 0;
begin
  select * into v_clock from wedsql.sla_clock c where c.sla_id = p_sla.id and c.wid = p_wid and c.last;
  v_after := greatest(p_after, coalesce(v_clock.seq, -1));
  loop
    v_steps := array(select t from wedsql.wed_trace t where t.wid = p_wid and t.seq > v_after
                     order by t.seq limit 50);
    exit when v_steps = '{}';
    v_marks := wedsql._sla_marks(p_schema, p_sla.compiled, array(select s.state from unnest(v_steps) s));
    for n in 1..cardinality(v_steps) loop
      v_on := coalesce(v_clock.state in ('running', 'paused'), false);
      v_state := wedsql._clock_state(v_on, v_steps[n].status, v_marks[n][1], v_marks[n][2], v_marks[n][3]);
      continue when v_state is null or v_on and v_state = v_clock.state;
      if v_on then
        v_clock := wedsql._until(p_sla, v_clock, greatest(v_steps[n].tstmp, v_clock.changed_at));
        v_clock.seq := v_steps[n].seq;
      else
        v_clock := wedsql._new_clock(p_sla.id, p_wid, v_steps[n].seq,
                                     greatest(v_steps[n].tstmp, v_clock.changed_at));
      end if;
      v_clock := wedsql._switched(p_sla, v_clock, v_state);
      perform wedsql._save_clock(v_clock);
    end loop;
    v_read := v_read + cardinality(v_steps);
    v_after := v_steps[cardinality(v_steps)].seq;
  end loop;
  return v_read;
end $$;
