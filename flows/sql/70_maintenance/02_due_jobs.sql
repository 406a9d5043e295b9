-- What a round of the reaper looks at. Leases, timers and other moments are found by an index. What only a
-- look can show to be due is looked at in turns, a bounded number in a round: so a round costs the same
-- however much waits, and nothing that is ready stays behind what is not.

-- Returns after which number the next round looks at a kind of thing of all flows.
create or replace function wedsql._look_after(p_kind text) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((select (c.looks ->> p_kind)::integer from wedsql.care c where c.flow_id = 0), 0)
$$;

-- Notes after which number the next round looks; null for the start.
-- Locks: the row of wedsql.care.
create or replace function wedsql._looked(p_kind text, p_last integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.care as c (flow_id, looks) values (0, jsonb_build_object(p_kind, p_last))
on conflict (flow_id) do update set looks = c.looks || excluded.looks
where c.looks -> p_kind is distinct from excluded.looks -> p_kind
$$;

-- Pending jobs of which the reaper has to do something, by the index job_pool_waiting, whose predicate the
-- queries name word for word.

-- Returns whether a flow may have something for a round to do.
create or replace function wedsql._may_be_due(p_flow wedsql.flow, p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select (p_flow).automatic
  or exists (select 1 from wedsql.job_pool j
             where j.flow_id = (p_flow).id and j.state = 'L' and j.lease_until <= p_now)
  or exists (select 1 from wedsql.timer x where x.flow_id = (p_flow).id and x.due_at <= p_now)
  or exists (select 1 from wedsql.trig t where t.flow_id = (p_flow).id and t.pickup_deadline is not null)
  or exists (select 1 from wedsql.start_time s where s.flow_id = (p_flow).id and s.due_at <= p_now)
  or wedsql._call_may_be_due((p_flow).id, p_now)
$$;

-- Returns the moment up to which jobs were offered that may have waited for so long: a little later than that
-- many days or months ago, which differ in length.
create or replace function wedsql._offered_until(p_deadline interval, p_now timestamptz) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_now - p_deadline + case when p_deadline < interval '1 day' then interval '0'
                                 when p_deadline < interval '1 month' then interval '2 hours'
                                 else interval '4 days' end
$$;

-- Returns an open cursor over jobs (wid, item) that no worker took within their pickup_deadline, the oldest
-- first. One that was marked as late before is due after the same time again.
create or replace function wedsql._due_late(p_flow integer, p_now timestamptz) returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  v_due refcursor;
begin
  open v_due for select j.wid, j.id as item from wedsql.trig t
    cross join (values (false, 1), (true, 2)) l (late, times)
    cross join lateral (
      select o.* from wedsql.job_pool o
      where o.tgid = t.tgid and o.late = l.late and (o.state = 'P') is true
        and greatest(o.fired_at, o.not_before)
            <= wedsql._offered_until(least(t.pickup_deadline, wedsql._longest()) * l.times, p_now)
      offset 0) j  -- each trigger reads its part of the index
    where t.flow_id = p_flow and t.pickup_deadline is not null
      and wedsql._late(j, t.pickup_deadline, p_now)
      and not exists (select 1 from pg_locks l
                      where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = j.wid::oid
                        and l.objid = j.tgid::oid)
      and wedsql._may_try(p_flow, 'late', j.wid, j.id, p_now)
    order by j.fired_at;
  return v_due;
end $$;

-- Returns an open cursor over jobs (wid, item) of automatic transitions in running instances. A round looks
-- at the next thousand jobs of each trigger, because those of exceptions wait as long as these do, and notes
-- where the next one goes on.
-- Locks: the row of wedsql.care, which the caller has.
create or replace function wedsql._due_automatic(p_flow integer, p_now timestamptz) returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set enable_bitmapscan = off set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
declare
  v_looks jsonb := coalesce((select c.looks -> 'automatic' from wedsql.care c
                             where c.flow_id = p_flow), '{}');
  v_trig record;
  v_ids bigint[] := '{}';
  v_wids integer[] := '{}';
  v_next record;
  v_due refcursor;
begin
  for v_trig in select t.tgid, v_looks -> t.tgid::text as after from wedsql.trig t
                where t.flow_id = p_flow and t.enabled and t.performer = 'database' loop
    select array_agg(o.id) as ids, array_agg(o.wid) as wids, count(*) as n,
           (array_agg(jsonb_build_array(o.at, o.id) order by o.at desc, o.id desc))[1] as last into v_next
    from (select j.id, j.wid, greatest(j.fired_at, j.not_before) as at from wedsql.job_pool j
          where j.tgid = v_trig.tgid and not j.late and (j.state = 'P') is true
            and (greatest(j.fired_at, j.not_before), j.id)
                > (coalesce((v_trig.after ->> 0)::timestamptz, '-infinity'),
                   coalesce((v_trig.after ->> 1)::bigint, 0))
          order by greatest(j.fired_at, j.not_before), j.id limit 1000) o;
    v_ids := v_ids || v_next.ids;
    v_wids := v_wids || v_next.wids;
    v_looks := v_looks - v_trig.tgid::text || case when v_next.n = 1000
      then jsonb_build_object(v_trig.tgid, v_next.last) else '{}' end;
  end loop;
  update wedsql.care c set looks = c.looks || jsonb_build_object('automatic', v_looks)
  where c.flow_id = p_flow;
  open v_due for select u.wid, u.id as item from unnest(v_wids, v_ids) u (wid, id)
    join wedsql.instance i on i.wid = u.wid
    where i.status = 'R' and wedsql._may_try(p_flow, 'automatic', u.wid, u.id, p_now)
    order by u.id;
  return v_due;
end $$;
