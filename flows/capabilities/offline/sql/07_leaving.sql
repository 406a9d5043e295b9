-- Going offline: what a person decides before the connection ends, in one request.

-- Prepares a device for a time without a connection: gives back the tasks of "back", locks those of "lock",
-- and notes for how many "minutes" its person expects to be away: {"lock", "back", "minutes"}, each
-- optional. Data that the device has of a task count for its lock, so that nothing is transferred again.
-- Each task is decided on its own. Locks are rejected where the device has reported less than "least":
-- {"energy", "free_bytes"}. Returns {"away_until", "tasks": [{"task", "done", "claim", "seq", "version",
-- "has", "problem"}]}.
-- Locks: the device; as take_task and release_task.
-- Raises: WD009, WD610, WD611.
create or replace function wedsql.go_offline(p_person text, p_key text, p_keys text[], p_plan jsonb)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, true);
  v_until timestamptz;
  v_tasks jsonb := '[]';
  v_job bigint;
begin
  perform wedsql._check_plan(p_plan);
  v_until := wedsql.now() + make_interval(mins => (p_plan ->> 'minutes')::integer);
  for v_job in select distinct j::bigint from jsonb_array_elements_text(p_plan -> 'back') j order by 1 loop
    v_tasks := v_tasks || wedsql._give_back(p_person, v_job);
  end loop;
  for v_job in select distinct j::bigint from jsonb_array_elements_text(p_plan -> 'lock') j order by 1 loop
    v_tasks := v_tasks || wedsql._lock_on(v_device, v_job, p_keys, coalesce(p_plan -> 'least', '{}'));
  end loop;
  if v_until is not null and not jsonb_path_exists(v_tasks, '$[*].problem') then
    update wedsql.device d set away_since = wedsql.now(), away_until = v_until where d.id = v_device.id;
    perform wedsql._person_left(p_person);
  else
    v_until := null;
  end if;
  return jsonb_build_object('away_until', v_until, 'tasks', v_tasks);
end $$;

-- Raises: WD009 for what is no plan.
create or replace function wedsql._check_plan(p_plan jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  if jsonb_typeof(p_plan) is distinct from 'object'
     or coalesce(p_plan ->> 'minutes' !~ '^[0-9]{1,5}$'
                 or (p_plan ->> 'minutes')::integer > 43200, false) then
    perform wedsql._raise('WD009', 'Who goes offline says for how long: at most {most} minutes.', '',
                          jsonb_build_object('most', 43200));
  end if;
  foreach v_name in array array['lock', 'back'] loop
    if coalesce(jsonb_typeof(p_plan -> v_name) <> 'array', false)
       or jsonb_array_length(coalesce(p_plan -> v_name, '[]')) > 500
       or exists (select from jsonb_array_elements_text(coalesce(p_plan -> v_name, '[]')) j
                  where j is null or j !~ '^[0-9]{1,18}$') then
      perform wedsql._raise('WD009',
        'The tasks to lock or to give back are a list of at most {most} numbers.', '',
        jsonb_build_object('most', 500));
    end if;
  end loop;
end $$;

-- Gives a task back, and returns what became of that.
-- Locks: as release_task.
create or replace function wedsql._give_back(p_person text, p_job bigint) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  perform wedsql.release_task(p_job, p_person);
  return jsonb_build_object('task', p_job, 'done', 'back');
exception when others then
  if wedsql._passes(sqlstate) then
    raise;
  end if;
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  return wedsql._not_done(p_job, v_why);
end $$;

-- Locks a task for a device, and returns it with the token of the lock and whether the device has its data.
-- Locks: as take_task.
create or replace function wedsql._lock_on(p_device wedsql.device, p_job bigint, p_keys text[], p_least jsonb)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
  v_task wedsql.task;
  v_version text;
  v_seq integer;
begin
  perform wedsql._check_strength(p_device, p_least);
  perform wedsql.take_task(p_job, p_device.person, p_keys, true);
  v_task := wedsql._known_task(p_job);
  v_version := wedsql._package_version(v_task);
  update wedsql.device_package g set claim = wedsql._lock_of(v_task), version = v_version
  where g.device_id = p_device.id and g.job_id = p_job
    and split_part(g.version, '.', 1) = split_part(v_version, '.', 1)
  returning g.seq into v_seq;
  return jsonb_build_object('task', p_job, 'done', 'locked', 'claim', wedsql._lock_of(v_task)::text,
    'version', v_version, 'seq', v_seq, 'has', v_seq is not null);
exception when others then
  if wedsql._passes(sqlstate) then
    raise;
  end if;
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  return wedsql._not_done(p_job, v_why);
end $$;

-- Raises: WD617 where a device has reported less energy or free space than is needed to lock a task.
create or replace function wedsql._check_strength(p_device wedsql.device, p_least jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb := jsonb_build_object('device', p_device.id, 'energy', p_device.energy,
    'least', p_least ->> 'energy', 'free', p_device.free_bytes / 1000000,
    'space', ((p_least ->> 'free_bytes')::bigint) / 1000000);
begin
  if p_device.energy < (p_least ->> 'energy')::integer then
    perform wedsql._raise('WD617',
      'The device has {energy} percent of its energy; tasks are locked from {least} percent on.',
      'Charge the device first.', v_facts);
  elsif p_device.free_bytes < (p_least ->> 'free_bytes')::bigint then
    perform wedsql._raise('WD617',
      'The device has {free} MB of free space; tasks are locked from {space} MB on.',
      'Delete something on the device first.', v_facts);
  end if;
end $$;

-- Returns why something was not done with a task.
create or replace function wedsql._not_done(p_job bigint, p_why wedsql.why) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('task', p_job, 'problem', jsonb_strip_nulls(jsonb_build_object('code', p_why.code,
  'message', p_why.message, 'hint', p_why.hint, 'detail', p_why.detail)))
$$;

grant execute on function wedsql.go_offline(text, text, text[], jsonb) to wed_web;
