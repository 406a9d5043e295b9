-- Undoing all steps of many instances at once, where no compensation needs a worker. What is written is what
-- wedsql._undo writes for each of them.

-- Writes changes into the rows of these instances, as _write_changes into one.
-- Locks: none; the caller holds the instances.
create or replace function wedsql._write_many(p_flow wedsql.flow, p_wids integer[], p_changes jsonb[])
  returns table (wid integer, before jsonb, state jsonb)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
begin
  return query execute wedsql._fill($q$
    with old as (
      select w.wid, to_jsonb(w.*) - 'wid' as state from {flow:I}.wed_flow w where w.wid = any ($1)),
    new as (
      update {flow:I}.wed_flow w set {assignments}
      from (select u.n, u.state from unnest($1, $2) u (n, state)) c where w.wid = c.n
      returning w.wid, to_jsonb(w.*) - 'wid' as state)
    select n.wid, (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(o.state) e
                   where e.value is distinct from n.state -> e.key), n.state
    from new n join old o on o.wid = n.wid $q$, jsonb_build_object('flow', p_flow.name,
      'assignments', wedsql._changed_columns(p_flow.id)))
  using p_wids, p_changes;
end $$;

-- Compensates the step at this place of the recoveries of these instances, as _compensate_at_once does.
-- Locks: the instances, the trace; the caller holds the wed_flow rows.
create or replace function wedsql._compensate_together(p_flow wedsql.flow, p_wids integer[], p_place integer,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_changes jsonb[] := array(
    select case when r.transitions[p_place] = '' then wedsql._restorable(r.wid, r.undone, r.seqs[p_place])
                else '{}' end
    from wedsql.recovery r where r.wid = any (p_wids) order by r.wid);
begin
  with moved as (
    update wedsql.instance i set seq = i.seq + 1, changed_at = p_now where i.wid = any (p_wids)
    returning i.wid, i.seq)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, before, cause_seq, actor,
                                reason, version, tx_at, compensates_seq)
  select p_flow.id, r.wid, m.seq, p_now, '_COMP:' || h.trw, w.state, 'X', w.before, r.began_seq, r.actor,
         case when r.transitions[p_place] = '' then '' else 'Not compensated: ' end || r.reason,
         p_flow.version, now(), h.seq
  from wedsql._write_many(p_flow, p_wids, v_changes) w
  join wedsql.recovery r on r.wid = w.wid
  join moved m on m.wid = w.wid
  join wedsql.wed_trace h on h.wid = r.wid and h.seq = r.seqs[p_place];
end $$;

-- Ends the recoveries of these instances, as _end_recovery ends an abort.
-- Locks: the instances, the trace; the caller holds the wed_flow rows.
create or replace function wedsql._end_together(p_flow wedsql.flow, p_wids integer[], p_now timestamptz)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_changes jsonb[] := array(select wedsql._target_state(r) from wedsql.recovery r
                             where r.wid = any (p_wids) order by r.wid);
  v_steps wedsql.step[];
begin
  select array_agg(row(r.wid, false, null, null, '_RECOVER:abort', r.target_seq, r.actor, r.reason, w.state,
                       w.before, null, null, null)::wedsql.step order by r.wid) into v_steps
  from wedsql._write_many(p_flow, p_wids, v_changes) w join wedsql.recovery r on r.wid = w.wid;
  update wedsql.instance i set reason = r.reason, finished_at = p_now, status = 'A'
  from wedsql.recovery r where r.wid = any (p_wids) and i.wid = r.wid;
  delete from wedsql.recovery r where r.wid = any (p_wids);
  perform wedsql._notify(p_flow, p_wids, wedsql._append_trace(p_flow, v_steps, null, p_now), '{}', 0);
end $$;

-- Begins to undo all steps of these instances, as _undo begins an abort, without approvals.
-- Locks: the instances, their jobs and timers, the trace; the caller holds the wed_flow rows.
create or replace function wedsql._begin_together(p_flow wedsql.flow, p_wids integer[], p_reason text,
  p_actor text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  insert into wedsql.recovery (wid, operation, target_seq, undone, seqs, transitions, exception, actor,
                               reason, began_at, began_seq, changes)
  select i.wid, 'abort', 1, u.undone, coalesce(p.seqs, '{}'), coalesce(p.transitions, '{}'), i.reason,
         p_actor, p_reason, p_now, i.seq + 1, '{}'
  from wedsql.instance i
  cross join lateral (select wedsql._undone(i.wid, 'abort', 1) as undone) u
  cross join lateral (select array_agg(o.seq order by o.seq desc) as seqs,
                             array_agg(o.compensated_by order by o.seq desc) as transitions
                      from wedsql._planned(i.wid, u.undone) o) p
  where i.wid = any (p_wids);
  perform wedsql._withdraw_jobs(p_wids, array(select j.id from wedsql.job_pool j where j.wid = any (p_wids)),
    'withdrawn', p_actor, p_reason, p_now);
  delete from wedsql.timer x where x.wid = any (p_wids);
  delete from wedsql.skipped s where s.wid = any (p_wids) and s.seq > 1;
  perform wedsql._set_status(p_wids, 'X');
  perform wedsql._notify(p_flow, p_wids, wedsql._append_trace(p_flow, array(
    select row(w, false, null, null, '_RECOVER:abort', 1, p_actor, p_reason, null, null, null, null,
               null)::wedsql.step from unnest(p_wids) w order by w), null, p_now), '{}', 0);
end $$;

-- Returns those of these instances whose steps can all be undone without a worker.
create or replace function wedsql._undone_by_kernel(p_wids integer[]) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(array_agg(w order by w), '{}') from unnest(p_wids) w
where not exists (select 1 from wedsql._planned(w, wedsql._undone(w, 'abort', 1)) p
                  where p.compensated_by <> '')
  and not wedsql._call_has_started(w)
$$;

-- Undoes all steps of these instances of one flow: together where the kernel alone can do so and nothing
-- checks each, else one by one. The caller brings the cases in line.
-- Locks, raises: as abort.
create or replace function wedsql._abort_many(p_wids integer[], p_reason text, p_actor text,
  p_override boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow wedsql.flow;
  v_wid integer;
  v_together integer[] := '{}';
  v_some integer[];
begin
  foreach v_wid in array p_wids loop
    v_flow := wedsql._hold_all(v_wid, p_reason);
    perform wedsql._check_planned(v_wid, wedsql._undone(v_wid, 'abort', 1), p_override);
  end loop;
  if not wedsql._call_has_checks(v_flow.id) then
    v_together := wedsql._undone_by_kernel(p_wids);
  end if;
  foreach v_wid in array wedsql._without(p_wids, v_together) loop
    perform wedsql._undo(v_flow, v_wid, 'abort', 1, p_reason, p_actor, p_override, false, '{}', false);
  end loop;
  if v_together <> '{}' then
    perform wedsql._begin_together(v_flow, v_together, p_reason, wedsql._actor(p_actor), v_now);
    for v_place in 1..coalesce((select max(cardinality(r.seqs)) from wedsql.recovery r
                                where r.wid = any (v_together)), 0) loop
      v_some := array(select r.wid from wedsql.recovery r
                      where r.wid = any (v_together) and cardinality(r.seqs) >= v_place order by r.wid);
      perform wedsql._compensate_together(v_flow, v_some, v_place, v_now);
    end loop;
    perform wedsql._end_together(v_flow, v_together, v_now);
  end if;
end $$;
