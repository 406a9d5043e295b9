-- Counts of cases over a period, by one thing at a time.

-- Returns the cases of these flows that were opened in the period, counted by "cause", "queue",
-- "reason_code", "repairer", "age", "flow", "week" or "signature": how many, how many of them are open,
-- repaired, and were reopened; the median and the 90th percentile of the seconds from opening to closing, of
-- those that are closed; the newest case; and how many were examined, which are the newest 100,000 at most. A
-- repairer has the cases that he or she closed by a repair, an age the open ones, by the time since they
-- opened: "hour", "day", "week", "month" for less than that, "older"; a week is named by its Monday in UTC.
-- The largest groups first, at most p_limit. p_flows: null for all.
-- Raises: WD514, also for a period of more than 367 days.
create or replace function wedsql.case_report(p_by text, p_since timestamptz, p_until timestamptz,
  p_flows text[] default null, p_limit integer default 200)
returns table (value text, flow text, cases bigint, open bigint, repaired bigint, reopened bigint,
  median_seconds float8, p90_seconds float8, newest bigint, examined bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
#variable_conflict use_column
declare
  v_now timestamptz := wedsql.now();
  v_flows integer[] := array(select f.id from wedsql.flow f where p_flows is null or f.name = any (p_flows));
begin
  if p_by is null
     or p_by not in ('cause', 'queue', 'reason_code', 'repairer', 'age', 'flow', 'week', 'signature') then
    perform wedsql._raise('WD514', 'Cases are not counted by "{name}".',
      'Use cause, queue, reason_code, repairer, age, flow, week or signature.',
      jsonb_build_object('name', p_by));
  elsif (p_until - p_since between interval '0' and interval '367 days') is not true then
    perform wedsql._raise('WD514', 'The period of a report ends after it begins, and has at most 367 days.',
                          'Give two moments that are not farther apart.');
  end if;
  return query
    with c as materialized (
      select o.* from wedsql.repair_case o
      where o.flow_id = any (v_flows) and o.opened_at < p_until
        and o.opened_at >= p_since
      order by o.opened_at desc limit 100000),
    named as (
      select c.*, case p_by when 'cause' then c.cause when 'queue' then c.queue when 'flow' then f.name
          when 'reason_code' then c.reason_code when 'repairer' then e.actor
          when 'signature' then nullif(c.signature, '')
          when 'week' then to_char(date_trunc('week', c.opened_at at time zone 'UTC'), 'YYYY-MM-DD')
          else case when c.closed_at is not null then null
                    when c.opened_at > v_now - interval '1 hour' then 'hour'
                    when c.opened_at > v_now - interval '1 day' then 'day'
                    when c.opened_at > v_now - interval '7 days' then 'week'
                    when c.opened_at > v_now - interval '30 days' then 'month'
                    else 'older' end end as by_value,
        f.name as flow_name, extract(epoch from c.closed_at - c.opened_at)::float8 as took
      from c join wedsql.flow f on f.id = c.flow_id
      left join lateral (
        select v.actor from wedsql.case_event v where v.number = c.number and v.kind = 'closed'
        order by v.id desc limit 1) e on p_by = 'repairer' and c.state in ('applied', 'accepted'))
    select n.by_value, case when p_by = 'signature' then n.flow_name end, count(*),
           count(*) filter (where n.closed_at is null),
           count(*) filter (where n.state in ('applied', 'accepted')), count(*) filter (where n.reopened > 0),
           percentile_cont(0.5) within group (order by n.took),
           percentile_cont(0.9) within group (order by n.took), max(n.number), (select count(*) from c)
    from named n where n.by_value is not null
    group by n.by_value, case when p_by = 'signature' then n.flow_name end
    order by count(*) desc, n.by_value limit least(greatest(p_limit, 0), 1000);
end $$;

grant execute on function wedsql.case_report(text, timestamptz, timestamptz, text[], integer) to wed_web;
