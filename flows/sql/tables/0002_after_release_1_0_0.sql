-- What the tables got after release 1.0.0. Every statement also accepts a table that has its change already:
-- before these files were numbered, each installation brought the tables up to date.

-- Claims are random; nothing counts them.
drop sequence if exists wedsql.claim_seq;
create sequence if not exists wedsql.tgid_seq as integer;
create sequence if not exists wedsql.aid_seq as integer;
-- Since when a session holds jobs (40_engine/04_session.sql): it reads back from its own memory what it set.
-- Not logged, where PostgreSQL can: then a transaction that takes a job writes nothing and needs no number.
do $$
declare
  v_name text;
  v_unlogged text := case when current_setting('server_version_num')::integer >= 150000 then 'unlogged' end;
begin
  foreach v_name in array array['took_in', 'took_at', 'held_at'] loop
    if to_regclass('wedsql.' || v_name) is null then
      execute format('create %s sequence wedsql.%I', v_unlogged, v_name);
    end if;
  end loop;
end $$;
-- Refused results of the paper's clients (70_care/02_refused.sql): what is set stays after a rollback.
do $$
begin
  for v_slot in 0..15 loop
    execute format('create sequence if not exists wedsql.refused_%s', v_slot);
  end loop;
end $$;

-- The transaction that has changed the definition since the flow's functions were generated.
alter table wedsql.flow add column if not exists defining_xid bigint;

-- The kernel gives these numbers (wedsql._next_number); the count of the identity columns goes on.
do $$
declare
  v_table record;
  v_last bigint;
begin
  for v_table in
    select t.name, t.id from (values ('trig', 'tgid'), ('attr', 'aid')) t (name, id)
    join pg_catalog.pg_attribute a
      on a.attrelid = to_regclass('wedsql.' || t.name) and a.attname = t.id and a.attidentity <> ''
  loop
    execute format('select last_value + is_called::integer from %s',
                   pg_get_serial_sequence('wedsql.' || v_table.name, v_table.id)) into v_last;
    perform setval(format('wedsql.%s_seq', v_table.id), v_last, false);
    execute format('alter table wedsql.%I alter column %I drop identity', v_table.name, v_table.id);
  end loop;
end $$;

-- Whether a version has other attributes than the one before, by name, type or identity.
alter table wedsql.flow_version add column if not exists attrs_changed boolean not null default false;

-- Predicates that failed: a commit appends a row of its own, so that commits never wait for each other here;
-- the reaper adds the rows up, one for each trigger. The view wedsql.condition_error shows both together.
do $$
begin
  if exists (select from pg_catalog.pg_class c
             where c.oid = to_regclass('wedsql.condition_error') and c.relkind = 'r') then
    alter table wedsql.condition_error rename to condition_error_sum;
    alter table wedsql.condition_error_sum rename constraint condition_error_pkey to condition_error_sum_pkey;
    alter table wedsql.condition_error_sum rename constraint condition_error_tgid_fkey
      to condition_error_sum_tgid_fkey;
  end if;
end $$;
revoke select on wedsql.condition_error_sum from wed_web, wed_worker, wed_reaper, wed_monitor;
-- Conditions that could not be computed, one by one, until they are summed up.
create table if not exists wedsql.condition_failure (
  id bigint primary key generated always as identity,
  tgid integer not null,
  flow_id integer not null,
  at timestamptz not null,
  sqlstate text not null,
  message text not null,
  wid integer not null
);
create index if not exists condition_failure_trigger on wedsql.condition_failure (tgid, id);

-- The kernel alone writes these columns.
alter table wedsql.instance drop constraint if exists instance_status_check;
alter table wedsql.job_pool drop constraint if exists job_pool_state_check;
-- By flow, so that the reaper finds the due leases and timers of each however many another one has.
create index if not exists job_pool_lease on wedsql.job_pool (flow_id, lease_until) where state = 'L';
drop index if exists wedsql.job_pool_leased;
create index if not exists timer_flow on wedsql.timer (flow_id, due_at);
drop index if exists wedsql.timer_due;

alter table wedsql.worker add column if not exists problems text not null default '';
-- The session, when it was first seen with this transaction, and when the reaper first tried to end it.
alter table wedsql.lock_seen add column if not exists backend_start timestamptz,
  add column if not exists xact_seen timestamptz, add column if not exists ended_at timestamptz;
-- One row per flow, locked by the reaper that cares for it, so that several share the flows and never meet.
create table if not exists wedsql.care (flow_id integer primary key);
-- Until when a transaction must commit that wrote a result; its row goes with the commit.
create unlogged table if not exists wedsql.commit_by (
  id bigint generated always as identity,
  until timestamptz not null,
  wid integer not null,
  job_id bigint not null,
  primary key (id)
);
-- What the reaper could not do, with the reason, until it succeeds; flow 0 is the reaper's own work. No
-- foreign key: writing one of these rows must not wait for a definition.
create table if not exists wedsql.trouble (
  flow_id integer not null,
  kind text not null,
  wid integer not null,
  item bigint not null,
  n integer not null default 1,
  first_at timestamptz not null,
  last_at timestamptz not null,
  retry_at timestamptz not null,
  sqlstate text not null,
  message text not null,
  primary key (flow_id, kind, wid, item)
);

-- Some calls of these words grow faster than linearly with their operands.
alter table wedsql.vocabulary add column if not exists costly boolean not null default false;
