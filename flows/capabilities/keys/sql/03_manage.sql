-- Creating, rotating, revoking and listing keys.

-- Creates a key and returns its secret text, which is stored nowhere. p_scope: the flows, each with a list of
-- transitions, or an empty one for all: {"orders": ["tr_ship"], "parcels": []}.
-- Raises: WD001, WD575.
create or replace function wedsql.create_worker_key(
  p_name text, p_scope jsonb, p_expires timestamptz default null, p_actor text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key bigint;
begin
  perform wedsql._check_new_key(p_name, p_scope, p_expires);
  insert into wedsql.worker_key (name, created_at, created_by, expires_at)
  values (p_name, wedsql.now(), wedsql._actor(p_actor), p_expires)
  on conflict (name) do nothing returning id into v_key;
  if v_key is null then
    perform wedsql._raise('WD575', 'There is a worker key "{key}" already.',
      'Choose another name: also that of a revoked key is not used again.',
      jsonb_build_object('key', p_name));
  end if;
  insert into wedsql.worker_key_flow (key_id, flow_id, transitions)
  select v_key, (wedsql._flow(e.key)).id, array(select jsonb_array_elements_text(e.value))
  from jsonb_each(p_scope) e where e.value <> '[]'
  union all
  select v_key, (wedsql._flow(e.key)).id, null from jsonb_each(p_scope) e where e.value = '[]';
  insert into wedsql.worker_key_use (key_id, used_at) values (v_key, '-infinity');
  return wedsql._new_secret(v_key, p_actor);
end $$;

-- Checks the name, the scope and the end of a new key.
-- Raises: WD001, WD575.
create or replace function wedsql._check_new_key(p_name text, p_scope jsonb, p_expires timestamptz)
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown record;
begin
  if (p_name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]*$' and length(p_name) <= 40) is not true then
    perform wedsql._raise('WD575', 'The name of a worker key consists of at most 40 letters, digits, dots, '
                          'hyphens and underscores.', 'It begins with a letter or a digit.');
  elsif jsonb_typeof(p_scope) is distinct from 'object' or p_scope = '{}'
        or exists (select 1 from jsonb_each(p_scope) e where jsonb_typeof(e.value) <> 'array') then
    perform wedsql._raise('WD575', 'A worker key is for at least one flow.',
      'Give each flow with a list of its transitions, an empty one for all.');
  elsif p_expires <= wedsql.now() then
    perform wedsql._raise('WD575', 'The end of the worker key is not in the future.', null);
  elsif p_expires > wedsql.now() + interval '100 years' then
    perform wedsql._raise('WD575', 'The end of the worker key is more than 100 years away.',
      'Give an earlier one, or none.');
  end if;
  select e.key as flow, n.name into v_unknown
  from jsonb_each(p_scope) e cross join lateral jsonb_array_elements_text(e.value) n (name)
  where not exists (select 1 from wedsql.trig t where t.flow_id = (wedsql._flow(e.key)).id
                    and n.name in (t.trname, t.compensated_by)) and n.name <> '_EXCPT' limit 1;
  if found then
    perform wedsql._raise('WD575', 'Flow "{flow}" has no transition "{transition}".', null,
      jsonb_build_object('flow', v_unknown.flow, 'transition', v_unknown.name));
  end if;
end $$;

-- Gives a key a new secret and returns its text. It has 366 random bits, of which SHA-256 makes 256.
create or replace function wedsql._new_secret(p_key bigint, p_actor text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := 'wedkey_' || encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                                            || uuid_send(gen_random_uuid())), 'hex');
begin
  insert into wedsql.worker_secret (key_id, digest, created_at, created_by)
  values (p_key, wedsql._key_digest(v_text), wedsql.now(), wedsql._actor(p_actor));
  return v_text;
end $$;

-- Returns a key that is not revoked, locked.
-- Locks: the key.
-- Raises: WD574 where there is none, WD575 where it is revoked.
create or replace function wedsql._key_to_change(p_name text) returns wedsql.worker_key
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key wedsql.worker_key;
begin
  select * into v_key from wedsql.worker_key k where k.name = p_name for no key update;
  if not found then
    perform wedsql._raise('WD574', 'There is no worker key "{key}".', null,
      jsonb_build_object('key', p_name));
  elsif v_key.revoked_at is not null then
    perform wedsql._raise('WD575', 'The worker key "{key}" is revoked already.', 'Create another key.',
      jsonb_build_object('key', p_name));
  end if;
  return v_key;
end $$;

