-- Applies the paper's Algorithm 1 (section 4) to any number of instances at once: removes the finished jobs,
-- fires the conditions that hold, sets final and exception states, writes a row of the history per step, and
-- wakes waiting workers. p_nested: the step is that of an automatic transition, whose caller performs those
-- that it fires (15_automatic.sql).
-- Locks: instance, job, trace; the caller holds the wed_flow rows.
-- Raises: WD101 when a new instance matches nothing, WD103 for a final state while other work is pending,
-- WD106; WD520 for the repair of an exception that needs approvals; WD530.
create or replace function wedsql._settle(
  p_flow_id integer, p_steps wedsql.step[], p_failed boolean, p_rematch boolean default false,
  p_nested boolean default false)
returns table (wid integer, seq integer, status "char", fired text[], job_id bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_flow wedsql.flow;
  v_now timestamptz := wedsql.now();
  v_xid bigint := txid_current();
  v_names text[] := '{}';
  v_jobs integer := 0;
  v_wids integer[];
  v_seqs integer[];
  v_was "char";
  v_locks text[];  -- which the finished jobs needed
  v_excepted integer[] := '{}';  -- what became, remains or was an exception
  v_parent integer;
  v_ended integer[] := '{}';  -- children that ended
  v_automatic boolean;  -- whether an automatic transition may be pending
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow_id;
  if (p_steps[1]).trw = '_COMP' then  -- wedsql._check_jobs lets only one through at a time
    return query select (p_steps[1]).wid, wedsql._call_compensated(v_flow, p_steps[1]), 'X'::"char",
      '{}'::text[], (p_steps[1]).job_id;
    return;
  end if;
  if p_failed or not v_flow.plain then
    p_steps := wedsql._prepare(v_flow, p_steps, v_now);
  end if;
  if v_flow.guarded then
    p_steps := wedsql._check_integrity(v_flow, p_steps, p_rematch);
  end if;
  if v_flow.exclusive then
    v_locks := array(select j.lock from unnest(p_steps) s join wedsql.job_pool j
                       on j.wid = s.wid and j.id = s.job_id where j.lock is not null);
  end if;
  -- Not a join: this is a look-up by wid, whatever the statistics of an emptied pool are.
  delete from wedsql.job_pool j
  where j.wid = any (array(select s.wid from unnest(p_steps) s))
    and j.id = any (array(select s.job_id from unnest(p_steps) s));
  if exists (select 1 from unnest(p_steps) s where s.tgid = 0) then
    delete from wedsql.job_pool j
    where j.wid = any (array(select s.wid from unnest(p_steps) s where s.tgid = 0)) and j.state = 'K';
  end if;
  for wid, seq, status, fired, job_id, v_was, v_parent, v_automatic in
    with o as materialized (
      select u.*, x.seq + 1 as seq, x.status as was, x.reason as why, x.parent_wid, p.parked,
             c.fires as tgids, coalesce(f.names, '{}') as names, f.timeouts, f.priorities, f.assigned,
             f.automatic or p.live > 0 as automatic, c.status as new_status, c.suppressed
      from unnest(p_steps) u
      left join wedsql.instance x on x.wid = u.wid
      cross join lateral (
        select count(*) filter (where j.tgid > 0) as live, count(*) filter (where j.state = 'K') as parked,
               array_agg(j.tgid) as tgids
        from wedsql.job_pool j where j.wid = u.wid) p
      cross join lateral wedsql._conclude(
        v_flow.final_tgid, u.matched, p.tgids, p.live > 0, p.parked > 0,
        not v_flow.plain and wedsql._has_timer(u.wid), u.fresh,
        case when not p_rematch then v_flow.final_when_pending end) c
      cross join lateral (
        select array_agg(t.trname) as names, array_agg(t.timeout) as timeouts,
               array_agg(t.priority) as priorities,
               array_agg(case when t.performer = 'person' then '' end) as assigned,  -- the name of no worker
               bool_or(t.performer = 'database') as automatic
        from (select * from wedsql.trig t where t.tgid = any (c.fires) order by t.tgid) t) f),
    i as (
      update wedsql.instance x
      set seq = o.seq, status = o.new_status, changed_at = v_now,
          reason = wedsql._exception_reason(o.new_status, o.errors @> '[{"sqlstate": "WD531"}]',
                                            o.errors is not null, o.parked > 0, o.why),
          finished_at = wedsql._finished_at(o.new_status, v_now)
      from o where x.wid = o.wid and o.new_status not in ('!', '?')),
    fire as (
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at,
                                   fired_xid, cause_seq, version, assigned_to)
      select o.wid, n.tgid, v_flow.id, n.trname, n.timeout, wedsql._own_payload(o.state), n.priority,
             v_now, v_xid, o.seq, v_flow.version, n.assigned
      from o
      cross join lateral unnest(o.tgids, o.names, o.timeouts, o.priorities, o.assigned)
        n (tgid, trname, timeout, priority, assigned)),
    trace as (
      insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid,
                                    fired, before, cause_seq, actor, reason, version, tx_at, errors,
                                    suppressed)
      select v_flow.id, o.wid, o.seq, v_now, o.trw, o.names, o.state, o.new_status, o.job_id, o.claim, o.tgid,
             o.tgids, o.before, o.cause_seq, o.actor, o.reason, v_flow.version, now(), o.errors, o.suppressed
      from o)
    select o.wid, o.seq, o.new_status, o.names, o.job_id, o.was, o.parent_wid, o.automatic from o
  loop
    if status in ('!', '?') then
      perform wedsql._refuse(v_flow, wid, status, p_steps);
    end if;
    v_wids := v_wids || wid;
    v_seqs := v_seqs || seq;
    v_jobs := v_jobs + cardinality(fired);
    if not fired <@ v_names then
      v_names := v_names || fired;
    end if;
    if status = 'E' then
      perform wedsql._except_job(v_flow, wid, v_now);
      v_names := v_names || '_EXCPT'::text;
      v_excepted := v_excepted || wid;
    elsif v_was = 'E' then  -- a parked job ended in another way than by the _EXCPT job
      delete from wedsql.job_pool j where j.wid = _settle.wid and j.tgid = 0;
      v_excepted := v_excepted || wid;
    end if;
    if wedsql._may_exceed_limit(seq, v_flow.fuse) and fired <> '{}'
       and wedsql._check_firing_limit(v_flow, wid, seq, v_now) then
      status := 'E';
    end if;
    -- What is only tried has no functions.
    if v_automatic and v_flow.automatic and not p_nested and p_flow_id > 0 then
      status := wedsql._perform_automatic(v_flow, wid, status, p_rematch);
    end if;
    if status = 'F' and v_flow.final_when_pending = 'cancel' then
      perform wedsql._withdraw_rest(wid, v_now);
    end if;
    if status = 'F' and v_parent is not null then
      v_ended := v_ended || wid;
    end if;
    return next;
  end loop;
  if exists (select 1 from unnest(p_steps) s where s.tgid = 0) then
    perform wedsql._call_repaired(v_flow, p_steps, v_wids, v_seqs);
  end if;
  if v_excepted <> '{}' then
    perform wedsql._call_excepted(v_flow, v_excepted, v_now);
  end if;
  if v_flow.exclusive then
    perform wedsql._name_locks(v_wids);
    perform wedsql._wake_next(v_locks, v_wids);
  end if;
  if v_ended <> '{}' then
    perform wedsql._call_child_ended(v_ended);
  end if;
  if v_flow.followed then
    perform wedsql._call_stepped(v_wids, v_now);
  end if;
  perform wedsql._notify(v_flow, v_wids, v_seqs, v_names, v_jobs);
