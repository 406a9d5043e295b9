-- Storage settings stand in statements of their own, so that a table which an earlier kernel made gets them, too.
-- What runs: one row an instance, one row a piece of pending work. The row of f.wed_flow is the instance's lock:
-- the order is always instance (wed_flow, then wedsql.instance), then job, then trace.
create table if not exists wedsql.instance (
  wid integer primary key,
  flow_id integer not null references wedsql.flow (id),
  status "char" not null default 'R',
  seq integer not null default 0,
  version integer not null default 0,
  reason text,
  started_at timestamptz not null,
  changed_at timestamptz not null,
  finished_at timestamptz,
  actor text not null default '',
  key text,
  parent_wid integer,
  derived_from integer
);
alter table wedsql.instance set (fillfactor = 80);
alter table wedsql.instance drop constraint if exists instance_status_check;  -- of kernels before 1.0.0
-- Vacuum comes by the number of dead rows, not by a fifth of a table that holds years of finished instances.
alter table wedsql.instance set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.05);
create index if not exists instance_list on wedsql.instance (flow_id, status, wid);
create index if not exists instance_flow on wedsql.instance (flow_id, wid);
create unique index if not exists instance_key on wedsql.instance (flow_id, key) where key is not null;
create index if not exists instance_finished on wedsql.instance (flow_id, finished_at) where finished_at is not null;

create table if not exists wedsql.job_pool (
  id bigint not null default nextval('wedsql.job_seq'),
  wid integer not null,
  tgid integer not null,
  flow_id integer not null,
  trname text not null,
  lckid text,
  timeout interval,
  payload jsonb not null,
  state "char" not null default 'P',
  claim bigint,
  lease_until timestamptz,
  attempts smallint not null default 0,
  not_before timestamptz,
  priority smallint not null default 0,
  last_error text,
  last_state text,
  late boolean not null default false,
  fired_at timestamptz not null,
  fired_xid bigint not null,
  cause_seq integer,
  version integer not null,
  primary key (wid, tgid)
);
alter table wedsql.job_pool drop constraint if exists job_pool_state_check;  -- of kernels before 1.0.0
alter table wedsql.job_pool set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index if not exists job_pool_ready on wedsql.job_pool (flow_id, trname, priority desc, id) where state = 'P';
-- By flow, so that the reaper finds the due leases and timers of each however many another one has.
create index if not exists job_pool_lease on wedsql.job_pool (flow_id, lease_until) where state = 'L';
drop index if exists wedsql.job_pool_leased;

create table if not exists wedsql.timer (
  wid integer not null,
  tgid integer not null references wedsql.trig (tgid) on delete cascade,
  flow_id integer not null,
  due_at timestamptz not null,
  primary key (wid, tgid)
);
create index if not exists timer_flow on wedsql.timer (flow_id, due_at);
drop index if exists wedsql.timer_due;

create table if not exists wedsql.job_log (
  id bigint primary key generated always as identity,
  job_id bigint not null,
  wid integer not null,
  tgid integer not null,
  flow_id integer not null,
  trname text not null,
  at timestamptz not null,
  outcome text not null,
  actor text not null default '',
  sqlstate text,
  message text not null default '',
  attempt smallint not null default 0
);
create index if not exists job_log_wid on wedsql.job_log (wid, id);
create index if not exists job_log_flow on wedsql.job_log (flow_id, id);

create table if not exists wedsql.worker (
  id bigint primary key generated always as identity,
  kind text not null,
  name text not null,
  host text not null default '',
  pid integer not null default 0,
  backend_pid integer,
  role name not null default session_user,
  serves text[] not null default '{}',
  started_at timestamptz not null,
  seen_at timestamptz not null,
  waiting boolean not null default false
);
alter table wedsql.worker add column if not exists problems text not null default '';
alter table wedsql.worker set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 50);

-- Clients of the paper's protocol cannot register: where one was seen its channel keeps being notified.
create table if not exists wedsql.paper_client (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  trname text not null,
  seen_at timestamptz not null,
  primary key (flow_id, trname)
);

create table if not exists wedsql.watch (
  id bigint primary key generated always as identity,
  name text not null,
  seen_at timestamptz not null
);
alter table wedsql.watch set (fillfactor = 50);

-- When the reaper first saw a transaction hold a job: a fact about sessions, worthless after a restart.
create unlogged table if not exists wedsql.lock_seen (
  pid integer not null,
  wid integer not null,
  tgid integer not null,
  job_id bigint not null,
  xact_start timestamptz not null,
  first_seen timestamptz not null,
  primary key (pid, wid, tgid)
);
-- The session, when it was first seen with this transaction, and when the reaper first tried to end it.
alter table wedsql.lock_seen add column if not exists backend_start timestamptz, add column if not exists xact_seen timestamptz,
  add column if not exists ended_at timestamptz;
-- One row a flow, locked by the reaper that cares for it, so that several share the flows and never meet.
create table if not exists wedsql.care (flow_id integer primary key);
-- Until when a transaction must commit that wrote a result; its row goes with the commit.
create unlogged table if not exists wedsql.commit_by (
  id bigint generated always as identity,
  until timestamptz not null,
  wid integer not null,
  job_id bigint not null,
  primary key (id)
);
-- What the reaper could not do, with the reason, until it succeeds; flow 0 is the reaper's own work. No foreign key: writing
-- one of these rows must not wait for anybody's definition.
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
-- What is free on the disk of the database, as somebody on its machine saw it last.
create table if not exists wedsql.disk (
  only_row boolean primary key default true check (only_row),
  free bigint not null,
  total bigint not null,
  reported_at timestamptz not null,
  check (free between 0 and total)
);
alter table wedsql.disk set (fillfactor = 50);
-- How long jobs waited and ran: counters that only grow (70_care/09_times.sql).
create table if not exists wedsql.timing (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  trname text not null,
  kind text not null check (kind in ('wait', 'run')),
  counts bigint[] not null,
  seconds double precision not null,
  primary key (flow_id, trname, kind)
);
alter table wedsql.timing set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500);
create table if not exists wedsql.beat (
  name text primary key,
  seen_at timestamptz not null,
  detail jsonb not null default '{}'
);
alter table wedsql.beat set (fillfactor = 50);
