-- SLAs: the time within which something of an instance must be done. Their clocks are computed by the reaper
-- from the history (flows/capabilities/sla), so that a step pays nothing.

-- When people work: the ranges of local time of each weekday ('1' is Monday), and days without work.
create table if not exists wedsql.calendar (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  name text not null,
  zone text not null,
  hours jsonb not null,                    -- {"1": [["09:00", "12:30"], ["13:30", "18:00"]], ...}
  holidays jsonb not null default '{}',    -- {"2026-12-25": "Christmas"}
  revision integer not null default 1,
  changed_by text not null,
  changed_at timestamptz not null,
  unique (flow_id, name)
);
-- The working time of a calendar as instants, with how much there is before each: working time between two
-- instants is a difference of two look-ups, and an instant by working time is one look-up.
create table if not exists wedsql.calendar_span (
  calendar_id bigint not null references wedsql.calendar (id) on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  before interval not null,
  primary key (calendar_id, from_at),
  check (from_at < to_at)
);
create index if not exists calendar_span_before on wedsql.calendar_span (calendar_id, before);

-- Within which working time something of an instance must be done.
create table if not exists wedsql.sla (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  name text not null,
  start_when text not null default '',     -- SQL predicates over the attributes; '': the instance starts
  stop_when text not null default '',      -- '': the instance ends
  pause_when text not null default '',     -- '': never
  duration interval not null check (duration > '0'),
  calendar_id bigint references wedsql.calendar (id),  -- null: all the time counts
  enabled boolean not null default true,
  revision integer not null default 1,
  changed_by text not null,
  changed_at timestamptz not null,
  compiled text[] not null,                -- the predicates as they are evaluated
  below integer,                           -- the clocks of smaller instances are to be computed; null: none
  error text,                              -- why its clocks are not computed
  unique (flow_id, name)
);
create index if not exists sla_calendar on wedsql.sla (calendar_id);

-- A clock of an SLA. It follows from the steps of its instance alone. Times after `changed_at` are not
-- stored: a clock that runs is late as soon as its `due_at` has passed.
create table if not exists wedsql.sla_clock (
  sla_id bigint not null references wedsql.sla (id) on delete cascade,
  wid integer not null,
  started_seq integer not null,
  seq integer not null,                    -- the last step that changed it
  started_at timestamptz not null,
  changed_at timestamptz not null,
  used interval not null default '0',      -- working time until changed_at
  state text not null check (state in ('running', 'paused', 'met', 'breached', 'cancelled')),
  risk_at timestamptz,                     -- when 80 % are used, while it runs
  due_at timestamptz,                      -- while it runs; 'infinity': after the end of the calendar
  breached_at timestamptz,
  stopped_at timestamptz,
  last boolean not null default true,      -- the instance has no later clock of the SLA
  primary key (sla_id, wid, started_seq),
  check ((state in ('running', 'paused')) = (stopped_at is null))
);
create index if not exists sla_clock_wid on wedsql.sla_clock (wid);
create index if not exists sla_clock_state on wedsql.sla_clock (sla_id, state, due_at) where last;

-- The history that the clocks have seen: what is visible in `counted`, and of what is visible in `upto` the
-- instances up to `after_wid`.
create table if not exists wedsql.sla_state (
  only_row boolean primary key default true check (only_row),
  counted pg_snapshot not null,
  upto pg_snapshot,
  after_wid integer not null default 0,
  own_xid bigint not null,                 -- its xmin; another one says that it was restored from a dump
  restored_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
insert into wedsql.sla_state (counted, own_xid) select pg_current_snapshot(), 0 on conflict do nothing;
update wedsql.sla_state s set own_xid = s.xmin::text::bigint where s.own_xid = 0;
