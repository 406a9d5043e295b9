-- Starts by time: the times at which instances of a flow start, such as 2027-01-01T06:00Z or R/PT1H.
alter table wedsql.flow add column if not exists start_at text[];

-- One of them, as the reaper handles it. base_at: its first time; due_at: the next one, null after the last;
-- last_at, last_wid: the time for which an instance was last started, and which.
create table if not exists wedsql.start_time (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  entry text not null,
  base_at timestamptz not null,
  due_at timestamptz,
  last_at timestamptz,
  last_wid integer,
  unique (flow_id, entry)
);
create index if not exists start_time_due on wedsql.start_time (flow_id, due_at) where due_at is not null;
