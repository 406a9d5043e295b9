-- A clock that is set back (a repaired one, or that of a standby that took over) must not make people wait: what was
-- planned by the old one is moved along. A token decides what is applied, so that a lease that ends early harms nothing.
create or replace function wedsql._reap_clock(p_now timestamptz) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: when the clock went back since the last round, leases, back-offs and signs of life go back with it, and the
-- server's log says so. The latest moment that any round has seen.
-- Locks: the reaper's beat, so that one of several does it; jobs, skipping locked ones.
declare
  v_seen timestamptz;
  v_back interval;
begin
  select b.seen_at into v_seen from wedsql.beat b where b.name = 'reaper' and b.seen_at > p_now + interval '1 second' for update;
  if found then
    v_back := v_seen - p_now;
    raise warning 'the clock of the database went back by %: it is older than the newest history', v_back;
    with planned as (
      select j.wid, j.tgid from wedsql.job_pool j where j.lease_until > p_now or j.not_before > p_now order by j.wid, j.tgid for update skip locked)
    update wedsql.job_pool j set lease_until = j.lease_until - v_back, not_before = j.not_before - v_back
    from planned p where j.wid = p.wid and j.tgid = p.tgid;
    update wedsql.lock_seen s set first_seen = p_now where s.first_seen > p_now;
    update wedsql.worker w set seen_at = p_now where w.seen_at > p_now;
    update wedsql.watch w set seen_at = p_now where w.seen_at > p_now;
  end if;
  return greatest(p_now, (select (b.detail ->> 'latest')::timestamptz from wedsql.beat b where b.name = 'reaper'));
end $$;

create or replace function wedsql.clock_behind() returns interval
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: how much older the time is than the latest that the reaper has seen; zero when all is well.
select coalesce((select greatest(interval '0', (b.detail ->> 'latest')::timestamptz - wedsql.now()) from wedsql.beat b where b.name = 'reaper'), interval '0')
$$;
grant execute on function wedsql.clock_behind() to wed_web, wed_monitor, wed_reaper;
