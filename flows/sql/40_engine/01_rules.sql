-- The rules of Algorithm 1 of the paper (section 4), each stated once: the general path (02_settle.sql) and
-- the fast path (12_generated_single.sql) use the same functions. Each is one expression without settings,
-- which PostgreSQL inlines.

-- Returns whether the final condition is among those that hold.
create or replace function wedsql._is_final(p_final_tgid integer, p_matched integer[]) returns boolean
language sql immutable as $$
select coalesce(p_final_tgid = any (p_matched), false)
$$;

-- Returns whether a trigger whose condition holds fires: it has no job yet. p_pending: the triggers that have
-- one, null for none. Where the state is final, no trigger fires.
create or replace function wedsql._fires(p_tgid integer, p_pending integer[]) returns boolean
language sql immutable as $$
select coalesce(p_tgid <> all (p_pending), true)
$$;

-- Returns the conditions that hold beside the final one and do not fire because of it; null for none.
create or replace function wedsql._suppressed(p_final_tgid integer, p_matched integer[]) returns integer[]
language sql immutable as $$
select nullif(array_remove(p_matched, p_final_tgid), '{}')
$$;

-- Returns the status of an instance after a commit: final, running, an exception, or "!" and "?" for a
-- rejection. policy: final_when_pending of the flow, null in a re-match, where a final state never removes
-- work.
create or replace function wedsql._next_status(
  p_final boolean, p_live boolean, p_parked boolean, p_fires boolean, p_timer boolean, p_fresh boolean,
  p_policy text)
returns "char" language sql immutable as $$
select case when p_final and (not p_live or p_policy = 'cancel') then 'F'::"char"
            when p_final and p_policy = 'reject' then '!'::"char"
            when p_parked then 'E'::"char"
            when p_fires or p_live or p_timer then 'R'::"char"
            when p_fresh then '?'::"char"
            else 'E'::"char" end
$$;

-- Returns when an instance ended: with the commit that makes it final.
create or replace function wedsql._finished_at(p_status "char", p_now timestamptz) returns timestamptz
language sql immutable as $$
select case when p_status = 'F' then p_now end
$$;

-- Returns whether a trigger may have fired more often than its firing limit allows, so that its firings are
-- counted (wedsql._check_firing_limit). p_limit: the smallest limit of the flow; each step fires a trigger at
-- most once.
create or replace function wedsql._may_exceed_limit(p_seq integer, p_limit integer) returns boolean
language sql immutable as $$
select p_seq >= p_limit
$$;

-- Returns whether a trigger fires at a due time instead of at once.
create or replace function wedsql._has_due_time(p_due_attr text, p_due_after interval) returns boolean
language sql immutable as $$
select p_due_attr is not null or p_due_after is not null
$$;

-- Returns what a job that is fired has as its payload: the state, or null where it is large. The same state
-- is in the history then, in the step that fired the job, and is not written twice.
create or replace function wedsql._own_payload(p_state jsonb) returns jsonb
language sql immutable as $$
select case when pg_column_size(p_state) <= 2000 then p_state end
$$;

-- Returns a list without the members of another, in order.
create or replace function wedsql._without(p_list integer[], p_other integer[]) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(x order by x), '{}') from unnest(p_list) x where x <> all (p_other)
$$;
