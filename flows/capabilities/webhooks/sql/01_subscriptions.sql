-- Webhooks of flows. Whoever defines one may operate its flow; that is checked by the caller.

-- Returns how many messages of a webhook wait, at most p_limit.
create or replace function wedsql._waiting_messages(p_hook bigint, p_limit integer default 1000)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
select count(*) from (
  select from wedsql.delivery d where d.hook_id = p_hook and d.status = 'waiting' limit p_limit) w
$$;

-- Returns a webhook for clients, without its secret.
create or replace function wedsql._webhook(p_hook wedsql.webhook) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_hook) - '{secret,flow_id,seen,restored_at,read_after,retry_at,failing_since}'::text[]
  || jsonb_build_object('flow', (select f.name from wedsql.flow f where f.id = p_hook.flow_id),
       'failing_since_at', p_hook.failing_since, 'waiting', wedsql._waiting_messages(p_hook.id),
       'last_error', case when p_hook.failing_since is not null then (
         select d.error from wedsql.delivery d
         where d.hook_id = p_hook.id and d.status = 'waiting' and d.error is not null
         order by d.id limit 1) end)
$$;

-- Locks and returns a webhook.
-- Raises: WD511.
create or replace function wedsql._locked_webhook(p_hook bigint) returns wedsql.webhook
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_hook wedsql.webhook;
begin
  select * into v_hook from wedsql.webhook w where w.id = p_hook for update;
  if not found then
    perform wedsql._raise('WD511', 'There is no webhook {webhook}.', 'It may have been removed.',
      jsonb_build_object('webhook', p_hook));
  end if;
  return v_hook;
end $$;

-- Rejects a webhook that cannot be served.
-- Raises: WD510.
create or replace function wedsql._check_webhook(p_hook wedsql.webhook) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text;
begin
  if coalesce(p_hook.events, '{}') = '{}'
     or not p_hook.events <@ array['started', 'final', 'exception', 'cancelled'] then
    perform wedsql._raise('WD510', 'A webhook has at least one of the events {events}.', 'Choose one.',
      jsonb_build_object('events', 'started, final, exception, cancelled'));
  elsif coalesce(p_hook.url, '') = '' or length(p_hook.url) > 2000 or coalesce(p_hook.secret, '') = ''
        or length(p_hook.secret) > 200 or length(p_hook.query) > 4000 then
    perform wedsql._raise('WD510', 'A webhook has an address and a secret, which signs its messages.',
      'Give both, not too long.');
  elsif cardinality(p_hook.attributes) > 20 then
    perform wedsql._raise('WD510', 'A webhook sends at most {limit} attributes.', 'Choose fewer.',
      jsonb_build_object('limit', 20));
  end if;
  select n into v_unknown from unnest(p_hook.attributes) n
  where not exists (select from wedsql.attr a where a.flow_id = p_hook.flow_id and a.aname = n) limit 1;
  if found then
    perform wedsql._raise('WD510', 'The flow has no attribute "{attribute}".',
      'Choose one of its attributes.', jsonb_build_object('attribute', coalesce(v_unknown, '')));
  end if;
end $$;

-- Lets a webhook begin with what is committed from now on; messages that wait are dropped.
-- Locks: the webhook, which the caller holds; its messages.
create or replace function wedsql._begin_webhook_now(p_hook bigint) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
delete from wedsql.delivery d where d.hook_id = p_hook and d.status = 'waiting';
update wedsql.webhook w
set seen = pg_current_snapshot(), restored_at = (select s.restored_at from wedsql.figure_state s)
where w.id = p_hook;
$$;

