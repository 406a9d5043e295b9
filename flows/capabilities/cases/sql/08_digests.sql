-- Mails about the open cases of a queue or a flow, every day or every week, for people who choose them; by
-- the same means those about tasks (flows/capabilities/tasks), which say what is in them. Which flows a
-- person may see, the caller says, because the users are Django's.

-- Returns the next time of a mail after p_now: at an hour of the day in UTC, of Monday for "week"; infinity
-- for "now".
create or replace function wedsql._next_digest(p_every text, p_hour integer, p_now timestamptz)
  returns timestamptz
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_every = 'now' then 'infinity'
       else (t.first + case when t.first > p_now at time zone 'UTC' then interval '0'
                       when p_every = 'day' then interval '1 day' else interval '7 days' end)
       at time zone 'UTC' end
from (select date_trunc(case p_every when 'now' then 'day' else p_every end, p_now at time zone 'UTC')
             + make_interval(hours => p_hour) as first) t
$$;

-- Saves how often a user gets a mail about the cases of a flow (null: all) and a queue ('': all): every "day"
-- or "week"; '' for none. p_hour: the hour of the day, in UTC. p_about: also 'tasks', those of the user, and
-- 'messages', which are sent as they come ("now") to the person of this name; both are of no flow.
-- Locks: the mail.
-- Raises: WD001, WD514.
create or replace function wedsql.save_case_digest(p_user bigint, p_flow text, p_queue text, p_every text,
  p_language text, p_hour integer, p_about text default 'cases', p_person text default '') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := case when p_flow is not null then (wedsql._flow(p_flow)).id end;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._alone('case_digest', p_user::text);
  if p_queue <> '' then
    perform wedsql._check_case_values(jsonb_build_object('queue', p_queue));
  end if;
  perform wedsql._check_digest(p_every, p_about, p_flow is not null or p_queue <> '', p_person);
  if p_hour is null or p_hour not between 0 and 23 then
    perform wedsql._raise('WD514', 'A mail is sent at an hour from 0 to 23, in UTC.', 'Give one of them.');
  elsif p_language is null or p_language !~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$' then
    perform wedsql._raise('WD514', 'A mail is in a language.', 'Give its code, such as en or pt-br.');
  end if;
  delete from wedsql.case_digest d
  where p_every = '' and d.user_id = p_user and d.about = p_about
    and d.flow_id is not distinct from v_flow and d.queue = p_queue;
  if p_every = '' then
    return;
  end if;
  insert into wedsql.case_digest as d
    (user_id, flow_id, queue, every, language, since, next_at, about, person)
  values (p_user, v_flow, p_queue, p_every, p_language, v_now, wedsql._next_digest(p_every, p_hour, v_now),
          p_about, coalesce(p_person, ''))
  on conflict (user_id, about, coalesce(flow_id, 0), queue) do update
  set every = excluded.every, language = excluded.language, next_at = excluded.next_at,
      person = excluded.person;
  if (select count(*) from wedsql.case_digest d where d.user_id = p_user) > 50 then
    perform wedsql._raise('WD514', 'A user chooses at most {limit} mails about cases.', 'Remove one.',
      jsonb_build_object('limit', 50));
  end if;
end $$;

-- Raises: WD514 for a mail that there is not.
create or replace function wedsql._check_digest(p_every text, p_about text, p_narrowed boolean, p_person text)
  returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_about is null or p_about not in ('cases', 'tasks', 'messages') or p_narrowed and p_about <> 'cases'
     or p_about = 'messages' and coalesce(p_person, '') = '' then
    perform wedsql._raise('WD514',
      'Mails are about cases, about the tasks of a user, or messages to a person.',
      'Choose one of them, a flow or a queue only for cases.');
  elsif p_every is null or p_every not in ('', 'day', 'week', 'now') or p_every <> ''
        and (p_every = 'now') <> (p_about = 'messages') then
    perform wedsql._raise('WD514', 'Mails about cases and tasks are sent every day or every week, '
      'messages as they come.', 'Choose one of them.');
  end if;
end $$;

-- Returns a mail as it was chosen: {"id", "flow" (null: all), "queue", "every", "since_at", "next_at"}.
create or replace function wedsql._case_digest(p_digest wedsql.case_digest) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('id', p_digest.id, 'queue', p_digest.queue, 'every', p_digest.every,
  'about', p_digest.about, 'flow', (select f.name from wedsql.flow f where f.id = p_digest.flow_id),
  'since_at', p_digest.since, 'next_at', nullif(p_digest.next_at, 'infinity'))
$$;

-- Returns the mails that a user has chosen about something, by flow and queue.
create or replace function wedsql.list_case_digests(p_user bigint, p_about text default 'cases')
  returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select wedsql._case_digest(d)
from wedsql.case_digest d left join wedsql.flow f on f.id = d.flow_id
where d.user_id = p_user and d.about = p_about order by f.name nulls first, d.queue
$$;

