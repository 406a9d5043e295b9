-- What the transitions of a flow took in a window, and the paths of its instances.

-- Returns what each transition did from p_from (included) to p_to: steps and failed attempts, and times in
-- seconds. total: about how long all its jobs took together, from firing to step, with the middle of each
-- bucket; share: of the total of all transitions. The other times are as in wedsql.figures.
-- Raises: WD001.
create or replace function wedsql.transition_figures(p_flow text, p_from timestamptz, p_to timestamptz)
returns table (transition text, done bigint, failed bigint, total double precision, share double precision,
               elapsed_p50 double precision, elapsed_p95 double precision, waited_p50 double precision,
               waited_p95 double precision, ran_p50 double precision, ran_p95 double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
with hits as (
  select f.*
  from wedsql._flow(p_flow) l cross join lateral (  -- offset: so that the flow is looked up in any case
    select c.* from wedsql.figure c
    where c.flow_id = l.id and c.at < p_to and c.trname <> ''
      and c.at >= wedsql._figure_start(wedsql._figure_span(p_from, p_to), p_from)
      and c.span = wedsql._figure_span(p_from, p_to) offset 0) f
  where wedsql._is_period(p_from, p_to, interval '1 day')),
places as (
  select h.trname, k.kind, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral (values ('elapsed', h.elapsed), ('waited', h.waited), ('ran', h.ran)) k (kind, counts)
  cross join lateral unnest(k.counts) with ordinality u (n, o)
  group by 1, 2, 3),
times as (
  select p.trname, array_agg(p.n order by p.o) filter (where p.kind = 'elapsed') as elapsed,
         array_agg(p.n order by p.o) filter (where p.kind = 'waited') as waited,
         array_agg(p.n order by p.o) filter (where p.kind = 'ran') as ran,
         sum(p.n * coalesce(e.bounds[p.o], e.bounds[cardinality(e.bounds)]) / power(2, 0.25))
           filter (where p.kind = 'elapsed') as total
  from places p cross join (select wedsql._figure_bounds() as bounds) e group by 1),
sums as (
  select h.trname, sum(h.done)::bigint as done, sum(h.failed)::bigint as failed from hits h group by 1)
select s.trname, s.done, s.failed, coalesce(t.total, 0),
       coalesce(t.total / nullif(sum(t.total) over (), 0), 0),
       wedsql.percentile(t.elapsed, 0.5), wedsql.percentile(t.elapsed, 0.95),
       wedsql.percentile(t.waited, 0.5, b.bounds), wedsql.percentile(t.waited, 0.95, b.bounds),
       wedsql.percentile(t.ran, 0.5, b.bounds), wedsql.percentile(t.ran, 0.95, b.bounds)
from sums s left join times t on t.trname = s.trname
cross join (select wedsql._time_bounds() as bounds) b
order by s.trname
$$;

-- Returns a sequence without repetitions: where up to eight elements follow themselves, they are kept once.
create or replace function wedsql.folded_path(p_steps text[]) returns text[]
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  v_path text[] := '{}';
  v_length integer := 0;
  v_step text;
begin
  foreach v_step in array p_steps loop
    v_length := v_length + 1;
    v_path[v_length] := v_step;
    for v_loop in 1..least(8, v_length / 2) loop
      if v_path[v_length - v_loop] = v_step and v_path[v_length - v_loop + 1:v_length]
           = v_path[v_length - 2 * v_loop + 1:v_length - v_loop] then
        v_length := v_length - v_loop;
        v_path := v_path[1:v_length];
        exit;
      end if;
    end loop;
  end loop;
  return v_path;
end $$;

-- Returns the path of an instance: the transitions of its steps in their order, folded, joined by ' > '; ''
-- without any. p_since: no step is earlier, so that the partitions of earlier months are not read.
create or replace function wedsql.path_of(p_wid integer, p_since timestamptz default '-infinity') returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select array_to_string(wedsql.folded_path(array(
  select t.trw from wedsql.wed_trace t
  where t.wid = p_wid and t.tstmp >= p_since and t.job_id is not null and left(t.trw, 1) <> '_'
  order by t.seq)), ' > ')
$$;

grant execute on function wedsql.transition_figures(text, timestamptz, timestamptz),
  wedsql.folded_path(text[]), wedsql.path_of(integer, timestamptz) to wed_web, wed_monitor;
grant execute on function wedsql.path_of(integer, timestamptz) to wed_reaper;
