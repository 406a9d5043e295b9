-- Jobs that are assigned to a worker: which workers have the name, and what they are notified of.

-- Returns the names by which jobs can be assigned to a worker: its own, and of wedworker#1@host:812 also
-- wedworker#1@host, which its successor has as well, and @host, which all workers of the machine have.
create or replace function wedsql._worker_names(p_name text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array[p_name] || case when p_name ~ '@[^@ ]+:[0-9]+$' then
  array[regexp_replace(p_name, ':[0-9]+$', ''), substring(p_name from '@[^@ ]+(?=:[0-9]+$)')] else '{}' end
$$;

-- Returns the names to which the jobs are assigned that a session may take which calls itself p_actor; its
-- name in the history (_actor) is one of them.
create or replace function wedsql._own_names(p_actor text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._worker_names(n.said) || wedsql._worker_names(wedsql._login_name(n.said))
       || wedsql._actor(p_actor)
from (select coalesce(nullif(p_actor, ''), nullif(current_setting('wedsql.actor', true), ''),
                      session_user) as said) n
$$;

-- Returns the names by which jobs can be assigned to a registered worker. The built-in ones write the flows
-- that they serve after their names; a cluster registers one process, and others of it take the jobs.
create or replace function wedsql._registered_names(p_kind text, p_name text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_kind
  when 'process' then wedsql._worker_names(split_part(p_name, ' ', 1))
  when 'cluster' then (wedsql._worker_names(split_part(p_name, ' ', 1)))[2:]
  else wedsql._worker_names(p_name) end
$$;

-- Returns the workers of a name that serve a transition.
create or replace function wedsql._assignees(p_flow integer, p_transition text, p_name text)
  returns setof wedsql.worker
language sql stable set search_path = pg_catalog, pg_temp as $$
select w.* from wedsql.flow f join wedsql.worker w on f.name || ':' || p_transition = any (w.serves)
where f.id = p_flow and p_name = any (wedsql._registered_names(w.kind, w.name))
$$;

-- Returns when a worker of this name that serves the transition was last seen; null when none has registered.
create or replace function wedsql.assignee_seen(p_flow integer, p_transition text, p_name text)
  returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select max(w.seen_at) from wedsql._assignees(p_flow, p_transition, p_name) w
$$;

-- Returns the names to which jobs of a transition can be assigned now, those of single workers first.
create or replace function wedsql.assignable_workers(p_flow integer, p_transition text) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select n.name from wedsql.flow f join wedsql.worker w on f.name || ':' || p_transition = any (w.serves)
cross join lateral unnest(wedsql._registered_names(w.kind, w.name)) with ordinality n (name, place)
where f.id = p_flow and w.seen_at > wedsql.now() - interval '30 seconds'
group by n.name order by min(n.place), n.name limit 100
$$;

-- Notifies the sleeping workers to which ready jobs of the instance are assigned.
create or replace function wedsql._wake_assigned(p_wid integer) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select pg_notify('wedsql_w' || w.id, '')
from wedsql.job_pool j cross join lateral wedsql._assignees(j.flow_id, j.trname, j.assigned_to) w
where j.wid = p_wid and j.state = 'P' and j.assigned_to is not null
  and w.waiting and w.seen_at > wedsql.now() - interval '30 seconds'
$$;
