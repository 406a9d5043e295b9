-- Devices on which people perform tasks without a connection. A device names itself by a key that it has
-- made, and belongs to one person: for another person on the same machine it is another device.

-- Notes that a device of a person is connected, with what it reports: {"name", "program", "kind",
-- "free_bytes", "bandwidth", "energy", "unsent"}, each optional. Returns {"device", "state", "settled",
-- "secret", "files"}; secret encrypts what the device stores, files what it saves as files, which is the same
-- for all devices of the person. Both are null for a device that is lost.
-- Locks: the device; for a new one, the devices of the person.
-- Raises: WD009; WD612 for too many devices.
create or replace function wedsql.device_seen(p_person text, p_key text, p_report jsonb default '{}')
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_report jsonb := coalesce(p_report, '{}');
  v_device wedsql.device;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._need_person(p_person);
  perform wedsql._check_report(p_key, v_report);
  if not exists (select from wedsql.device d where d.person = p_person and d.key = p_key) then
    perform wedsql._add_device(p_person, p_key, v_now);
  end if;
  update wedsql.device d
  set seen_at = v_now, name = coalesce(v_report ->> 'name', d.name),
      program = coalesce(v_report ->> 'program', d.program),
      free_bytes = coalesce((v_report ->> 'free_bytes')::bigint, d.free_bytes),
      energy = coalesce((v_report ->> 'energy')::smallint, d.energy),
      unsent = coalesce((v_report ->> 'unsent')::integer, d.unsent),
      bandwidth = coalesce((v_report ->> 'bandwidth')::bigint, d.bandwidth),
      kind = coalesce(v_report ->> 'kind', d.kind), away_since = null, away_until = null
  where d.person = p_person and d.key = p_key returning d.* into v_device;
  return jsonb_build_object('device', v_device.id, 'state', v_device.state, 'settled', v_device.settled,
    'secret', case when v_device.state <> 'L' then encode(v_device.secret, 'base64') end,
    'files', case when v_device.state <> 'L' then encode(v_device.files_secret, 'base64') end);
end $$;

