-- Messages to persons about instances and tasks: of five kinds, kept until they are read, and for 90 days.
-- A message has facts; its sentence is made in the language of who reads it.

-- A message for clients. flow and wid are its sender; title: the label of the task, else of the flow.
do $$
begin
  if to_regtype('wedsql.message_item') is null then
    create type wedsql.message_item as (id bigint, kind "char", at timestamptz, flow text, wid integer,
                                        job_id bigint, facts jsonb, read_at timestamptz);
  end if;
end $$;

-- Returns whether a person gets messages as mails, too.
create or replace function wedsql._wants_mail(p_person text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.case_digest d where d.about = 'messages' and d.person = p_person)
$$;

-- Writes a message to each of these persons, null ones left out.
create or replace function wedsql._send_message(p_persons text[], p_kind "char", p_flow integer,
  p_wid integer,
  p_job bigint, p_facts jsonb, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.message (person, kind, at, flow_id, wid, job_id, facts, mail)
select distinct p.name, p_kind, p_now, p_flow, p_wid, p_job, p_facts, wedsql._wants_mail(p.name)
from unnest(p_persons) p (name) where p.name <> ''
$$;

-- Returns what messages say of a task: the label and the transition of its rule.
create or replace function wedsql._message_facts(p_task wedsql.task) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce((select jsonb_build_object('transition', g.trname, 'label', coalesce(nullif(g.label, ''),
                                           g.trname)) from wedsql.trig g where g.tgid = p_task.tgid), '{}')
$$;

-- Sends the responsible person the message that a task has failed.
create or replace function wedsql._message_failure(p_task wedsql.task, p_person text, p_reason text)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._send_message(array[wedsql._responsible(p_task.wid)], 'f', p_task.flow_id, p_task.wid,
  p_task.job_id, wedsql._message_facts(p_task) || jsonb_build_object('actor', p_person, 'reason',
  left(p_reason, 500)), wedsql.now())
$$;

-- Sends the responsible persons of those of these instances that have ended the message of that, once, and
-- notes those that go on again.
create or replace function wedsql._message_ends(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  if not exists (select from wedsql.task_setting s where s.wid = any (p_wids)) then
    return;
  end if;
  with changed as (
    update wedsql.task_setting s set ended = not s.ended
    from wedsql.instance i
    where s.wid = any (p_wids) and i.wid = s.wid and (i.status in ('F', 'C')) <> s.ended
    returning s.*, i.status)
  insert into wedsql.message (person, kind, at, flow_id, wid, facts, mail)
  select c.responsible, 'e', p_now, c.flow_id, c.wid, jsonb_build_object('status', c.status),
    wedsql._wants_mail(c.responsible)
  from changed c where c.ended and c.responsible is not null;
end $$;

-- Sends the person who held a task the message that it is lost, by the step of this moment, unless that is
-- the person's own. Where the step follows, _name_actor says of whom it is.
create or replace function wedsql._message_loss(p_flow integer, p_wid integer, p_job bigint, p_tgid integer,
  p_person text, p_since timestamptz, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._send_message(array[p_person], 'o', p_flow, p_wid, p_job,
  jsonb_build_object('transition', g.trname, 'label', coalesce(nullif(g.label, ''), g.trname),
    'since', p_since)
  || coalesce(h.facts, '{}'), p_now)
from wedsql.trig g left join lateral (
  select jsonb_build_object('actor', s.actor, 'reason', left(s.reason, 500)) as facts
  from wedsql._last_steps(p_wid) s where s.tstmp = p_now order by s.seq desc limit 1) h on true
where g.tgid = p_tgid and h.facts ->> 'actor' is distinct from p_person
$$;

-- Says in messages about tasks that were lost before the step was written who made it; the person's own step
-- needs no message.
create or replace function wedsql._name_actor(p_wid integer) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
delete from wedsql.message m
using (select s.actor from wedsql._last_steps(p_wid) s order by s.seq desc limit 1) h
where m.wid = p_wid and m.kind = 'o' and not m.facts ? 'actor' and m.person = h.actor;
update wedsql.message m
set facts = m.facts || jsonb_build_object('actor', h.actor, 'reason', left(h.reason, 500))
from (select s.actor, s.reason from wedsql._last_steps(p_wid) s order by s.seq desc limit 1) h
where m.wid = p_wid and m.kind = 'o' and not m.facts ? 'actor'
$$;

-- Sends who has claimed the case of an instance the message that another person has made the last step.
create or replace function wedsql._message_claim(p_wid integer) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._on_overtaken_tasks(p_wid, (c.claim ->> 'case')::bigint, c.claim ->> 'owner', s.actor, s.reason)
from (select h.actor, h.reason from wedsql._last_steps(p_wid) h order by h.seq desc limit 1) s
cross join lateral (select wedsql._claim_of_other(p_wid, s.actor) as claim) c
where c.claim is not null
$$;

create or replace function wedsql._on_overtaken_tasks(p_wid integer, p_case bigint, p_owner text,
  p_actor text, p_reason text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._send_message(array[p_owner], 'o', i.flow_id, p_wid, null, jsonb_build_object('case', p_case,
  'actor', p_actor, 'reason', left(p_reason, 500)), wedsql.now())
from wedsql.instance i where i.wid = p_wid
$$;

-- Returns the messages of a person, the last first, up to p_limit before the message p_before; of one kind,
-- or with p_unread those that were not read.
-- Raises: WD009 for a kind that no message has.
create or replace function wedsql.messages(p_person text, p_before bigint default null,
  p_limit integer default 50, p_kind text default null, p_unread boolean default false)
returns setof wedsql.message_item
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if p_kind not in ('s', 'e', 'f', 'd', 'o') then
    perform wedsql._raise('WD009', 'There are no messages of the kind "{kind}".', 'Use s, e, f, d or o.',
                          jsonb_build_object('kind', left(p_kind, 80)));
  end if;
  return query
  select m.id, m.kind, m.at, coalesce(f.name::text, m.facts ->> 'dropped'), m.wid, m.job_id, m.facts,
    m.read_at
  from (select o.* from wedsql.message o
        where o.person = p_person and (p_before is null or o.id < p_before)
          and (p_kind is null or o.kind = p_kind::"char") and not (p_unread and o.read_at is not null)
        order by o.id desc limit least(greatest(p_limit, 1), 501)) m
  left join wedsql.flow f on f.id = m.flow_id order by m.id desc;
end $$;

-- Returns how many messages a person has not read; at most 1,000 are counted.
create or replace function wedsql.unread_messages(p_person text) returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select count(*)::integer from (select from wedsql.message m where m.person = p_person and m.read_at is null
                               limit 1000) m
$$;

-- Marks messages of a person as read: these, or all up to the message p_until. Returns how many.
-- Locks: the messages.
-- Raises: WD009 without either of them, and with both.
create or replace function wedsql.mark_messages_read(p_person text, p_ids bigint[],
  p_until bigint default null)
  returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_marked integer;
begin
  if num_nonnulls(p_ids, p_until) <> 1 then
    perform wedsql._raise('WD009', 'Give either messages or until.',
                          'Messages are numbers; until is the last of all.');
  end if;
  update wedsql.message m set read_at = wedsql.now()
  where m.person = p_person and m.read_at is null
    and case when p_ids is null then m.id <= p_until else m.id = any (p_ids) end;
  get diagnostics v_marked = row_count;
  return v_marked;
end $$;

-- Removes messages that are older than 90 days, absences that ended as long ago, persons who were not seen
-- since, and the places of tasks that have ended.
create or replace function wedsql._on_maintain_tasks() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := wedsql.now() - interval '90 days';
  v_removed integer;
begin
  delete from wedsql.message m where m.id = any (array(
    select o.id from wedsql.message o where o.at < v_before order by o.at limit 20000));
  get diagnostics v_removed = row_count;
  delete from wedsql.absence a where a.until_at < v_before;
  delete from wedsql.person p where p.seen_at < v_before;
  delete from wedsql.task_application a where a.used_at < v_before - interval '275 days';
  delete from wedsql.task_place p where not exists (
    select from wedsql.task t where t.job_id = p.job_id and t.ended_at is null);
  return jsonb_build_object('messages_removed', v_removed, 'files_removed', wedsql._delete_unsent_files());
end $$;

grant execute on function wedsql.messages(text, bigint, integer, text, boolean),
  wedsql.unread_messages(text), wedsql.mark_messages_read(text, bigint[], bigint) to wed_web;
