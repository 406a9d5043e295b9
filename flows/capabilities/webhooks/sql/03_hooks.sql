-- What webhooks do at the hooks of the engine and of deliveries (05_deliveries.sql of alerts).

-- Returns whether a webhook that is read has not read all steps of an instance. One that is paused, or whose
-- filter fails, keeps no instance from its removal.
create or replace function wedsql._on_reads_webhooks(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (
  select from wedsql.webhook w
  where w.flow_id = p_flow and w.enabled and w.paused_at is null and w.problem is null
    and w.restored_at = (select s.restored_at from wedsql.figure_state s)
    and exists (select from wedsql.wed_trace t
                where t.wid = p_wid and t.xid is not null
                  and not pg_visible_in_snapshot(t.xid::text::xid8, w.seen)))
$$;

-- Returns the webhooks of which messages may be sent now: those that are not paused; if the receiver of one
-- fails, one message at a time is tried, so that it delays no others.
create or replace function wedsql._on_senders_webhooks() returns bigint[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select w.id from wedsql.webhook w
             where w.enabled and w.paused_at is null and w.retry_at <= wedsql.now())
$$;

-- Returns where a message of a webhook is sent, and the secret that signs it.
-- Locks: the webhook if it fails, without waiting.
create or replace function wedsql._on_sending_webhooks(p_delivery wedsql.delivery, p_hold interval)
returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.webhook w set retry_at = wedsql.now() + p_hold
where w.id in (select n.id from wedsql.webhook n
               where n.id = p_delivery.hook_id and n.failing_since is not null for update skip locked);
select jsonb_build_object('target', w.url, 'secret', w.secret) from wedsql.webhook w
where w.id = p_delivery.hook_id
$$;

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

-- Notes that an attempt of a message of a webhook succeeded (p_error null) or failed, and returns true; false
-- for any other delivery. It has failed after 12 attempts if its receiver has confirmed others in the last
-- three hours; otherwise it waits until the webhook is paused, and then for its resumption. A test has one
-- attempt.
-- Locks: the webhook, then the delivery.
create or replace function wedsql._on_attempted_webhooks(p_delivery bigint, p_attempt integer, p_error text,
  p_final boolean) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_hook wedsql.webhook;
  v_delivery wedsql.delivery;
  v_test boolean;
begin
  select * into v_hook from wedsql.webhook w
  where w.id = (select d.hook_id from wedsql.delivery d where d.id = p_delivery) for update;
  if not found then
    return false;
  end if;
  v_delivery := wedsql._locked_attempt(p_delivery, p_attempt, p_error);
  if v_delivery.id is null then
    return true;
  end if;
  v_test := v_delivery.message ->> 'event' = 'tested';
  perform wedsql._end_attempt(p_delivery, p_error, v_test or v_delivery.attempts >= 12 and not p_final
    and coalesce(v_hook.failing_since > wedsql.now() - interval '3 hours', true));
  if not v_test then
    perform wedsql._note_receiver(v_hook.id, p_error, p_final);
  end if;
  return true;
end $$;

-- Has webhooks read and tried now that wait by a clock that was set back.
-- Locks: webhooks, skipping locked ones.
create or replace function wedsql._on_clock_set_back_webhooks(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.webhook w
set retry_at = least(w.retry_at, p_now), read_after = least(w.read_after, p_now),
    failing_since = least(w.failing_since, p_now)
where w.id = any (array(
  select o.id from wedsql.webhook o where greatest(o.retry_at, o.read_after, o.failing_since) > p_now
  order by o.id for update skip locked))
$$;
