-- Recovery policies: what is done about a case by itself, before people are asked. The first policy of a flow
-- that suits a case acts.
create table if not exists wedsql.recovery_policy (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  position integer not null,
  name text not null,
  cause text not null default '',          -- of the case, or TIMEOUT; '': any
  transition text not null default '',     -- of the case; '': any
  condition text not null default '',      -- an SQL predicate over the attributes; '': always
  compiled text not null,                  -- the predicate as it is evaluated
  reads text[] not null,                   -- the attributes in it
  operation text not null,
  arguments jsonb not null default '{}',
  times integer not null check (times between 1 and 100),  -- for one instance
  delay interval not null check (delay >= '0'),
  changed_by text not null,
  changed_at timestamptz not null,
  unique (flow_id, name) deferrable initially deferred,
  unique (flow_id, position) deferrable initially deferred
);

-- What policies did; appended, never changed.
create table if not exists wedsql.policy_run (
  id bigint primary key generated always as identity,
  wid integer not null references wedsql.instance (wid) on delete cascade,
  policy text not null,
  number bigint not null,                  -- the case
  at timestamptz not null,
  sqlstate text                            -- why it was rejected; null: it was not
);
create index if not exists policy_run_instance on wedsql.policy_run (wid);

-- Open cases at which policies do not look before a time, as long as the exception is at this step.
create table if not exists wedsql.policy_wait (
  number bigint primary key references wedsql.repair_case (number) on delete cascade,
  seq integer not null,
  due_at timestamptz not null
);
