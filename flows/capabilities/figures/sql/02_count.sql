-- Counts the history into figures (wedsql.figure). Transactions commit in another order than that of their
-- times and numbers, so neither a time nor a number says what is counted, but a snapshot does: a step is
-- counted if the transaction that wrote it (xid) is visible in wedsql.figure_state.counted. A round counts
-- what is visible to it and not in that snapshot, and keeps its own, in one statement: any number of reapers,
-- one that is killed, and transactions of any length leave each step counted once. A step that was made at
-- another installation has the transaction 0, which no snapshot lacks: it is counted there.

-- Returns the snapshot as far as transaction p_until.
create or replace function wedsql._snapshot_until(p_snapshot pg_snapshot, p_until bigint) returns pg_snapshot
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format('%s:%s:%s', least(pg_snapshot_xmin(p_snapshot)::text::bigint, u.upto), u.upto, (
  select string_agg(x::text, ',' order by x) from pg_snapshot_xip(p_snapshot) x
  where x::text::bigint < u.upto))::pg_snapshot
from (select least(pg_snapshot_xmax(p_snapshot)::text::bigint, p_until) as upto) u
$$;

-- Returns the first transaction after a snapshot.
create or replace function wedsql._counted_until(p_snapshot pg_snapshot) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$
select pg_snapshot_xmax(p_snapshot)::text::bigint
$$;

-- Returns the steps that a round counts: those of transactions p_from (included) to p_until and of p_open;
-- of instances p_earlier those without a transaction; all that is not counted of instances p_removed, and,
-- in a restored database, what was written since p_restored.
create or replace function wedsql._uncounted(
  p_state wedsql.figure_state, p_until bigint, p_earlier integer[], p_removed integer[], p_restored boolean)
returns table (flow_id integer, wid integer, seq integer, tstmp timestamptz, trw text, status "char",
               job_id bigint, cause_seq integer)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
rows 20000 as $$
#variable_conflict use_column
declare
  v_from bigint := wedsql._counted_until(p_state.counted);
  v_open bigint[] := array(select x::text::bigint from pg_snapshot_xip(p_state.counted) x);
begin
  if p_until is not null then
    return query select t.flow_id, t.wid, t.seq, t.tstmp, t.trw, t.status, t.job_id, t.cause_seq
    from wedsql.wed_trace t
    where t.xid >= v_from and t.xid < p_until and t.tx_at >= p_state.restored_at;
  end if;
  if p_until is not null and v_open <> '{}' then
    return query select t.flow_id, t.wid, t.seq, t.tstmp, t.trw, t.status, t.job_id, t.cause_seq
    from wedsql.wed_trace t where t.xid = any (v_open) and t.tx_at >= p_state.restored_at;
  end if;
  if p_restored then
    return query select t.flow_id, t.wid, t.seq, t.tstmp, t.trw, t.status, t.job_id, t.cause_seq
    from wedsql.wed_trace t
    where t.tx_at >= p_state.counted_at and t.xid < v_from and t.xid <> all (v_open)
      and t.xid > 0;
  end if;
  if p_earlier <> '{}' then
    return query select t.flow_id, t.wid, t.seq, t.tstmp, t.trw, t.status, t.job_id, t.cause_seq
    from wedsql.wed_trace t where t.wid = any (p_earlier) and t.xid is null;
  end if;
  if p_removed <> '{}' then
    return query select t.flow_id, t.wid, t.seq, t.tstmp, t.trw, t.status, t.job_id, t.cause_seq
    from wedsql.wed_trace t
    where t.wid = any (p_removed)
      and case when t.xid is null then t.wid < p_state.earlier_below
               else t.tx_at >= p_state.restored_at
                    and not pg_visible_in_snapshot(t.xid::text::xid8, p_state.counted) end;
  end if;
end $$;

