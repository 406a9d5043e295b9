-- What is committed is read for each webhook as the figures count it (02_count.sql of figures): a step has
-- been read if the transaction that wrote it is visible in the snapshot `seen`. The history is the queue:
-- a step writes nothing for them, and a reaper that ends between reading and queueing leaves the step unread.
-- Of several reapers that read the same steps, one moves `seen`, with its messages in the same transaction.

-- Returns the webhooks that may have something to read, and pauses those of a database that was restored from
-- a dump, because the copy would notify the receivers of the original. While 1,000 messages of a webhook
-- wait, it is not read.
-- Locks: the webhooks that it pauses.
create or replace function wedsql.due_webhooks() returns bigint[]
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if wedsql._figures_restored() then
    return '{}';  -- until the figures have noticed it
  end if;
  update wedsql.webhook w set paused_at = wedsql.now(), problem = 'The database was restored from a dump.'
  from wedsql.figure_state s where w.paused_at is null and w.restored_at <> s.restored_at;
  return array(select w.id from wedsql.webhook w
               where w.enabled and w.paused_at is null and w.read_after <= wedsql.now()
                 and wedsql._waiting_messages(w.id) < 1000 order by w.id);
end $$;

-- Returns the events of a step: an instance that starts final has two.
create or replace function wedsql._step_events(p_wid integer, p_seq integer, p_status "char")
returns table (event text)
language sql stable set search_path = pg_catalog, pg_temp as $$
select 'started' where p_seq = 1
union all
select case p_status when 'F' then 'final' when 'E' then 'exception' else 'cancelled' end
where p_status in ('F', 'E', 'C', 'A') and (p_seq = 1 or p_status is distinct from (
  select p.status from wedsql.wed_trace p where p.wid = p_wid and p.seq = p_seq - 1))
$$;

-- Returns the events of a webhook that were committed and not read, those of whole transactions with about
-- p_max steps, and the snapshots between which they are; null if there is nothing to note.
create or replace function wedsql.webhook_steps(p_hook bigint, p_max integer default 2000) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set enable_seqscan = off set jit = off as $$
declare
  v_hook wedsql.webhook := (select w from wedsql.webhook w where w.id = p_hook and w.enabled
                            and w.paused_at is null);
  v_state wedsql.figure_state := (select s from wedsql.figure_state s);
  v_last bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  v_until bigint;
  v_steps jsonb;
  v_read bigint;
begin
  if v_hook.id is null or v_hook.restored_at <> v_state.restored_at then
    return null;
  end if;
  v_state.counted := v_hook.seen;
  v_state.slice := 500000000;
  v_until := wedsql._slice_end(v_state, v_last, p_max);
  select coalesce(jsonb_agg(jsonb_build_array(s.wid, s.seq, s.tstmp, e.event) order by s.wid, s.seq)
                  filter (where e.event = any (v_hook.events)), '[]'), count(*)
  into v_steps, v_read
  from wedsql._uncounted(v_state, v_until, '{}', '{}', false) s
  left join lateral wedsql._step_events(s.wid, s.seq, s.status) e on true
  where s.flow_id = v_hook.flow_id;
  if v_read = 0 and v_until = v_last and v_until - wedsql._counted_until(v_hook.seen) < 10000 then
    return null;
  end if;
  return jsonb_build_object('hook', p_hook, 'revision', v_hook.revision, 'query', v_hook.query,
    'flow', (select f.name from wedsql.flow f where f.id = v_hook.flow_id), 'after', v_hook.seen,
    'until', wedsql._snapshot_until(pg_current_snapshot(), v_until), 'more', v_until < v_last,
    'steps', v_steps);
end $$;

