-- Saved views of lists of instances: a filter with columns and an order. Flows are named, because a view may
-- be about all flows (''). Its rows are those that its reader may see.
create table if not exists wedsql.saved_view (
  id bigint primary key generated always as identity,
  owner text not null,                     -- the user who saved it
  flow text not null default '',
  name text not null,
  shared text not null default 'mine' check (shared in ('mine', 'team', 'everyone')),
  team text not null default '',           -- the group whose members see it, for 'team'
  query text not null default '',          -- the canonical text of the filter, see flows/filters
  columns text[] not null default '{}',    -- empty: those of the flow
  sorting text not null default '',        -- a column, with '-' before it for descending; '': newest first
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (owner, flow, name),
  check ((shared = 'team') = (team <> ''))
);
create index if not exists saved_view_shared on wedsql.saved_view (shared, team) where shared <> 'mine';

-- The time that was left of a timer when its instance was suspended; until it is resumed it is never due.
alter table wedsql.timer add column if not exists remaining interval;

-- The transaction that wrote a step, or an entry of the log: what was committed since the figures were last
-- counted is found by it, exactly, whatever the order of commits (figures). Null in rows from before. A
-- step pays less for this index, which grows at its end, than for one by ranges of pages.
alter table wedsql.wed_trace add column if not exists xid bigint;
alter table wedsql.wed_trace alter column xid set default txid_current();
create index if not exists wed_trace_xid on wedsql.wed_trace (xid) where xid is not null;
alter table wedsql.job_log add column if not exists xid bigint, add column if not exists tx_at timestamptz;
alter table wedsql.job_log alter column xid set default txid_current(), alter column tx_at set default now();
create index if not exists job_log_xid on wedsql.job_log (xid) where xid is not null;

-- What happened in a minute, in an hour and in a day: of a flow (trname '') or of one of its transitions.
-- Each event is in one row of each span, so that a page reads few rows whatever its window. Keyed by time
-- first, because pages read a window for many flows. No foreign key: counting must not wait for a definition.
create table if not exists wedsql.figure (
  span "char" not null check (span in ('m', 'h', 'd')),
  at timestamptz not null,                  -- its beginning, in UTC
  flow_id integer not null,
  trname text not null,
  started bigint not null default 0,
  finished bigint not null default 0,
  exceptions bigint not null default 0,     -- instances that became one
  done bigint not null default 0,           -- steps that a job wrote
  failed bigint not null default 0,         -- attempts that failed
  -- Histograms by wedsql._figure_bucket: from the start to the final state of instances; of a transition,
  -- from the firing of a job to its step.
  elapsed bigint[] not null default '{}',
  -- Histograms by wedsql._time_bounds, as the workers measured: how long jobs waited and handlers ran.
  waited bigint[] not null default '{}',
  ran bigint[] not null default '{}',
  primary key (span, at, flow_id, trname)
) with (fillfactor = 80);

-- What the figures have counted: what is visible in this snapshot.
create table if not exists wedsql.figure_state (
  only_row boolean primary key default true check (only_row),
  counted pg_snapshot not null,
  counted_at timestamptz not null,          -- by the clock of the server
  own_xid bigint not null,                  -- its xmin; another one says that it was restored from a dump
  restored_at timestamptz not null default '-infinity',  -- steps of earlier transactions are counted
  slice bigint not null default 10000,      -- how many transactions were counted at once
  earlier_below integer                     -- of smaller instances, steps without xid are not yet counted
) with (fillfactor = 50);
insert into wedsql.figure_state (counted, counted_at, own_xid, earlier_below)
select pg_current_snapshot(), clock_timestamp(), 0, (select max(i.wid) + 1 from wedsql.instance i)
on conflict do nothing;
update wedsql.figure_state s set own_xid = s.xmin::text::bigint where s.own_xid = 0;
-- The counters of wedsql.timing that are in the figures.
create table if not exists wedsql.figure_timing (
  flow_id integer not null,
  trname text not null,
  kind text not null,
  counts bigint[] not null,
  primary key (flow_id, trname, kind)
) with (fillfactor = 50);

-- SQL predicates of filters that the lexer has accepted, in the form that is evaluated, so that a list does
-- not compile them for each of its statements. A cache: it may be emptied at any time.
create unlogged table if not exists wedsql.filter_predicate (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  digest text not null,                    -- of the predicate and the types of the attributes
  canonical text not null,
  used_at timestamptz not null,
  unique (flow_id, digest)
);

