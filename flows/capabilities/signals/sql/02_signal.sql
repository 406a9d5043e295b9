-- Sending a signal, and delivering kept ones.

-- Sends a signal to an instance, named by its number or by a key, and returns what became of it. outcome:
-- delivered (seq is the step), started (an instance), kept (until an instance waits for it), ignored (nothing
-- waited for it, and it is not kept). A token makes it safe to repeat: the answer is that of the first call,
-- with repeated = true.
-- Locks: the flow's table against a definition that is being changed; the row of the token; the instance, its
-- jobs and timers, the trace.
-- Raises: WD001, WD002, WD009, WD104 where there is no such instance and the signal is not kept, WD105 where
-- it has ended, WD210, WD560, WD561, WD562, WD563; as a worker's result.
create or replace function wedsql.signal(
  p_flow text, p_name text, p_data jsonb default '{}', p_wid integer default null, p_key text default null,
  p_token text default null, p_actor text default null)
returns table (id bigint, outcome text, wid integer, seq integer, repeated boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_flow wedsql.flow := wedsql._locked_flow(p_flow, 'row exclusive');
  v_actor text := wedsql._actor(p_actor);
  v_data jsonb := coalesce(p_data, '{}');
  v_signal wedsql.signal;
begin
  perform wedsql._check_signal(v_flow, p_name, v_data, p_key, p_token);
  if p_wid is not null and p_key is not null
     or p_wid is null and p_key is null and (p_name = any (v_flow.start_by)) is not true then
    perform wedsql._raise('WD009', 'A signal names one instance, by its number or by a key.');
  end if;
  insert into wedsql.signal (flow_id, name, wid, key, data, token, actor, sent_at)
  values (v_flow.id, p_name, p_wid, p_key, v_data, p_token, v_actor, wedsql.now())
  on conflict (flow_id, token) where token is not null do nothing
  returning * into v_signal;
  if v_signal.id is null then
    v_signal := wedsql._sent_before(v_flow.id, p_token, p_name, v_data, p_key, p_wid);
    return query select v_signal.id, wedsql._signal_outcome(v_signal.state), v_signal.wid, v_signal.seq, true;
    return;
  end if;
  v_signal := wedsql._settle_signal(v_flow, v_signal);
  return query select v_signal.id, wedsql._signal_outcome(v_signal.state), v_signal.wid, v_signal.seq, false;
end $$;

-- Returns the state of a signal as a word.
create or replace function wedsql._signal_outcome(p_state "char") returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_state when 'K' then 'kept' when 'D' then 'delivered' when 'S' then 'started'
                    when 'X' then 'expired' else 'ignored' end
$$;

-- Delivers a new signal, starts an instance with it, keeps it, or leaves it without effect; stores and
-- returns which.
-- Locks, raises: as signal.
create or replace function wedsql._settle_signal(p_flow wedsql.flow, p_signal wedsql.signal)
  returns wedsql.signal
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  p_signal.wid := coalesce(p_signal.wid, wedsql._signal_target(p_flow, p_signal.key));
  if p_signal.wid is null and p_signal.name = any (p_flow.start_by) then
    p_signal := wedsql._start_by_signal(p_flow, p_signal);
  end if;
  if p_signal.wid is not null and p_signal.state = 'N' then
    p_signal := wedsql._deliver_in_order(p_flow, p_signal);
  end if;
  if p_signal.state = 'N' then
    p_signal := wedsql._keep_signal(p_flow, p_signal);
  end if;
  update wedsql.signal s
  set wid = p_signal.wid, seq = p_signal.seq, job_id = p_signal.job_id, state = p_signal.state,
      keep_until = p_signal.keep_until,
      settled_at = case when p_signal.state <> 'K' then wedsql.now() end
  where s.id = p_signal.id;
  return p_signal;
end $$;

-- Starts an instance with a signal. Where another session has started one with the key meanwhile, the signal
-- is for that instance.
-- Locks, raises: as start.
create or replace function wedsql._start_by_signal(p_flow wedsql.flow, p_signal wedsql.signal)
  returns wedsql.signal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_started record := wedsql._start_or_find(p_flow.name,
    p_signal.data || wedsql._start_source(p_flow.id, p_signal.name), p_signal.actor, p_signal.key);
begin
  p_signal.wid := v_started.wid;
  p_signal.state := case when v_started.known then 'N' else 'S' end;
  return p_signal;
end $$;

-- Delivers a signal to the job that waits for it, after older ones that are kept for the instance.
-- Locks: the flow's table, the instance, the kept signals; its jobs and timers, the trace.
-- Raises: as _lock_signalled, as _deliver.
create or replace function wedsql._deliver_in_order(p_flow wedsql.flow, p_signal wedsql.signal)
  returns wedsql.signal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
begin
  perform wedsql._lock_signalled(p_flow, p_signal.wid);
  perform wedsql._deliver_kept(p_flow, p_signal.wid, p_signal.name);
  v_job := wedsql._signalled_job(p_signal.wid, p_signal.name);
  if v_job.id is not null then
    p_signal.seq := wedsql._deliver(p_flow, v_job, p_signal.data, p_signal.actor);
    p_signal.job_id := v_job.id;
    p_signal.state := 'D';
  end if;
  return p_signal;
end $$;

-- Returns a signal for which nothing waits as one that is kept, where a trigger says so.
-- Locks: as _check_takes_signal.
-- Raises: WD104 where it is not kept and names no instance, WD563 where too many are kept already; as
-- _check_takes_signal.
create or replace function wedsql._keep_signal(p_flow wedsql.flow, p_signal wedsql.signal)
  returns wedsql.signal
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_keep interval := (select t.keep from wedsql._waiting_for(p_flow.id, p_signal.name) t limit 1);
begin
  if exists (select from wedsql.instance i where i.wid = p_signal.wid and i.status in ('F', 'C', 'A')) then
    return p_signal;  -- an older signal, which was delivered just now, was its last step
  elsif v_keep is null and p_signal.wid is null then
    perform wedsql._raise('WD104', 'No instance of flow "{flow}" has the key "{key}".',
      'The signal is not kept, because no rule that waits for it says how long.',
      jsonb_build_object('flow', p_flow.name, 'key', coalesce(left(p_signal.key, 80), '')));
  elsif v_keep is null then
    perform wedsql._check_takes_signal(p_signal.wid, p_signal.name);
    return p_signal;
  end if;
  if p_signal.wid is null then
    perform wedsql._alone('signal', p_flow.id || ' ' || p_signal.name || ' ' || p_signal.key);
  end if;
  if (select count(*) from (
        select from wedsql.signal s
        where s.flow_id = p_flow.id and s.state = 'K' and s.name = p_signal.name
          and s.wid is not distinct from p_signal.wid
          and (p_signal.wid is not null or s.key = p_signal.key) limit 100) k) >= 100 then
    perform wedsql._raise('WD563', 'The instance has 100 kept signals "{signal}" already.',
      'Send it again when some are delivered.', jsonb_build_object('signal', p_signal.name));
  end if;
  p_signal.state := 'K';
  p_signal.keep_until := wedsql.now() + v_keep;
  return p_signal;
end $$;

-- Deletes settled signals after 30 days, at most 1000 at a time.
-- Locks: rows that nothing else writes, skipping locked ones.
create or replace function wedsql._forget_signals(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.signal s where s.id = any (array(
  select o.id from wedsql.signal o
  where o.state <> 'K' and o.settled_at < p_now - interval '30 days' limit 1000 for update skip locked))
$$;

-- Returns the signals of a flow, or of one instance, the newest first, up to p_limit before p_before.
-- problem: why one that is kept could not be delivered although an instance waits.
create or replace function wedsql.signals(p_flow text, p_wid integer default null,
  p_before bigint default null, p_limit integer default 50)
returns table (id bigint, name text, wid integer, key text, data jsonb, actor text, sent_at timestamptz,
               outcome text, keep_until timestamptz, settled_at timestamptz, seq integer, problem text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select s.id, s.name, s.wid, s.key, s.data, s.actor, s.sent_at, wedsql._signal_outcome(s.state), s.keep_until,
       s.settled_at, s.seq, case when s.state = 'K' then t.message end
from wedsql._flow(p_flow) f cross join lateral (
  select n.* from wedsql.signal n
  where n.flow_id = f.id and (p_wid is null or n.wid = p_wid) and (p_before is null or n.id < p_before)
  order by n.id desc limit least(greatest(p_limit, 1), 501)) s
left join wedsql.trouble t on t.flow_id = f.id and t.kind = 'signals' and t.wid = coalesce(s.wid, 0)
  and t.item = s.id
order by s.id desc
$$;

grant execute on function wedsql.signal(text, text, jsonb, integer, text, text, text) to wed_web, wed_worker;
grant execute on function wedsql.signals(text, integer, bigint, integer) to wed_web, wed_monitor;
