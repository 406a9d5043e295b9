-- Errors of attempts by message, over all flows. The reaper groups them with the figures, so that an attempt
-- that fails writes nothing for them. What varies in a message is taken out (wedsql._failure_message).
create table if not exists wedsql.failure (
  id bigint primary key generated always as identity,
  kind text not null,                       -- the class of the error, else the outcome of the attempt
  message text not null,
  unique (kind, message)
);

-- How often a transition failed so. No foreign key to the flow: counting must not wait for a definition.
create table if not exists wedsql.failure_flow (
  failure_id bigint not null references wedsql.failure (id) on delete cascade,
  flow_id integer not null,
  trname text not null,
  n bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  versions integer[] not null default '{}', -- of the definition, the newest of them
  workers text[] not null default '{}',     -- the names of some
  primary key (failure_id, flow_id, trname)
) with (fillfactor = 70);
create index if not exists failure_flow_last on wedsql.failure_flow (flow_id, last_at);

-- How often a flow failed so in an hour, in UTC.
create table if not exists wedsql.failure_hour (
  failure_id bigint not null references wedsql.failure (id) on delete cascade,
  flow_id integer not null,
  at timestamptz not null,
  n bigint not null,
  primary key (failure_id, flow_id, at)
) with (fillfactor = 70);
create index if not exists failure_hour_at on wedsql.failure_hour (at);

-- The instances that failed so, as long as they are kept.
create table if not exists wedsql.failure_instance (
  failure_id bigint not null references wedsql.failure (id) on delete cascade,
  wid integer not null,
  flow_id integer not null,
  n bigint not null,
  last_at timestamptz not null,
  primary key (failure_id, wid)
) with (fillfactor = 70);
create index if not exists failure_instance_wid on wedsql.failure_instance (wid);
