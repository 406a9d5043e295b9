-- Performs a bulk operation on one instance, or on many at once. The caller has locked them.

-- Performs the operation on the parked jobs, on those of workers, or on all jobs of an instance.
-- Locks: as retry_job, prioritize_job and reassign_job.
-- Raises: WD212 where there is none; as those of one job.
create or replace function wedsql._bulk_jobs(p_bulk wedsql.bulk, p_wid integer, p_reason text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job bigint;
  v_any boolean := false;
begin
  for v_job in select j.id from wedsql.job_pool j
    where j.wid = p_wid and j.tgid > 0 and (p_bulk.operation <> 'retry' or j.state = 'K')
      and (p_bulk.operation <> 'reassign' or j.assigned_to is distinct from '')
      and p_bulk.transition in ('', j.trname) order by j.id
  loop
    v_any := true;
    if p_bulk.operation = 'retry' then
      perform wedsql.retry_job(p_wid, v_job, p_reason, p_bulk.actor);
    elsif p_bulk.operation = 'reassign' then
      perform wedsql.reassign_job(p_wid, v_job, p_bulk.assignee, p_reason, p_bulk.actor);
    else
      perform wedsql.prioritize_job(p_wid, v_job, p_bulk.priority, p_reason, p_bulk.actor);
    end if;
  end loop;
  if not v_any and p_bulk.operation = 'retry' then
    perform wedsql._raise('WD212', 'Instance {instance} has no parked job.', 'There is nothing to retry.',
      jsonb_build_object('instance', p_wid));
  elsif not v_any then
    perform wedsql._raise('WD212', 'Instance {instance} has no such job.', 'Nothing of it is pending.',
      jsonb_build_object('instance', p_wid));
  end if;
end $$;

-- Evaluates the conditions on an instance again.
-- Locks: the instance, its jobs, timers, trace.
-- Raises: WD104, WD105.
create or replace function wedsql._bulk_rematch(p_bulk wedsql.bulk, p_wid integer, p_reason text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._hold_instance(p_wid);
  v_seq integer := (select i.seq from wedsql.instance i where i.wid = p_wid);
begin
  perform wedsql._check_not_suspended(p_wid);
  perform wedsql._rematch(v_flow.id, array[p_wid], false, false, p_bulk.actor, p_reason);
  perform wedsql._call_check_steps(p_wid, 'rematch', v_seq);
end $$;

-- Undoes as many steps of an instance as a rollback of many says. The caller brings the cases in line.
-- Locks, raises: as roll_back.
create or replace function wedsql._bulk_rollback(p_bulk wedsql.bulk, p_wid integer, p_reason text)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._hold_all(p_wid, p_reason);
  v_arguments jsonb := wedsql._bulk_arguments(p_wid, p_bulk.operation, '', p_bulk.arguments);
begin
  perform wedsql._undo(v_flow, p_wid, 'rollback', (v_arguments ->> 'seq')::integer, p_reason, p_bulk.actor,
    coalesce((v_arguments ->> 'override')::boolean, false),
    coalesce((v_arguments ->> 'hold')::boolean, false), '{}', false);
end $$;

-- Performs the operation on one instance.
-- Raises: as the operation on one instance.
create or replace function wedsql._bulk_perform(p_bulk wedsql.bulk, p_wid integer, p_reason text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  case p_bulk.operation
    when 'cancel' then perform wedsql.cancel(p_wid, p_reason, p_bulk.actor);
    when 'suspend' then perform wedsql.suspend(p_wid, p_reason, p_bulk.actor);
    when 'resume' then perform wedsql.resume(p_wid, p_reason, p_bulk.actor);
    when 'rematch' then perform wedsql._bulk_rematch(p_bulk, p_wid, p_reason);
    when 'rollback' then perform wedsql._bulk_rollback(p_bulk, p_wid, p_reason);
    else perform wedsql._bulk_jobs(p_bulk, p_wid, p_reason);
  end case;
end $$;

-- Rejects an instance that is no longer what was confirmed: an exception that was repaired is not cancelled,
-- and one that has moved is not repaired.
-- Raises: WD108, WD505.
create or replace function wedsql._bulk_unchanged(p_bulk wedsql.bulk, p_wid integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_row wedsql.bulk_row;
  v_instance wedsql.instance;
begin
  select * into v_row from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.wid = p_wid;
  select * into v_instance from wedsql.instance i where i.wid = p_wid;
  if wedsql._is_bulk_repair(p_bulk.operation) then
    perform wedsql._check_seq(p_wid, v_instance.seq, v_row.seq);
  end if;
  if v_row.status <> v_instance.status then
    perform wedsql._raise('WD505', 'Instance {instance} has another status than when this was requested.',
      'Look at it, and request the operation again.', jsonb_build_object('instance', p_wid));
  end if;
end $$;

-- Performs the operation on these instances of one flow, which the caller has locked, and keeps their
-- results. Steps are applied at once, as those of many workers are. The reasons in the history have the
-- number of the bulk operation.
-- Raises: WD108, WD505; WD520 where one needs more approvals than the operation has; as the operation on one
-- of them.
create or replace function wedsql._bulk_together(p_bulk wedsql.bulk, p_wids integer[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_reason text := format('Bulk operation %s: %s', p_bulk.id, p_bulk.reason);
  v_wid integer;
  v_steps wedsql.step[] := '{}';
  v_before wedsql.repaired[] := '{}';
  v_seqs integer[] := array(select r.seq from wedsql.bulk_row r
                            where r.bulk_id = p_bulk.id and r.wid = any (p_wids)
                            order by array_position(p_wids, r.wid));
begin
  perform set_config('wedsql.bulk_size', p_bulk.total::text, true);
  insert into wedsql.applying (wid, operation, approvals, groups)
  select w, p_bulk.operation, p_bulk.approvals, p_bulk.approvers from unnest(p_wids) w
  where p_bulk.approvals > 0;
  foreach v_wid in array p_wids loop
    perform wedsql._bulk_unchanged(p_bulk, v_wid);
    if wedsql._is_settled_at_once(p_bulk.operation) then
      v_before := array_append(v_before, wedsql._before_repair(v_wid, p_bulk.operation));
      v_steps := array_append(v_steps, wedsql._step_of(v_wid, p_bulk.operation, wedsql._bulk_arguments(v_wid,
        p_bulk.operation, p_bulk.transition, p_bulk.arguments), v_reason, p_bulk.actor));
    elsif p_bulk.operation <> 'abort' then
      perform wedsql._bulk_perform(p_bulk, v_wid, v_reason);
    end if;
  end loop;
  if p_bulk.operation = 'abort' then
    perform wedsql._abort_many(p_wids, v_reason, p_bulk.actor,
                               coalesce((p_bulk.arguments ->> 'override')::boolean, false));
  end if;
  if p_bulk.operation in ('rollback', 'abort') then
    perform wedsql._call_excepted(f, p_wids, wedsql.now())
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wids[1];
  elsif cardinality(v_steps) > 0 then
    perform case when p_bulk.operation = 'accept' then wedsql._accept_steps(f, v_steps)
                 else wedsql._apply_steps(f, v_steps, p_bulk.arguments -> 'changes') end
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wids[1];
    for v_place in 1..cardinality(p_wids) loop
      perform wedsql._end_repair(p_wids[v_place], p_bulk.operation, v_seqs[v_place], v_before[v_place]);
    end loop;
  end if;
  delete from wedsql.applying a where p_bulk.approvals > 0 and a.wid = any (p_wids);
  update wedsql.bulk_row r
  set result = 'done', tried_at = wedsql.now(), sqlstate = null, message = null, hint = null, detail = null
  where r.bulk_id = p_bulk.id and r.wid = any (p_wids);
end $$;

-- Performs the operation on these instances at once, and returns whether that was possible. Where it takes
-- too long, each is tried by itself the next time.
create or replace function wedsql._bulk_try(p_bulk wedsql.bulk, p_wids integer[]) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._bulk_together(p_bulk, p_wids);
  return true;
exception
when query_canceled then
  update wedsql.bulk_row r set blocked_at = wedsql.now() where r.bulk_id = p_bulk.id and r.wid = any (p_wids);
  perform set_config('wedsql.round_over', 'yes', true);
  return false;
when others then
  return false;
end $$;

-- Returns whether an error passes by itself, so that the instance is tried again: a lock or a conflict, and
-- where a job is repaired also the worker that holds it.
create or replace function wedsql._bulk_passes(p_bulk wedsql.bulk, p_sqlstate text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select wedsql._passes(p_sqlstate) or p_sqlstate = 'WD010'
       or p_sqlstate = 'WD203' and wedsql._is_bulk_repair((p_bulk).operation)
$$;

-- Performs the operation on one instance, which the caller has locked, and keeps its result. What a lock or a
-- conflict prevents is tried again for a minute; an instance that takes too long is refused, because it would
-- take as long again.
create or replace function wedsql._bulk_one(p_bulk wedsql.bulk, p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  perform wedsql._bulk_together(p_bulk, array[p_wid]);
exception when query_canceled or others then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  perform wedsql._bulk_refused(p_bulk, p_wid, v_why);
  if v_why.code = '57014' then
    perform set_config('wedsql.round_over', 'yes', true);
  end if;
end $$;

-- Keeps the error of an instance; it is no result as long as it may pass.
create or replace function wedsql._bulk_refused(p_bulk wedsql.bulk, p_wid integer, p_why wedsql.why)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
begin
  update wedsql.bulk_row r
  set result = case when not wedsql._bulk_passes(p_bulk, p_why.code)
                         or r.blocked_at < v_now - interval '1 minute' then 'refused' end,
      tried_at = v_now, blocked_at = coalesce(r.blocked_at, v_now), sqlstate = p_why.code,
      message = left(p_why.message, 1000), hint = nullif(left(p_why.hint, 1000), ''),
      detail = nullif(left(p_why.detail, 8000), '')
  where r.bulk_id = p_bulk.id and r.wid = p_wid;
end $$;

-- Notes that these instances could not be locked: those that were removed are gone, those that another
-- transaction has held for a minute are refused.
create or replace function wedsql._bulk_missed(p_bulk wedsql.bulk, p_wids integer[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_wid integer;
begin
  update wedsql.bulk_row r set tried_at = wedsql.now(), result = 'gone'
  where r.bulk_id = p_bulk.id and r.wid = any (p_wids)
    and not exists (select 1 from wedsql.instance i where i.wid = r.wid);
  perform wedsql._bulk_refused(p_bulk, r.wid, row('55P03',
    'Another transaction holds the instance.', 'Repair it by itself when that has ended.', null)::wedsql.why)
  from wedsql.bulk_row r
  where r.bulk_id = p_bulk.id and r.wid = any (p_wids) and r.result is null;
end $$;
