-- What was where in a flow at a moment of the history: the rules whose conditions held, and open jobs.

-- Returns the jobs that instances had at p_at: those that a step fired until then, and that no later step
-- finished and nothing withdrew. p_wids, p_from: the instances, and for each the time from which to search.
create or replace function wedsql._open_jobs(p_wids integer[], p_from timestamptz[], p_at timestamptz)
returns table (wid integer, tgid integer, fired_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
select u.wid, j.tgid, j.fired_at
from unnest(p_wids, p_from) u (wid, since)
cross join lateral (
  select f.tgid, max(t.seq) as seq, max(t.tstmp) as fired_at
  from wedsql.wed_trace t cross join unnest(t.fired) f (tgid)
  where t.wid = u.wid and t.tstmp >= u.since and t.tstmp <= p_at group by f.tgid) j
where not exists (
    select from wedsql.wed_trace t
    where t.wid = u.wid and t.tstmp >= u.since and t.tstmp <= p_at and t.seq > j.seq and t.tgid = j.tgid
      and t.job_id is not null)
  and not exists (  -- the repair of an exception removes parked jobs
    select from wedsql.wed_trace t
    where t.wid = u.wid and t.tstmp >= u.since and t.tstmp <= p_at and t.seq > j.seq and t.tgid = 0
      and exists (select from wedsql.job_log l
                  where l.wid = u.wid and l.tgid = j.tgid and l.outcome = 'parked' and l.at >= j.fired_at
                    and l.at <= t.tstmp))
  and not exists (
    select from wedsql.job_log l
    where l.wid = u.wid and l.tgid = j.tgid and l.outcome = 'withdrawn' and l.at > j.fired_at
      and l.at <= p_at)
$$;

-- Says of the instances of a flow that were living at p_at on how many the present condition of each trigger
-- held, by the matcher of the flow, and which jobs they had: {"examined", "more", "holds": {tgid: number},
-- "jobs": {tgid: {"n", "oldest", "failed"}}}; failed: in all
-- attempts, of exceptions; oldest: of the others. Examines the newest p_limit; "more" says that there were
-- others.
-- Raises: WD001.
create or replace function wedsql.places_at(p_flow text, p_at timestamptz, p_limit integer default 1000)
returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off set plan_cache_mode = force_custom_plan as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_below integer := wedsql.wids_until(v_flow.id, p_at);
  v_wids integer[];
  v_from timestamptz[];
  v_states jsonb[];
  v_stuck integer[];  -- those that were exceptions
  v_holds jsonb := '{}';
  v_found integer;
begin
  select array_agg(x.wid), array_agg(x.since), array_agg(x.state),
         array_agg(x.wid) filter (where x.status = 'E') into v_wids, v_from, v_states, v_stuck from (
    select i.wid, i.started_at - interval '1 day' as since, s.state, s.status
    from (select * from wedsql.living_until(v_flow.id, p_at, v_below) i order by i.wid desc) i
    cross join lateral wedsql.last_step(
      i.wid, wedsql.search_from(i.started_at, i.changed_at, p_at), p_at) s
    where s.status = any ('{R,E,S,X}'::"char"[]) order by i.wid desc limit p_limit + 1) x;
  v_found := coalesce(cardinality(v_wids), 0);
  if v_found > 0 then
    execute wedsql._fill($q$
      select coalesce(jsonb_object_agg(h.tgid, h.n), '{}') from (
        select m.tgid, count(*) as n
        from unnest($1[1:$3], $2[1:$3]) u (wid, state)
        cross join lateral wedsql.past_row(null::{flow:I}.wed_flow, u.wid, u.state) r
        cross join unnest(wed_match.f_{id}(r)) m (tgid)
        where m.tgid > 0 group by m.tgid) h $q$, jsonb_build_object('flow', v_flow.name, 'id', v_flow.id))
    into v_holds using v_wids, v_states, p_limit;
  end if;
  return jsonb_build_object('examined', least(v_found, p_limit), 'more', v_found > p_limit, 'holds', v_holds,
    'jobs', (select coalesce(jsonb_object_agg(w.tgid, w.what), '{}') from (
      select o.tgid, jsonb_build_object('n', count(*), 'oldest', min(o.fired_at) filter (where not o.failed),
                                        'failed', count(*) filter (where o.failed)) as what
      from (select j.tgid, j.fired_at, coalesce(j.wid = any (v_stuck) and 'parked' = (
              select l.outcome from wedsql.job_log l
              where l.wid = j.wid and l.tgid = j.tgid and l.at between j.fired_at and p_at
              order by l.id desc limit 1), false) as failed
            from wedsql._open_jobs(v_wids[1:p_limit], v_from[1:p_limit], p_at) j) o group by o.tgid) w));
end $$;

grant execute on function wedsql.places_at(text, timestamptz, integer) to wed_web;
