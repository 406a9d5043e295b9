-- Jobs that are assigned to a worker: which workers have the name, and what they are notified of.

-- Returns the names to which the jobs are assigned that a session may take which calls itself p_actor; its
-- name in the history (_actor) is one of them.
create or replace function wedsql._own_names(p_actor text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._worker_names(n.said) || wedsql._worker_names(
         coalesce(wedsql._call_registered_name(n.said), n.said)) || wedsql._actor(p_actor)
from (select coalesce(nullif(p_actor, ''), nullif(current_setting('wedsql.actor', true), ''),
                      session_user) as said) n
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
