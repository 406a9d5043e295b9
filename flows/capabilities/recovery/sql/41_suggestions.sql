-- What repaired the closed cases of the same signature: suggestions for an open one. They are only shown.

-- Returns the closed cases of the flow with the signature of a case, the last 1,000 of the last year, each
-- with the repair that closed it, the values that it wrote, and when the instance became final.
create or replace function wedsql._past_repairs(p_case wedsql.repair_case)
returns table (number bigint, operation text, changes jsonb, opened_at timestamptz, closed_at timestamptz,
  final_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
select c.number, case when c.closed_by = '_EXCPT' then 'patch' else substr(c.closed_by, 10) end, r.changes,
       c.opened_at, c.closed_at, case when i.status = 'F' then i.finished_at end
from (select o.* from wedsql.repair_case o
      where o.flow_id = p_case.flow_id and o.signature = p_case.signature and o.signature <> ''
        and o.closed_at is not null and o.closed_at > wedsql.now() - interval '1 year'
      order by o.closed_at desc limit 1000) c
join wedsql.instance i on i.wid = c.wid
cross join lateral (
  select (select coalesce(jsonb_object_agg(k, t.state -> k), '{}')
          from jsonb_object_keys(coalesce(t.before, '{}')) k) as changes
  from wedsql.wed_trace t
  where t.wid = c.wid and t.seq > c.seq and t.trw = c.closed_by and t.tstmp >= c.opened_at
  order by t.seq limit 1) r
where c.state in ('applied', 'accepted') and c.number <> p_case.number
$$;

-- Returns the repairs of cases like this one, the most successful first, at most 5: {"key", "operation",
-- "attributes", "values", "cases", "final", "median_seconds", "last_at", "numbers"}. "values" has those that
-- were the same in several cases; other values are those of one case and of no use for another. "final" is
-- how many of the instances are final now, "median_seconds" the time from the opening of the case to that,
-- or to its closing; "numbers" are the last 5 cases.
-- Raises: WD515.
create or replace function wedsql.suggestions(p_number bigint, p_flows text[] default null)
  returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_case wedsql.repair_case;
begin
  select c.* into v_case from wedsql.repair_case c join wedsql.flow f on f.id = c.flow_id
  where c.number = p_number and (p_flows is null or f.name = any (p_flows));
  if not found then
    perform wedsql._raise('WD515', 'There is no case {case}.', 'It may belong to a flow that was dropped.',
      jsonb_build_object('case', p_number));
  end if;
  return query
    with past as (
      select r.*, array(select k from jsonb_object_keys(r.changes) k order by k) as names,
             count(*) over (partition by r.operation, r.changes) as alike
      from wedsql._past_repairs(v_case) r),
    grouped as (
      select p.operation, p.names, case when p.alike > 1 then p.changes end as same,
        count(*) as n, count(p.final_at) as final, max(p.closed_at) as last_at,
        percentile_cont(0.5) within group (
          order by extract(epoch from coalesce(p.final_at, p.closed_at) - p.opened_at)) as median,
        (array_agg(p.number order by p.closed_at desc, p.number desc))[1:5] as numbers,
        array_agg(p.changes) as changes
      from past p group by 1, 2, 3)
    select jsonb_build_object(
      'key', left(encode(sha256(convert_to(jsonb_build_array(g.operation, g.names, g.same)::text, 'UTF8')),
                         'hex'), 12),
      'operation', g.operation, 'attributes', g.names, 'cases', g.n, 'final', g.final,
      'median_seconds', round(g.median::numeric, 3), 'last_at', g.last_at, 'numbers', g.numbers,
      'values', (
        select coalesce(jsonb_object_agg(v.key, v.value), '{}') from (
          select e.key, (array_agg(e.value))[1] as value
          from unnest(g.changes) c cross join lateral jsonb_each(c) e
          group by e.key having count(distinct e.value) = 1 and count(*) > 1 and max(length(e.value::text))
            <= 200) v))
    from grouped g order by g.final desc, g.n desc, g.last_at desc limit 5;
end $$;

grant execute on function wedsql.suggestions(bigint, text[]) to wed_web;
