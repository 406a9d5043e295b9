-- Kept signals of which the reaper has to do something. A round reads those whose time is over, those for
-- which jobs that were fired since the last round wait, and a bounded number of the others, each time the
-- next ones: also a signal for which nothing was fired becomes ready, by a change of its key or an operation.

-- Returns the keys by which signals name an instance in a state, as _keys_of those of its row.
create or replace function wedsql._keys_in_state(p_flow integer, p_wid integer, p_state jsonb) returns text[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
select array_remove(array(select i.key from wedsql.instance i where i.wid = p_wid)
  || array(select p_state ->> a.aname from wedsql.attr a where a.flow_id = p_flow and a.business_key), null)
$$;

-- Returns the kept signals, by number, for which the jobs that were fired after p_after wait, and the number
-- of the last one of these jobs. Jobs that a person has given another priority, and those whose commits came
-- in another order than their numbers, are left to the other looks.
create or replace function wedsql._signals_awaited(p_flow integer, p_after bigint, out ids bigint[],
  out last bigint)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
with fired as materialized (
  select j.id, j.wid, j.trname, wedsql._payload(j::wedsql.job_pool) as payload from wedsql.trig t
  cross join lateral (
    select o.* from wedsql.job_pool o
    where o.flow_id = t.flow_id and o.trname = t.trname and o.priority = t.priority and o.state = 'P'
      and o.id > p_after
    order by o.id limit 500) j
  where t.flow_id = p_flow and t.signal and t.enabled),
found as (
  select s.id from fired j join wedsql.signal s on s.wid = j.wid and s.name = j.trname and s.state = 'K'
  union
  select s.id from fired j cross join lateral unnest(wedsql._keys_in_state(p_flow, j.wid, j.payload)) k
  join wedsql.signal s on s.flow_id = p_flow and s.key = k and s.name = j.trname and s.state = 'K'
    and s.wid is null)
select array(select f.id from found f), coalesce((select max(j.id) from fired j), p_after)
$$;

-- Returns an open cursor over kept signals (wid, item) whose time is over or for which a job may wait, the
-- oldest first, and notes where the next round goes on.
-- Locks: the row of wedsql.care, which the caller has.
create or replace function wedsql._due_signals(p_flow integer, p_now timestamptz) returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_looks jsonb := coalesce((select c.looks from wedsql.care c where c.flow_id = p_flow), '{}');
  v_awaited record := wedsql._signals_awaited(p_flow, coalesce((v_looks ->> 'fired')::bigint, 0));
  v_next bigint[] := array(select s.id from wedsql.signal s
    where s.flow_id = p_flow and s.state = 'K' and s.id > coalesce((v_looks ->> 'signal')::bigint, 0)
    order by s.id limit 200);
  v_flow wedsql.flow := (select f from wedsql.flow f where f.id = p_flow);
  v_due refcursor;
begin
  update wedsql.care c set looks = c.looks || jsonb_build_object('fired', v_awaited.last,
    'signal', case when cardinality(v_next) = 200 then v_next[200] end) where c.flow_id = p_flow;
  open v_due for
    select coalesce(s.wid, 0) as wid, s.id as item
    from (select unnest(v_awaited.ids || v_next)
          union
          (select o.id from wedsql.signal o
           where o.flow_id = p_flow and o.state = 'K' and o.keep_until <= p_now
           order by o.keep_until limit 1000)) n (id)
    join wedsql.signal s on s.id = n.id
    where (s.keep_until <= p_now or case when s.wid is not null
             then exists (select 1 from wedsql.job_pool j
                          where j.wid = s.wid and j.trname = s.name and j.state = 'P')
             else exists (select 1 from wedsql.job_pool j
                          where j.flow_id = p_flow and j.trname = s.name and j.state = 'P')
               and cardinality(wedsql._named_by(v_flow, s.key)) > 0 end)
      and wedsql._may_try(p_flow, 'signals', coalesce(s.wid, 0), s.id, p_now)
    order by s.id;
  return v_due;
end $$;

-- Delivers a kept signal if its instance waits for it now and for no older one, or ends one that was kept for
-- its whole time. Returns whether it did.
-- Locks: the instance and the signal, skipping locked ones; its jobs and timers, the trace.
-- Raises: as a worker's result.
create or replace function wedsql._reap_signal(p_flow wedsql.flow, p_id bigint, p_now timestamptz)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_signal wedsql.signal;
  v_wid integer := (select coalesce(s.wid, wedsql._signal_target(p_flow, s.key))
                    from wedsql.signal s where s.id = p_id);
  v_free integer;
begin
  if v_wid is not null then
    execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked',
                   p_flow.name) into v_free using v_wid;
    if v_free is null and exists (select 1 from wedsql.instance i where i.wid = v_wid) then
      return false;
    end if;
  end if;
  select * into v_signal from wedsql.signal s where s.id = p_id and s.state = 'K' for update skip locked;
  if not found then
    return false;
  elsif v_signal.keep_until <= p_now then
    update wedsql.signal s set state = 'X', settled_at = p_now where s.id = p_id;
    return true;
  elsif v_wid is null then
    return false;
  end if;
  return (wedsql._oldest_kept(p_flow, v_wid, v_signal.name, 0, p_now)).id is not distinct from p_id
    and wedsql._deliver_one_kept(p_flow, v_wid, p_id, p_now);
end $$;
