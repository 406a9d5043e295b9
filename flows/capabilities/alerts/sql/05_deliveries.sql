-- Deliveries of alerts and of what other capabilities queue: at least once, each with a key by which its
-- receiver knows a repetition.

-- Returns the hooks for the capabilities that queue messages.
create or replace function wedsql._hooks_deliveries() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  -- The senders (hook_id) of the capability of which messages may be sent now.
  ('senders', 'first', 'bigint[]', 'stable', '{}'::text[]),
  -- A message is sent, and kept from other senders for p_hold; returns its target and secret.
  ('sending', 'first', 'jsonb', 'volatile', '{p_delivery wedsql.delivery,p_hold interval}'),
  -- An attempt to send a message succeeded (p_error null) or failed; returns whether it is one of the
  -- capability, which has settled it.
  ('attempted', 'any', 'boolean', 'volatile',
   '{p_delivery bigint,p_attempt integer,p_error text,p_final boolean}')
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

-- Locks and returns the message of a sender whose time has come first: of alerts and mails with null, with
-- p_urgent of those that are sent whatever their sender says; null if there is none.
-- Locks: the delivery, without waiting.
create or replace function wedsql._next_delivery(p_sender bigint, p_urgent boolean, p_now timestamptz)
returns wedsql.delivery
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off as $$
declare
  v_delivery wedsql.delivery;
begin
  if p_urgent then
    select d.* into v_delivery from wedsql.delivery d
    where d.status = 'waiting' and d.urgent and d.next_at <= p_now
    order by d.next_at, d.id limit 1 for update skip locked;
  elsif p_sender is null then
    select d.* into v_delivery from wedsql.delivery d
    where d.status = 'waiting' and d.hook_id is null and d.next_at <= p_now
    order by d.hook_id, d.next_at, d.id limit 1 for update skip locked;
  else
    select d.* into v_delivery from wedsql.delivery d
    where d.status = 'waiting' and d.hook_id = p_sender and d.next_at <= p_now
    order by d.next_at, d.id limit 1 for update skip locked;
  end if;
  return v_delivery;
end $$;

-- Returns the delivery whose time has come first, with what it says, and keeps other senders from it for
-- p_hold; null if there is none. Only the first message of each sender is read: what waits of one that is
-- paused, or whose receiver fails, costs nothing.
-- Locks: the delivery, without waiting; what the capability that queued it locks.
-- Raises: WD009.
create or replace function wedsql.take_delivery(p_hold interval) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_sender record;
  v_delivery wedsql.delivery;
  v_receiver jsonb := '{}';
begin
  if p_hold is null or p_hold <= interval '0' then
    perform wedsql._raise('WD009', 'A delivery is held for more than 0 seconds.', 'Use a longer time.');
  end if;
  for v_sender in
    select s.id, s.urgent from (
      values (null::bigint, true), (null, false)
      union all select u, false from unnest(wedsql._call_senders()) u) s (id, urgent)
    cross join lateral (
      (select d.next_at, d.id from wedsql.delivery d
       where s.urgent and d.status = 'waiting' and d.urgent order by d.next_at, d.id limit 1)
      union all
      (select d.next_at, d.id from wedsql.delivery d
       where s.id is null and not s.urgent and d.status = 'waiting' and d.hook_id is null
       order by d.hook_id, d.next_at, d.id limit 1)
      union all
      (select d.next_at, d.id from wedsql.delivery d
       where d.status = 'waiting' and d.hook_id = s.id order by d.next_at, d.id limit 1)) n
    where n.next_at <= v_now order by n.next_at, n.id
  loop
    v_delivery := wedsql._next_delivery(v_sender.id, v_sender.urgent, v_now);
    exit when v_delivery.id is not null;
  end loop;
  update wedsql.delivery d set next_at = v_now + p_hold, attempts = d.attempts + 1
  where d.id = v_delivery.id returning d.* into v_delivery;
  if not found then
    return null;
  end if;
  if v_delivery.hook_id is not null then
    v_receiver := coalesce(wedsql._call_sending(v_delivery, p_hold), '{}');
  end if;
  return jsonb_build_object('id', v_delivery.id, 'channel', v_delivery.channel,
    'target', coalesce(v_receiver ->> 'target', v_delivery.target), 'attempt', v_delivery.attempts,
    'secret', coalesce(v_receiver ->> 'secret', (
      select r.secret from wedsql.alert_rule r join wedsql.alert_event e on e.rule_id = r.id
      where e.id = v_delivery.event_id)),
    'message', coalesce(v_delivery.message, wedsql._alert_message(v_delivery)));
end $$;

-- Locks and returns a delivery of which an attempt ended; null if that is settled, or a later one has begun
-- and this one failed.
create or replace function wedsql._locked_attempt(p_delivery bigint, p_attempt integer, p_error text)
returns wedsql.delivery
language sql volatile set search_path = pg_catalog, pg_temp as $$
select d from wedsql.delivery d
where d.id = p_delivery and d.status = 'waiting' and (p_error is null or d.attempts = p_attempt) for update
$$;

-- Notes that an attempt of a delivery succeeded (p_error null) or failed. Unless p_fails, it is then tried
-- again after 10 seconds, and each time after twice as long, up to an hour.
-- Locks: the delivery, which the caller holds.
create or replace function wedsql._end_attempt(p_delivery bigint, p_error text, p_fails boolean) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.delivery d
set status = case when p_error is null then 'sent' when p_fails then 'failed' else 'waiting' end,
    error = left(p_error, 500),
    next_at = wedsql.now() + least(interval '1 hour', interval '5 seconds' * 2 ^ least(d.attempts, 20)),
    done_at = case when p_error is null or p_fails then wedsql.now() end
where d.id = p_delivery
$$;

-- Notes that an attempt of a delivery succeeded (p_error null) or failed. A message of an alert has failed
-- after 12 attempts, or at once where p_final; of another one the capability that queued it decides.
-- Locks: what that capability locks, then the delivery.
create or replace function wedsql.settle_delivery(p_delivery bigint, p_attempt integer,
  p_error text default null, p_final boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_delivery wedsql.delivery;
begin
  if wedsql._call_attempted(p_delivery, p_attempt, p_error, p_final) then
    return;
  end if;
  v_delivery := wedsql._locked_attempt(p_delivery, p_attempt, p_error);
  perform wedsql._end_attempt(v_delivery.id, p_error, p_final or v_delivery.attempts >= 12)
  where v_delivery.id is not null;
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
