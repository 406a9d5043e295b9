-- What a session holds, and since when. A session may write any setting, so no setting of the kernel grants
-- it anything.
-- The times since when jobs are held are kept in sequences: the value that a session set last is in its own
-- memory (currval), and only <flow>.take and <flow>.hold set it. took_at is the moment of a transaction's
-- first take, took_in identifies that transaction by its beginning, held_at is the moment of the last hold;
-- all in microseconds. A rollback undoes none of them.
-- wedsql.takes and wedsql.held only say that there are such values: a session that writes them without having
-- the values gets an error (55000).
-- wedsql.took_jobs keeps a program from finishing what it took in an earlier transaction. Writing a job into
-- it has no more effect than taking that job then: the job must be ready, its lock is taken, and its time
-- counts from an earlier take. Where take does more than to lock (revalidate = at_take, jobs of one
-- transition that wait for each other, mutual exclusion), it locks the number of the job, too.
-- The other settings (actor, reason, job, crowd, wrote, round_over) hold what the session could say or do
-- without them.

-- PostgreSQL 14 had no unlogged sequences; those of an upgraded server become unlogged here.
do $$
declare
  v_name regclass;
begin
  for v_name in
    select c.oid from pg_catalog.pg_class c
    where c.relnamespace = 'wedsql'::regnamespace
      and c.relname in ('took_in', 'took_at', 'held_at', 'login_secret', 'login_at')
      and c.relpersistence <> 'u' and current_setting('server_version_num')::integer >= 150000
  loop
    execute format('alter sequence %s set unlogged', v_name);
  end loop;
end $$;

-- Returns a moment in microseconds.
create or replace function wedsql._microseconds(p_at timestamptz) returns bigint language sql stable as $$
select (date_part('epoch', p_at) * 1000000)::bigint
$$;

-- Returns the moment that a sequence of this session keeps.
-- Raises: 55000 where the session has set none.
create or replace function wedsql._moment(p_sequence regclass) returns timestamptz language sql volatile as $$
select to_timestamp(currval(p_sequence)::float8 / 1000000)
$$;

-- Returns whether this session holds the lock of any job.
create or replace function wedsql._holds_any() returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from pg_locks l
               where l.locktype = 'advisory' and l.objsubid = 2 and l.pid = pg_backend_pid()
                 and l.objid <> (-1)::oid)
$$;

-- Returns the key that a session locks in shared mode from its first <flow>.hold on. Only the kernel can lock
-- a key of 64 bits or release this one (wedsql.close_advisory_locks).
create or replace function wedsql._hold_key() returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 8604479513 $$;

-- Returns the key of 64 bits of a lock in pg_locks.
create or replace function wedsql._key_locked(p_class oid, p_object oid) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_class::bigint << 32 | p_object::bigint
$$;

-- Returns the numbers of the jobs that this transaction took (only <flow>.take locks numbers, by a key of 64
-- bits).
create or replace function wedsql._numbers_taken() returns bigint[]
language sql volatile set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(- wedsql._key_locked(l.classid, l.objid)), '{}') from pg_locks l
where l.locktype = 'advisory' and l.objsubid = 1 and l.pid = pg_backend_pid() and l.granted
  and l.database = (select d.oid from pg_database d where d.datname = current_database())
$$;

-- Records the moment of a first take in a session without a recorded take: it never took a job, or discarded
-- what PostgreSQL remembered of it. p_held: whether it held jobs before; then their time counts from the
-- beginning of the transaction.
create or replace function wedsql._first_take(p_held boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_in bigint;
  v_at timestamptz := wedsql.now();
begin
  begin
    v_in := currval('wedsql.took_in');
  exception when object_not_in_prerequisite_state then
    v_at := v_at - case when p_held then clock_timestamp() - now() else '0' end;
  end;
  if v_in is distinct from wedsql._microseconds(now()) then
    perform setval('wedsql.took_in', wedsql._microseconds(now())),
            setval('wedsql.took_at', wedsql._microseconds(v_at));
  end if;
  perform set_config('wedsql.takes', 'on', false);
end $$;

-- Records that this transaction took jobs of a flow, as <flow>.take does: for a caller that has checked what
-- take checks.
-- Locks: the numbers of the jobs, where take locks them.
create or replace function wedsql._record_taken(p_flow integer, p_jobs bigint[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_known boolean := case when current_setting('wedsql.takes', true) = 'on'
                          then currval('wedsql.took_in') = wedsql._microseconds(now()) end;
begin
  if v_known is null then
    perform wedsql._first_take(wedsql._holds_any());
  elsif not v_known then
    perform setval('wedsql.took_in', wedsql._microseconds(now())),
            setval('wedsql.took_at', wedsql._microseconds(wedsql.now()));
  end if;
  perform set_config('wedsql.took_jobs', concat(case when v_known is not false then
    current_setting('wedsql.took_jobs', true) end, ',', array_to_string(p_jobs, ','), ','), true);
  if wedsql._take_checks_more(p_flow) then
    perform pg_try_advisory_xact_lock(- u.id) from unnest(p_jobs) u (id);
  end if;
end $$;

-- Returns whether a flow has jobs for which take does more than to lock them.
create or replace function wedsql._take_checks_more(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select f.shared or f.exclusive
       or exists (select 1 from wedsql.trig t where t.flow_id = f.id and t.revalidate = 'at_take')
from wedsql.flow f where f.id = p_flow
$$;

-- Returns whether workers of a flow need keys (50_work/02_keyed_workers.sql).
create or replace function wedsql._needs_keys(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select f.worker_keys from wedsql.flow f where f.id = p_flow
$$;

-- Locks the instance against writes of other transactions until this one ends; returns false at once where
-- one is writing it now.
-- Locks: the instance, skipping a locked one, and in the same way its table.
create or replace function wedsql._hold(p_flow text, p_wid integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_held integer;
begin
  begin
    execute format('lock table %I.wed_flow in row exclusive mode nowait', p_flow);
  exception when lock_not_available then
    return false;
  end;
  execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked', p_flow)
    into v_held using p_wid;
  return v_held is not null;
end $$;
