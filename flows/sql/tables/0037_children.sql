-- Child instances: a job starts them, and their ends complete it.
alter table wedsql.trig add column if not exists child text;
alter table wedsql.trig add column if not exists child_count text;
alter table wedsql.trig add column if not exists child_set text[];
alter table wedsql.trig add column if not exists child_wait text;
alter table wedsql.trig add column if not exists child_rest text not null default 'leave';
alter table wedsql.trig add column if not exists child_exception text not null default 'wait';
alter table wedsql.trig add column if not exists child_result text[];
alter table wedsql.trig drop constraint if exists trig_child_rest_check;
alter table wedsql.trig add constraint trig_child_rest_check check (child_rest in ('leave', 'cancel'));
alter table wedsql.trig drop constraint if exists trig_child_exception_check;
alter table wedsql.trig add constraint trig_child_exception_check check (child_exception in ('wait', 'fail'));
-- Whether a trigger of the flow starts children.
alter table wedsql.flow add column if not exists parents boolean not null default false;

-- A job that starts children. total: how many, null until it is computed; done, failed: of those whose end is
-- counted; due_at: when the reaper has something to do here, null for nothing; ended_at: when the job ended;
-- rest: what becomes of the children that are open then (cancel, abort), null for nothing.
create table if not exists wedsql.child_job (
  parent_wid integer not null,
  job_id bigint not null,
  flow_id integer not null,
  tgid integer not null,
  total integer,
  started integer not null default 0,
  done integer not null default 0,
  failed integer not null default 0,
  due_at timestamptz,
  ended_at timestamptz,
  rest text check (rest in ('cancel', 'abort')),
  primary key (parent_wid, job_id)
) with (fillfactor = 50);
create index if not exists child_job_due on wedsql.child_job (due_at) where due_at is not null;

-- A child. state: O open, E ended and not counted, C ended and counted, X an exception that counts as failed.
-- held: it was suspended with its parent.
create table if not exists wedsql.child (
  wid integer primary key,
  parent_wid integer not null,
  job_id bigint not null,
  number integer not null,
  root_wid integer not null,
  depth smallint not null,
  state "char" not null default 'O' check (state in ('O', 'E', 'C', 'X')),
  held boolean not null default false
) with (fillfactor = 80);
create unique index if not exists child_of_job on wedsql.child (parent_wid, job_id, number);
create index if not exists child_ended on wedsql.child (parent_wid, job_id) where state = 'E';
create index if not exists child_open on wedsql.child (parent_wid, job_id, number) where state in ('O', 'X');
