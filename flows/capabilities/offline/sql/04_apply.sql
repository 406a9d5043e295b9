-- How a result of a device becomes a step of its instance, a late result, or is refused.

-- Applies one result of a device that waits, which is the next one or was not waited for, and notes what
-- became of it. One that a person without the task sent, or that is about values that another step has
-- changed since, is kept as a late result, if the task was given to the device; every other one that the
-- kernel does not take is refused.
-- Locks: the caller has the device; as complete_task.
create or replace function wedsql._apply_offline(p_device wedsql.device, p_number integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_result wedsql.device_result;
begin
  select r.* into v_result from wedsql.device_result r
  where r.device_id = p_device.id and r.number = p_number and r.state = 'W';
  if v_result.content ? 'after' then
    v_result := wedsql._find_follower(p_device, v_result);
  end if;
  if v_result.content -> 'discarded' = 'true' then
    v_result.state := 'X';
  elsif v_result.content ? 'after' and v_result.job_id is null then
    v_result := wedsql._not_ready(p_device, v_result);
  elsif not exists (select from wedsql.task t where t.job_id = v_result.job_id) then
    v_result.state := 'R';
    v_result.problem := jsonb_build_object('code', 'WD590');
  else
    v_result := wedsql._perform_offline(p_device, v_result);
  end if;
  update wedsql.device_result r
  set state = v_result.state, job_id = v_result.job_id, wid = v_result.wid, seq = v_result.seq,
      late_id = v_result.late_id, problem = v_result.problem, decided_at = wedsql.now()
  where r.device_id = p_device.id and r.number = p_number;
  update wedsql.device d set settled = p_number where d.id = p_device.id and d.settled = p_number - 1;
  if v_result.state in ('R', 'X') then
    perform wedsql._need_files(p_device.id, v_result.wid, v_result.content, false);
  end if;
end $$;

-- Completes or fails the task of a result, and returns the result with what became of it.
-- Locks: as complete_task.
create or replace function wedsql._perform_offline(p_device wedsql.device, p_result wedsql.device_result)
  returns wedsql.device_result
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_content jsonb := p_result.content;
  v_claim bigint := (v_content ->> 'claim')::bigint;
  v_why wedsql.why;
begin
  perform wedsql._hold_instance_of(p_result.job_id);
  begin
    if v_content ? 'after' then
      v_claim := wedsql._take_following(p_device, p_result);
    end if;
    if v_content ->> 'reason' is not null then
      perform wedsql.fail_task(p_result.job_id, p_device.person, v_content ->> 'reason', v_claim);
    else
      perform wedsql._check_unchanged(p_device, p_result);
      select c.seq into p_result.seq
      from wedsql.complete_task(p_result.job_id, p_device.person, v_content -> 'values',
                                v_content ->> 'outcome', v_claim) c;
    end if;
    p_result.state := 'A';
    perform wedsql._log_offline(p_device, p_result);
    return p_result;
  exception
    when others then
      if wedsql._passes(sqlstate) then
        raise;
      end if;
      get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
        v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  end;
  p_result.problem := wedsql._offline_problem(p_result, v_why);
  p_result.late_id := wedsql._late_offline(p_device, p_result, v_why.code);
  p_result.state := case when p_result.late_id is null then 'R' else 'L' end;
  return p_result;
end $$;

-- Returns why a result was not taken, as {"code", "message", "hint", "detail"}.
create or replace function wedsql._offline_problem(p_result wedsql.device_result, p_why wedsql.why)
  returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp as $$
select jsonb_strip_nulls(to_jsonb(e))
from wedsql.task t join wedsql.flow f on f.id = t.flow_id
cross join lateral wedsql._explain_type_error(f.name, coalesce(p_result.content -> 'values', '{}'), p_why) e
where t.job_id = p_result.job_id
$$;

-- Raises: WD614 where another step has changed, since the values were given to the device, what the result
-- writes.
create or replace function wedsql._check_unchanged(p_device wedsql.device, p_result wedsql.device_result)
  returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_result.job_id);
  v_late wedsql.late_result;
  v_changed text[];
begin
  if v_task.ended_at is not null or v_task.owner is distinct from p_device.person then
    return;  -- the kernel says what is the matter
  end if;
  v_late.flow_id := v_task.flow_id;
  v_late.wid := v_task.wid;
  v_late.base_seq := wedsql._offline_base(p_device, p_result);
  v_late.changes := coalesce(p_result.content -> 'values', '{}');
  if v_late.base_seq is null then
    return;  -- the task was locked, but its package never given to this device: its owner says what counts
  end if;
  v_changed := array(select v.attribute from wedsql._late_values(v_late) v where v.changed order by 1);
  if v_changed <> '{}' then
    perform wedsql._raise('WD614', 'Another step has changed {attributes} since task {task} was '
      'transferred to the device.', 'People decide which values count.', wedsql._task_facts(v_task)
        || jsonb_build_object('attributes', v_changed));
  end if;
