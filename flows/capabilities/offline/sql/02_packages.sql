-- Packages: what a device needs to perform a locked task without a connection.

-- Returns the tasks that a person has locked, up to 500 by priority and deadline, with the version of what a
-- device needs of each: it changes with the lock, the instance, and the definition.
create or replace function wedsql.offline_tasks(p_person text)
returns table (job_id bigint, version text)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select t.job_id, wedsql._package_version(t)
from wedsql.task t join wedsql.trig g on g.tgid = t.tgid
where t.owner = p_person and t.state in ('L', 'X') and g.offline
order by t.rank, t.due_at, t.job_id limit 500
$$;

-- Returns the version of what a device needs of a task.
create or replace function wedsql._package_version(p_task wedsql.task) returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select md5(concat_ws('|', wedsql._claim_of(p_task), i.seq, p_task.due_at, to_jsonb(g)::text,
  (select string_agg(to_jsonb(a)::text, ' ' order by a.aid) from wedsql.attr a
   where a.flow_id = p_task.flow_id)))
from wedsql.instance i, wedsql.trig g where i.wid = p_task.wid and g.tgid = p_task.tgid
$$;

-- Returns what a device needs of a task that its person has locked: as read_task, with "seq", the step of the
-- instance on which the values are, and "version"; notes that the device got it.
-- Locks: the device.
-- Raises: WD590, WD592, WD593; WD610, WD611.
create or replace function wedsql.read_package(p_person text, p_key text, p_job bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, true);
  v_task wedsql.task := wedsql._known_task(p_job);
  v_found jsonb;
begin
  if v_task.owner is not null and v_task.owner <> p_person and v_task.ended_at is null then
    perform wedsql._refuse_taken(v_task);
  elsif v_task.owner is distinct from p_person or v_task.state not in ('L', 'X') then
    perform wedsql._raise('WD593', 'Task {task} is not locked by you.', 'Lock it first.',
                          wedsql._task_facts(v_task));
  end if;
  perform wedsql._check_offline(v_task, true);
  select wedsql.read_task(p_job, p_person) || jsonb_build_object('seq', i.seq, 'version',
           wedsql._package_version(v_task))
  into v_found from wedsql.instance i where i.wid = v_task.wid;
  insert into wedsql.device_package as g (device_id, job_id, wid, claim, seq, version, given_at)
  values (v_device.id, p_job, v_task.wid, (v_found ->> 'claim')::bigint, (v_found ->> 'seq')::integer,
          v_found ->> 'version', wedsql.now())
  on conflict (device_id, job_id) do update
  set claim = excluded.claim, seq = excluded.seq, version = excluded.version, given_at = excluded.given_at,
      held_at = null;
  return v_found;
end $$;

-- Notes that a device has all of these tasks, as they were given to it.
-- Raises: WD610, WD611.
create or replace function wedsql.confirm_packages(p_person text, p_key text, p_jobs bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, false);
begin
  update wedsql.device_package g set held_at = wedsql.now()
  where g.device_id = v_device.id and g.job_id = any (p_jobs) and g.held_at is null;
end $$;

grant execute on function wedsql.offline_tasks(text), wedsql.read_package(text, text, bigint),
  wedsql.confirm_packages(text, text, bigint[]) to wed_web;