-- Raises: WD009 for a key or a report that is none.
create or replace function wedsql._check_report(p_key text, p_report jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
  v_most bigint;
begin
  if coalesce(p_key, '') !~ '^[A-Za-z0-9_-]{16,64}$' then
    perform wedsql._raise('WD009', 'The key of a device has 16 to 64 letters and digits.');
  elsif jsonb_typeof(p_report) <> 'object' then
    perform wedsql._raise('WD009', 'The report of a device is an object.');
  end if;
  foreach v_name in array array['name', 'program', 'kind'] loop
    if length(p_report ->> v_name) > 200 then
      perform wedsql._raise('WD009', 'The device reports a text that is too long.');
    end if;
  end loop;
  for v_name, v_most in values ('free_bytes', 9000000000000000), ('bandwidth', 9000000000000000),
                               ('energy', 100), ('unsent', 1000000) loop
    if p_report ->> v_name is not null
       and coalesce(p_report ->> v_name !~ '^[0-9]{1,16}$'
                    or (p_report ->> v_name)::bigint > v_most, true) then
      perform wedsql._raise('WD009', 'What the device reports as "{name}" is no number from 0 to {most}.', '',
                            jsonb_build_object('name', v_name, 'most', v_most));
    end if;
  end loop;
end $$;

-- Adds a device of a person.
-- Locks: the devices of the person.
-- Raises: WD612.
create or replace function wedsql._add_device(p_person text, p_key text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._alone('device', p_person);
  if (select count(*) from wedsql.device d
      where d.person = p_person and d.state = 'A' and d.seen_at > p_now - interval '90 days') >= 50 then
    perform wedsql._raise('WD612', '{person} has 50 devices.', 'Withdraw those that are no longer used.',
                          jsonb_build_object('person', p_person));
  end if;
  insert into wedsql.device (person, key, secret, files_secret, registered_at, seen_at)
  values (p_person, p_key, wedsql._device_secret(), coalesce(
    (select d.files_secret from wedsql.device d where d.person = p_person order by d.id limit 1),
    wedsql._device_secret()), p_now, p_now)
  on conflict (person, key) do nothing;
end $$;

-- Returns 256 random bits.
create or replace function wedsql._device_secret() returns bytea
language sql volatile set search_path = pg_catalog, pg_temp as $$
select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
$$;

-- Returns a device of a person, locked.
-- Locks: the device.
-- Raises: WD610; WD611 for one that is lost, or, with p_tasks, withdrawn.
create or replace function wedsql._device_of(p_person text, p_key text, p_tasks boolean)
  returns wedsql.device
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device;
begin
  select d.* into v_device from wedsql.device d where d.person = p_person and d.key = p_key for update;
  if not found then
    perform wedsql._raise('WD610', 'There is no such device of {person}.', 'Connect it first.',
                          jsonb_build_object('person', p_person));
  elsif v_device.state = 'L' then
    perform wedsql._raise('WD611', 'Device {device} was reported lost.',
      'An administrator can make it active again.', jsonb_build_object('device', v_device.id));
  elsif v_device.state = 'W' and p_tasks then
    perform wedsql._raise('WD611', 'Device {device} was withdrawn, and gets no more tasks.',
      'An administrator can make it active again.', jsonb_build_object('device', v_device.id));
  end if;
  return v_device;
end $$;

-- Makes a device active (A), withdraws it (W), or reports it lost (L).
-- Locks: the device.
-- Raises: WD009, WD610.
create or replace function wedsql.set_device_state(p_device bigint, p_state "char", p_actor text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_state is null or p_state not in ('A', 'W', 'L') then
    perform wedsql._raise('WD009', 'A device is active, withdrawn or lost.');
  end if;
  update wedsql.device d set state = p_state, state_by = coalesce(p_actor, ''), state_at = wedsql.now()
  where d.id = p_device;
  if not found then
    perform wedsql._raise('WD610', 'There is no device {device}.', '',
                          jsonb_build_object('device', p_device));
  end if;
end $$;

-- Returns how many of the last 200 late results of a device people have yet to decide about.
create or replace function wedsql._open_conflicts(p_device bigint) returns bigint
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select count(*) from (select r.late_id from wedsql.device_result r
                      where r.device_id = p_device and r.state = 'L' order by r.number desc limit 200) r
join wedsql.late_result l on l.id = r.late_id where l.state = 'conflict'
$$;

-- Returns devices, of a person or of all, up to p_limit with numbers below p_before, the last first: with how
-- many tasks each has, how many results wait, the number for which they wait, and how many conflicts are
-- open.
create or replace function wedsql.devices(p_person text default null, p_before bigint default null,
  p_limit integer default 50)
returns table (id bigint, person text, name text, program text, free_bytes bigint, energy smallint,
  unsent integer, state "char", state_by text, state_at timestamptz, registered_at timestamptz,
  seen_at timestamptz, tasks bigint, waiting bigint, waits_for integer, bandwidth bigint, kind text,
  away_since timestamptz, away_until timestamptz, conflicts bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select d.id, d.person, d.name, d.program, d.free_bytes, d.energy, d.unsent, d.state, d.state_by, d.state_at,
  d.registered_at, d.seen_at,
  (select count(*) from wedsql.device_package g join wedsql.task t on t.job_id = g.job_id
   where g.device_id = d.id and g.held_at is not null and t.owner = d.person and t.state in ('L', 'X')),
  w.waiting, case when w.waiting > 0 then d.settled + 1 end, d.bandwidth, d.kind, d.away_since, d.away_until,
  wedsql._open_conflicts(d.id)
from (select o.* from wedsql.device o
      where (p_person is null or o.person = p_person) and (p_before is null or o.id < p_before)
      order by o.id desc limit least(greatest(p_limit, 1), 501)) d
cross join lateral (select count(*) as waiting from wedsql.device_result r
                    where r.device_id = d.id and r.state = 'W') w
order by d.id desc
$$;

grant execute on function wedsql.device_seen(text, text, jsonb),
  wedsql.set_device_state(bigint, "char", text), wedsql.devices(text, bigint, integer) to wed_web;
