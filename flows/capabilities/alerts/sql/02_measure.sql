-- Measuring what a rule is about. Filters ('count') are measured by flows/filters, because their language is
-- read there; all others here.

-- Returns the rule whose time has come first, without its secret, and keeps other reapers from it for
-- p_every; null if there is none. A reaper that ends before it settles the rule delays it by that time.
-- Locks: the rule.
-- Raises: WD009.
create or replace function wedsql.take_alert_rule(p_every interval) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_rule wedsql.alert_rule;
begin
  if p_every is null or p_every <= interval '0' then
    perform wedsql._raise('WD009', 'A rule is due again after more than 0 seconds.', 'Use a longer time.');
  end if;
  update wedsql.alert_rule r set next_at = wedsql.now() + p_every
  where r.id = (select n.id from wedsql.alert_rule n
                where n.enabled and n.next_at <= (select wedsql.now())
                order by n.next_at limit 1 for update skip locked)
  returning r.* into v_rule;
  return case when found then wedsql._alert_rule(v_rule) || jsonb_build_object('taken_at', wedsql.now()) end;
end $$;

-- Returns what a rule of this kind is about now: the age in seconds of the flow's oldest exception or of the
-- oldest job of a transition that could be performed, null if there is none; or how many workers serve the
-- transition.
-- Raises: WD001, WD508 for a kind that no rule has.
create or replace function wedsql.measure_alert(p_flow text, p_kind text, p_transition text)
  returns double precision
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  f wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._check_alert_kind(p_kind);
  return case p_kind
  when 'exception_age' then (
    select extract(epoch from wedsql.now() - min(j.fired_at)) from wedsql.job_pool j
    where j.flow_id = f.id and j.trname = '_EXCPT' and j.state = 'P')
  when 'queue_age' then (
    select extract(epoch from wedsql.now() - min(greatest(j.fired_at, j.not_before))) from wedsql.job_pool j
    where j.flow_id = f.id and j.trname = p_transition and j.state = 'P'
      and coalesce(j.not_before, '-infinity') <= wedsql.now())
  when 'workers' then (
    select count(*) from (
      select from wedsql.worker w
      where f.name || ':' || p_transition = any (w.serves)
        and w.seen_at > wedsql.now() - interval '30 seconds'
      union all
      select from wedsql.paper_client c
      where c.flow_id = f.id and c.trname = p_transition
        and c.seen_at > wedsql.now() - interval '30 seconds') s)
  end;
end $$;

-- Returns what a rule is about, as measure_alert does.
create or replace function wedsql.measure_alert_rule(p_rule bigint) returns double precision
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
select wedsql.measure_alert(f.name, r.kind, r.trname)
from wedsql.alert_rule r join wedsql.flow f on f.id = r.flow_id where r.id = p_rule
$$;

grant execute on function wedsql.take_alert_rule(interval), wedsql.measure_alert_rule(bigint) to wed_reaper;
grant execute on function wedsql.measure_alert(text, text, text) to wed_web;
