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

-- Returns the version of what a device needs of a task: that of its data, a point, and the token of its
-- lock, which is missing while the task is not locked. Data that a device has are not transferred again for
-- a lock.
create or replace function wedsql._package_version(p_task wedsql.task) returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select md5(concat_ws('|', i.seq, p_task.due_at, to_jsonb(g)::text,
  (select string_agg(to_jsonb(a)::text, ' ' order by a.aid) from wedsql.attr a
   where a.flow_id = p_task.flow_id))) || '.' || coalesce(wedsql._lock_of(p_task)::text, '')
from wedsql.instance i, wedsql.trig g where i.wid = p_task.wid and g.tgid = p_task.tgid
$$;

-- Returns the token of the lock of a task; null while it is not locked.
create or replace function wedsql._lock_of(p_task wedsql.task) returns bigint
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select case when p_task.state in ('L', 'X') then wedsql._claim_of(p_task) end
$$;

-- Returns the tasks that a device has or could have, each with its version, whether it is locked, the bytes
-- of its data, and whether another device of the person has it, too: the locked ones, and with p_keys up to
-- 50 that could be locked: those that the person has taken, then open ones in the order of the person's
-- list.
create or replace function wedsql.device_tasks(p_person text, p_key text, p_keys text[] default null)
returns table (job_id bigint, version text, locked boolean, taken boolean, size bigint, elsewhere boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select t.job_id, l.version, t.state in ('L', 'X'), t.owner is not null, t.size,
  wedsql._is_elsewhere(t, p_key)
from (select o.job_id, o.version, o.place, 0 as part
      from wedsql.offline_tasks(p_person) with ordinality o (job_id, version, place)
      union all
      select o.job_id, wedsql._package_version(o.task), o.place, 1
      from wedsql._offline_offers(p_person, p_keys) o where p_keys is not null) l
join wedsql.task t on t.job_id = l.job_id
order by l.part, l.place
$$;

-- Returns up to 50 tasks that a person with these keys could lock.
create or replace function wedsql._offline_offers(p_person text, p_keys text[])
returns table (job_id bigint, task wedsql.task, place bigint)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select f.job_id, t, row_number() over (order by f.part, f.place)
from (select o.job_id, 0 as part, row_number() over (order by o.rank, o.due_at, o.job_id) as place
      from wedsql.task o where o.owner = p_person and o.state = 'S'
      union all
      select i.job_id, 1, i.place
      from wedsql.open_tasks(p_person, p_keys, wedsql.task_list(p_person) ->> 'sorting', null, 200)
        with ordinality i (job_id, wid, flow, tgid, transition, label, state, audience, owner, priority,
          arrived_at, due_at, owned_at, hidden_until, given_by, offline, ended_at, ended_by, outcome, seq,
          size, place)) f
join wedsql.task t on t.job_id = f.job_id join wedsql.trig g on g.tgid = t.tgid and g.offline
order by f.part, f.place limit 50
$$;

-- Returns whether another device of the owner of a task has it as it is locked.
create or replace function wedsql._is_elsewhere(p_task wedsql.task, p_key text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (
  select from wedsql.device d
  join wedsql.device_package g on g.device_id = d.id and g.job_id = p_task.job_id
  where d.person = p_task.owner and d.key <> p_key and d.state <> 'L'
    and g.claim = wedsql._lock_of(p_task))
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
begin
  if v_task.owner is not null and v_task.owner <> p_person and v_task.ended_at is null then
    perform wedsql._refuse_taken(v_task);
  elsif v_task.owner is distinct from p_person or v_task.state not in ('L', 'X') then
    perform wedsql._raise('WD593', 'Task {task} is not locked by you.', 'Lock it first.',
                          wedsql._task_facts(v_task));
  end if;
  return wedsql._give_package(v_device, v_task);
end $$;

-- Returns what a device needs of a task that its person could lock, so that locking it transfers nothing
-- more; `claim` is null, and the task cannot be performed on the device, until it is locked.
-- Locks: the device.
-- Raises: WD590 to WD593; WD610, WD611.
create or replace function wedsql.prefetch_package(p_person text, p_key text, p_job bigint, p_keys text[])
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, true);
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  if v_task.ended_at is not null or v_task.state = 'H' then
    perform wedsql._raise('WD593', 'Task {task} cannot be locked now.', 'Choose another task.',
                          wedsql._task_facts(v_task));
  elsif v_task.owner is not null and v_task.owner <> p_person then
    perform wedsql._refuse_taken(v_task);
  elsif v_task.owner is null then
    perform wedsql._check_may_take(v_task, p_person, p_keys);
  end if;
  return wedsql._give_package(v_device, v_task);
end $$;

-- Returns what a device needs of a task, and notes that the device got it.
-- Locks: none; the caller has the device.
-- Raises: WD593.
create or replace function wedsql._give_package(p_device wedsql.device, p_task wedsql.task) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_claim bigint := wedsql._lock_of(p_task);
  v_found jsonb;
begin
  perform wedsql._check_offline(p_task, true);
  select wedsql.read_task(p_task.job_id, p_device.person) || jsonb_build_object('seq', i.seq,
           'claim', v_claim::text, 'version', wedsql._package_version(p_task), 'warn_hours', coalesce(
             (select to_jsonb(w.hours) from wedsql.task_watch w where w.job_id = p_task.job_id), '[]'))
  into v_found from wedsql.instance i where i.wid = p_task.wid;
  insert into wedsql.device_package as g (device_id, job_id, wid, claim, seq, version, given_at)
  values (p_device.id, p_task.job_id, p_task.wid, v_claim, (v_found ->> 'seq')::integer,
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

-- Notes that a device has the package of a task which another device of its person, p_via, was given and has
-- saved as a file; nothing where that device was not given it. Safe to repeat.
-- Locks: the device.
-- Raises: WD610, WD611.
create or replace function wedsql.share_package(p_person text, p_key text, p_job bigint, p_via text)
  returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, false);
begin
  insert into wedsql.device_package as g (device_id, job_id, wid, claim, seq, version, given_at, chain)
  select v_device.id, b.job_id, b.wid, b.claim, b.seq, b.version, wedsql.now(), b.chain
  from wedsql.device d join wedsql.device_package b on b.device_id = d.id
  where d.person = p_person and d.key = p_via and b.job_id = p_job and b.claim is not null
  on conflict (device_id, job_id) do update  -- it was given the task before it was locked
  set claim = excluded.claim, seq = excluded.seq, version = excluded.version, chain = excluded.chain
  where g.claim is null;
end $$;

grant execute on function wedsql.share_package(text, text, bigint, text),
  wedsql.offline_tasks(text), wedsql.device_tasks(text, text, text[]),
  wedsql.read_package(text, text, bigint), wedsql.prefetch_package(text, text, bigint, text[]),
  wedsql.confirm_packages(text, text, bigint[]) to wed_web;
