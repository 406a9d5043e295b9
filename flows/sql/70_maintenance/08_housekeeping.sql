-- What grows, and what keeps it from being vacuumed (docs/monitoring.md): read from the server's own
-- counters, so that reading costs the same however much there is.

-- Returns how many dead rows a table may have before an administrator should act; vacuum normally runs long
-- before.
create or replace function wedsql._dead_limit(p_live bigint) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$
select 300000 + p_live / 2
$$;

-- Returns the p_max tables with most dead rows among those that every step writes, with their size and last
-- vacuum.
create or replace function wedsql._hot_tables(p_max integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with t as (
  select case when c.relispartition then 'wedsql.wed_trace'
    else format('%s.%s', n.nspname, c.relname) end as name, c.oid
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r'
    and (n.nspname = 'wedsql'
         and (c.relname in ('instance', 'job_pool', 'job_log', 'timer', 'worker', 'watch', 'beat')
              or c.relispartition)
    or c.relname = 'wed_flow' and exists (select 1 from wedsql.flow f where f.name = n.nspname))),
s as (
  select t.name, sum(pg_stat_get_live_tuples(t.oid))::bigint as live,
         sum(pg_stat_get_dead_tuples(t.oid))::bigint as dead, array_agg(t.oid) as oids,
         max(greatest(pg_stat_get_last_vacuum_time(t.oid),
                      pg_stat_get_last_autovacuum_time(t.oid))) as vacuumed_at
  from t group by t.name),
top as (select * from s order by s.dead desc, s.name limit p_max)
select coalesce(jsonb_agg(jsonb_build_object('name', x.name, 'live', x.live, 'dead', x.dead, 'dead_limit',
                                             wedsql._dead_limit(x.live),
  'bytes', (select sum(pg_total_relation_size(o)) from unnest(x.oids) o), 'vacuumed_at', x.vacuumed_at)
    order by x.dead desc, x.name), '[]')
from top x
$$;

-- Returns what keeps the oldest dead rows from being vacuumed (an open transaction, a prepared one, a
-- replication slot); null when nothing does.
create or replace function wedsql._holds_vacuum_back() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('kind', h.kind, 'name', h.name, 'seconds',
                          extract(epoch from clock_timestamp() - h.since)) from (
  select 'transaction' as kind,
         format('%s (pid %s, %s)', coalesce(nullif(a.application_name, ''), a.usename, '?'), a.pid,
                a.state) as name, a.xact_start as since
  from pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type not like 'autovacuum%'
    and (a.backend_xid is not null or a.backend_xmin is not null) and a.xact_start is not null
  union all
  select 'prepared', p.gid, p.prepared from pg_prepared_xacts p where p.database = current_database()
  union all
  select 'slot', s.slot_name::text, null from pg_replication_slots s
  where (s.xmin is not null or s.catalog_xmin is not null and s.database = current_database())
    and not s.active
  order by 3 nulls first limit 1) h
$$;

-- Returns how many sessions have waited for so long for a synchronous standby to confirm their commit:
-- neither statement_timeout nor transaction_timeout ends such a wait.
create or replace function wedsql.commits_waiting(p_longer_than interval default '5 seconds') returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select count(*)::integer from pg_stat_activity a
where a.datname = current_database() and a.wait_event = 'SyncRep'
  and a.query_start < clock_timestamp() - p_longer_than
$$;
revoke all on function wedsql.commits_waiting(interval) from public;
grant execute on function wedsql.commits_waiting(interval) to wed_web, wed_monitor, wed_reaper;

-- Returns size, dead rows, what holds vacuum back, and partitions made ahead.
create or replace function wedsql.housekeeping(p_tables integer default 20) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object(
  'database_bytes', pg_database_size(current_database()),
  'tables', wedsql._hot_tables(p_tables),
  'held_back', wedsql._holds_vacuum_back(),
  'steps', (select coalesce(sum(pg_stat_get_tuples_inserted(h.inhrelid)), 0) from pg_inherits h
            where h.inhparent = 'wedsql.wed_trace'::regclass),
  'months_ahead', (
    select count(*) from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'wedsql.wed_trace'::regclass and c.relname ~ E'^wed_trace_\\d{4}_\\d{2}$'
      and right(c.relname, 7) > to_char(wedsql.now() at time zone 'UTC', 'YYYY_MM')),
  'in_default', (select count(*) from (select 1 from wedsql.wed_trace_default limit 1000) d))
$$;

grant execute on function wedsql.housekeeping(integer) to wed_web, wed_monitor, wed_reaper;

do $$
begin
  -- Flows that an earlier release created.
  perform wedsql._vacuum_by_dead_rows(f.name) from wedsql.flow f join pg_namespace n on n.nspname = f.name
  join pg_class c on c.relnamespace = n.oid and c.relname = 'wed_flow'
    and not coalesce(c.reloptions::text like '%autovacuum_vacuum_threshold%', false);
end $$;
