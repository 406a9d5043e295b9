-- What a re-match would do to one instance, by the rules of _rematch_some and _settle.

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
  and (g.due_attr is not null or g.due_after is not null) and wedsql._may_wait(g, p_wid, p_state)
$$;

-- Returns what a re-match would make of an instance: its status, the triggers that fire and the jobs that are
-- withdrawn. p_matched: the conditions that hold; p_jobs: its jobs without those of removed triggers,
-- p_parked those of them that are parked; p_wid is null where the flow has no options beyond the paper's, so
-- that nothing but these arguments counts. p_held: the triggers that the publication holds back in it. A
-- firing limit that is reached is not foreseen, nor what follows from automatic transitions.
create or replace function wedsql._consequence(p_plan wedsql.plan, p_wid integer, p_status "char",
  p_state jsonb,
  p_matched integer[], p_jobs integer[], p_parked integer[], p_held integer[],
  out becomes "char", out fires integer[], out withdrawn integer[])
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_now timestamptz := wedsql.now();
  v_timers jsonb := case when p_wid is null then '{}' else wedsql._timers_left(p_plan.rules, p_wid, p_state,
    p_matched) end;
  v_end integer := (p_plan.flow).final_tgid;
  v_holds boolean := coalesce(v_end = any (p_matched), false);
  v_waits integer[] := array(select t.tgid from unnest(p_plan.rules) t where t.due_attr is not null
    or t.due_after is not null);
  v_final boolean;
  v_news integer[];
  v_trig wedsql.trig;
begin
  if p_held <> '{}' then
    p_matched := array(select m from unnest(p_matched) m where m <> all (p_held)
      or exists (select 1 from wedsql.timer x where x.wid = p_wid and x.tgid = m));
  end if;
  v_final := coalesce(v_end = any (p_matched), false) and (v_end <> all (v_waits)
    or coalesce((v_timers ->> v_end::text)::timestamptz <= v_now, false));
  v_news := array(select m from unnest(p_matched) m where (m <> coalesce(v_end, 0) or not v_final)
    and m <> all (p_jobs));
  if p_wid is not null then
    v_news := array(select m from unnest(v_news) m join unnest(p_plan.rules) t on t.tgid = m
      where wedsql._acts(t, p_wid, p_state, p_jobs, v_now));
  end if;
  becomes := p_status;
  fires := '{}';
  withdrawn := '{}';
  if not (case p_status
    when 'F' then v_news <> '{}' and not v_holds
    when 'E' then p_plan.every_instance or v_news <> '{}' or v_final and p_jobs = '{}'
                  or (p_jobs <> '{}' or v_timers <> '{}') and p_parked = '{}'
    else p_plan.every_instance or v_news <> '{}' and not v_final or v_final and p_jobs = '{}'
         or not (p_jobs <> '{}' or v_news <> '{}' or v_timers <> '{}') end) then
    return;
  end if;
  if p_wid is not null then
    withdrawn := array(select j from unnest(p_jobs) j join unnest(p_plan.rules) t on t.tgid = j
      where (t.revalidate = 'withdraw' or t.performer = 'database') and j <> all (p_matched) order by j);
    p_jobs := array(select j from unnest(p_jobs) j where j <> all (withdrawn));
    p_parked := array(select j from unnest(p_parked) j where j <> all (withdrawn));
    p_matched := array(select m from unnest(p_matched) m join unnest(p_plan.rules) t on t.tgid = m
      where not (t.fire_once and wedsql._has_fired(p_wid, m)) and not wedsql._is_skipped(p_wid, m));
    for v_trig in select t.* from unnest(p_plan.rules) t where t.tgid = any (p_matched)
      and t.tgid = any (v_waits) loop
      if v_trig.due_attr is not null or not v_timers ? v_trig.tgid::text then
        v_timers := v_timers || jsonb_strip_nulls(jsonb_build_object(v_trig.tgid, wedsql._due_at(v_trig,
          p_state, v_now)));
      end if;
      if not coalesce((v_timers ->> v_trig.tgid::text)::timestamptz <= v_now, false) then
        p_matched := array_remove(p_matched, v_trig.tgid);
      end if;
    end loop;
    v_timers := case when v_end = any (p_matched) then '{}' else v_timers - p_matched::text[] end;
  end if;
  v_final := coalesce(v_end = any (p_matched), false);
  fires := array(select m from unnest(p_matched) m where not v_final and m <> all (p_jobs) order by m);
  becomes := wedsql._next_status(v_final, p_jobs <> '{}', p_parked <> '{}', fires <> '{}' or p_jobs <> '{}',
    v_timers <> '{}', false, null);
end $$;

-- Returns whether a trigger whose condition holds would fire now, or set or move a timer; the rule of
-- _would_act for a trigger that need not be published.
create or replace function wedsql._acts(p_trig wedsql.trig, p_wid integer, p_state jsonb, p_jobs integer[],
  p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
  as $$
select (not p_trig.cfinal or (p_trig.due_attr is not null or p_trig.due_after is not null)
        and (x.due_at is not null or wedsql._due_at(p_trig, p_state, p_now) > p_now or p_jobs = '{}'))
  and not (p_trig.fire_once and wedsql._has_fired(p_wid, p_trig.tgid))
  and not wedsql._is_skipped(p_wid, p_trig.tgid)
  and case when p_trig.due_attr is null and p_trig.due_after is null then true
           when p_trig.due_attr is null then x.due_at is null or x.due_at <= p_now
           else x.due_at <= p_now or x.due_at is distinct from wedsql._due_at(p_trig, p_state, null) end
from (select (select x.due_at from wedsql.timer x where x.wid = p_wid and x.tgid = p_trig.tgid) as due_at) x
$$;
