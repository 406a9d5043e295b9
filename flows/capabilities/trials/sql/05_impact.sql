-- What publishing a definition would do to the living instances, counted.

-- Returns what the re-match would make of the living instances, in groups of those that agree in all that
-- counts: the values of the evaluated conditions before and after, and the jobs.
create or replace function wedsql._foresee(p_plan wedsql.plan, p_of integer, p_until timestamptz,
  p_final boolean)
  returns table (status "char", before text, after text, jobs integer[], becomes "char", fires integer[],
                 withdrawn integer[], wids integer[])
language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off set work_mem = '64MB' as $$
declare
  v_plain boolean := (p_plan.flow).plain and not exists (
    select 1 from wedsql.flow f where f.id = (p_plan.flow).id and not f.plain);
begin
  return query
    with alike as (
      select l.status, l.before, l.after, case when v_plain then null else l.state end as state, p.jobs,
        k.parked,
             array_agg(l.wid) as wids
      from wedsql._living(p_plan, p_of, p_until, not v_plain, p_final) l
      left join (select j.wid, array_agg(j.tgid) as jobs from wedsql.job_pool j
                 where j.flow_id = (p_plan.flow).id and j.tgid > 0 group by j.wid) p on p.wid = l.wid
      left join (select j.wid, array_agg(j.tgid) as parked from wedsql.job_pool j
                 where j.flow_id = (p_plan.flow).id and j.tgid > 0
                   and j.state = 'K' group by j.wid) k on k.wid = l.wid
      group by 1, 2, 3, 4, 5, 6, case when v_plain then 0 else l.wid end),
    pooled as (
      select a.*, wedsql._kept_jobs(p_plan, a.after, a.jobs) as stay,
        wedsql._kept_jobs(p_plan, a.after, a.parked) as parked_stay
      from alike a)
    select a.status, a.before, a.after, a.stay, c.becomes, c.fires, c.withdrawn || wedsql._without(a.jobs,
      a.stay), a.wids
    from pooled a cross join lateral wedsql._consequence(p_plan, case when not v_plain then a.wids[1] end,
      a.status,
      a.state, wedsql._matched_by(p_plan, a.after), a.stay, a.parked_stay,
      wedsql._held_of(p_plan, a.status, a.before, a.after), wedsql._violated_by(p_plan, a.after)) c;
end $$;

-- Returns the number of instances and some of them as one JSON object.
create or replace function wedsql._counted(p_count numeric, p_wids integer[]) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('count', p_count, 'sample', to_jsonb(p_wids[1:20]))
$$;

-- Returns the lowest members of a list.
create or replace function wedsql._lowest(p_list integer[], p_count integer) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array_agg(x.one) from (select u.one from unnest(p_list) u (one) order by u.one limit p_count) x
$$;