-- Returns the values that a webhook sends of a state; an attribute with more than 8,000 bytes is only named.
create or replace function wedsql._sent_values(p_attributes text[], p_state jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object(
  'attributes', coalesce(jsonb_object_agg(n.name, n.value) filter (where not n.large), '{}'),
  'omitted', coalesce(jsonb_agg(n.name) filter (where n.large), '[]'))
from (select a as name, coalesce(p_state -> a, 'null') as value,
             coalesce(octet_length((p_state -> a)::text), 0) > 8000 as large
      from unnest(p_attributes) a) n
$$;

-- Returns the message of an event of a step.
create or replace function wedsql._step_message(p_hook wedsql.webhook, p_event text, p_key uuid,
  p_step wedsql.wed_trace) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('id', p_key, 'event', p_event, 'at', p_step.tstmp, 'webhook', p_hook.id,
    'flow', (select f.name from wedsql.flow f where f.id = p_hook.flow_id), 'wid', p_step.wid,
    'key', (select i.key from wedsql.instance i where i.wid = p_step.wid),
    'business_key', (
      select string_agg(v.value, ' ' || chr(183) || ' ' order by a.position, a.aid) from wedsql.attr a
      cross join lateral (select nullif(left(p_step.state ->> a.aname, 200), '') as value) v
      where a.flow_id = p_hook.flow_id and a.business_key),
    'step', p_step.seq, 'status', jsonb_build_object('R', 'running', 'E', 'exception', 'F', 'final',
      'S', 'suspended', 'X', 'compensating', 'A', 'aborted', 'C', 'cancelled') -> p_step.status::text)
  || case when p_hook.attributes <> '{}' then wedsql._sent_values(p_hook.attributes, p_step.state)
          else '{}' end
$$;

-- Queues messages for a webhook and notes that everything between two snapshots has been read. p_steps: those
-- of wedsql.webhook_steps that meet the filter. Returns their number; null, and does nothing, if another
-- reaper was first or the webhook was changed.
-- Locks: the webhook.
create or replace function wedsql.queue_webhook_steps(p_hook bigint, p_revision integer, p_after text,
  p_until text, p_steps jsonb) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hook wedsql.webhook;
begin
  update wedsql.webhook w set seen = p_until::pg_snapshot, problem = null, read_after = '-infinity'
  where w.id = p_hook and w.revision = p_revision and w.seen::text = p_after and w.enabled
    and w.paused_at is null
  returning w.* into v_hook;
  if not found then
    return null;
  end if;
  insert into wedsql.delivery (hook_id, channel, target, key, next_at, message)
  select p_hook, 'webhook', v_hook.url, k.key, wedsql.now(),
         wedsql._step_message(v_hook, e.step ->> 3, k.key, t)
  from jsonb_array_elements(p_steps) with ordinality e (step, place)
  join wedsql.wed_trace t on t.wid = (e.step ->> 0)::integer and t.seq = (e.step ->> 1)::integer
                          and t.tstmp = (e.step ->> 2)::timestamptz
  cross join lateral (select gen_random_uuid() as key where e.place > 0) k
  order by e.place;
  return jsonb_array_length(p_steps);
end $$;

-- Notes why the filter of a webhook cannot be evaluated. It is tried again a minute later; until then nothing
-- is lost.
create or replace function wedsql.delay_webhook(p_hook bigint, p_revision integer, p_problem text)
returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
update wedsql.webhook w
set problem = left(p_problem, 500), read_after = wedsql.now() + interval '1 minute'
where w.id = p_hook and w.revision = p_revision and w.paused_at is null
$$;

-- Removes messages that were sent or failed a week ago, at most p_max of each webhook; returns how many.
create or replace function wedsql.remove_old_messages(p_max integer default 10000) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
with removed as (
  delete from wedsql.delivery d where d.id in (
    select o.id from wedsql.webhook w cross join lateral (
      select n.id, n.done_at from wedsql.delivery n where n.hook_id = w.id order by n.id limit p_max) o
    where o.done_at < wedsql.now() - interval '7 days')
  returning 1)
select count(*) from removed
$$;

grant execute on function wedsql.due_webhooks(), wedsql.webhook_steps(bigint, integer),
  wedsql.queue_webhook_steps(bigint, integer, text, text, jsonb),
  wedsql.delay_webhook(bigint, integer, text), wedsql.remove_old_messages(integer) to wed_reaper;