-- Saves a webhook; p_hook has the columns of wedsql.webhook that a client gives. With p_id an existing one is
-- replaced, which keeps its secret unless it is given. A new one, and one that is switched on, begins now.
-- Locks: the webhook.
-- Raises: WD001, WD510, WD511.
create or replace function wedsql.save_webhook(p_flow text, p_hook jsonb, p_actor text,
  p_id bigint default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_old wedsql.webhook;
  v_new wedsql.webhook;
begin
  perform wedsql._alone('webhook', p_flow);
  v_new.flow_id := (wedsql._flow(p_flow)).id;
  if p_id is not null then
    v_old := wedsql._locked_webhook(p_id);
    if v_old.flow_id <> v_new.flow_id then
      perform wedsql._raise('WD511', 'There is no webhook {webhook}.', 'It may have been removed.',
        jsonb_build_object('webhook', p_id));
    end if;
  elsif (select count(*) from wedsql.webhook w where w.flow_id = v_new.flow_id) >= 20 then
    perform wedsql._raise('WD510', 'The flow has {limit} webhooks; there can be no more.',
      'Remove those that are not needed.', jsonb_build_object('limit', 20));
  end if;
  v_new.events := array(select distinct jsonb_array_elements_text(coalesce(p_hook -> 'events', '[]')) e
                        order by e);
  v_new.query := coalesce(p_hook ->> 'query', '');
  v_new.attributes := array(select jsonb_array_elements_text(coalesce(p_hook -> 'attributes', '[]')));
  v_new.url := coalesce(p_hook ->> 'url', '');
  v_new.secret := coalesce(nullif(p_hook ->> 'secret', ''), v_old.secret, '');
  v_new.enabled := coalesce((p_hook ->> 'enabled')::boolean, true);
  perform wedsql._check_webhook(v_new);
  if p_id is null then
    insert into wedsql.webhook (flow_id, events, query, attributes, url, secret, enabled, changed_by,
      changed_at, seen, restored_at)
    select v_new.flow_id, v_new.events, v_new.query, v_new.attributes, v_new.url, v_new.secret, v_new.enabled,
      p_actor, wedsql.now(), pg_current_snapshot(), s.restored_at from wedsql.figure_state s
    returning * into v_new;
  else
    update wedsql.webhook w
    set events = v_new.events, query = v_new.query, attributes = v_new.attributes, url = v_new.url,
        secret = v_new.secret, enabled = v_new.enabled, revision = w.revision + 1, changed_by = p_actor,
        changed_at = wedsql.now(), read_after = '-infinity', retry_at = '-infinity', failing_since = null,
        problem = case when w.paused_at is not null then w.problem end
    where w.id = p_id returning w.* into v_new;
    if not (v_old.enabled and v_new.enabled) then
      perform wedsql._begin_webhook_now(p_id);
    end if;
  end if;
  return wedsql._webhook(v_new);
end $$;

-- Lets a webhook that is paused go on where it was, or, with p_skip, with what is committed from now on. In a
-- database that was restored from a dump it begins now in any case.
-- Locks: the webhook, its messages.
-- Raises: WD510, WD511.
create or replace function wedsql.resume_webhook(p_hook bigint, p_actor text, p_skip boolean default false)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hook wedsql.webhook := wedsql._locked_webhook(p_hook);
begin
  if v_hook.paused_at is null then
    perform wedsql._raise('WD510', 'The webhook is not paused.', 'There is nothing to resume.');
  end if;
  if p_skip or v_hook.restored_at is distinct from (select s.restored_at from wedsql.figure_state s) then
    perform wedsql._begin_webhook_now(p_hook);
  end if;
  update wedsql.delivery d set next_at = wedsql.now() where d.hook_id = p_hook and d.status = 'waiting';
  update wedsql.webhook w
  set paused_at = null, problem = null, failing_since = null, retry_at = '-infinity',
      changed_by = p_actor, changed_at = wedsql.now()
  where w.id = p_hook returning w.* into v_hook;
  return wedsql._webhook(v_hook);
end $$;

-- Removes a webhook with its messages.
-- Raises: WD511.
create or replace function wedsql.delete_webhook(p_hook bigint, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._locked_webhook(p_hook);
  perform wedsql._changing(p_actor);
  delete from wedsql.webhook w where w.id = p_hook;
end $$;

-- Returns the webhooks of these flows, or with null of all: those that are paused or fail first.
create or replace function wedsql.list_webhooks(p_flows text[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._webhook(w) from wedsql.webhook w join wedsql.flow f on f.id = w.flow_id
where p_flows is null or f.name = any (p_flows)
order by w.paused_at is null, w.problem is null and w.failing_since is null, f.name, w.id limit 1000
$$;

-- Returns a webhook.
-- Raises: WD511.
create or replace function wedsql.read_webhook(p_hook bigint) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hook wedsql.webhook := (select w from wedsql.webhook w where w.id = p_hook);
begin
  if v_hook.id is null then
    perform wedsql._raise('WD511', 'There is no webhook {webhook}.', 'It may have been removed.',
      jsonb_build_object('webhook', p_hook));
  end if;
  return wedsql._webhook(v_hook);
end $$;

-- Returns the messages of a webhook before one of them, the newest first.
create or replace function wedsql.webhook_deliveries(p_hook bigint, p_before bigint default null,
  p_limit integer default 100) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('id', d.id, 'event', d.message ->> 'event', 'wid', (d.message ->> 'wid')::integer,
  'step', (d.message ->> 'step')::integer, 'at', d.message ->> 'at', 'status', d.status,
  'attempts', d.attempts, 'next_at', d.next_at, 'done_at', d.done_at, 'error', d.error, 'key', d.key)
from wedsql.delivery d where d.hook_id = p_hook and (p_before is null or d.id < p_before)
order by d.id desc limit least(p_limit, 500)
$$;

-- Queues a message of the event "tested" for a webhook. It is sent at once and only once, also while the
-- webhook is paused or switched off.
-- Raises: WD511.
create or replace function wedsql.test_webhook(p_hook bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_hook wedsql.webhook := wedsql._locked_webhook(p_hook);
  v_key uuid := gen_random_uuid();
begin
  insert into wedsql.delivery (hook_id, channel, target, key, urgent, next_at, message)
  values (p_hook, 'webhook', v_hook.url, v_key, true, wedsql.now(), jsonb_build_object(
    'id', v_key, 'event', 'tested', 'at', wedsql.now(), 'webhook', p_hook,
    'flow', (select f.name from wedsql.flow f where f.id = v_hook.flow_id)));
end $$;

grant execute on function wedsql.save_webhook(text, jsonb, text, bigint),
  wedsql.resume_webhook(bigint, text, boolean), wedsql.delete_webhook(bigint, text),
  wedsql.list_webhooks(text[]),
  wedsql.read_webhook(bigint), wedsql.webhook_deliveries(bigint, bigint, integer), wedsql.test_webhook(bigint)
  to wed_web;
