-- Conditions that failed, one row per trigger: the sum, and the failures that are not added up yet. In the
-- order of the triggers, so that a page of it is read by their numbers without reading other rows.
create or replace view wedsql.condition_error as
select t.tgid, t.flow_id, coalesce(s.n, 0) + f.n as n, greatest(s.last_at, l.at) as last_at,
       case when s.last_at > l.at or l.at is null then s.sqlstate else l.sqlstate end as sqlstate,
       case when s.last_at > l.at or l.at is null then s.message else l.message end as message,
       case when s.last_at > l.at or l.at is null then s.wid else l.wid end as wid
from wedsql.trig t left join wedsql.condition_error_sum s on s.tgid = t.tgid
left join lateral (select o.at, o.sqlstate, o.message, o.wid from wedsql.condition_failure o
                   where o.tgid = t.tgid
                   order by o.id desc limit 1) l on true
cross join lateral (select count(*) as n from wedsql.condition_failure o where o.tgid = t.tgid) f
where s.tgid is not null or l.at is not null;
alter view wedsql.condition_error owner to wed_owner;

-- Adds up to p_max rows of failed conditions to one row per trigger; what is shown stays the same.
-- Locks: those rows, skipping locked ones; then the sums in the order of their triggers, which one reaper at
-- a time writes.
create or replace function wedsql._fold_condition_errors(p_max integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
with gone as (
  delete from wedsql.condition_failure f where f.id = any (array(
    select o.id from wedsql.condition_failure o order by o.id limit p_max for update skip locked))
    returning f.*)
insert into wedsql.condition_error_sum as s (tgid, flow_id, n, last_at, sqlstate, message, wid)
select g.tgid, min(g.flow_id), count(*), max(g.at), (array_agg(g.sqlstate order by g.at desc))[1],
       (array_agg(g.message order by g.at desc))[1],
       (array_agg(g.wid order by g.at desc))[1]
from gone g join wedsql.trig t on t.tgid = g.tgid group by g.tgid order by g.tgid
on conflict (tgid) do update set n = s.n + excluded.n, last_at = greatest(s.last_at, excluded.last_at),
  sqlstate = excluded.sqlstate, message = excluded.message, wid = excluded.wid
$$;
