-- What an instance was before its last repair, so that it can be undone: the step has the values. It is of no
-- more use once another step follows.
create table if not exists wedsql.repaired (
  wid integer primary key references wedsql.instance (wid) on delete cascade,
  seq integer not null,                    -- the step of the repair
  operation text not null,
  status "char" not null,                  -- the status and the reason before
  reason text,
  jobs jsonb not null,                     -- the rows of its jobs, timers and skipped triggers before
  timers jsonb not null,
  skipped jsonb not null
);
