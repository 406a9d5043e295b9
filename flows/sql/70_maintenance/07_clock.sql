-- A clock that is set back (a repaired one, or that of a standby that took over) must not delay work, and
-- nothing may happen before its time. Leases and back-offs are moved along at once: a token decides what is
-- applied, so a lease that ends early does no harm. A timer that fires early does harm, so it matters which
-- of the two times was wrong: a clock that had jumped ahead by as much before is now right, and the timers
-- that it set are moved along; any other clock that goes back is wrong now, and timers wait for the time that
-- was right. A timer whose moment is in an attribute waits for that moment, whatever the clock did.

-- When the clock went back since the last round, moves what was planned by it back as well, and writes that
-- to the server's log. Returns what the next round needs: the latest moment that any round has seen, the
-- latest one that was right (`sure`), and the last jump ahead (`ahead_from`, `ahead_to`), which a round that
-- comes a minute late also looks like.
-- Locks: jobs and timers, skipping locked ones; the caller holds the reaper's beat, so that one of several
-- does it.
create or replace function wedsql._reap_clock(p_now timestamptz) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set intervalstyle = 'postgres' as $$
declare
  v_back interval;
  v_wrong_since timestamptz;
  v_beat record;
begin
  select b.seen_at, (b.detail ->> 'latest')::timestamptz as latest,
         coalesce((b.detail ->> 'sure')::timestamptz, b.seen_at) as sure,
         (b.detail ->> 'ahead_from')::timestamptz as ahead_from,
         (b.detail ->> 'ahead_to')::timestamptz as ahead_to
  into v_beat from wedsql.beat b where b.name = 'reaper';
  if v_beat.seen_at > p_now + interval '1 second' then
    v_back := v_beat.seen_at - p_now;
    v_wrong_since := case when v_beat.ahead_to - v_beat.ahead_from - v_back between interval '-1 second'
      and interval '30 seconds'
      then v_beat.ahead_from + v_back end;
    raise warning 'the clock of the database went back by %: it is older than the newest history', v_back;
    perform wedsql._plan_back(v_back, p_now);
    if v_wrong_since is not null then
      perform wedsql._timers_back(v_back, v_wrong_since);
      v_beat.ahead_from := null;
      v_beat.sure := null;
    end if;
  elsif p_now - v_beat.sure > interval '1 minute' then
    v_beat.ahead_from := v_beat.sure;
    v_beat.ahead_to := p_now;
  end if;
  return jsonb_build_object('latest', greatest(p_now, v_beat.latest), 'sure', greatest(p_now, v_beat.sure))
    || case when v_beat.ahead_from is null then '{}'
      else jsonb_build_object('ahead_from', v_beat.ahead_from, 'ahead_to', v_beat.ahead_to) end;
end $$;

-- Moves leases, back-offs and heartbeats of a later time to the present one, and has policies look at once.
-- Locks: jobs, what capabilities plan, workers and watchers, skipping locked ones.
create or replace function wedsql._plan_back(p_back interval, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with planned as (
    select j.wid, j.tgid from wedsql.job_pool j where j.lease_until > p_now or j.not_before > p_now
    order by j.wid, j.tgid for update skip locked)
  update wedsql.job_pool j set lease_until = j.lease_until - p_back, not_before = j.not_before - p_back
  from planned p where j.wid = p.wid and j.tgid = p.tgid;
  perform wedsql._starts_back(p_back, p_now);
  perform wedsql._call_clock_set_back(p_now);
  update wedsql.lock_seen s
  set first_seen = least(s.first_seen, p_now), xact_seen = least(s.xact_seen, p_now),
      ended_at = least(s.ended_at, p_now)
  where s.xact_seen > p_now;
  update wedsql.worker w set seen_at = p_now
  where w.id = any (array(select o.id from wedsql.worker o where o.seen_at > p_now for update skip locked));
  update wedsql.watch w set seen_at = p_now
  where w.id = any (array(select o.id from wedsql.watch o where o.seen_at > p_now for update skip locked));
end $$;

-- Has instances start again in time where the next one waits for a later moment than one repetition after the
-- last. None starts sooner, so that a moment that has come by the wrong clock starts nothing again.
-- Locks: the rows of the times, skipping locked ones.
create or replace function wedsql._starts_back(p_back interval, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
with late as (
  select s.id, r.what, case when (r.what).first_at is null and s.base_at > p_now + (r.what).every
                       then s.base_at - p_back else s.base_at end as base_at,
         greatest(p_now, i.started_at - p_back + (r.what).every
                         - least((r.what).every / 10, interval '5 seconds')) as after_at
  from wedsql.start_time s cross join lateral (select wedsql._repetition(s.entry) as what) r
  left join wedsql.instance i on i.wid = s.last_wid and i.flow_id = s.flow_id
  where s.due_at > p_now and (r.what).every is not null and s.due_at > p_now + (r.what).every
    and ((r.what).first_at is null or s.last_at is not null)
  order by s.id for update of s skip locked)
update wedsql.start_time s
set base_at = l.base_at, due_at = coalesce(wedsql._next_start(l.what, l.base_at, l.after_at), s.due_at)
from late l where l.id = s.id
$$;

-- Makes timers that were set since p_since, to wait for a given time, wait for that time.
-- Locks: timers, skipping locked ones.
create or replace function wedsql._timers_back(p_back interval, p_since timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
with meant as (
  select x.wid, x.tgid from wedsql.timer x join wedsql.trig t on t.tgid = x.tgid
  where t.due_attr is null and x.due_at - t.due_after >= p_since
  order by x.wid, x.tgid for update of x skip locked)
update wedsql.timer x set due_at = x.due_at - p_back from meant m where x.wid = m.wid and x.tgid = m.tgid
$$;

-- Returns the time by which figures are old. A clock that went ahead may be wrong and be corrected, and what
-- was removed meanwhile would be lost: for a day after a jump ahead the time is as if there had been none. A
-- time without a reaper looks like a jump, and only delays the removal.
create or replace function wedsql._removal_time(p_now timestamptz) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
select x.at - case when x.at between x.ahead_to and x.ahead_to + interval '1 day'
                   then x.ahead_to - x.ahead_from else interval '0' end
from (
  select case when p_now - b.sure > interval '1 minute' then b.sure else p_now end as at,
         b.ahead_from, b.ahead_to
  from (values (0)) always
  left join (
    select coalesce((b.detail ->> 'sure')::timestamptz, b.seen_at) as sure,
           (b.detail ->> 'ahead_from')::timestamptz as ahead_from,
           (b.detail ->> 'ahead_to')::timestamptz as ahead_to
    from wedsql.beat b where b.name = 'reaper') b on true) x
$$;

-- Returns by how much the time is behind the latest that the reaper has seen; zero when it is not.
create or replace function wedsql.clock_behind() returns interval
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select coalesce((select greatest(interval '0', (b.detail ->> 'latest')::timestamptz - wedsql.now())
                 from wedsql.beat b where b.name = 'reaper'), interval '0')
$$;
grant execute on function wedsql.clock_behind() to wed_web, wed_monitor, wed_reaper;
