-- Orders of lists of tasks. size: the bytes of the data of a task; app: a number of the application
-- that it is performed with, 0 without one.
alter table wedsql.task add column if not exists size bigint not null default 0;
alter table wedsql.task add column if not exists app integer not null default 0;
update wedsql.task t
set app = case when g.application is null then 0
               else ('x' || substr(md5(g.application), 1, 7))::bit(28)::integer + 1 end,
    size = (select coalesce(sum(octet_length(v.value)), 0) from jsonb_each_text(j.payload) v)
from wedsql.trig g, wedsql.job_pool j
where t.ended_at is null and t.size = 0 and g.tgid = t.tgid and j.wid = t.wid and j.id = t.job_id;
create index if not exists task_by_size on wedsql.task (audience, app, size, job_id) where state = 'R';

-- Where a person has put a task in an order of their own: at the time and number of an arrival, or between
-- two of these.
create table if not exists wedsql.task_place (
  person text not null,
  job_id bigint not null,
  at timestamptz not null,
  number numeric not null,
  primary key (person, job_id)
);
create index if not exists task_place_order on wedsql.task_place (person, at, number);

-- The applications that a person has performed tasks with, by their numbers.
create table if not exists wedsql.task_application (
  person text not null,
  app integer not null,
  used_at timestamptz not null,
  primary key (person, app)
);

-- How a person has tasks listed, wherever the person logs in: in which order, and with which columns (null:
-- the usual ones).
create table if not exists wedsql.task_list (
  person text primary key,
  sorting text not null check (sorting in ('arrival', 'priority', 'deadline', 'size', 'readiest', 'own')),
  columns text[] check (cardinality(columns) <= 20),
  changed_at timestamptz not null
);
