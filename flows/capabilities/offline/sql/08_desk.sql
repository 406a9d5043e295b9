-- Refused results that a person gives to the desk: they are kept as late results, and people decide on them.

-- Keeps a result of a device that was refused as a late result with a case, and returns it as offline_results
-- does; one that is a late result already has the same answer.
-- Locks: the device, the instance; as _end_late.
-- Raises: WD009 for a result that was not refused, has no values, or cannot be kept; WD610, WD611.
create or replace function wedsql.give_offline_result(p_person text, p_key text, p_number integer)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, false);
  v_result wedsql.device_result;
  v_late wedsql.late_result;
begin
  select r.* into v_result from wedsql.device_result r
  where r.device_id = v_device.id and r.number = p_number;
  if v_result.state is distinct from 'L' then
    if v_result.state is distinct from 'R' or coalesce(v_result.content -> 'values', '{}') = '{}'
       or wedsql._offline_base(v_device, v_result) is null then
      perform wedsql._raise('WD009', 'Result {number} of device {device} cannot be given to the desk.',
        'A refused result with values can, of a task that was locked on the device.',
        jsonb_build_object('device', v_device.id, 'number', p_number));
    end if;
    v_late.id := wedsql._keep_late(wedsql._hold_instance_of(v_result.job_id), v_result.wid, v_result.job_id,
      (v_result.content ->> 'claim')::bigint, v_result.content -> 'values', null, p_person, 'WD618');
    if v_late.id is null then
      perform wedsql._raise('WD009', 'Instance {instance} takes no late result now.',
        'Too many wait for a decision, or a value is of an attribute that the flow no longer has: export the '
        'result.', jsonb_build_object('instance', v_result.wid));
    end if;
    perform wedsql._ask_desk(v_device, v_result, v_late.id);
  end if;
  return (select to_jsonb(r) from wedsql._offline_items(v_device.id, p_number) r);
end $$;

-- Opens the case of a result that was given to the desk, and notes that it is a late result.
-- Locks: as _end_late.
create or replace function wedsql._ask_desk(p_device wedsql.device, p_result wedsql.device_result,
  p_late bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_late wedsql.late_result;
begin
  update wedsql.late_result l set base_seq = wedsql._offline_base(p_device, p_result)
  where l.id = p_late and l.state = 'kept' returning l.* into v_late;
  if v_late.id is not null then
    perform wedsql._end_late(v_late, 'conflict', '', '', coalesce(p_result.problem ->> 'message', ''));
  end if;
  update wedsql.device_result r set state = 'L', late_id = p_late
  where r.device_id = p_device.id and r.number = p_result.number;
  perform wedsql._need_files(p_device.id, p_result.wid, p_result.content, true);
end $$;

grant execute on function wedsql.give_offline_result(text, text, integer) to wed_web;
