-- Results that devices send. Each has a number of its own, and counts once however often it is sent; those of
-- a device are applied in the order of their numbers, so one that is missing holds those behind it back.

-- Keeps a result of a device, and applies it if those before it have been: {"task", "claim", "seq", "values",
-- "outcome", "reason", "made_at", "sent_at", "digest"}, or {"discarded": true} for one that the person has
-- discarded. claim is the token of the lock, seq the step on whose values it was made; with a reason the task
-- could not be done; "without" names files that the site did not take. Instead of these three a result of a
-- task that became ready on the device has "after", the number of the result by which it did, "of", the task
-- of that or another one of the instance, and "transition". "via" is the key of the device of the person that
-- was given the package, where this one has opened it from a file. Returns it as offline_results does. Sent
-- again it has the same answer.
-- Locks: the device; as complete_task.
-- Raises: WD009; WD610, WD611; WD613 for a number that another result has; WD615 where a file of it has not
-- arrived; what passes by itself.
create or replace function wedsql.keep_offline_result(p_person text, p_key text, p_number integer,
  p_result jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_device wedsql.device := wedsql._device_of(p_person, p_key, false);
  v_known wedsql.device_result;
  v_result jsonb := wedsql._read_offline_result(v_device, p_number, p_result);
begin
  select r.* into v_known from wedsql.device_result r
  where r.device_id = v_device.id and r.number = p_number;
  if v_known.number is null and p_number <= v_device.settled then
    return jsonb_build_object('number', p_number, 'state', 'G');  -- decided, and gone with its instance
  elsif v_known.number is null or v_known.state = 'S' then
    perform wedsql._check_room_to_wait(v_device, p_number);
    if v_result ? 'via' then
      perform wedsql.share_package(p_person, p_key, coalesce(v_result ->> 'task', v_result ->> 'of')::bigint,
                                   v_result ->> 'via');
    end if;
    perform wedsql._check_files_arrived(v_device, p_number, v_result);
    insert into wedsql.device_result (device_id, number, state, job_id, wid, content, made_at, skew,
                                      arrived_at)
    select v_device.id, p_number, 'W', t.job_id, coalesce(t.wid, o.wid), v_result - 'sent_at',
      (v_result ->> 'made_at')::timestamptz, wedsql.now() - (v_result ->> 'sent_at')::timestamptz,
      wedsql.now()
    from (values (1)) one left join wedsql.task t on t.job_id = (v_result ->> 'task')::bigint
    left join wedsql.task o on o.job_id = (v_result ->> 'of')::bigint
      and exists (select from wedsql.device_package g
                  where g.device_id = v_device.id and g.wid = o.wid and g.claim is not null)
    on conflict (device_id, number) do update
    set state = 'W', job_id = excluded.job_id, wid = excluded.wid, content = excluded.content,
        made_at = excluded.made_at, skew = excluded.skew, arrived_at = excluded.arrived_at;
    perform wedsql._need_files(v_device.id, r.wid, v_result, true) from wedsql.device_result r
    where r.device_id = v_device.id and r.number = p_number and r.wid is not null;
    if p_number <= v_device.settled + 1 then
      perform wedsql._apply_offline(v_device, p_number);
    end if;
  elsif v_result -> 'discarded' = 'true' then  -- what was applied meanwhile stays applied
    update wedsql.device_result r set content = v_result
    where r.device_id = v_device.id and r.number = p_number and r.state = 'W';
    perform wedsql._need_files(v_device.id, v_known.wid, v_known.content, false) where v_known.state = 'W';
  elsif wedsql._differs(v_known.content, v_result) then
    perform wedsql._raise('WD613', 'Device {device} has sent another result as number {number}.',
      'Give the result a new number.', jsonb_build_object('device', v_device.id, 'number', p_number));
  end if;
  return (select to_jsonb(r) from wedsql._offline_items(v_device.id, p_number) r);
end $$;

-- Returns whether a result is another one than that which was kept. Where the site has read the values from a
-- form, which depends on the present state, it names by "digest" what the device has sent.
create or replace function wedsql._differs(p_known jsonb, p_result jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_known ? 'digest' or p_result ? 'digest'
            then p_known ->> 'digest' is distinct from p_result ->> 'digest'
            else p_known <> p_result - 'sent_at' end
$$;

-- Returns a result of a device with what is read of it, and nothing else: of one that is discarded that it
-- is, of one that follows no other no "of".
-- Raises: WD009 for what is no result, or is too far ahead of those that were decided.
create or replace function wedsql._read_offline_result(p_device wedsql.device, p_number integer,
  p_result jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_offline_number(p_device, p_number, p_result);
  if p_result -> 'discarded' = 'true' then
    return '{"discarded": true}';
  end if;
  perform wedsql._check_offline_result(p_number, p_result);
  return case when p_result ? 'after' then p_result else p_result - array['of', 'transition'] end;
end $$;

-- Raises: WD009 for what is too far ahead of the results that were decided, or is too long.
create or replace function wedsql._check_offline_number(p_device wedsql.device, p_number integer,
  p_result jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_number is null or p_number < 1 or p_number > p_device.settled + 1000 then
    perform wedsql._raise('WD009', 'Device {device} has sent result {number}, but {settled} is the last one '
      'that was decided.', 'Send the results in their order.', jsonb_build_object('device', p_device.id,
        'number', p_number, 'settled', p_device.settled));
  elsif jsonb_typeof(p_result) is distinct from 'object' or octet_length(p_result::text) > 2000000
        or coalesce(jsonb_typeof(p_result -> 'values') <> 'object', false) then
    perform wedsql._raise('WD009',
      'A result of a device is an object of at most 2 MB, and so are its values.');
  end if;
end $$;

-- Rejects a result that would wait for another one where those of the device that wait have 20 MB.
-- Raises: WD009.
create or replace function wedsql._check_room_to_wait(p_device wedsql.device, p_number integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if p_number > p_device.settled + 1 and (
       select sum(pg_column_size(r.content)) from wedsql.device_result r
       where r.device_id = p_device.id and r.state = 'W') > 20000000 then
    perform wedsql._raise('WD009',
      'The results of device {device} that wait for result {number} are too large.',
      'Send the results in their order.',
      jsonb_build_object('device', p_device.id, 'number', p_device.settled + 1));
  end if;
end $$;

-- Raises: WD009 for what is no result.
create or replace function wedsql._check_offline_result(p_number integer, p_result jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  if p_result ? 'after' then
    if coalesce(p_result ->> 'after', '') !~ '^[0-9]{1,9}$' or (p_result ->> 'after')::integer >= p_number
       or coalesce(p_result ->> 'of', '') !~ '^[0-9]{1,18}$' or coalesce(p_result ->> 'transition', '') = ''
       or p_result ?| array['task', 'claim', 'seq'] then
      perform wedsql._raise('WD009', 'A result that follows another one has its number, which is smaller, a '
                                     'transition, and a task of the same instance.');
    end if;
  end if;
  if p_result ? 'via' and coalesce(p_result ->> 'via', '') !~ '^[A-Za-z0-9_-]{16,64}$' then
    perform wedsql._raise('WD009', 'The key of a device has 16 to 64 letters and digits.');
  end if;
  foreach v_name in array case when p_result ? 'after' then '{}' else array['task', 'claim', 'seq'] end loop
    if coalesce(p_result ->> v_name, '') !~ '^[0-9]{1,19}$'
       or (p_result ->> v_name)::numeric > 9223372036854775807 then
      perform wedsql._raise('WD009', 'A result of a device has a task, the claim of its lock, and the step '
                                     'on whose values it was made.');
    end if;
  end loop;
  foreach v_name in array array['made_at', 'sent_at'] loop
    if not wedsql._is_moment(p_result ->> v_name) then
      perform wedsql._raise('WD009', 'A result of a device has two times of its clock: made_at and sent_at.');
    end if;
  end loop;
end $$;

-- Returns whether a text is a moment with its time zone, within the years that every client can show in
-- every time zone.
create or replace function wedsql._is_moment(p_text text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(p_text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$', false)
  and wedsql._is_shown_time(p_text)
$$;

-- Returns results of a device as its person and administrators see them, up to p_limit below p_before, or
-- only the one of p_number. state: as in the table; `late` is what became of a late result.
create or replace function wedsql._offline_items(p_device bigint, p_number integer,
  p_before integer default null, p_limit integer default 1, p_late boolean default false)
returns table (number integer, state "char", task bigint, instance integer, title text, made_at timestamptz,
  skew double precision, arrived_at timestamptz, decided_at timestamptz, decided_by text, seq integer,
  late_id bigint, late text, late_by text, problem jsonb, waits_for integer)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select r.number, r.state, r.job_id, r.wid, coalesce(nullif(g.label, ''), g.trname), r.made_at,
  extract(epoch from r.skew)::double precision, r.arrived_at, r.decided_at, r.decided_by, r.seq, r.late_id,
  l.state, l.decided_by, r.problem, case when r.state = 'W' then d.settled + 1 end
from (select o.* from wedsql.device_result o
      where o.device_id = p_device and (p_number is null or o.number = p_number)
        and (p_before is null or o.number < p_before) and (not p_late or o.state = 'L')
      order by o.number desc limit least(greatest(p_limit, 1), 501)) r
join wedsql.device d on d.id = r.device_id
left join wedsql.task t on t.job_id = r.job_id left join wedsql.trig g on g.tgid = t.tgid
left join wedsql.late_result l on l.id = r.late_id
order by r.number desc
$$;

-- Returns the results of a device, the last first, or only those that came too late. p_person: null for an
-- administrator.
create or replace function wedsql.offline_results(p_device bigint, p_person text default null,
  p_before integer default null, p_limit integer default 50, p_late boolean default false)
returns table (number integer, state "char", task bigint, instance integer, title text, made_at timestamptz,
  skew double precision, arrived_at timestamptz, decided_at timestamptz, decided_by text, seq integer,
  late_id bigint, late text, late_by text, problem jsonb, waits_for integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select i.* from wedsql.device d
cross join lateral wedsql._offline_items(d.id, null, p_before, p_limit, p_late) i
where d.id = p_device and (p_person is null or d.person = p_person)
$$;

grant execute on function wedsql.keep_offline_result(text, text, integer, jsonb),
  wedsql.offline_results(bigint, text, integer, integer, boolean) to wed_web;