-- Returns the counts of a rule's groups: true or not before and after, and what happens to its jobs.
create or replace function wedsql._rule_impact(p_plan wedsql.plan, p_rule integer,
  p_groups jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_object_agg(x.what, x.found) from (
  select k.what, wedsql._counted(coalesce(sum((g ->> 'n')::bigint) filter (where k.fits), 0),
    (select array_agg(w order by w) from (
       select distinct w::integer as w from jsonb_array_elements(p_groups) h
         cross join lateral jsonb_array_elements_text(h -> 'wids') w
       where h -> 'marks' -> p_rule::text ? k.what order by 1 limit 20) s)) as found
  from (values ('both'), ('only_before'), ('only_after'), ('neither'), ('fires'), ('loses_condition'),
    ('withdrawn'),
               ('fails'), ('violates')) v (what)
  left join lateral jsonb_array_elements(p_groups) g on true
  cross join lateral (select v.what, g -> 'marks' -> p_rule::text ? v.what as fits) k
  group by k.what) x
$$;

-- Returns what a group of instances means for each evaluated rule, as a set of words by number of the rule.
create or replace function wedsql._marks(p_plan wedsql.plan, p_before text, p_after text, p_jobs integer[],
  p_fires integer[], p_withdrawn integer[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with held as (
  select wedsql._with_letter(p_before, p_plan.before, 't') as was, wedsql._with_letter(p_after, p_plan.after,
    't') as will,
         wedsql._with_letter(p_after, p_plan.after, 'e') as fails,
         wedsql._violated_by(p_plan, p_after) as violated)
select jsonb_object_agg(r.tgid, array_remove(array[
  case when r.tgid = any (h.was) then case when r.tgid = any (h.will) then 'both' else 'only_before' end
       else case when r.tgid = any (h.will) then 'only_after' else 'neither' end end,
  case when r.tgid = any (p_fires) then 'fires' end,
  case when (r.tgid = any (p_jobs) or r.tgid = any (p_plan.withdraw) and r.tgid = any (p_withdrawn))
    and r.tgid <> all (h.will) then 'loses_condition' end,
  case when r.tgid = any (p_withdrawn) then 'withdrawn' end,
  case when r.tgid = any (h.fails) then 'fails' end,
  case when r.tgid = any (h.violated) then 'violates' end], null))
from held h cross join (select c.tgid from unnest(p_plan.before) c union select c.tgid
  from unnest(p_plan.after) c) r
$$;

-- Returns how many instances have a pending job that gets something else of its changed rule (its name,
-- timeout, priority or lock, or what a capability has of it), by rule, as one of its counts.
create or replace function wedsql._follows(p_plan wedsql.plan) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(r.tgid, wedsql._counted(f.n, f.wids)) filter (where f.n > 0), '{}')
from unnest(p_plan.rules) r join wedsql.trig t on t.tgid = r.tgid
cross join lateral (
  select count(distinct w.wid) as n, wedsql._lowest(array_agg(distinct w.wid), 20) as wids from (
    select n.wid from wedsql._following(t, r) n
    union all
    select j.wid from wedsql.job_pool j
    where r.trname <> t.trname and j.flow_id = t.flow_id and j.tgid = t.tgid
      and not wedsql._call_compensates(j.wid, j.id)
    union all
    select x.wid::integer from jsonb_each(wedsql._call_following(t, r)) c (name, wids)
    cross join lateral jsonb_array_elements_text(case when c.wids <> 'null' then c.wids else '[]' end) x (wid)
    ) w) f
$$;

-- Counts the consequences in one snapshot.
create or replace function wedsql._impact(p_plan wedsql.plan, p_of integer, p_until timestamptz,
  p_final boolean)
  returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_groups jsonb;
  v_final integer := (p_plan.flow).final_tgid;
  v_follows jsonb := wedsql._follows(p_plan);
begin
  select coalesce(jsonb_agg(jsonb_build_object('status', g.status, 'becomes', g.becomes, 'n',
    cardinality(g.wids),
      'wids', wedsql._lowest(g.wids, 20),
      'fires', g.fires, 'refused', exists (
        select 1 from unnest(p_plan.rules) t where t.on_error = 'abort' and t.integrity is null
          and t.tgid = any (wedsql._with_letter(g.after, p_plan.after, 'e'))), 'settled',
            g.becomes <> g.status or g.fires <> '{}' or p_plan.every_instance,
      'marks', wedsql._marks(p_plan, g.before, g.after, g.jobs, g.fires, g.withdrawn))), '[]')
  into v_groups from wedsql._foresee(p_plan, p_of, p_until, p_final) g;
  return jsonb_build_object(
    'examined', (select coalesce(sum((g ->> 'n')::bigint), 0) from jsonb_array_elements(v_groups) g
      where g ->> 'status' <> 'F'),
    'rules', (select coalesce(jsonb_agg(jsonb_build_object('rule', r.tgid, 'found',
      wedsql._rule_impact(p_plan, r.tgid, v_groups) || jsonb_build_object('follows',
        coalesce(v_follows -> r.tgid::text, wedsql._counted(0, null)))) order by r.tgid), '[]')
              from (select c.tgid from unnest(p_plan.before) c union select c.tgid
                from unnest(p_plan.after) c union select k::integer from jsonb_object_keys(v_follows) k) r
              where r.tgid = any (p_plan.changed || p_plan.removed || p_plan.withdraw || p_plan.later)
                or v_follows ? r.tgid::text),
    'fired', (select coalesce(jsonb_object_agg(f.name, f.n), '{}') from (
      select t.trname as name, sum((g ->> 'n')::bigint) as n from jsonb_array_elements(v_groups) g
      cross join lateral jsonb_array_elements_text(g -> 'fires') x
        join unnest(p_plan.rules) t on t.tgid = x::integer
      group by t.trname) f),
    'settled', (select coalesce(sum((g ->> 'n')::bigint), 0) from jsonb_array_elements(v_groups) g
      where (g ->> 'settled')::boolean)
  ) || (select jsonb_object_agg(k.what, wedsql._counted(
      (select coalesce(sum((g ->> 'n')::bigint), 0) from jsonb_array_elements(v_groups) g
       where wedsql._is_kind(k.what, g, v_final)),
      (select array_agg(w order by w) from (select w::integer as w from jsonb_array_elements(v_groups) g
         cross join lateral jsonb_array_elements_text(g -> 'wids') w where wedsql._is_kind(k.what, g, v_final)
         order by 1 limit 20) s)))
    from (values ('left_exception'), ('new_exception'), ('final'), ('reopened'), ('no_longer_final'),
      ('refused')) k (what));
end $$;

-- Returns whether a group of instances is of this kind. refused: a condition fails on them whose rule then
-- rejects the publication.
create or replace function wedsql._is_kind(p_kind text, p_group jsonb, p_final integer) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_kind
  when 'left_exception' then p_group ->> 'status' = 'E' and p_group ->> 'becomes' <> 'E'
  when 'new_exception' then p_group ->> 'status' <> 'E' and p_group ->> 'becomes' = 'E'
  when 'final' then p_group ->> 'status' <> 'F' and p_group ->> 'becomes' = 'F'
  when 'reopened' then p_group ->> 'status' = 'F' and p_group ->> 'becomes' <> 'F'
  when 'no_longer_final' then p_group ->> 'status' = 'F' and p_final is not null
    and p_group -> 'marks' -> p_final::text ? 'only_before'
  else p_group -> 'refused' = 'true' end
$$;

-- Returns what publishing the definition would do to living instances: for each changed rule how many there
-- are for which its condition is true before and after, which jobs lose their condition or get other limits,
-- which exceptions end and begin, which instances become final or would be so no longer, with up to 20 of
-- each. Rules are named by their numbers, new ones by -1 for the first trigger of the definition, -2 for the
-- second ... Above p_limit instances every n-th is examined; after p_seconds it stops. Final instances are
-- examined if p_reopen_final, or if the final condition changes and there are no more than p_limit.
-- p_choices: those of the publication, see 50_work/14_choices.sql. Nothing is locked or changed.
-- Raises: WD001, WD005, WD006, WD009.
create or replace function wedsql.impact(p_flow text, p_definition jsonb,
  p_reopen_final boolean default false,
  p_limit integer default 1000000, p_seconds double precision default 20, p_choices jsonb default '{}')
  returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_start timestamptz := clock_timestamp();
  v_at timestamptz := wedsql.now();
  v_plan wedsql.plan := wedsql._plan(p_flow, p_definition, p_reopen_final,
    p_choices);
  v_living bigint := (select count(*) from wedsql.instance i where i.flow_id = (v_plan.flow).id
    and i.status in ('R', 'E'));
  v_finals bigint := (select count(*) from wedsql.instance i where i.flow_id = (v_plan.flow).id
    and i.status = 'F');
  v_of integer := greatest(1, ceil(v_living::numeric / greatest(p_limit, 1)));
  v_final boolean := p_reopen_final
    or v_finals <= p_limit and exists (select 1 from unnest(v_plan.rules) t where t.cfinal
      and t.tgid = any (v_plan.changed));
  v_found jsonb;
begin
  v_found := wedsql._impact(v_plan, v_of, v_start + make_interval(secs => p_seconds), v_final);
  return v_found || jsonb_build_object('living', v_living, 'one_of', v_of, 'finals_examined', v_final,
    'attributes_change', v_plan.every_instance, 'changed', v_plan.changed, 'removed', v_plan.removed,
    'numbers', (select jsonb_agg(u.tgid order by u.n) from (
      select r.tgid, row_number() over () as n from unnest(v_plan.rules) r) u),
    'seconds', round(extract(epoch from clock_timestamp() - v_start), 3), 'at', v_at);
end $$;

grant execute on function wedsql.impact(text, jsonb, boolean, integer, double precision, jsonb) to wed_web;
