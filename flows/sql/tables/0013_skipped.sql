-- Triggers that do not fire in an instance although their conditions hold, because a person skipped their
-- job: until the condition was false once. While a flow has such a row, its steps take the general path.
create table if not exists wedsql.skipped (
  wid integer not null,
  tgid integer not null references wedsql.trig (tgid) on delete cascade,
  flow_id integer not null,
  seq integer not null,                    -- the step that skipped it
  primary key (wid, tgid)
);
create index if not exists skipped_flow on wedsql.skipped (flow_id);