-- Returns the same of the log of attempts that failed.
create or replace function wedsql._uncounted_failures(
  p_state wedsql.figure_state, p_until bigint, p_earlier integer[], p_removed integer[], p_restored boolean)
returns table (flow_id integer, trname text, at timestamptz, wid integer, outcome text, actor text,
               message text)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
with s as (
  select wedsql._counted_until(p_state.counted) as since,
         array(select x::text::bigint from pg_snapshot_xip(p_state.counted) x) as open),
l as (
  select l.* from wedsql.job_log l
  where l.xid >= (select s.since from s) and l.xid < p_until and l.tx_at >= p_state.restored_at
  union all
  select l.* from wedsql.job_log l
  where p_until is not null and l.xid = any (array(select unnest(s.open) from s))
    and l.tx_at >= p_state.restored_at
  union all
  select l.* from wedsql.job_log l
  where p_restored and l.tx_at >= p_state.counted_at and l.xid < (select s.since from s)
    and l.xid <> all (array(select unnest(s.open) from s)) and l.xid > 0
  union all
  select l.* from wedsql.job_log l where l.wid = any (p_earlier) and l.xid is null
  union all
  select l.* from wedsql.job_log l
  where l.wid = any (p_removed)
    and case when l.xid is null then l.wid < p_state.earlier_below
             else l.tx_at >= p_state.restored_at
                  and not pg_visible_in_snapshot(l.xid::text::xid8, p_state.counted) end)
select l.flow_id, l.trname, l.at, l.wid, l.outcome, l.actor, l.message from l
where wedsql._is_attempt(l.outcome)
$$;

-- Returns the minute, the hour and the day of a time, where the time zone is UTC.
create or replace function wedsql._spans(p_at timestamptz) returns table (span "char", at timestamptz)
language sql stable rows 3 as $$
values ('m'::"char", date_trunc('minute', p_at)), ('h', date_trunc('hour', p_at)),
       ('d', date_trunc('day', p_at))
$$;

-- Returns what these steps and attempts add to the figures. A step that a job wrote took the time since the
-- step that fired it; an instance that became final took the time since its start.
create or replace function wedsql._new_figures(
  p_state wedsql.figure_state, p_until bigint, p_earlier integer[], p_removed integer[], p_restored boolean)
returns table (span "char", at timestamptz, flow_id integer, trname text, started bigint, finished bigint,
               exceptions bigint, done bigint, failed bigint, elapsed bigint[], steps bigint)
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' set enable_seqscan = off
set jit = off as $$
with known as (
  select s.flow_id, s.tstmp as at, s.seq = 1 as started,
         case when s.status in ('F', 'E') and s.seq > 1 then (
           select p.status from wedsql.wed_trace p where p.wid = s.wid and p.seq = s.seq - 1) end as was,
         s.status, x.trname,
         case when s.status = 'F' then extract(epoch from s.tstmp - (
           select i.started_at from wedsql.instance i where i.wid = s.wid)) end as lived,
         case when x.trname is not null then extract(epoch from s.tstmp - (
           select c.tstmp from wedsql.wed_trace c where c.wid = s.wid and c.seq = s.cause_seq)) end as took
  from wedsql._uncounted(p_state, p_until, p_earlier, p_removed, p_restored) s
  cross join lateral (
    select case when s.job_id is not null and left(s.trw, 1) <> '_' then s.trw end as trname) x),
events as (
  select k.flow_id, k.at, '' as trname, k.started::integer as started,
         (k.status = 'F' and k.was is distinct from 'F')::integer as finished,
         (k.status = 'E' and k.was is distinct from 'E')::integer as exceptions,
         (k.trname is not null)::integer as done, 0 as failed,
         case when k.status = 'F' and k.was is distinct from 'F'
              then wedsql._figure_bucket(k.lived) end as bucket, 1 as steps
  from known k
  union all
  select k.flow_id, k.at, k.trname, 0, 0, 0, 1, 0, wedsql._figure_bucket(k.took), 0
  from known k where k.trname is not null
  union all
  select l.flow_id, l.at, n.trname, 0, 0, 0, 0, 1, null, 0
  from wedsql._uncounted_failures(p_state, p_until, p_earlier, p_removed, p_restored) l
  cross join lateral (values (''), (l.trname)) n (trname))