-- Returns the names of the queues of these flows (null: all flows): those that their rules name, and the one
-- of cases without a rule.
create or replace function wedsql.case_queues(p_flows text[] default null) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select 'default' union
select r.queue from wedsql.case_rule r join wedsql.flow f on f.id = r.flow_id
where p_flows is null or f.name = any (p_flows) order by 1 limit 500
$$;

-- Returns the users of whom mails about something are due, at most p_limit, each with what one mail is about:
-- {"user", "language", "at", "items": as _case_digest}; "at" is the present time.
create or replace function wedsql.due_case_digests(p_limit integer default 50,
  p_about text default 'cases') returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('user', d.user_id, 'language', max(d.language), 'at', wedsql.now(),
  'items', jsonb_agg(wedsql._case_digest(d) order by f.name nulls first, d.queue))
from wedsql.case_digest d left join wedsql.flow f on f.id = d.flow_id
where d.next_at <= (select wedsql.now()) and d.about = p_about
group by d.user_id order by min(d.next_at), d.user_id limit p_limit
$$;

-- Returns the open cases of these flows (null: all) in a queue ('': any) for a mail: how many there are, how
-- many opened since p_since, and how many are overdue at p_at; the largest groups by flow and cause; the most
-- urgent cases.
create or replace function wedsql.case_digest(p_flows text[], p_queue text, p_since timestamptz,
  p_at timestamptz) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
with o as materialized (
  select f.name as flow, c.number, c.wid, c.cause, c.priority, c.due_at, c.opened_at
  from wedsql.repair_case c join wedsql.flow f on f.id = c.flow_id
  where c.closed_at is null and (p_queue = '' or c.queue = p_queue)
    and (p_flows is null or f.name = any (p_flows)))
select jsonb_build_object(
  'open', count(*), 'new', count(*) filter (where o.opened_at > p_since),
  'overdue', count(*) filter (where o.due_at <= p_at),
  'causes', (select coalesce(jsonb_agg(to_jsonb(g) order by g.open desc, g.flow, g.cause), '[]')
             from (select a.flow, a.cause, count(*) as open from o a group by a.flow, a.cause
                   order by count(*) desc, a.flow, a.cause limit 5) g),
  'urgent', (select coalesce(jsonb_agg(jsonb_build_object('number', u.number, 'flow', u.flow, 'wid', u.wid,
                 'cause', u.cause, 'due_at', nullif(u.due_at, 'infinity'))
               order by - u.priority, u.due_at, u.number), '[]')
             from (select a.* from o a order by - a.priority, a.due_at, a.number limit 10) u))
from o
$$;

-- Queues a mail (null: none) about what was due at p_at, and notes the next time of each; returns whether it
-- did. It does nothing if another reaper has done it, or if the user has changed it meanwhile.
-- Locks: these mails of the user.
create or replace function wedsql.queue_case_digest(p_user bigint, p_ids bigint[], p_hour integer,
  p_at timestamptz, p_target text, p_message jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key uuid := gen_random_uuid();
begin
  perform from wedsql.case_digest d
  where d.id = any (p_ids) and d.user_id = p_user and d.next_at <= p_at order by d.id for update;
  if (select count(*) from wedsql.case_digest d
      where d.id = any (p_ids) and d.user_id = p_user and d.next_at <= p_at) <> cardinality(p_ids) then
    return false;
  end if;
  update wedsql.case_digest d
  set since = p_at, next_at = wedsql._next_digest(d.every, p_hour, greatest(p_at, wedsql.now()))
  where d.id = any (p_ids);
  insert into wedsql.delivery (channel, target, key, next_at, message)
  select 'mail', p_target, v_key, wedsql.now(), p_message || jsonb_build_object('id', v_key)
  where p_message is not null;
  return true;
end $$;

-- Deletes the mails of a user, whose account does not exist any longer.
create or replace function wedsql.delete_case_digests(p_user bigint) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
delete from wedsql.case_digest d where d.user_id = p_user
$$;

-- Removes mails about cases that were sent or failed a week ago, at most p_max, and returns how many.
create or replace function wedsql.remove_old_digests(p_max integer default 10000) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
with removed as (
  delete from wedsql.delivery d where d.id in (
    select o.id from (select n.id, n.done_at from wedsql.delivery n
                      where n.event_id is null and n.hook_id is null order by n.id limit p_max) o
    where o.done_at < wedsql.now() - interval '7 days')
  returning 1)
select count(*) from removed
$$;

grant execute on function wedsql.save_case_digest(bigint, text, text, text, text, integer, text, text),
  wedsql.list_case_digests(bigint, text), wedsql.case_queues(text[]) to wed_web;
grant execute on function wedsql.due_case_digests(integer, text),
  wedsql.case_digest(text[], text, timestamptz, timestamptz),
  wedsql.queue_case_digest(bigint, bigint[], integer, timestamptz, text, jsonb),
  wedsql.delete_case_digests(bigint), wedsql.remove_old_digests(integer) to wed_reaper;
