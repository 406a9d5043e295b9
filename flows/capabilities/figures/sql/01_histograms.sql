-- Histograms of durations with fixed logarithmic buckets, so that the percentiles of any window come from
-- sums.

-- Returns the number of the bucket of a duration: 0 up to a millisecond, then two for each doubling, and 72
-- for all above 2 years.
create or replace function wedsql._figure_bucket(p_seconds double precision) returns integer
language sql immutable strict as $$
select case when p_seconds <= 0.001 then 0
            else least(72, ceil(2 * ln(p_seconds * 1000) / ln(2::double precision)))::integer end
$$;

-- Returns the upper bounds of the buckets in seconds; one more bucket takes what is above.
create or replace function wedsql._figure_bounds() returns double precision[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array_agg(0.001 * power(2, k / 2.0::double precision) order by k) from generate_series(0, 71) k
$$;

-- Returns the histogram of these numbers of buckets, without empty buckets at its end.
create or replace function wedsql._histogram(p_buckets integer[]) returns bigint[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(coalesce(c.n, 0) order by k), '{}')
from generate_series(0, (select max(b) from unnest(p_buckets) b)) k
left join (select b, count(*) as n from unnest(p_buckets) b group by b) c on c.b = k
$$;

-- Returns the sums, place by place; what the shorter one lacks is zero.
create or replace function wedsql._sum_histograms(p_some bigint[], p_more bigint[]) returns bigint[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(coalesce(u.a, 0) + coalesce(u.b, 0) order by u.o), '{}')
from unnest(p_some, p_more) with ordinality u (a, b, o)
$$;

-- Returns the duration in seconds below which this share of a histogram is, interpolated in its bucket; null
-- for an empty one. Durations above the last bound count as that bound.
create or replace function wedsql.percentile(
  p_counts bigint[], p_share double precision, p_bounds double precision[]) returns double precision
language sql immutable set search_path = pg_catalog, pg_temp as $$
with b as (
  select u.o, u.n, sum(u.n) over (order by u.o) as upto, sum(u.n) over () as total
  from unnest(p_counts) with ordinality u (n, o)),
hit as (select * from b where b.n > 0 and b.upto >= b.total * p_share order by b.o limit 1)
select low + (high - low) * greatest(0, h.total * p_share - h.upto + h.n) / h.n
from hit h cross join lateral (
  select coalesce(p_bounds[h.o - 1], 0) as low,
         coalesce(p_bounds[h.o], p_bounds[cardinality(p_bounds)]) as high) x
$$;
create or replace function wedsql.percentile(p_counts bigint[], p_share double precision)
returns double precision
language sql immutable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql.percentile(p_counts, p_share, wedsql._figure_bounds())
$$;

grant execute on function wedsql.percentile(bigint[], double precision),
  wedsql.percentile(bigint[], double precision, double precision[]) to wed_web, wed_monitor;