-- Gives a key a new secret and returns its text. The old one is accepted for p_grace, at most 30 days, so
-- that workers can be given the new one while they run.
-- Locks: the key.
-- Raises: WD574, WD575.
create or replace function wedsql.rotate_worker_key(
  p_name text, p_grace interval default interval '1 day', p_actor text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key wedsql.worker_key := wedsql._key_to_change(p_name);
  v_until timestamptz;
begin
  if p_grace is null or p_grace not between '0' and '30 days' then
    perform wedsql._raise('WD575', 'An old secret is accepted for at most 30 days.', null);
  end if;
  v_until := wedsql.now() + p_grace;
  perform wedsql._changing(p_actor);
  update wedsql.worker_secret s set valid_until = v_until
  where s.key_id = v_key.id and coalesce(s.valid_until > v_until, true);
  return wedsql._new_secret(v_key.id, p_actor);
end $$;

-- Revokes a key for ever and returns the number of leases that ended. Its leases are released at once: other
-- workers get their jobs, and a result that comes is rejected. What its sessions hold by locks is rejected
-- when it is finished. A lease that another transaction takes or extends meanwhile, having checked the key
-- before, is released by the reaper: a revocation waits for no worker.
-- Locks: the key, then its leased jobs, without those that another transaction is changing.
-- Raises: WD574, WD575.
create or replace function wedsql.revoke_worker_key(p_name text, p_reason text, p_actor text default null)
  returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key wedsql.worker_key := wedsql._key_to_change(p_name);
begin
  if coalesce(trim(p_reason), '') = '' or length(p_reason) > 200 then
    perform wedsql._raise('WD575', 'Give the reason of the revocation, in at most 200 characters.', null);
  end if;
  update wedsql.worker_key k
  set revoked_at = wedsql.now(), revoked_by = wedsql._actor(p_actor), revoked_for = p_reason
  where k.id = v_key.id;
  return wedsql._end_leases(p_name, 'The worker key was revoked.', wedsql._actor(p_actor));
end $$;

-- Releases the leases of a key that is no longer accepted, and returns how many.
-- Locks: its leased jobs, without those that another transaction is changing.
create or replace function wedsql._end_leases(p_name text, p_why text, p_actor text) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_ended integer := 0;
begin
  for v_job in select * from wedsql._leases_of(p_name) loop
    update wedsql.job_pool j set state = 'P', claim = null, lckid = null, lease_until = null
    where j.wid = v_job.wid and j.id = v_job.id;
    insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
    values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, wedsql.now(), 'released', p_actor,
            p_why, v_job.attempts);
    perform wedsql._wake_job(v_job);
    v_ended := v_ended + 1;
  end loop;
  return v_ended;
end $$;

-- Releases the leases of keys that were revoked or have expired in the last day: no transaction that
-- checked a key before is open for longer.
-- Locks: as _end_leases.
create or replace function wedsql._end_leases_of_ended_keys(p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_key wedsql.worker_key;
begin
  for v_key in select * from wedsql.worker_key k
    where least(k.revoked_at, k.expires_at) between p_now - interval '1 day' and p_now
  loop
    begin
      perform wedsql._end_leases(v_key.name, case when v_key.revoked_at is null
        then 'The worker key has expired.' else 'The worker key was revoked.' end, 'reaper');
    exception when others then
      perform wedsql._note_trouble(0, 'keys', 0, v_key.id, sqlstate, sqlerrm, p_now);
    end;
  end loop;
end $$;

-- Returns the jobs that are leased with a key, locked, without those that another transaction is changing.
-- Locks: the jobs.
create or replace function wedsql._leases_of(p_name text) returns setof wedsql.job_pool
language sql volatile set search_path = pg_catalog, pg_temp as $$
select j.* from wedsql.job_pool j
where j.state = 'L' and split_part(j.lckid, '/', 1) = p_name
  and j.flow_id in (select f.id from wedsql.flow f where f.worker_keys)
order by j.wid, j.id for update skip locked
$$;

-- Returns keys by name, after p_after, at most p_limit (200): those that are accepted, or with p_all also
-- revoked and expired ones. rotated: when the present secret was made, if it is not the first; old_until:
-- until when an old one is accepted.
create or replace function wedsql.list_worker_keys(
  p_all boolean default false, p_after text default '', p_limit integer default 50)
returns table (name text, scope jsonb, created_at timestamptz, created_by text, expires_at timestamptz,
               rotated_at timestamptz, rotated_by text, old_until timestamptz, used_at timestamptz,
               revoked_at timestamptz, revoked_by text, revoked_for text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select k.name,
  (select coalesce(jsonb_object_agg(f.name, coalesce(to_jsonb(c.transitions), '[]')), '{}')
   from wedsql.worker_key_flow c join wedsql.flow f on f.id = c.flow_id where c.key_id = k.id),
  k.created_at, k.created_by, k.expires_at, r.created_at, r.created_by,
  (select max(s.valid_until) from wedsql.worker_secret s
   where s.key_id = k.id and s.valid_until > wedsql.now()),
  nullif(u.used_at, '-infinity'), k.revoked_at, k.revoked_by, k.revoked_for
from wedsql.worker_key k left join wedsql.worker_key_use u on u.key_id = k.id
left join lateral (
  select s.created_at, s.created_by from wedsql.worker_secret s
  where s.key_id = k.id and s.valid_until is null
    and exists (select 1 from wedsql.worker_secret o where o.key_id = k.id and o.id < s.id)) r on true
where k.name > p_after
  and (p_all or k.revoked_at is null and coalesce(k.expires_at > wedsql.now(), true))
order by k.name limit least(p_limit, 200)
$$;