end $$;

-- Returns the step on whose values a result was made: one that the device was given with a lock; null where
-- it was given none.
create or replace function wedsql._offline_base(p_device wedsql.device, p_result wedsql.device_result)
  returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select least(g.seq, greatest((p_result.content ->> 'seq')::bigint, 1))::integer
from wedsql.device_package g
where g.device_id = p_device.id and g.job_id = p_result.job_id and g.claim is not null
$$;

-- Keeps a result that came too late, decides on it where no person has to, and returns its number; null where
-- it is refused instead.
-- Locks: the late result; as _decide_late. The caller has the instance.
create or replace function wedsql._late_offline(p_device wedsql.device, p_result wedsql.device_result,
  p_code text) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_result.job_id);
  v_flow text := (select f.name from wedsql.flow f where f.id = v_task.flow_id);
  v_base integer := wedsql._offline_base(p_device, p_result);
  v_values jsonb := coalesce(p_result.content -> 'values', '{}');
  v_id bigint;
  v_late wedsql.late_result;
begin
  if p_code not in ('WD102', 'WD105', 'WD591', 'WD592', 'WD593', 'WD598', 'WD614', 'WD616') or v_base is null
     or p_result.content ->> 'reason' is not null
     or wedsql._files_missing(p_result.job_id, p_result.content) <> '{}' then
    return null;
  end if;
  begin
    v_values := wedsql._with_outcome(v_flow, v_task, v_values, p_result.content ->> 'outcome');
  exception when others then
    if left(sqlstate, 2) not in ('WD', '22') then
      raise;
    end if;
    return null;
  end;
  v_id := wedsql._call_rejected(v_flow, v_task.wid, p_result.job_id,
    (p_result.content ->> 'claim')::bigint, v_values, null, p_device.person,
    case when p_code = 'WD593' and v_task.owner is not null and v_task.ended_at is null then 'WD592'
         else p_code end);
  update wedsql.late_result l set base_seq = v_base
  where l.id = v_id and l.state = 'kept' returning l.* into v_late;
  if v_late.state = 'kept' then
    perform wedsql._decide_late(v_late);
  end if;
  return v_id;  -- also of one that another device has sent alike before
end $$;

-- Notes in the log of a job by which clock its result was made, once where two devices have sent the same.
create or replace function wedsql._log_offline(p_device wedsql.device, p_result wedsql.device_result)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
select t.job_id, t.wid, t.tgid, t.flow_id, coalesce(g.trname, ''), wedsql.now(), 'offline', p_device.person,
  to_char(p_result.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 1
from wedsql.task t left join wedsql.trig g on g.tgid = t.tgid
where t.job_id = p_result.job_id
  and not exists (select from wedsql.device_result r
                  where r.wid = t.wid and r.job_id = t.job_id and r.seq = p_result.seq and r.state = 'A')
$$;

-- Applies the next result of a device that waits, and returns its number; null where there is none, or one
-- before it is missing. p_device is that of any person: the results were accepted when they came.
-- Locks: the device; as complete_task.
create or replace function wedsql.continue_offline(p_device bigint) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device;
begin
  select d.* into v_device from wedsql.device d where d.id = p_device for update;
  if not exists (select from wedsql.device_result r where r.device_id = p_device
                 and r.number = v_device.settled + 1 and r.state = 'W') then
    return null;
  end if;
  perform wedsql._apply_offline(v_device, v_device.settled + 1);
  return v_device.settled + 1;
end $$;

-- Has the results of a device that wait go on without those that are missing before the first of them, and
-- returns how many are missing. One that comes nevertheless is applied then.
-- Locks: the device.
-- Raises: WD009 without a reason; WD610.
create or replace function wedsql.skip_offline_results(p_device bigint, p_actor text, p_reason text)
  returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device;
  v_first integer;
begin
  perform wedsql._check_reason(p_reason);
  select d.* into v_device from wedsql.device d where d.id = p_device for update;
  if not found then
    perform wedsql._raise('WD610', 'There is no device {device}.', '',
                          jsonb_build_object('device', p_device));
  end if;
  select min(r.number) into v_first from wedsql.device_result r
  where r.device_id = p_device and r.state = 'W';
  if v_first is null or v_first <= v_device.settled + 1 then
    return 0;
  end if;
  insert into wedsql.device_result (device_id, number, state, content, arrived_at, decided_at, decided_by)
  select p_device, n, 'S', jsonb_build_object('skipped', left(p_reason, 2000)), wedsql.now(), wedsql.now(),
    coalesce(p_actor, '')
  from generate_series(v_device.settled + 1, v_first - 1) n on conflict (device_id, number) do nothing;
  update wedsql.device d set settled = v_first - 1 where d.id = p_device;
  return v_first - 1 - v_device.settled;
end $$;

grant execute on function wedsql.continue_offline(bigint),
  wedsql.skip_offline_results(bigint, text, text) to wed_web;
