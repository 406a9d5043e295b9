-- What a publication does to groups of living instances otherwise than a re-match does by itself, chosen by
-- the person who publishes: "withdraw" has the triggers whose jobs are removed where their condition does not
-- hold, "later" those that do not fire at once where their condition was not true before, but with the next
-- change of the instance, and "keep_exceptions" leaves exceptions as they are. Triggers are named by their
-- places in the definition, from 0.
do $$
begin
  if to_regtype('wedsql.chosen') is null then
    -- settled: whether what happens is reported by trigger. held_*: in which instances which triggers are
    -- held back, in the order of the instances; held: the same of a thousand instances, by their numbers.
    -- fired_before: only jobs that an earlier version fired are withdrawn; null for all.
    create type wedsql.chosen as (withdraw integer[], keep_exceptions boolean, settled boolean,
      held_wids integer[], held_tgids integer[], held jsonb, fired_before integer);
    create type wedsql.job as (id bigint, wid integer, tgid integer);
  end if;
end $$;

-- Checks the choices of a publication against its definition.
-- Raises: WD009.
create or replace function wedsql._check_choices(p_choices jsonb, p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(p_choices) is distinct from 'object'
     or p_choices - array['withdraw', 'later', 'keep_exceptions'] <> '{}'
     or jsonb_typeof(p_choices -> 'keep_exceptions') <> 'boolean'
     or exists (select 1 from unnest(array['withdraw', 'later']) k
                where jsonb_typeof(p_choices -> k) <> 'array'
                   or exists (select 1 from jsonb_path_query(p_choices -> k, '$[*]') n
                              where n::text !~ '^[0-9]{1,6}$'
                                 or n::text::integer >= jsonb_array_length(p_definition -> 'triggers'))) then
    perform wedsql._raise('WD009', 'The choices of the publication are not valid.',
      'They are an object with "withdraw" and "later", lists of places of triggers from 0, and '
      '"keep_exceptions", true or false.');
  end if;
end $$;

-- Returns the numbers of the triggers that a choice names, without those that do not exist any more.
create or replace function wedsql._chosen_triggers(p_choices jsonb, p_choice text, p_numbers integer[])
  returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(distinct p_numbers[e::integer + 1]), '{}')
from jsonb_array_elements_text(coalesce(p_choices -> p_choice, '[]')) e
where p_numbers[e::integer + 1] is not null
$$;

-- Returns the choices as far as they concern these instances, which are in order; null without choices.
create or replace function wedsql._chosen_of(p_chosen wedsql.chosen, p_wids integer[]) returns wedsql.chosen
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_from integer;
  v_to integer;
begin
  if p_chosen.settled is null then
    return null;
  end if;
  p_chosen.held := '{}';
  if coalesce(cardinality(p_chosen.held_wids), 0) > 0 then
    v_from := 1 + width_bucket(p_wids[1] - 1, p_chosen.held_wids);
    v_to := width_bucket(p_wids[cardinality(p_wids)], p_chosen.held_wids);
    select coalesce(jsonb_object_agg(h.wid, h.tgids), '{}') into p_chosen.held from (
      select u.wid, jsonb_agg(u.tgid) as tgids
      from unnest(p_chosen.held_wids[v_from:v_to], p_chosen.held_tgids[v_from:v_to]) u (wid, tgid)
      group by u.wid) h;
  end if;
  p_chosen.held_wids := null;
  p_chosen.held_tgids := null;
  return p_chosen;
end $$;

-- Returns the conditions that hold without those of triggers that are held back. A trigger that waits for its
-- time already goes on waiting.
create or replace function wedsql._acting(p_wid integer, p_status "char", p_matched integer[],
  p_chosen wedsql.chosen) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(
  select m.tgid from unnest(p_matched) with ordinality m (tgid, n)
  where m.tgid < 0
     or not (p_chosen.keep_exceptions and p_status = 'E')
        and not coalesce(p_chosen.held -> p_wid::text @> to_jsonb(m.tgid), false)
     or exists (select 1 from wedsql.timer x where x.wid = p_wid and x.tgid = m.tgid)
  order by m.n)
$$;

-- Returns the jobs of the instances.
create or replace function wedsql._jobs_of(p_wids integer[]) returns wedsql.job[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(array_agg(row(j.id, j.wid, j.tgid)::wedsql.job order by j.wid), '{}')
from wedsql.job_pool j where j.wid = any (p_wids) and j.tgid > 0
$$;

-- Withdraws the jobs of these triggers whose condition does not hold.
-- Locks: the instances, then the jobs.
create or replace function wedsql._withdraw_chosen(p_name text, p_wids integer[], p_chosen wedsql.chosen,
  p_actor text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(p_chosen.withdraw, '{}') = '{}' then
    return;
  end if;
  execute format($q$
    select wedsql._withdraw_jobs(array_agg(j.wid), array_agg(j.id), 'withdrawn', $3,
      'The condition no longer holds, and the publication withdraws such jobs.', wedsql.now())
    from %I._retest($1) r join wedsql.job_pool j on j.wid = r.wid
    where j.tgid = any ($2) and j.tgid <> all (r.matched) and coalesce(j.version < $4, true)
    having count(*) > 0$q$, p_name)
  using p_wids, p_chosen.withdraw, p_actor, p_chosen.fired_before;
end $$;

-- Returns the first members of a list, in order.
create or replace function wedsql._some(p_wids integer[]) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg(l.one order by l.one), '[]')
from (select u.one from unnest(p_wids) u (one) order by u.one limit 20) l
$$;

-- Returns which of the jobs were withdrawn, by trigger, as part of a report.
create or replace function wedsql._withdrawn_since(p_jobs wedsql.job[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select jsonb_build_object('by_rule', coalesce(jsonb_object_agg(g.tgid, jsonb_build_object(
    'withdrawn', g.n, 'withdrawn_sample', wedsql._some(g.wids))), '{}'))
from (select o.tgid, count(*) as n, array_agg(o.wid) as wids from unnest(p_jobs) o
      where not exists (select 1 from wedsql.job_pool j where j.wid = o.wid and j.id = o.id)
      group by o.tgid) g
$$;

-- Returns how often each trigger fired in these steps, as part of a report. Volatile: it must see the jobs
-- that the calling statement has created.
create or replace function wedsql._fired_by_rule(p_wids integer[], p_seqs integer[]) returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(jsonb_object_agg(g.tgid, jsonb_build_object('fires', g.n,
  'fires_sample', wedsql._some(g.wids))), '{}')
from (select j.tgid, count(*) as n, array_agg(j.wid) as wids
      from unnest(p_wids, p_seqs) s (wid, seq)
      join wedsql.job_pool j on j.wid = s.wid and j.cause_seq = s.seq and j.tgid > 0
      group by j.tgid) g
$$;
