create or replace function wedsql._fold_condition_errors(p_max integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
-- Promise: up to p_max rows of failed conditions are added up, one row for each trigger; what is shown stays the same.
-- Locks: those rows, skipping locked ones; then the sums in the order of their triggers, which one reaper at a time writes.
with gone as (
  delete from wedsql.condition_failure f where f.id = any (array(
    select o.id from wedsql.condition_failure o order by o.id limit p_max for update skip locked)) returning f.*)
insert into wedsql.condition_error_sum as s (tgid, flow_id, n, last_at, sqlstate, message, wid)
select g.tgid, min(g.flow_id), count(*), max(g.at), (array_agg(g.sqlstate order by g.at desc))[1], (array_agg(g.message order by g.at desc))[1],
       (array_agg(g.wid order by g.at desc))[1]
from gone g join wedsql.trig t on t.tgid = g.tgid group by g.tgid order by g.tgid
on conflict (tgid) do update set n = s.n + excluded.n, last_at = greatest(s.last_at, excluded.last_at),
  sqlstate = excluded.sqlstate, message = excluded.message, wid = excluded.wid
$$;
