-- Algorithm 1 of the paper (section 4) with the options of triggers, as a pure function: what one commit
-- makes of one instance, from its situation alone. Nothing is read from tables or written. The general path
-- (02_settle.sql) uses its two halves, _hold_back for one instance and _conclude for any number at once; what
-- publishing would do (flows/capabilities/trials) uses the whole; the fast path (12_generated_single.sql) is
-- held to it by flows/tests/kernel/work/test_k_decision.py.

-- Returns what follows from the situation by these rules. p_final_tgid: the final one. The firing limit and
-- what automatic transitions do next are not part of it.
create or replace function wedsql._decision(p_rules wedsql.trig[], p_final_tgid integer,
  p_situation wedsql.situation) returns wedsql.decision
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_found wedsql.decision := wedsql._hold_back(p_rules, p_final_tgid, p_situation);
  v_jobs integer[] := wedsql._without(p_situation.jobs, v_found.withdrawn);
  v_parked boolean := wedsql._without(p_situation.parked, v_found.withdrawn) <> '{}';
  v_violated boolean := wedsql._is_final(p_final_tgid, v_found.acting) and p_situation.violated <> '{}';
begin
  if v_violated then
    v_found.acting := '{}';
  end if;
  select c.status, c.fires, c.suppressed into v_found.status, v_found.fires, v_found.suppressed
  from wedsql._conclude(p_final_tgid, v_found.acting, v_jobs, v_jobs <> '{}', v_parked,
                        v_found.timers <> '{}', p_situation.fresh, p_situation.policy) c;
  v_found.reason := wedsql._exception_reason(v_found.status, coalesce(v_violated, false), p_situation.failed,
                                             v_parked, p_situation.reason);
  if v_found.status = 'F' then  -- with the policy cancel
    v_found.withdrawn := v_found.withdrawn || v_jobs;
  end if;
  return v_found;
end $$;

-- Returns the rules that act on the state, the jobs that are withdrawn before, and the timers that are left:
-- a rule does not act that fires once and has fired, whose job was skipped, or whose time has not come. A due
-- attribute is read again each time; due_after alone counts from when the condition became true. The caller
-- sets how times are written.
create or replace function wedsql._hold_back(p_rules wedsql.trig[], p_final_tgid integer,
  p_situation wedsql.situation) returns wedsql.decision
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.decision;
  v_rule wedsql.trig;
  v_due timestamptz;
begin
  v_found.acting := '{}';
  v_found.withdrawn := '{}';
  v_found.timers := '{}';
  for v_rule in select t.* from unnest(p_rules) t order by t.tgid loop
    if v_rule.tgid <> all (p_situation.matched) then
      if v_rule.tgid = any (p_situation.jobs)
         and (v_rule.revalidate = 'withdraw' or v_rule.performer = 'database') then
        v_found.withdrawn := v_found.withdrawn || v_rule.tgid;
      end if;
      continue;
    end if;
    continue when v_rule.tgid = any (p_situation.skipped)
                  or v_rule.fire_once and v_rule.tgid = any (p_situation.fired);
    if wedsql._has_due_time(v_rule.due_attr, v_rule.due_after) then
      v_due := coalesce(case when v_rule.due_attr is null
                             then (p_situation.timers ->> v_rule.tgid::text)::timestamptz end,
                        wedsql._due_at(v_rule, p_situation.state, p_situation.at));
      if v_due > p_situation.at then
        v_found.timers := v_found.timers || jsonb_build_object(v_rule.tgid, v_due);
      end if;
      continue when v_due > p_situation.at or v_due is null;
    end if;
    v_found.acting := v_found.acting || v_rule.tgid;
  end loop;
  if wedsql._is_final(p_final_tgid, v_found.acting) then
    v_found.timers := '{}';
  end if;
  return v_found;
end $$;

-- Returns what follows from the rules that act: the status, those that fire, and those that a final state
-- suppresses. p_pending: the rules that have a job, null for none; p_live, p_parked, p_timer: whether there
-- is pending work, parked work, a timer. One query without settings, which PostgreSQL inlines.
create or replace function wedsql._conclude(p_final_tgid integer, p_acting integer[], p_pending integer[],
  p_live boolean, p_parked boolean, p_timer boolean, p_fresh boolean, p_policy text)
returns table (final boolean, fires integer[], status "char", suppressed integer[])
language sql stable as $$
select f.final, f.fires,
       wedsql._next_status(f.final, p_live, p_parked, f.fires <> '{}', p_timer, p_fresh, p_policy),
       case when f.final then wedsql._suppressed(p_final_tgid, p_acting) end
from (select n.final,
             case when n.final then '{}' else array(
               select m from unnest(p_acting) m where wedsql._fires(m, p_pending) order by m) end as fires
      from (select wedsql._is_final(p_final_tgid, p_acting) as final) n offset 0) f
$$;

-- Returns why the instance is an exception, null where it is none: it violates an integrity condition, a
-- condition could not be computed, it has parked work, which has its own reason, or nothing acts on it.
create or replace function wedsql._exception_reason(p_status "char", p_violates boolean, p_failed boolean,
  p_parked boolean, p_reason text) returns text
language sql immutable as $$
select case when p_status <> 'E' then null
            when p_violates then 'INTEGRITY'
            when p_failed then 'CONDITION_ERROR'
            when p_parked then p_reason
            else 'STUCK' end
$$;

-- Returns whether a rule whose condition holds would fire now, or set or move a timer, if the state were
-- committed again. One that waits for its time, or has fired its only time, would not; nor a skipped one. A
-- final condition counts only with a due time, and while other work is pending only when that time is still
-- to come. p_due: when its timer is due, null without one; p_live: whether work is pending.
create or replace function wedsql._acts(p_rule wedsql.trig, p_state jsonb, p_due timestamptz, p_live boolean,
  p_fired boolean, p_skipped boolean, p_now timestamptz) returns boolean
language sql stable as $$
select (not p_rule.cfinal or wedsql._has_due_time(p_rule.due_attr, p_rule.due_after)
        and (p_due is not null or wedsql._due_at(p_rule, p_state, p_now) > p_now or not p_live))
  and not (p_rule.fire_once and p_fired) and not p_skipped
  and case when not wedsql._has_due_time(p_rule.due_attr, p_rule.due_after) then true
           when p_rule.due_attr is null then p_due is null or p_due <= p_now
           else p_due <= p_now or p_due is distinct from wedsql._due_at(p_rule, p_state, null) end
$$;

-- Returns whether a re-match settles an instance at all. p_every: whether each living one is settled; p_news:
-- whether a rule would act that has no job; p_holds: whether the final condition holds, p_final: and ends it;
-- p_timed: whether it has a timer that counts.
create or replace function wedsql._is_rematched(p_status "char", p_every boolean, p_news boolean,
  p_holds boolean, p_final boolean, p_live boolean, p_parked boolean, p_timed boolean) returns boolean
language sql immutable as $$
select case p_status
  when 'F' then p_news and not p_holds
  when 'E' then p_every or p_news or p_final and not p_live or (p_live or p_timed) and not p_parked
  else p_every or p_news and not p_final or p_final and not p_live
       or not (p_live or p_news or p_timed) end
$$;