end $$;

-- Returns the names of the gateways at which the tokens of a state are, where the data decide about their
-- way on; null where the flow was not imported from BPMN or a graph, or they are elsewhere.
create or replace function wedsql._choosing(p_flow wedsql.flow, p_state jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(distinct c.value, '", "' order by c.value)
from wedsql.flow_source s cross join lateral jsonb_each_text(s.map -> 'choosing') c
where s.flow_id = p_flow.id and s.version = p_flow.version and p_state ->> c.key ~ '^[1-9]'
$$;

-- Raises the reason for which a commit is rejected: a first state that matches nothing, or a final state with
-- work pending.
-- Raises: WD101, WD103, WD106.
create or replace function wedsql._refuse(
  p_flow wedsql.flow, p_wid integer, p_status "char", p_steps wedsql.step[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_step wedsql.step;
  v_pending text;
  v_gateways text;
begin
  select u.* into v_step from unnest(p_steps) u where u.wid = p_wid;
  if p_status = '?' and v_step.errors is not null then
    perform wedsql._raise('WD106',
                          'The condition of trigger "{trigger}" failed on the first state: {sqlstate} '
                          '{problem}',
      'No other condition holds, so no instance was started.',
      jsonb_build_object('errors', v_step.errors, 'trigger', v_step.errors -> 0 -> 'trigger',
        'sqlstate', v_step.errors -> 0 -> 'sqlstate', 'problem', v_step.errors -> 0 -> 'message'));
  end if;
  v_gateways := case when p_status = '?' then wedsql._choosing(p_flow, v_step.state) end;
  if v_gateways is not null then
    perform wedsql._raise('WD101',
      'At the gateway "{gateway}" of flow "{flow}" no condition of a way on holds for this first state, '
      'so no instance was started.',
      'Give values for which one holds, or add a default flow to the gateway.',
      jsonb_build_object('flow', p_flow.name, 'state', v_step.state, 'gateway', v_gateways));
  elsif p_status = '?' then
    perform wedsql._raise('WD101',
      'No condition of flow "{flow}" holds for this first state, so no instance was started.',
      'A first state must be final or fire a transition. Check for null values, and which triggers are '
      'enabled.',
      jsonb_build_object('flow', p_flow.name, 'state', v_step.state));
  end if;
  if v_step.reason is null then  -- the result of a worker, not of a person
    perform wedsql._note_refusal(p_wid, v_step.job_id, false);
  end if;
  select string_agg(j.trname, ', ' order by j.tgid) into v_pending from wedsql.job_pool j
  where j.wid = p_wid and j.tgid > 0;
  perform wedsql._raise('WD103', 'Instance {instance} would be final while {pending} is pending.',
    'Nothing was changed. Wait for the pending transitions, or set final_when_pending of the flow to defer '
    'or cancel.',
    jsonb_build_object('instance', p_wid, 'pending', v_pending));
end $$;
