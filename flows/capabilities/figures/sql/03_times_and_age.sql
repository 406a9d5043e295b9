-- What workers measured, and how long figures are kept: minutes for 8 days, so that an hour can be compared
-- with the same one of last week, hours for 60 days, days for a year. With 100 transitions that are always in
-- use these are about 1.2 million, 140,000 and 37,000 rows.

-- Adds what grew in the counters of wedsql.timing since the last time to the figures of p_at.
-- Locks: the figures; the caller holds the row of wedsql.figure_state.
create or replace function wedsql._add_timings(p_at timestamptz) returns void
language sql volatile set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
with grown as materialized (
  select t.flow_id, t.trname, t.kind, t.counts,
         case when exists (select from unnest(t.counts, g.counts) u (new, old) where u.new < u.old)
              then t.counts  -- counted from zero again
              else (select array_agg(u.new - coalesce(u.old, 0) order by u.o)
                    from unnest(t.counts, g.counts) with ordinality u (new, old, o)) end as more
  from wedsql.timing t
  left join wedsql.figure_timing g on g.flow_id = t.flow_id and g.trname = t.trname and g.kind = t.kind
  where g.counts is distinct from t.counts),
kept as (
  insert into wedsql.figure_timing as k (flow_id, trname, kind, counts)
  select g.flow_id, g.trname, g.kind, g.counts from grown g
  on conflict (flow_id, trname, kind) do update set counts = excluded.counts)
insert into wedsql.figure as f (span, at, flow_id, trname, waited, ran)
select x.span, x.at, g.flow_id, g.trname, coalesce(max(g.more) filter (where g.kind = 'wait'), '{}'),
       coalesce(max(g.more) filter (where g.kind = 'run'), '{}')
from grown g cross join lateral wedsql._spans(p_at) x group by x.span, x.at, g.flow_id, g.trname
on conflict (span, at, flow_id, trname) do update
set waited = wedsql._sum_histograms(f.waited, excluded.waited),
    ran = wedsql._sum_histograms(f.ran, excluded.ran)
$$;

-- Removes rows that are too old for their span, at most p_max of each: thus also those of flows that no
-- longer exist.
-- Locks: the figures; the caller holds the row of wedsql.figure_state.
create or replace function wedsql._remove_old_figures(p_now timestamptz, p_max integer) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
delete from wedsql.figure f where f.ctid = any (array(
  select o.ctid
  from (values ('m'::"char", interval '8 days'), ('h', '60 days'), ('d', '366 days')) k (span, age)
  cross join lateral (select o.ctid from wedsql.figure o where o.span = k.span and o.at < p_now - k.age
                      order by o.at limit p_max) o));
delete from wedsql.figure_timing t where not exists (select from wedsql.flow f where f.id = t.flow_id)
$$;
