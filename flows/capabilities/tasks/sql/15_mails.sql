-- Messages as mails, for persons who have chosen that (flows/capabilities/cases/sql/08_digests.sql).

-- Returns the users who have messages that are to be sent as mails and who have got none for a minute, at
-- most p_limit: {"user", "language", "person", "ids"}, at most 50 messages of each, without those that were
-- read.
create or replace function wedsql.due_message_mails(p_limit integer default 50) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query
  select jsonb_build_object('user', d.user_id, 'language', d.language, 'person', d.person, 'ids', m.ids)
  from wedsql.case_digest d
  cross join lateral (
    select jsonb_agg(o.id order by o.id) as ids from (
      select n.id from wedsql.message n where n.person = d.person and n.mail order by n.id limit 50) o) m
  where d.about = 'messages' and m.ids is not null
    and (d.since <= wedsql.now() - interval '1 minute' or d.since > wedsql.now())
  order by d.since, d.user_id limit p_limit;
end $$;

-- Queues a mail (null: none) with these messages of a person, which are not sent again; returns whether it
-- did. It does nothing if another reaper has done it.
-- Locks: the messages, the mail that the person has chosen.
create or replace function wedsql.queue_message_mail(p_user bigint, p_person text, p_ids bigint[],
  p_target text, p_message jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_key uuid := gen_random_uuid();
begin
  perform from wedsql.message m where m.person = p_person and m.id = any (p_ids) and m.mail
  order by m.id for update;
  update wedsql.message m set mail = false where m.person = p_person and m.id = any (p_ids) and m.mail;
  if not found then
    return false;
  end if;
  update wedsql.case_digest d set since = wedsql.now() where d.user_id = p_user and d.about = 'messages';
  insert into wedsql.delivery (channel, target, key, next_at, message)
  select 'mail', p_target, v_key, wedsql.now(), p_message || jsonb_build_object('id', v_key)
  where p_message is not null;
  return true;
end $$;

-- Returns these messages of a person, the first first, without those that were read.
create or replace function wedsql.messages_to_mail(p_person text, p_ids bigint[])
  returns setof wedsql.message_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query
  select m.id, m.kind, m.at, coalesce(f.name::text, m.facts ->> 'dropped'), m.wid, m.job_id, m.facts,
    m.read_at
  from wedsql.message m left join wedsql.flow f on f.id = m.flow_id
  where m.person = p_person and m.id = any (p_ids) and m.read_at is null order by m.id;
end $$;

-- Saves how often a user gets a mail about 'tasks' or 'messages', as save_case_digest; messages that were to
-- be sent by an earlier choice are not sent any longer.
-- Locks: the mail, the messages.
-- Raises: WD514.
create or replace function wedsql.save_task_mail(p_user bigint, p_about text, p_every text, p_language text,
  p_hour integer, p_person text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform wedsql.save_case_digest(p_user, null, '', p_every, p_language, p_hour, p_about, p_person);
  if p_about = 'messages' and p_every = '' then
    update wedsql.message m set mail = false where m.person = p_person and m.mail;
  end if;
end $$;

grant execute on function wedsql.save_task_mail(bigint, text, text, text, integer, text) to wed_web;
grant execute on function wedsql.due_message_mails(integer), wedsql.messages_to_mail(text, bigint[]),
  wedsql.queue_message_mail(bigint, text, bigint[], text, jsonb), wedsql.unread_messages(text)
to wed_reaper;
