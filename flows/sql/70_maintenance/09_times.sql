-- How long jobs waited and ran, as measured by the product's workers: counters by transition that only grow,
-- reported every few seconds by each worker, so that steps do not pay for them and reading them always costs
-- the same.

-- Returns the upper bounds of the buckets in seconds; one more bucket takes what is above.
create or replace function wedsql._time_bounds() returns double precision[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array[0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 3600]::double precision[]
$$;

-- Returns the sums, place by place.
create or replace function wedsql._added(p_counts bigint[], p_more bigint[]) returns bigint[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array_agg(u.a + u.b order by u.o) from unnest(p_counts, p_more) with ordinality u (a, b, o)
$$;

-- Returns the seconds from the firing of a job to p_begun; null when it is not among the last steps of its
-- instance.
create or replace function wedsql._waited(p_wid integer, p_job bigint, p_begun timestamptz)
returns double precision
language sql stable set search_path = pg_catalog, pg_temp as $$
select greatest(0, e.seconds) from (select extract(epoch from p_begun - coalesce(
  (select j.fired_at from wedsql.job_pool j where j.wid = p_wid and j.id = p_job),
  (select c.tstmp from wedsql.instance i
   join wedsql.wed_trace t on t.wid = i.wid and t.seq > i.seq - 100 and t.job_id = p_job
   join wedsql.wed_trace c on c.wid = t.wid and c.seq = t.cause_seq where i.wid = p_wid
   limit 1))) as seconds) e
where e.seconds is not null
$$;

-- Adds up what a worker measured. p_times is a list of {transition, counts (a number for each bucket),
-- seconds (their sum), waits: [[wid, job, seconds since its handler began], ...]}; names that are no
-- transition are ignored.
-- Locks: the counters of the transitions named, in the order of their names.
-- Raises: WD001.
create or replace function wedsql.count_times(p_flow text, p_times jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_now timestamptz := wedsql.now();
  v_places integer := cardinality(wedsql._time_bounds()) + 1;
begin
  insert into wedsql.timing as t (flow_id, trname, kind, counts, seconds)
  with e as (
    select distinct on (r.transition) r.*
    from jsonb_to_recordset(p_times) r (transition text, counts bigint[], seconds double precision,
                                        waits jsonb)
    where exists (select 1 from wedsql.trig g where g.flow_id = v_flow and g.trname = r.transition)
      and cardinality(r.counts) = v_places and 0 <= all (r.counts) and r.seconds >= 0),
  w as (
    select e.transition, array_agg(width_bucket(x.waited, wedsql._time_bounds())) as places,
           sum(x.waited) as seconds
    from e cross join lateral (select s.value from jsonb_array_elements(e.waits) s limit 100) s
    cross join lateral wedsql._waited((s.value ->> 0)::integer, (s.value ->> 1)::bigint,
                                      v_now - make_interval(secs =>
                                                            (s.value ->> 2)::double precision)) x (waited)
    where x.waited is not null group by e.transition)
  select v_flow, e.transition, 'run', e.counts, e.seconds from e
  union all
  select v_flow, w.transition, 'wait',
    array(select (select count(*) from unnest(w.places) u (place) where u.place = b)
          from generate_series(0, v_places - 1) b order by b), w.seconds
  from w
  order by 2, 3
  on conflict (flow_id, trname, kind) do update set counts = wedsql._added(t.counts, excluded.counts),
  seconds = t.seconds + excluded.seconds;
end $$;

grant execute on function wedsql.count_times(text, jsonb) to wed_worker;