select x.span, x.at, e.flow_id, e.trname, sum(e.started), sum(e.finished), sum(e.exceptions), sum(e.done),
       sum(e.failed), wedsql._histogram(array_agg(e.bucket) filter (where e.bucket is not null)), sum(e.steps)
from events e join wedsql.flow f on f.id = e.flow_id cross join lateral wedsql._spans(e.at) x
group by x.span, x.at, e.flow_id, e.trname
$$;

-- Returns when the oldest transaction of this database began that runs.
create or replace function wedsql._oldest_transaction() returns timestamptz
language sql volatile set search_path = pg_catalog, pg_temp as $$
select least(now(), min(a.xact_start)) from pg_stat_activity a where a.datname = current_database()
$$;

-- Adds what is not counted to the figures and keeps what is now counted, in one statement, and returns the
-- number of steps. p_until: the transaction before which a round ends; null when only p_removed is counted.
-- p_below: the new earlier_below.
-- Locks: the figures; the caller holds the row of wedsql.figure_state, which makes it the only one.
create or replace function wedsql._add_figures(p_state wedsql.figure_state, p_until bigint,
  p_earlier integer[] default '{}', p_below integer default null, p_removed integer[] default '{}',
  p_restored boolean default false) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
with n as materialized (
  select * from wedsql._new_figures(p_state, p_until, p_earlier, p_removed, p_restored)),
written as (
  insert into wedsql.figure as f (span, at, flow_id, trname, started, finished, exceptions, done, failed,
                                  elapsed)
  select n.span, n.at, n.flow_id, n.trname, n.started, n.finished, n.exceptions, n.done, n.failed, n.elapsed
  from n
  on conflict (span, at, flow_id, trname) do update
  set started = f.started + excluded.started, finished = f.finished + excluded.finished,
      exceptions = f.exceptions + excluded.exceptions, done = f.done + excluded.done,
      failed = f.failed + excluded.failed, elapsed = wedsql._sum_histograms(f.elapsed, excluded.elapsed)),
e as materialized (
  select * from wedsql._new_failures(p_state, p_until, p_earlier, p_removed, p_restored)),
known as (
  insert into wedsql.failure as x (kind, message) select distinct e.kind, e.message from e
  on conflict (kind, message) do update set kind = x.kind
  returning x.id, x.kind, x.message),
of_flows as (
  insert into wedsql.failure_flow as y (failure_id, flow_id, trname, n, first_at, last_at, versions, workers)
  select k.id, e.flow_id, e.trname, sum(e.n), min(e.first_at), max(e.last_at),
         wedsql._failure_versions(array_agg(e.version)), wedsql._failure_workers(array_agg(e.worker))
  from e join known k on k.kind = e.kind and k.message = e.message group by 1, 2, 3
  on conflict (failure_id, flow_id, trname) do update
  set n = y.n + excluded.n, first_at = least(y.first_at, excluded.first_at),
      last_at = greatest(y.last_at, excluded.last_at),
      versions = wedsql._failure_versions(y.versions || excluded.versions),
      workers = wedsql._failure_workers(y.workers || excluded.workers)),
in_hours as (
  insert into wedsql.failure_hour as h (failure_id, flow_id, at, n)
  select k.id, e.flow_id, e.hour, sum(e.n)
  from e join known k on k.kind = e.kind and k.message = e.message group by 1, 2, 3
  on conflict (failure_id, flow_id, at) do update set n = h.n + excluded.n),
