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

-- Checks that the key of this session is for these transitions of the flow, and returns the name of the worker;
-- null without a log-in. p_said: what the worker calls itself, else the setting wedsql.actor.
-- Locks: the row of the last use, at most once a minute.
-- Raises: WD571, WD572, WD573.
create or replace function wedsql._on_keyed_worker_keys(p_flow integer, p_transitions text[],
  p_said text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_secret bigint := wedsql._login();
  v_flow text;
  v_key record;
begin
  if v_secret is null then
    return null;
  end if;
  select f.name into v_flow from wedsql.flow f where f.id = p_flow;
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

-- Returns whether the key of this session is for a transition of a flow.
create or replace function wedsql._on_may_work_keys(p_flow integer, p_transition text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  join wedsql.worker_key_flow c on c.key_id = k.id and c.flow_id = p_flow
  where s.id = wedsql._login() and k.revoked_at is null
    and coalesce(k.expires_at > wedsql.now(), true) and coalesce(s.valid_until > wedsql.now(), true)
    and (c.transitions is null or p_transition = any (c.transitions)))
$$;
