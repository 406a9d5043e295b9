-- What a re-match would do to one instance: by the rules of _rematch_some whether it settles it, by those of
-- wedsql._decision what then follows.


-- Returns since when or until when a trigger waits in an instance as the re-match would leave its timers:
-- trigger number -> moment.
create or replace function wedsql._timers_left(p_rules wedsql.trig[], p_wid integer, p_state jsonb,
  p_matched integer[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
  as $$
select coalesce(jsonb_object_agg(x.tgid, case when g.due_attr is null then x.due_at
                                              else wedsql._due_at(g, p_state, null) end), '{}')
from wedsql.timer x join unnest(p_rules) g on g.tgid = x.tgid
where x.wid = p_wid and x.tgid = any (p_matched) and g.enabled
  and wedsql._has_due_time(g.due_attr, g.due_after) and wedsql._may_wait(g, p_wid, p_state)
$$;

-- Returns what a re-match would make of an instance: its status, the triggers that fire and the jobs that are
-- withdrawn. p_matched: the conditions that hold; p_jobs: its jobs without those of removed triggers,
-- p_parked those of them that are parked; p_wid is null where the flow has no options beyond the paper's, so
-- that nothing but these arguments counts. p_held: the triggers that the publication holds back in it;
-- p_violated: the integrity conditions that its state violates. A firing limit that is reached is not
-- foreseen, nor what follows from automatic transitions.
create or replace function wedsql._consequence(p_plan wedsql.plan, p_wid integer, p_status "char",
  p_state jsonb, p_matched integer[], p_jobs integer[], p_parked integer[], p_held integer[],
  p_violated integer[], out becomes "char", out fires integer[], out withdrawn integer[])
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_end integer := (p_plan.flow).final_tgid;
  v_holds boolean := wedsql._is_final(v_end, p_matched);
  v_now timestamptz := wedsql.now();
  v_before wedsql.situation;
  v_found wedsql.decision;
  v_final boolean;
begin
  v_before.timers := '{}';
  if p_wid is not null then
    v_before := wedsql._situation_of(p_wid, p_state, p_matched, p_plan.rules, v_now);
    v_before.timers := wedsql._timers_left(p_plan.rules, p_wid, p_state, p_matched);
  end if;
  v_before.fresh := false;
  v_before.matched := wedsql._not_held(p_wid, p_matched, p_held);
  v_before.jobs := p_jobs;
  v_before.parked := p_parked;
  v_before.violated := p_violated;
  v_final := wedsql._ends_now(p_plan.rules, v_end, v_before, v_now);
  becomes := p_status;
  fires := '{}';
  withdrawn := '{}';
  if wedsql._is_rematched(p_status, p_plan.every_instance,
                          wedsql._has_news(p_plan.rules, v_end, p_wid, v_before, v_final, v_now),
                          v_holds, v_final, p_jobs <> '{}', p_parked <> '{}', v_before.timers <> '{}') then
    v_found := wedsql._decision(p_plan.rules, v_end, v_before);
    becomes := v_found.status;
    fires := v_found.fires;
    withdrawn := v_found.withdrawn;
  end if;
end $$;

-- Returns the conditions that hold without those of triggers that are held back; one that waits for its time
-- already goes on waiting.
create or replace function wedsql._not_held(p_wid integer, p_matched integer[], p_held integer[])
  returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when p_held = '{}' then p_matched
            else array(select m from unnest(p_matched) m where m <> all (p_held)
                         or exists (select 1 from wedsql.timer x where x.wid = p_wid and x.tgid = m)) end
$$;

-- Returns whether the final condition is among those that hold and its time, if it has one, has come.
create or replace function wedsql._ends_now(p_rules wedsql.trig[], p_final_tgid integer,
  p_before wedsql.situation, p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
  as $$
select wedsql._is_final(p_final_tgid, p_before.matched)
  and (not exists (select 1 from unnest(p_rules) t
                   where t.tgid = p_final_tgid and wedsql._has_due_time(t.due_attr, t.due_after))
       or coalesce((p_before.timers ->> p_final_tgid::text)::timestamptz <= p_now, false))
$$;

-- Returns whether a condition that holds has no job and may act, besides a final one that ends the instance.
create or replace function wedsql._has_news(p_rules wedsql.trig[], p_final_tgid integer, p_wid integer,
  p_before wedsql.situation, p_final boolean, p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
  as $$
select exists (select 1 from unnest(p_before.matched) m
               where (m <> coalesce(p_final_tgid, 0) or not p_final) and m <> all (p_before.jobs))
  and (p_wid is null or exists (
    select 1 from unnest(p_rules) t left join wedsql.timer x on x.wid = p_wid and x.tgid = t.tgid
    where t.tgid = any (p_before.matched) and t.tgid <> all (p_before.jobs)
      and wedsql._acts(t, p_before.state, x.due_at, p_before.jobs <> '{}', t.tgid = any (p_before.fired),
                       t.tgid = any (p_before.skipped), p_now)))
$$;
