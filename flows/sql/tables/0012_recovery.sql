-- What is left of an operation that undoes steps of an instance (recovery): it exists while the status is
-- X.
create table if not exists wedsql.recovery (
  wid integer primary key references wedsql.instance (wid) on delete cascade,
  operation text not null check (operation in ('rollback', 'compensate', 'abort')),
  target_seq integer not null,               -- the step whose state returns; compensate: the chosen step
  undone integer[] not null,                 -- the steps that are undone
  seqs integer[] not null,                   -- those of them that are compensated, in this order
  transitions text[] not null,               -- by what: '' the kernel, null nothing (overridden)
  place integer not null default 1,          -- which of them is next
  job_id bigint,                             -- its job
  restored text[] not null default '{}',     -- attributes that compensations wrote
  hold boolean not null default false,       -- suspended afterwards
  exception text,                            -- the reason of the exception before
  actor text not null,
  reason text not null,
  began_at timestamptz not null,
  began_seq integer not null
);
