-- What operations on a whole flow take from persons: whoever loses a task or a claim gets a message
-- (11_messages.sql), and these messages say who lost what.

create or replace function wedsql._on_last_loss_tasks() returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
select max(m.id) from wedsql.message m
$$;

create or replace function wedsql._on_losses_tasks(p_flow integer, p_after bigint, p_actor text) returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select jsonb_agg(l order by l.tasks desc, l.owner) from (
  select m.person as owner, count(*) as tasks, max((m.facts ->> 'since')::timestamptz) as since
  from wedsql.message m
  where m.id > p_after and m.flow_id = p_flow and m.kind = 'o' and m.person <> p_actor
  group by m.person) l
$$;

create or replace function wedsql._on_holders_tasks(p_flow integer, p_kept integer[], p_actor text)
  returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select jsonb_agg(l order by l.tasks desc, l.owner) from (
  select h.owner, count(*) as tasks, max(h.since) as since from (
    select t.owner, t.owned_at as since from wedsql.task t
    where t.flow_id = p_flow and t.ended_at is null and t.owner is not null
      and coalesce(t.tgid <> all (p_kept), true)
    union all
    select c.owner, null from wedsql.repair_case c
    where p_kept is null and c.flow_id = p_flow and c.closed_at is null and c.lease_until > wedsql.now()) h
  where h.owner <> p_actor group by h.owner) l
$$;

-- Sends the holders of tasks and cases of a flow that is dropped the message of that. It belongs to no flow
-- any more, so its facts have the name. Then deletes its tasks.
create or replace function wedsql._on_dropping_tasks(p_flow integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._send_message(array[h.l ->> 'owner'], 'o', null, 0, null, jsonb_build_object('dropped', f.name,
    'label', coalesce(nullif(f.label, ''), f.name), 'tasks', (h.l ->> 'tasks')::integer,
    'actor', wedsql._actor()), wedsql.now())
from wedsql.flow f
cross join lateral jsonb_array_elements(wedsql._on_holders_tasks(f.id, null, wedsql._actor())) h (l)
where f.id = p_flow;
delete from wedsql.task t where t.flow_id = p_flow
$$;
