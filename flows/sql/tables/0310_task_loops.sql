-- Tasks in instances with long histories: the same tasks performed hundreds of times. What follows the open
-- tasks of an instance finds them by an index of their own, and the last ones by their numbers. No other
-- query has its condition, and this one has no other's: whatever the statistics say, none is taken for
-- another.
drop index if exists wedsql.task_instance;
create index if not exists task_instance on wedsql.task (wid, job_id);
create index if not exists task_instance_open on wedsql.task (wid)
  where coalesce(ended_at, 'infinity') = 'infinity';

-- Who performed transitions of an instance with a long history, the last first, up to a step: what is read of
-- the history again begins behind it.
create table if not exists wedsql.task_performers (
  wid integer not null,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  transitions text[] not null,
  seq integer not null,
  persons text[] not null,
  constraint task_performers_pkey primary key (wid, transitions)
);
create index if not exists task_performers_flow on wedsql.task_performers (flow_id);
