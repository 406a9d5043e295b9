-- Who has claimed cases before others repair them.

-- Returns the other persons who have claimed the cases of these instances, 20 at most, who have the most
-- first: how many each has, and since when the last one.
create or replace function wedsql.claims_of_others(p_wids integer[], p_person text)
returns table (owner text, cases bigint, since timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select c.owner, count(*), max(e.at)
from wedsql.repair_case c
left join lateral (
  select v.at from wedsql.case_event v where v.number = c.number and v.kind in ('claimed', 'taken_over')
  order by v.id desc limit 1) e on true
where c.wid = any (p_wids) and c.closed_at is null and c.lease_until > wedsql.now() and c.owner <> p_person
group by c.owner order by count(*) desc, c.owner limit 20
$$;

grant execute on function wedsql.claims_of_others(integer[], text) to wed_web;
