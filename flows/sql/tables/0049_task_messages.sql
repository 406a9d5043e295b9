-- Deadlines, messages and responsible persons of tasks, whom the tasks of a role are offered to, and
-- absences. responsible: a user name; warnings: lines "HOURS" or "HOURS transfer"; notified, notified_count:
-- to how many of a role a task is offered, and to which; task_calendar: the calendar of the flow by which
-- deadlines count.
alter table wedsql.flow add column if not exists responsible text;
alter table wedsql.flow add column if not exists warnings text[];
alter table wedsql.flow add column if not exists notified text not null default 'all';
alter table wedsql.flow add column if not exists notified_count integer not null default 1;
alter table wedsql.flow add column if not exists task_calendar text;
alter table wedsql.flow drop constraint if exists flow_responsible_check;
alter table wedsql.flow add constraint flow_responsible_check check (length(responsible) between 1 and 200);
alter table wedsql.flow drop constraint if exists flow_warnings_check;
alter table wedsql.flow add constraint flow_warnings_check check (cardinality(warnings) <= 20
  and array_to_string(warnings, chr(10)) ~ E'^([0-9]{1,4}([.][0-9]{1,2})?( transfer)?(\\n|$))*$'
  and array_to_string(warnings, ' ') !~ 'transfer.*transfer');
alter table wedsql.flow drop constraint if exists flow_notified_check;
alter table wedsql.flow add constraint flow_notified_check
  check (notified in ('all', 'fewest_assigned', 'fewest_selected', 'last_connected'));
alter table wedsql.flow drop constraint if exists flow_notified_count_check;
alter table wedsql.flow add constraint flow_notified_count_check check (notified_count between 1 and 1000);
alter table wedsql.flow drop constraint if exists flow_task_calendar_check;
alter table wedsql.flow add constraint flow_task_calendar_check check (length(task_calendar) between 1
  and 80);

-- What was chosen for an instance; without a row, nothing. ended: the message of its end was written.
create table if not exists wedsql.task_setting (
  wid integer primary key,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  responsible text,
  warnings text[] not null default '{}',
  notified text not null default 'all',
  notified_count integer not null default 1,
  ended boolean not null default false,
  changed_by text not null default '',
  changed_at timestamptz not null
);
create index if not exists task_setting_flow on wedsql.task_setting (flow_id);

-- A task whose deadline or offers are watched, until it ends. hours: the warnings that are not sent yet, the
-- largest first, 0 being the deadline; next_at: when the next one is, infinity for none or while it is held
-- back. role: of a task that is offered to some of the role, which are in offered.
create table if not exists wedsql.task_watch (
  job_id bigint primary key,
  wid integer not null,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  due_at timestamptz not null default 'infinity',
  hours numeric[] not null default '{}',
  next_at timestamptz not null default 'infinity',
  role text,
  notified text not null default 'all',
  notified_count integer not null default 1,
  offered text[] not null default '{}'
);
create index if not exists task_watch_instance on wedsql.task_watch (wid);
create index if not exists task_watch_flow on wedsql.task_watch (flow_id);
create index if not exists task_watch_next on wedsql.task_watch (next_at) where next_at < 'infinity';
create index if not exists task_watch_role on wedsql.task_watch (role, job_id) where role is not null;
create index if not exists task_watch_offered on wedsql.task_watch using gin (offered) where role is not null;

-- A message to a person. kind: s start or e end of an instance, f failure or d deadline of a task.
create table if not exists wedsql.message (
  id bigint generated always as identity primary key,
  person text not null,
  kind "char" not null check (kind in ('s', 'e', 'f', 'd')),
  at timestamptz not null,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  wid integer not null,
  job_id bigint,
  facts jsonb not null default '{}',
  read_at timestamptz
);
create index if not exists message_person on wedsql.message (person, id desc);
create index if not exists message_unread on wedsql.message (person, id desc) where read_at is null;
create index if not exists message_instance on wedsql.message (wid, id);
create index if not exists message_at on wedsql.message (at);
create index if not exists message_flow on wedsql.message (flow_id);

-- A person who was seen: keys, the audiences of tasks that the site gave last.
create table if not exists wedsql.person (
  name text primary key,
  keys text[] not null default '{}',
  connected_at timestamptz not null,
  seen_at timestamptz not null
) with (fillfactor = 70);
create index if not exists person_seen on wedsql.person (seen_at);

-- When a person is away, and who takes the tasks in that time.
create table if not exists wedsql.absence (
  id bigint generated always as identity primary key,
  person text not null,
  substitute text not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  changed_by text not null default '',
  changed_at timestamptz not null,
  check (until_at > from_at)
);
create index if not exists absence_person on wedsql.absence (person, from_at);
create index if not exists absence_substitute on wedsql.absence (substitute, until_at);
