-- Performs bulk operations in slices. A slice is one transaction: the effect on an instance and its result
-- are committed together, so a reaper that is killed leaves neither half of it, and the next one continues.

-- Performs the operation on the parked jobs, or all jobs, of an instance.
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
  v_flow wedsql.flow := wedsql._hold(p_wid);
begin
  perform wedsql._check_not_suspended(p_wid);
  perform wedsql._rematch(v_flow.id, array[p_wid], false, false, p_bulk.actor, p_reason);
  perform wedsql._check_approvals(v_flow, p_wid, 'rematch');
end $$;

-- Performs the operation on one instance. The reason in its history has the number of the bulk operation.
-- Raises: as the operation on one instance.
create or replace function wedsql._bulk_perform(p_bulk wedsql.bulk, p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_reason text := format('Bulk operation %s: %s', p_bulk.id, p_bulk.reason);
begin
  perform set_config('wedsql.bulk_size', p_bulk.total::text, true);
  case p_bulk.operation
    when 'cancel' then perform wedsql.cancel(p_wid, v_reason, p_bulk.actor);
    when 'suspend' then perform wedsql.suspend(p_wid, v_reason, p_bulk.actor);
    when 'resume' then perform wedsql.resume(p_wid, v_reason, p_bulk.actor);
    when 'rematch' then perform wedsql._bulk_rematch(p_bulk, p_wid, v_reason);
    else perform wedsql._bulk_jobs(p_bulk, p_wid, v_reason);
  end case;
end $$;

-- Rejects an instance that is no longer what was confirmed: an exception that was repaired is not cancelled.
-- Raises: WD505.
create or replace function wedsql._bulk_unchanged(p_bulk wedsql.bulk, p_wid integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (select r.status from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.wid = p_wid)
     <> (select i.status from wedsql.instance i where i.wid = p_wid) then
    perform wedsql._raise('WD505', 'Instance {instance} has another status than when this was requested.',
      'Look at it, and request the operation again.', jsonb_build_object('instance', p_wid));
  end if;
end $$;

-- Performs the operation on one instance, which the caller has locked, and keeps its result. What a lock or a
-- conflict prevents is tried again later; an instance that takes too long is refused, because it would take
-- as long again.
create or replace function wedsql._bulk_one(p_bulk wedsql.bulk, p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_state text;
  v_hint text;
  v_detail text;
begin
  perform wedsql._bulk_unchanged(p_bulk, p_wid);
  perform wedsql._bulk_perform(p_bulk, p_wid);
  update wedsql.bulk_row r
  set result = 'done', tried_at = v_now, sqlstate = null, message = null, hint = null, detail = null
  where r.bulk_id = p_bulk.id and r.wid = p_wid;
exception when query_canceled or others then
  get stacked diagnostics v_state = returned_sqlstate, v_hint = pg_exception_hint,
    v_detail = pg_exception_detail;
  update wedsql.bulk_row r
  set result = case when v_state not in ('40001', '40P01', '55P03', 'WD010') then 'refused' end,
      tried_at = v_now, sqlstate = v_state, message = left(sqlerrm, 1000),
      hint = nullif(left(v_hint, 1000), ''), detail = nullif(left(v_detail, 8000), '')
  where r.bulk_id = p_bulk.id and r.wid = p_wid;
  if v_state = '57014' then
    perform set_config('wedsql.round_over', 'yes', true);
  end if;
end $$;

-- Locks those of these instances that no other session has locked, and returns them in order. None while a
-- definition changes.
-- Locks: the flow's table in the mode of a writer, or nothing; the instances.
create or replace function wedsql._bulk_hold(p_name text, p_wids integer[]) returns integer[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_got integer[];
begin
  if p_name is null then
    return '{}';
  end if;
  execute format('lock table %I.wed_flow in row exclusive mode nowait', p_name);
  execute format('select coalesce(array_agg(l.wid), ''{}'') from (select w.wid from %I.wed_flow w '
                 'where w.wid = any ($1) order by w.wid for no key update skip locked) l', p_name)
  into v_got using p_wids;
  return v_got;
exception when lock_not_available or undefined_table then
  return '{}';
end $$;

-- Performs at most p_max instances of one flow, for about a second, and returns whether any was performed;
-- null when there is none that was not tried since p_since. Those that another session has locked wait for
-- the other ones.
-- Locks: as _bulk_hold, in the order of their numbers; the caller holds the operation.
create or replace function wedsql._bulk_slice(p_bulk wedsql.bulk, p_max integer, p_since timestamptz)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_now timestamptz := wedsql.now();
  v_flow integer;
  v_wids integer[];
  v_got integer[] := '{}';
  v_wid integer;
  v_done integer[] := '{}';
begin
  select r.flow_id into v_flow from wedsql.bulk_row r
  where r.bulk_id = p_bulk.id and r.result is null
    and not r.tried_at between p_since and p_since + interval '5 minutes'  -- or the clock was set back
  order by r.tried_at, r.wid limit 1;
  if not found then
    return null;
  end if;
  v_wids := array(select r.wid from wedsql.bulk_row r
    where r.bulk_id = p_bulk.id and r.result is null and r.flow_id = v_flow
      and not r.tried_at between p_since and p_since + interval '5 minutes'
    order by r.tried_at, r.wid limit p_max);
  v_got := wedsql._bulk_hold((select f.name from wedsql.flow f where f.id = v_flow), v_wids);
  update wedsql.bulk_row r set tried_at = v_now,
    result = case when not exists (select 1 from wedsql.instance i where i.wid = r.wid) then 'gone' end
  where r.bulk_id = p_bulk.id and r.wid = any (v_wids) and r.wid <> all (v_got);
  foreach v_wid in array v_got loop
    exit when wedsql._round_over() or v_done <> '{}' and clock_timestamp() > v_until;
    perform wedsql._bulk_one(p_bulk, v_wid);
    v_done := v_done || v_wid;
  end loop;
  return wedsql._keep_bulk(p_bulk, v_done || wedsql._without(v_wids, v_got));
end $$;

-- Adds the results of these instances to the operation, which ends when nothing is left, and returns whether
-- there were any.
create or replace function wedsql._keep_bulk(p_bulk wedsql.bulk, p_wids integer[]) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_new record;
  v_ended boolean := not exists (
    select 1 from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.result is null);
begin
  select count(*) filter (where r.result = 'done') as done,
         count(*) filter (where r.result = 'refused') as refused,
         count(*) filter (where r.result = 'gone') as gone, count(r.result) as n into v_new
  from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.wid = any (p_wids);
  update wedsql.bulk b
  set done = b.done + v_new.done, refused = b.refused + v_new.refused, gone = b.gone + v_new.gone,
      changed_at = v_now, state = case when v_ended then 'finished' else b.state end,
      finished_at = case when v_ended then v_now end
  where b.id = p_bulk.id;
  return v_new.n > 0;
end $$;

-- Performs a slice of one bulk operation, the one that has waited longest, and returns its number; null when
-- there is none that this session can continue now. For the reaper, in a transaction of its own.
-- Locks: the operation, skipping a locked one; as _bulk_slice.
create or replace function wedsql.continue_bulk(p_max integer default 100) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_bulk wedsql.bulk;
  v_id bigint;
  v_performed boolean;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_id in select b.id from wedsql.bulk b
    where b.state = 'running' and wedsql._may_try(0, 'bulk', 0, b.id, v_now) order by b.changed_at, b.id
  loop
    begin
      select * into v_bulk from wedsql.bulk b where b.id = v_id and b.state = 'running'
      for update skip locked;
      v_performed := case when found then false end;
      while not v_performed and not wedsql._round_over() loop
        v_performed := wedsql._bulk_slice(v_bulk, greatest(p_max, 1), v_now);
      end loop;
      if v_performed then
        perform wedsql._no_trouble(0, 'bulk', 0, v_id);
        return v_id;
      end if;
    exception when query_canceled or others then
      perform wedsql._note_trouble(0, 'bulk', 0, v_id, sqlstate, sqlerrm, v_now);
      return null;
    end;
    exit when wedsql._round_over();
  end loop;
  return null;
end $$;

-- Removes bulk operations that ended 90 days ago, at most p_max of their instances at once, and returns how
-- many instances. What was done stays in the history of the instances.
create or replace function wedsql._forget_bulk(p_max integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := wedsql.now() - interval '90 days';
  v_rows integer;
begin
  delete from wedsql.bulk_row r where r.ctid = any (array(
    select o.ctid from wedsql.bulk b join wedsql.bulk_row o on o.bulk_id = b.id
    where b.finished_at < v_before limit p_max));
  get diagnostics v_rows = row_count;
  delete from wedsql.bulk b where b.finished_at < v_before
    and not exists (select 1 from wedsql.bulk_row r where r.bulk_id = b.id);
  return v_rows;
end $$;
