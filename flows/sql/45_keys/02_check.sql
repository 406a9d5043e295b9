-- What a worker may do with the key of its session, in flows that require keys (option worker_keys). Only the
-- functions of such flows call these.

-- Returns the name that a worker with this key has: that of the key, and what it calls itself.
-- Raises: WD573 where it calls itself a worker of another key.
create or replace function wedsql._keyed_name(p_key text, p_said text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(p_said, '') in ('', p_key) then
    return p_key;
  elsif starts_with(p_said, p_key || '/') then
    return p_said;
  elsif exists (select 1 from wedsql.worker_key k where k.name = split_part(p_said, '/', 1)) then
    perform wedsql._raise('WD573', 'The name "{worker}" belongs to another worker key than "{key}".',
      'Let the worker use a name of its own.', jsonb_build_object('worker', p_said, 'key', p_key));
  end if;
  return p_key || '/' || p_said;
end $$;

-- Returns the name of the worker of this session with its key, where it is logged in; else p_said. Names of
-- other keys stay as they are.
create or replace function wedsql._login_name(p_said text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((
  select case when p_said = k.name or starts_with(p_said, k.name || '/') then p_said
              else k.name || '/' || p_said end
  from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  where s.id = wedsql._login()), p_said)
$$;

-- Checks that this session is logged in with a key for these transitions of the flow, and returns the name of
-- the worker. p_said: what the worker calls itself, else the setting wedsql.actor.
-- Locks: the row of the last use, at most once a minute.
-- Raises: WD570, WD571, WD572, WD573.
create or replace function wedsql._check_worker(p_flow integer, p_transitions text[], p_said text)
  returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_secret bigint := wedsql._login();
  v_flow text;
  v_key record;
begin
  select f.name into v_flow from wedsql.flow f where f.id = p_flow;
  if v_secret is null then
    perform wedsql._raise('WD570', 'Workers of flow "{flow}" need a key, and this session is not logged in.',
      'Log in with log_in_worker(key); through a pooler, for each transaction.',
      jsonb_build_object('flow', v_flow));
  end if;
  perform wedsql._check_secret(v_secret);
  select k.name, c.key_id is not null as covers, c.transitions into v_key
  from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  left join wedsql.worker_key_flow c on c.key_id = k.id and c.flow_id = p_flow where s.id = v_secret;
  if not v_key.covers then
    perform wedsql._raise('WD572', 'The worker key "{key}" is not for flow "{flow}".', null,
      jsonb_build_object('key', v_key.name, 'flow', v_flow));
  elsif not p_transitions <@ v_key.transitions then
    perform wedsql._raise('WD572', 'The worker key "{key}" is not for transition "{transition}".', null,
      jsonb_build_object('key', v_key.name, 'flow', v_flow, 'transition',
        (select min(n) from unnest(p_transitions) n where n <> all (v_key.transitions))));
  end if;
  perform wedsql._note_key_use(v_secret);
  return wedsql._keyed_name(v_key.name, coalesce(nullif(p_said, ''), current_setting('wedsql.actor', true)));
end $$;

-- Checks that this session may finish these jobs with its key, and returns the name of the worker. Of a job
-- that is gone only the flow counts.
-- Raises: as _check_worker; WD573 for a lease of another key.
create or replace function wedsql._check_results(
  p_flow integer, p_wids integer[], p_jobs bigint[], p_said text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_worker text;
  v_names text[];
  v_holder text;
begin
  select array_agg(distinct j.trname) into v_names
  from unnest(p_wids, p_jobs) u (wid, id)
  join wedsql.job_pool j on j.wid = u.wid and j.id = u.id and j.flow_id = p_flow;
  v_worker := wedsql._check_worker(p_flow, v_names, p_said);
  select min(j.lckid) into v_holder
  from unnest(p_wids, p_jobs) u (wid, id)
  join wedsql.job_pool j on j.wid = u.wid and j.id = u.id and j.flow_id = p_flow and j.state = 'L'
  where split_part(j.lckid, '/', 1) <> split_part(v_worker, '/', 1);
  if v_holder is not null then
    perform wedsql._raise('WD573', 'The lease belongs to "{holder}", which has another worker key.',
      'Finish a job with the key with which it was leased.', jsonb_build_object('holder', v_holder));
  end if;
  return v_worker;
end $$;

-- Returns whether this session may work on jobs of a transition: in a flow that requires keys, with its key.
create or replace function wedsql.may_work(p_flow text, p_transition text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select not f.worker_keys or exists (
  select 1 from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  join wedsql.worker_key_flow c on c.key_id = k.id and c.flow_id = f.id
  where s.id = wedsql._login() and k.revoked_at is null
    and coalesce(k.expires_at > wedsql.now(), true) and coalesce(s.valid_until > wedsql.now(), true)
    and (c.transitions is null or p_transition = any (c.transitions)))
from wedsql.flow f where f.name = p_flow
$$;
