-- Work without a connection: devices, what was transferred to them, and the results that they send.

-- A device of a person, which has named itself by a key. state: A active, W withdrawn (it gets no more
-- tasks), L lost (nothing of it is accepted). secret: encrypts what the device stores. settled: the number of
-- its last result up to which all have been decided on.
create table if not exists wedsql.device (
  id bigint primary key generated always as identity,
  person text not null,
  key text not null check (length(key) between 16 and 64),
  name text not null default '',
  program text not null default '',
  free_bytes bigint,
  energy smallint,
  unsent integer not null default 0,
  secret bytea not null,
  state "char" not null default 'A' check (state in ('A', 'W', 'L')),
  state_by text not null default '',
  state_at timestamptz,
  registered_at timestamptz not null,
  seen_at timestamptz not null,
  settled integer not null default 0,
  unique (person, key)
);

-- The task that a device was given: claim is that of its lock, seq the step of the instance on which the data
-- are, version what was given. held_at: when the device said that it has all of it.
create table if not exists wedsql.device_package (
  device_id bigint not null references wedsql.device (id) on delete cascade,
  job_id bigint not null,
  wid integer not null,
  claim bigint not null,
  seq integer not null,
  version text not null,
  given_at timestamptz not null,
  held_at timestamptz,
  primary key (device_id, job_id)
);
create index if not exists device_package_instance on wedsql.device_package (wid);

-- A result of a device, with a number of its own. state: W waits for an earlier one, A accepted, L kept as a
-- late result, R refused, X discarded on the device, S not waited for any longer. made_at: by the clock of
-- the device, which was skew behind that of the server when it was sent.
create table if not exists wedsql.device_result (
  device_id bigint not null references wedsql.device (id) on delete cascade,
  number integer not null check (number > 0),
  state "char" not null check (state in ('W', 'A', 'L', 'R', 'X', 'S')),
  job_id bigint,
  wid integer,
  content jsonb not null,
  made_at timestamptz,
  skew interval,
  arrived_at timestamptz not null,
  decided_at timestamptz,
  decided_by text not null default '',
  seq integer,
  late_id bigint,
  problem jsonb,
  primary key (device_id, number)
);
create index if not exists device_result_waiting on wedsql.device_result (device_id, number)
  where state = 'W';
create index if not exists device_result_instance on wedsql.device_result (wid);
