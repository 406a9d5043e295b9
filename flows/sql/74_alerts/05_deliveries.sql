-- Deliveries of alerts and of webhooks: at least once, each with a key by which its receiver knows a
-- repetition.

-- Returns whether a message of a webhook may be sent now: it is not paused, and if its receiver fails, one
-- message at a time is tried, so that it delays no others. A test is always sent.
create or replace function wedsql._may_send(p_hook bigint, p_message jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_message ->> 'event' = 'tested' or exists (
  select from wedsql.webhook w
  where w.id = p_hook and w.enabled and w.paused_at is null and w.retry_at <= wedsql.now())
$$;

-- Returns the message of a delivery of an alert.
create or replace function wedsql._alert_message(p_delivery wedsql.delivery) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('id', p_delivery.key, 'event', e.event, 'at', e.at, 'flow', f.name,
  'rule', r.id, 'name', r.name, 'kind', r.kind, 'query', r.query, 'transition', r.trname,
  'sign', r.sign, 'threshold', r.threshold, 'value', e.value, 'note', e.note, 'alert', e.alert_id,
  'started_at', a.started_at, 'ended_at', case when e.event = 'ended' then a.ended_at end)
from wedsql.alert_event e join wedsql.alert_rule r on r.id = e.rule_id
join wedsql.flow f on f.id = r.flow_id left join wedsql.alert a on a.id = e.alert_id
where e.id = p_delivery.event_id
$$;

-- Returns the delivery whose time has come first, with what it says, and keeps other senders from it for
-- p_hold; null if there is none.
-- Locks: the delivery, and the webhook if it fails, both without waiting.
create or replace function wedsql.take_delivery(p_hold interval) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_delivery wedsql.delivery;
  v_hook wedsql.webhook;
begin
  update wedsql.delivery d set next_at = wedsql.now() + p_hold, attempts = d.attempts + 1
  where d.id = (select n.id from wedsql.delivery n
                where n.status = 'waiting' and n.next_at <= wedsql.now()
                  and (n.hook_id is null or wedsql._may_send(n.hook_id, n.message))
                order by n.next_at, n.id limit 1 for update skip locked)
  returning d.* into v_delivery;
  if not found then
    return null;
  end if;
  if v_delivery.hook_id is not null then
    update wedsql.webhook w set retry_at = wedsql.now() + p_hold
    where w.id in (select n.id from wedsql.webhook n
                   where n.id = v_delivery.hook_id and n.failing_since is not null for update skip locked);
    select * into v_hook from wedsql.webhook w where w.id = v_delivery.hook_id;
  end if;
  return jsonb_build_object('id', v_delivery.id, 'channel', v_delivery.channel,
    'target', coalesce(v_hook.url, v_delivery.target), 'attempt', v_delivery.attempts,
    'secret', coalesce(v_hook.secret, (
      select r.secret from wedsql.alert_rule r join wedsql.alert_event e on e.rule_id = r.id
      where e.id = v_delivery.event_id)),
    'message', coalesce(v_delivery.message, wedsql._alert_message(v_delivery)));
end $$;

-- Notes for a webhook that its receiver confirmed a message (p_error null) or did not. The next message is
-- sent after as long as it has failed, from 10 seconds to an hour. It is paused after a day, or at once where
-- p_final.
create or replace function wedsql._note_receiver(p_hook bigint, p_error text, p_final boolean) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.webhook w
set failing_since = case when p_error is not null then n.since end,
    retry_at = case when p_error is null then '-infinity'
                    else n.at + least(interval '1 hour', greatest(interval '10 seconds', n.at - n.since)) end,
    paused_at = case when n.pauses then n.at else w.paused_at end,
    problem = case when n.pauses then left(p_error, 500) else w.problem end
from (select o.id, wedsql.now() as at, coalesce(o.failing_since, wedsql.now()) as since,
             o.paused_at is null and p_error is not null
             and (p_final or wedsql.now() - o.failing_since >= interval '1 day') as pauses
      from wedsql.webhook o where o.id = p_hook) n
where w.id = n.id and (p_error is not null or w.failing_since is not null)
$$;

-- Notes that an attempt of a delivery succeeded (p_error null) or failed. After a failure it is tried again
-- after 10 seconds, and each time after twice as long, up to an hour. A message of an alert has failed after
-- 12 attempts, or at once where p_final. One of a webhook has failed after 12 attempts if its receiver has
-- confirmed others in the last three hours; otherwise it waits until the webhook is paused, and then for its
-- resumption. A test has one attempt.
-- Locks: the webhook, then the delivery.
create or replace function wedsql.settle_delivery(p_delivery bigint, p_attempt integer,
  p_error text default null, p_final boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_delivery wedsql.delivery;
  v_hook wedsql.webhook;
  v_fails boolean;
begin
  select * into v_delivery from wedsql.delivery d where d.id = p_delivery;
  select * into v_hook from wedsql.webhook w where w.id = v_delivery.hook_id for update;
  select * into v_delivery from wedsql.delivery d
  where d.id = p_delivery and d.status = 'waiting' and (p_error is null or d.attempts = p_attempt) for update;
  if not found then
    return;
  end if;
  v_fails := case
    when p_error is null then false
    when v_hook.id is null then p_final or v_delivery.attempts >= 12
    when v_delivery.message ->> 'event' = 'tested' then true
    else v_delivery.attempts >= 12 and not p_final
         and coalesce(v_hook.failing_since > wedsql.now() - interval '3 hours', true) end;
  update wedsql.delivery d
  set status = case when p_error is null then 'sent' when v_fails then 'failed' else 'waiting' end,
      error = left(p_error, 500),
      next_at = wedsql.now() + least(interval '1 hour', interval '5 seconds' * 2 ^ least(d.attempts, 20)),
      done_at = case when p_error is null or v_fails then wedsql.now() end
  where d.id = p_delivery;
  if v_hook.id is not null and v_delivery.message ->> 'event' <> 'tested' then
    perform wedsql._note_receiver(v_hook.id, p_error, p_final);
  end if;
end $$;

-- Queues a message to every receiver of a rule, to test the way to them, and returns their number.
-- Raises: WD508, WD509.
create or replace function wedsql.test_alert_rule(p_rule bigint, p_actor text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_rule wedsql.alert_rule := wedsql._locked_alert_rule(p_rule);
  v_receivers integer := cardinality(v_rule.mail) + (v_rule.url <> '')::integer;
begin
  if v_receivers = 0 then
    perform wedsql._raise('WD508', 'The alert "{name}" has no receivers.',
      'Give it a mail address or a webhook.', jsonb_build_object('name', v_rule.name));
  end if;
  perform wedsql._queue_messages(v_rule, wedsql._note_alert(p_rule, 'tested', p_actor));
  return v_receivers;
end $$;

-- Removes what ended a year ago, at most p_max rows of each kind, and returns how many. It reads only that
-- many of the oldest, so that it costs the same for a history of any size.
create or replace function wedsql.remove_old_alerts(p_max integer default 10000) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
with events as (
  delete from wedsql.alert_event e where e.id in (
    select o.id from (select * from wedsql.alert_event order by id limit p_max) o
    where o.at < wedsql.now() - interval '1 year'
      and not exists (select from wedsql.alert a where a.id = o.alert_id and a.ended_at is null))
  returning 1),
alerts as (
  delete from wedsql.alert a where a.id in (
    select o.id from (select * from wedsql.alert order by id limit p_max) o
    where o.ended_at < wedsql.now() - interval '1 year')
  returning 1)
select (select count(*) from events) + (select count(*) from alerts)
$$;

grant execute on function wedsql.take_delivery(interval),
  wedsql.settle_delivery(bigint, integer, text, boolean), wedsql.remove_old_alerts(integer)
  to wed_reaper;
grant execute on function wedsql.test_alert_rule(bigint, text) to wed_web;
