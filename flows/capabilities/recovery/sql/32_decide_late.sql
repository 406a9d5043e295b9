-- Decides on late results. One whose attributes no other step changed since is merged; one whose values the
-- instance has already needs nothing; every other one gets a case, and a person decides.

-- Returns the attributes of a late result: what each was when the job began, what it is now, and what the
-- result says. "changed": by another step since, to another value.
create or replace function wedsql._late_values(p_late wedsql.late_result)
returns table (attribute text, before jsonb, present jsonb, late jsonb, changed boolean)
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
#variable_conflict use_column
declare
  v_base jsonb := (select t.state from wedsql.wed_trace t
                   where t.wid = (p_late).wid and t.seq = (p_late).base_seq);
  v_flow text := (select f.name from wedsql.flow f where f.id = (p_late).flow_id);
  v_now jsonb;
  v_late jsonb;
begin
  execute format('select to_jsonb(w.*) from %I.wed_flow w where w.wid = $1', v_flow)
    into v_now using (p_late).wid;
  begin
    execute format('select to_jsonb(r.*) from jsonb_populate_record(null::%I.wed_flow, $1) r', v_flow)
      into v_late using (p_late).changes;
  exception when data_exception then
    v_late := (p_late).changes;
  end;
  return query
    select k, v_base -> k, v_now -> k, coalesce(v_late -> k, (p_late).changes -> k),
           v_now -> k is distinct from v_base -> k and v_now -> k is distinct from v_late -> k
    from jsonb_object_keys((p_late).changes) k order by k;
end $$;

