-- What alerts do at the hooks of the engine.

-- Has rules measured now that were measured by a clock that was set back, or wait by it, and messages sent
-- that wait by it: one that is tried once too often is better than one that is late by a day.
-- Locks: rules and deliveries, skipping locked ones.
create or replace function wedsql._on_clock_set_back_alerts(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.alert_rule r
set next_at = least(r.next_at, p_now), measured_at = least(r.measured_at, p_now),
    since = least(r.since, p_now)
where r.id = any (array(
  select o.id from wedsql.alert_rule o where greatest(o.next_at, o.measured_at, o.since) > p_now
  order by o.id for update skip locked));
update wedsql.delivery d set next_at = p_now
where d.id = any (array(
  select o.id from wedsql.delivery o where o.status = 'waiting' and o.next_at > p_now
  order by o.id for update skip locked))
$$;
