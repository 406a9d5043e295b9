-- Failures of the reaper: kept with their reason for the health page, tried again after a growing pause,
-- deleted when the next try succeeds.

-- Counts and keeps the failure. The next try is a second later at first, then twice as long, at most five
-- minutes.
create or replace function wedsql._note_trouble(
  p_flow integer, p_kind text, p_wid integer, p_item bigint, p_state text, p_message text, p_now timestamptz)
returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.trouble as t (flow_id, kind, wid, item, first_at, last_at, retry_at, sqlstate, message)
values (p_flow, p_kind, p_wid, p_item, p_now, p_now, p_now + interval '1 second', p_state,
        left(p_message, 1000))
on conflict (flow_id, kind, wid, item) do update
set n = t.n + 1, last_at = excluded.last_at, sqlstate = excluded.sqlstate, message = excluded.message,
    retry_at = p_now + least(interval '5 minutes', interval '1 second' * power(2, least(t.n, 10)))
$$;

-- Deletes a failure that is over.
create or replace function wedsql._no_trouble(p_flow integer, p_kind text, p_wid integer, p_item bigint)
returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.trouble t
where t.flow_id = p_flow and t.kind = p_kind and t.wid = p_wid and t.item = p_item
$$;

-- Returns false while an item that failed waits for its next try; a clock that was set back makes nothing
-- wait.
create or replace function wedsql._may_try(
  p_flow integer, p_kind text, p_wid integer, p_item bigint, p_now timestamptz)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select not exists (select 1 from wedsql.trouble t
                   where t.flow_id = p_flow and t.kind = p_kind and t.wid = p_wid and t.item = p_item
                   and t.retry_at > p_now and t.retry_at <= p_now + interval '5 minutes')
$$;

-- Returns which sessions keep a writer out of the flow's table, as text.
create or replace function wedsql._lock_holders(p_flow text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._put_facts(
    case when count(*) = 0 then 'The table of flow "{flow}" is locked by a change of its definition.'
         else 'The table of flow "{flow}" is locked by these sessions: {sessions}.' end,
    jsonb_build_object('flow', p_flow, 'sessions', string_agg(format('%s (%s)', l.pid, a.usename), ', ')))
from pg_locks l left join pg_stat_activity a on a.pid = l.pid
where l.relation = to_regclass(format('%I.wed_flow', p_flow)) and l.granted and l.pid <> pg_backend_pid()
  and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
$$;

-- Returns whether an entry of the log of jobs with this outcome is an attempt that failed: what people and
-- the kernel do with a job is none.
create or replace function wedsql._is_attempt(p_outcome text) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
select p_outcome not in ('parked', 'late', 'released', 'given', 'extended', 'transferred', 'offline',
                         'withdrawn')
$$;