-- Writes changes of a late result into its instance, in the history by this actor: as the result of its job
-- if that is still pending, else as a step _RECOVER:merge_late.
-- Locks: as _operate; its jobs and timers, the trace.
-- Raises: as _repair_complete and _repair_patch.
create or replace function wedsql._merge_late(p_late wedsql.late_result, p_changes jsonb, p_reason text,
  p_actor text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate((p_late).wid, p_reason);
  v_writes text[] := (select t.writes from wedsql.trig t where t.tgid = (p_late).tgid);
  v_step wedsql.step := wedsql._note_step((p_late).wid, '_RECOVER:merge_late', p_actor,
                                          (p_late).transition || ': ' || p_reason);
begin
  if exists (select 1 from wedsql.job_pool j where j.wid = (p_late).wid and j.id = (p_late).job_id) then
    perform wedsql._repair_complete((p_late).wid,
      jsonb_build_object('job', (p_late).job_id, 'changes', p_changes), p_reason, p_actor);
    return;
  end if;
  perform wedsql._check_not_suspended((p_late).wid);
  if p_changes - v_writes <> '{}' then
    perform wedsql._raise('WD210', 'The late result writes {attributes}, which transition "{transition}" '
      'does not declare.', 'Take over other attributes only.',
      jsonb_build_object('transition', (p_late).transition, 'attributes',
        array(select k from jsonb_object_keys(p_changes - v_writes) k)));
  end if;
  if exists (select 1 from wedsql.instance i where i.wid = (p_late).wid and i.status = 'E') then
    v_step := wedsql._person_step(wedsql._exception_job((p_late).wid), '_RECOVER:merge_late', p_actor,
                                  (p_late).transition || ': ' || p_reason);
  end if;
  perform wedsql._settle_step(v_flow, wedsql._changed_step(v_flow, v_step, p_changes));
end $$;

-- Records what became of a late result, and opens or closes the case of its instance as that demands.
-- Locks: the late result, the cases; the caller holds the instance.
create or replace function wedsql._end_late(p_late wedsql.late_result, p_state text, p_actor text,
  p_reason text, p_problem text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow wedsql.flow;
begin
  select * into v_flow from wedsql.flow f where f.id = (p_late).flow_id;
  if p_state <> 'conflict' then  -- before the case is closed
    perform wedsql._note_late(p_late, p_state, p_actor, p_reason, v_now);
  end if;
  update wedsql.late_result l
  set state = p_state, problem = p_problem, reason = p_reason, decided_by = p_actor,
      decided_at = case when p_state <> 'conflict' then v_now end
  where l.id = (p_late).id;
  perform wedsql._call_excepted(v_flow, array[(p_late).wid], v_now);
  if p_state = 'conflict' then
    perform wedsql._note_late(p_late, p_state, (p_late).actor, p_problem, v_now);
  end if;
end $$;

-- Notes a late result in the open case of its instance, if there is one.
create or replace function wedsql._note_late(p_late wedsql.late_result, p_state text, p_actor text,
  p_text text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.case_event (number, at, kind, actor, text, detail)
select c.number, p_now, 'late', p_actor, p_text, jsonb_build_object('late', (p_late).id, 'state', p_state,
       'transition', (p_late).transition)
from wedsql.repair_case c where c.wid = (p_late).wid and c.closed_at is null
$$;

-- Decides on one late result; returns false where it has to wait: for a lock, a worker that has the job now,
-- compensations, or a suspended instance.
-- Locks: the instance, skipping a locked one; as _merge_late.
create or replace function wedsql._decide_late(p_late wedsql.late_result) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow text := (select f.name from wedsql.flow f where f.id = (p_late).flow_id);
  v_status "char";
  v_pending boolean;
  v_changed boolean;
  v_same boolean;
  v_problem text := '';
begin
  if not wedsql._hold(v_flow, (p_late).wid) then
    return false;
  -- A person decides, whatever became of the task.
  elsif (p_late).code in ('WD591', 'WD592', 'WD598', 'WD614', 'WD616') then
    perform wedsql._end_late(p_late, 'conflict', '', '');
    return true;
  end if;
  select i.status into v_status from wedsql.instance i where i.wid = (p_late).wid;
  select j.state <> 'L' and pg_try_advisory_xact_lock(j.wid, j.tgid) into v_pending
  from wedsql.job_pool j where j.wid = (p_late).wid and j.id = (p_late).job_id;
  if v_status in ('S', 'X') or not v_pending then
    return false;
  end if;
  select coalesce(bool_or(v.changed), false), coalesce(bool_and(v.present is not distinct from v.late), true)
  into v_changed, v_same from wedsql._late_values(p_late) v;
  if v_same and v_pending is null then
    perform wedsql._end_late(p_late, 'same', 'kernel', '');
    return true;
  end if;
  if not v_changed and v_status in ('R', 'E') and (v_pending or not wedsql._repaired_since(p_late)) then
    begin
      perform wedsql._merge_late(p_late, (p_late).changes, 'Late result ' || (p_late).id || '.',
                                 (p_late).actor);
      perform wedsql._end_late(p_late, 'merged', 'kernel', '');
      return true;
    exception when others then
      if left(sqlstate, 2) <> 'WD' then
        raise;
      end if;
      v_problem := sqlerrm;
    end;
  end if;
  perform wedsql._end_late(p_late, 'conflict', '', '', v_problem);
  return true;
end $$;

-- Returns whether a person repaired the instance after the job of a late result began.
create or replace function wedsql._repaired_since(p_late wedsql.late_result) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.wed_trace t where t.wid = (p_late).wid and t.seq > (p_late).base_seq
               and t.trw like E'\\_RECOVER:%')
$$;

-- Decides on at most p_max late results and returns how many were looked at. One that has to wait is looked
-- at again after ten seconds, one whose decision fails after a minute.
-- Locks: late results, skipping locked ones; as _decide_late.
create or replace function wedsql.decide_late(p_max integer default 50) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_late wedsql.late_result;
  v_seen integer := 0;
  v_pause interval;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_late in
    select * from wedsql.late_result l where l.state = 'kept' and l.look_at <= v_now
    order by l.look_at limit p_max for update skip locked
  loop
    v_seen := v_seen + 1;
    begin
      v_pause := case when not wedsql._decide_late(v_late) then interval '10 seconds' end;
    exception when query_canceled or others then
      v_pause := interval '1 minute';
      perform wedsql._note_item_failure(v_late.flow_id, 'late', v_late.wid, 0, sqlstate, sqlerrm, v_now);
    end;
    update wedsql.late_result l set look_at = v_now + v_pause where l.id = v_late.id and v_pause is not null;
    exit when wedsql._round_over();
  end loop;
  return v_seen;
end $$;

-- Returns whether a late result of an instance waits for a decision.
create or replace function wedsql._on_reads_recovery(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.late_result l where l.wid = p_wid and l.state in ('kept', 'conflict'))
$$;

create or replace function wedsql._on_retired_recovery(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.skipped s where s.wid = any (p_wids);
delete from wedsql.late_result l where l.wid = any (p_wids);
$$;

grant execute on function wedsql.decide_late(integer) to wed_reaper;