of_instances as (
  insert into wedsql.failure_instance as i (failure_id, wid, flow_id, n, last_at)
  select k.id, e.wid, e.flow_id, sum(e.n), max(e.last_at)
  from e join known k on k.kind = e.kind and k.message = e.message
  where e.wid <> all (p_removed) group by 1, 2, 3
  on conflict (failure_id, wid) do update
  set n = i.n + excluded.n, last_at = greatest(i.last_at, excluded.last_at)),
kept as (
  update wedsql.figure_state s
  set counted = wedsql._snapshot_until(pg_current_snapshot(), p_until), counted_at = clock_timestamp(),
      own_xid = s.xmin::text::bigint, earlier_below = p_below,
      restored_at = case when p_restored then wedsql._oldest_transaction() else s.restored_at end
  where p_until is not null)
select coalesce(sum(n.steps), 0)::bigint from n where n.span = 'm'
$$;

-- Returns the transaction before which a round ends, so that it counts about p_max steps and attempts: those
-- of one transaction are counted together. p_last: the end without a limit.
create or replace function wedsql._slice_end(p_state wedsql.figure_state, p_last bigint, p_max integer)
returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_from bigint := wedsql._counted_until(p_state.counted);
  v_until bigint := least(p_last, v_from + 2 * p_state.slice);
begin
  while v_until - v_from > 1 and p_max < (
    select count(*) from (select from wedsql.wed_trace t where t.xid >= v_from and t.xid < v_until
                          union all
                          select from wedsql.job_log l where l.xid >= v_from and l.xid < v_until
                          limit p_max + 1) t) loop
    v_until := v_from + greatest(1, (v_until - v_from) / 4);
  end loop;
  return greatest(v_until, v_from);
end $$;

-- Counts up to about p_max steps that were committed since the last round, and in a database that was
-- upgraded the steps of up to p_max / 40 instances from before, the newest first. Returns how many steps it
-- counted and whether there are more; null while another session counts.
-- Locks: the row of wedsql.figure_state, or nothing; the figures.
create or replace function wedsql.count_history(p_max integer default 20000) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_state wedsql.figure_state;
  v_last bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  v_until bigint := 9223372036854775807;
  v_earlier integer[] := '{}';
  v_below integer;
  v_restored boolean;
  v_steps bigint;
begin
  select * into v_state from wedsql.figure_state s for update skip locked;
  if not found then
    return null;
  end if;
  v_restored := wedsql._figures_restored();
  if v_state.earlier_below is not null then
    select coalesce(array_agg(w.wid), '{}'), case when count(*) = greatest(1, p_max / 40) then min(w.wid) end
    into v_earlier, v_below
    from (select i.wid from wedsql.instance i where i.wid < v_state.earlier_below
          order by i.wid desc limit greatest(1, p_max / 40)) w;
  end if;
  if not v_restored then
    v_until := wedsql._slice_end(v_state, v_last, p_max);
  end if;
  -- Also makes the row's xmin that of this transaction, which _add_figures keeps.
  update wedsql.figure_state s
  set slice = case when v_until < v_last then greatest(100, v_until - wedsql._counted_until(v_state.counted))
                   else least(s.slice * 2, 1000000000) end;
  v_steps := wedsql._add_figures(v_state, v_until, v_earlier, v_below, '{}', v_restored);
  perform wedsql._add_timings(wedsql.now());
  if v_until >= v_last and v_below is null then
    perform wedsql._remove_old_figures(wedsql._removal_time(wedsql.now()), p_max / 4);
  end if;
  return jsonb_build_object('steps', v_steps, 'more', v_below is not null or v_until < v_last);
end $$;

-- Returns whether the row of the state was written by another transaction than it says: the database was
-- restored from a dump, and its transactions have other numbers.
create or replace function wedsql._figures_restored() returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select s.xmin::text::bigint <> s.own_xid % 4294967296 from wedsql.figure_state s
$$;

grant execute on function wedsql.count_history(integer) to wed_reaper;
