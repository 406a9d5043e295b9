-- Results that came too late for their job: kept until they are merged, or until a person has decided.
create table if not exists wedsql.late_result (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  wid integer not null,
  job_id bigint not null,
  tgid integer not null,
  transition text not null,
  base_seq integer not null,               -- the step whose state the job was about
  changes jsonb not null,
  code text not null,                      -- the SQLSTATE with which the result was rejected
  actor text not null,
  received_at timestamptz not null,
  look_at timestamptz not null,            -- when it is looked at next, while it is kept
  state text not null default 'kept'       -- 'same': the instance has these values already
    check (state in ('kept', 'conflict', 'merged', 'same', 'discarded')),
  problem text not null default '',        -- why it could not be merged by itself
  decided_at timestamptz,
  decided_by text not null default '',
  reason text not null default '',
  check ((state in ('kept', 'conflict')) = (decided_at is null))
);
create unique index if not exists late_result_once on wedsql.late_result (wid, job_id, md5(changes::text));
create index if not exists late_result_kept on wedsql.late_result (look_at) where state = 'kept';
create index if not exists late_result_conflict on wedsql.late_result (wid) where state = 'conflict';
create index if not exists late_result_flow on wedsql.late_result (flow_id);