-- An operation on many instances: those that a filter selected when it was requested, by their numbers
-- (bulk_row). The reaper performs it in slices.
create table if not exists wedsql.bulk (
  id bigint primary key generated always as identity,
  operation text not null
    check (operation in ('cancel', 'rematch', 'suspend', 'resume', 'retry', 'priority')),
  priority smallint,                       -- the new one, for 'priority'
  transition text not null default '',     -- whose jobs, for 'retry' and 'priority'; '': of any
  query text not null default '',          -- the canonical text of the filter
  flows text[] not null,                   -- the names of the flows of its instances
  actor text not null,
  reason text not null,
  state text not null default 'running' check (state in ('running', 'paused', 'withdrawn', 'finished')),
  total integer not null,
  done integer not null default 0,
  refused integer not null default 0,
  gone integer not null default 0,
  created_at timestamptz not null,
  changed_at timestamptz not null,         -- the last slice, or the last decision of a person
  changed_by text not null,                -- the person
  finished_at timestamptz,
  check ((operation = 'priority') = (priority is not null)),
  check ((state in ('withdrawn', 'finished')) = (finished_at is not null))
);
create index if not exists bulk_open on wedsql.bulk (changed_at) where state = 'running';
create index if not exists bulk_ended on wedsql.bulk (finished_at) where finished_at is not null;

-- One instance of a bulk operation and its result: null until it was performed. No foreign key to the
-- instance, which retention may remove.
create table if not exists wedsql.bulk_row (
  bulk_id bigint not null references wedsql.bulk (id) on delete cascade,
  wid integer not null,
  flow_id integer not null,
  status "char" not null,                             -- when it was requested: with another one it is refused
  result text check (result in ('done', 'refused', 'gone')),
  tried_at timestamptz not null default '-infinity',  -- the last try: what is locked comes after the others
  sqlstate text,
  message text,
  hint text,
  detail text,
  primary key (bulk_id, wid)
);
create index if not exists bulk_row_left on wedsql.bulk_row (bulk_id, tried_at, wid) where result is null;

-- Alerts: rules over a flow, each with what was last measured. An alert is active from the time at which its
-- rule's condition has held long enough until it no longer holds.
create table if not exists wedsql.alert_rule (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('count', 'exception_age', 'queue_age', 'workers')),
  query text not null default '',          -- of 'count': the canonical text of a filter
  trname text not null default '',         -- of 'queue_age' and 'workers'
  sign text not null check (sign in ('>', '<')),
  threshold double precision not null,     -- instances, seconds, or workers
  lasting interval not null default '0',
  enabled boolean not null default true,
  mail text[] not null default '{}',
  url text not null default '',            -- of the webhook
  secret text not null default '',         -- signs its messages
  revision integer not null default 1,     -- what was measured by an earlier one is not used
  changed_by text not null,
  changed_at timestamptz not null,
  silenced_until timestamptz,
  next_at timestamptz not null,            -- when it is measured again
  measured_at timestamptz,
  value double precision,
  since timestamptz,                       -- since when the condition holds
  error text,                              -- why the last measurement failed
  unique (flow_id, name),
  check ((kind in ('queue_age', 'workers')) = (trname <> ''))
) with (fillfactor = 50);
create index if not exists alert_rule_next on wedsql.alert_rule (next_at) where enabled;

-- A time in which the value of a rule was above, or below, its limit.
create table if not exists wedsql.alert (
  id bigint primary key generated always as identity,
  rule_id bigint not null references wedsql.alert_rule (id) on delete cascade,
  started_at timestamptz not null,
  ended_at timestamptz,
  value double precision not null,         -- when it started
  reported boolean not null default false,     -- false while it is silenced
  acknowledged_at timestamptz,
  acknowledged_by text,
  note text not null default ''
);
-- At most one is active: whoever measures, an alert starts once.
create unique index if not exists alert_active on wedsql.alert (rule_id) where ended_at is null;

-- What happened to alerts and their rules.
create table if not exists wedsql.alert_event (
  id bigint primary key generated always as identity,
  rule_id bigint not null references wedsql.alert_rule (id) on delete cascade,
  alert_id bigint,
  at timestamptz not null,
  event text not null,
  actor text not null default '',
  note text not null default '',
  value double precision
);
create index if not exists alert_event_rule on wedsql.alert_event (rule_id, id);

-- What is sent to a mail address or a webhook. One that is being sent is due again after a while, in case
-- its sender ends: its receiver knows a repetition by the key.
create table if not exists wedsql.alert_delivery (
  id bigint primary key generated always as identity,
  event_id bigint not null references wedsql.alert_event (id) on delete cascade,
  channel text not null check (channel in ('mail', 'webhook')),
  target text not null,
  key uuid not null default gen_random_uuid(),
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  next_at timestamptz not null,
  done_at timestamptz,
  error text
);
create index if not exists alert_delivery_next on wedsql.alert_delivery (next_at) where status = 'waiting';
create index if not exists alert_delivery_event on wedsql.alert_delivery (event_id);
