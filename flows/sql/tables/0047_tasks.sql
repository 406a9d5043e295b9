-- Tasks: jobs that people perform, and what a definition says about them.
alter table wedsql.trig drop constraint if exists trig_performer_check;
alter table wedsql.trig add constraint trig_performer_check
  check (performer in ('worker', 'database', 'person'));
-- deadline: the time for a task, from when it is ready; outcomes: lines "name: SET string"; candidate: the
-- attribute that names who performs it; not_by, same_as: transitions whose performers may not, or have to;
-- offline: whether it may be locked for work without a connection; application: a link.
alter table wedsql.trig add column if not exists deadline interval;
alter table wedsql.trig add column if not exists outcomes text[];
alter table wedsql.trig add column if not exists candidate text;
alter table wedsql.trig add column if not exists not_by text[];
alter table wedsql.trig add column if not exists same_as text;
alter table wedsql.trig add column if not exists offline boolean not null default false;
alter table wedsql.trig add column if not exists application text;
alter table wedsql.trig drop constraint if exists trig_deadline_check;
alter table wedsql.trig add constraint trig_deadline_check check (deadline > '0');
alter table wedsql.trig drop constraint if exists trig_application_check;
alter table wedsql.trig add constraint trig_application_check check (length(application) between 1 and 500);

-- Whether capabilities follow each step of the flow: it starts children, or people perform jobs of it.
do $$
begin
  if exists (select from pg_attribute a where a.attrelid = 'wedsql.flow'::regclass
             and a.attname = 'followed') then
    alter table wedsql.flow drop column if exists parents;
  else
    alter table wedsql.flow rename column parents to followed;
  end if;
end $$;

-- A task, which is a job with the same number. state: R ready, S selected, L locked for work without a
-- connection, X running, H held back (its instance is suspended, or the job parked); D succeeded, F failed,
-- W withdrawn. audience: who may take it (r:role, f:flow, p:person); excluded: persons who may not.
-- rank: minus its priority. due_at: infinity without a deadline. hidden_until: its owner has put it aside.
create table if not exists wedsql.task (
  job_id bigint primary key,
  wid integer not null,
  tgid integer not null,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  state "char" not null default 'R' check (state in ('R', 'S', 'L', 'X', 'H', 'D', 'F', 'W')),
  audience text not null,
  excluded text[] not null default '{}',
  owner text,
  rank smallint not null default 0,
  arrived_at timestamptz not null,
  due_at timestamptz not null default 'infinity',
  owned_at timestamptz,
  hidden_until timestamptz,
  given_by text,
  ended_at timestamptz,
  ended_by text,
  outcome text,
  seq integer,
  check ((owner is not null) = (state in ('S', 'L', 'X')) or state in ('D', 'F', 'W'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index if not exists task_instance on wedsql.task (wid);
create index if not exists task_by_arrival on wedsql.task (audience, arrived_at, job_id) where state = 'R';
create index if not exists task_by_priority on wedsql.task (audience, rank, job_id) where state = 'R';
create index if not exists task_by_deadline on wedsql.task (audience, due_at, job_id) where state = 'R';
create index if not exists task_owned on wedsql.task (owner, job_id) where state in ('S', 'L', 'X');
create index if not exists task_flow on wedsql.task (flow_id, job_id) where ended_at is null;
create index if not exists task_ended on wedsql.task (ended_by, ended_at desc, job_id desc)
  where ended_at is not null;
