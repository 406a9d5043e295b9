-- Reading figures.

-- Returns the widest span whose rows fit into a window from p_from to p_to in steps of p_every, or in one
-- step without it: a window that begins or ends within an hour is read by minutes, as long as they are kept.
-- Where only wider rows are kept, those in which the limits lie are counted whole. In the time zone UTC.
create or replace function wedsql._figure_span(
  p_from timestamptz, p_to timestamptz, p_every interval default null) returns "char"
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select case when (p_every is null or p_every >= '1 day')
                 and (p_from < n.at - interval '60 days'
                      or coalesce(extract(epoch from p_every) % 86400, 0) = 0
                         and p_from = date_trunc('day', p_from)
                         and (p_to = date_trunc('day', p_to) or p_to > n.at)) then 'd'::"char"
            when (p_every is null or p_every >= '1 hour')
                 and (p_from < n.at - interval '8 days'
                      or coalesce(extract(epoch from p_every) % 3600, 0) = 0
                         and p_from = date_trunc('hour', p_from)
                         and (p_to = date_trunc('hour', p_to) or p_to > n.at)) then 'h'
            else 'm' end
from (select wedsql.now() as at) n
$$;

-- Returns the beginning of the row of a span in which a time lies.
create or replace function wedsql._figure_start(p_span "char", p_at timestamptz) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
select date_trunc(case p_span when 'd' then 'day' when 'h' then 'hour' else 'minute' end, p_at, 'UTC')
$$;

-- Returns true where figures can be read for a period.
-- Raises: WD009.
create or replace function wedsql._is_period(p_from timestamptz, p_to timestamptz, p_every interval)
returns boolean language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_from is null or p_to is null or p_to < p_from or p_every is null or p_every <= interval '0' then
    perform wedsql._raise('WD009', 'A period ends after it begins, and its parts are not empty.',
                          'Give two such moments.');
  end if;
  return true;
end $$;

-- Returns the figures of a flow in steps of p_every from p_from (included) to p_to: of the flow itself
-- (transition null) and of each transition, where anything happened. Percentiles are in seconds: of the time
-- from the start to the final state, or from the firing of a transition to its step (elapsed), and of what
-- workers measured (waited, ran). Reads the widest rows that fit.
-- Raises: WD001.
create or replace function wedsql.figures(
  p_flow text, p_from timestamptz, p_to timestamptz, p_every interval default '1 hour')
returns table (at timestamptz, transition text, started bigint, finished bigint, exceptions bigint,
               done bigint, failed bigint, elapsed_p50 double precision, elapsed_p95 double precision,
               waited_p50 double precision, waited_p95 double precision, ran_p50 double precision,
               ran_p95 double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
with hits as (
  select p_from + greatest(0, floor(extract(epoch from f.at - p_from)
                                    / extract(epoch from p_every))) * p_every as place, f.*
  from wedsql._flow(p_flow) l cross join lateral (  -- offset: so that the flow is looked up in any case
    select c.* from wedsql.figure c
    where c.flow_id = l.id and c.at < p_to
      and c.at >= wedsql._figure_start(wedsql._figure_span(p_from, p_to, p_every), p_from)
      and c.span = wedsql._figure_span(p_from, p_to, p_every) offset 0) f
  where wedsql._is_period(p_from, p_to, p_every)),
places as (
  select h.place, h.trname, k.kind, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral (values ('elapsed', h.elapsed), ('waited', h.waited), ('ran', h.ran)) k (kind, counts)
  cross join lateral unnest(k.counts) with ordinality u (n, o)
  group by 1, 2, 3, 4),
histograms as (
  select p.place, p.trname, p.kind, array_agg(p.n order by p.o) as counts from places p group by 1, 2, 3),
times as (
  select h.place, h.trname, max(h.counts) filter (where h.kind = 'elapsed') as elapsed,
         max(h.counts) filter (where h.kind = 'waited') as waited,
         max(h.counts) filter (where h.kind = 'ran') as ran
  from histograms h group by 1, 2)
select s.place, nullif(s.trname, ''), s.started, s.finished, s.exceptions, s.done, s.failed,
       wedsql.percentile(t.elapsed, 0.5), wedsql.percentile(t.elapsed, 0.95),
       wedsql.percentile(t.waited, 0.5, b.bounds), wedsql.percentile(t.waited, 0.95, b.bounds),
       wedsql.percentile(t.ran, 0.5, b.bounds), wedsql.percentile(t.ran, 0.95, b.bounds)
from (select h.place, h.trname, sum(h.started)::bigint as started, sum(h.finished)::bigint as finished,
             sum(h.exceptions)::bigint as exceptions, sum(h.done)::bigint as done,
             sum(h.failed)::bigint as failed
      from hits h group by 1, 2) s
left join times t on t.place = s.place and t.trname = s.trname
cross join (select wedsql._time_bounds() as bounds) b
order by s.place, s.trname
$$;

grant execute on function wedsql.figures(text, timestamptz, timestamptz, interval) to wed_web, wed_monitor;
