-- Files that devices send for results made without a connection: before the result, which names them by hash.

-- Stores a file for a field of a task that was given to the device, and returns its description. The person
-- need not hold the task any more: a late result has its files, too. Sent again it is stored once.
-- Locks: the device, the row of the flow.
-- Raises: WD590; WD593 for a task that the device was not given; WD596; WD610, WD611.
create or replace function wedsql.attach_offline_file(p_person text, p_key text, p_job bigint,
  p_attribute text, p_name text, p_content bytea, p_limits jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, false);
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  if not exists (select from wedsql.device_package g
                 where g.device_id = v_device.id and g.job_id = p_job and g.claim is not null) then
    perform wedsql._raise('WD593', 'Task {task} was not transferred to this device.', 'Lock it first.',
                          wedsql._task_facts(v_task));
  end if;
  perform from wedsql.flow f where f.id = v_task.flow_id for no key update;
  return wedsql._store_task_file(v_task, p_person, p_attribute, p_name, p_content, p_limits);
end $$;

-- Returns the description of a file that was sent for an attribute of the instance of a task, with the name
-- that the device has for it; null where it has not arrived.
create or replace function wedsql.offline_file(p_job bigint, p_attribute text, p_name text, p_sha256 text)
  returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('name', n.name, 'size', c.size, 'sha256', c.sha256,
                          'type', wedsql._file_type(n.name, c.content))
from wedsql.task t join wedsql.task_file f on f.wid = t.wid
join wedsql.file_content c on c.flow_id = f.flow_id and c.sha256 = f.sha256
cross join lateral wedsql._file_name(p_name) n (name)
where t.job_id = p_job and f.attribute = p_attribute and f.sha256 = p_sha256
$$;

-- Returns the attributes of a result whose files have not arrived.
create or replace function wedsql._files_missing(p_job bigint, p_result jsonb) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(v.key order by v.key), '{}')
from wedsql.task t join wedsql.trig g on g.tgid = t.tgid
cross join lateral wedsql._form_fields(g.form) f
join jsonb_each(coalesce(p_result -> 'values', '{}')) v on v.key = f.attribute
where t.job_id = p_job and f.field ->> 'kind' = 'file' and jsonb_typeof(v.value -> 'sha256') = 'string'
  and not wedsql._is_sent_file(t, v.key, v.value)
$$;

-- Rejects a result whose files have not arrived. One that says by "without" that the site does not take them
-- is kept, and refused when it is applied.
-- Raises: WD615.
create or replace function wedsql._check_files_arrived(p_device wedsql.device, p_number integer,
  p_result jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_missing text[];
begin
  if p_result ? 'without' or p_result -> 'discarded' = 'true' or p_result ->> 'reason' is not null then
    return;
  end if;
  v_missing := wedsql._files_missing((p_result ->> 'task')::bigint, p_result);
  if v_missing <> '{}' then
    perform wedsql._raise('WD615', 'A file of result {number} has not arrived: {attributes}.',
      'Send the file first, then the result.', jsonb_build_object('device', p_device.id, 'number', p_number,
        'attributes', v_missing));
  end if;
end $$;

-- Notes whether the files of a result are needed, however long it waits. Only those of an instance of which
-- the device was given a task are noted; one that another waiting result names stays needed.
create or replace function wedsql._need_files(p_device bigint, p_wid integer, p_result jsonb,
  p_needed boolean) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.task_file f set kept = p_needed, added_at = wedsql.now()
where f.wid = p_wid and f.kept <> p_needed and f.sha256 = any (array(
  select v.value ->> 'sha256' from jsonb_each(coalesce(p_result -> 'values', '{}')) v
  where jsonb_typeof(v.value) = 'object'))
  and exists (select from wedsql.device_package g
              where g.device_id = p_device and g.wid = p_wid and g.claim is not null)
  and (p_needed or not exists (
    select from wedsql.device_result r
    where r.wid = p_wid and r.state = 'W' and strpos(r.content::text, f.sha256) > 0))
$$;

grant execute on function wedsql.attach_offline_file(text, text, bigint, text, text, bytea, jsonb),
  wedsql.offline_file(bigint, text, text, text) to wed_web;
