-- Files that people send with the forms of tasks. A content is stored once for a flow, by its hash.
create table if not exists wedsql.file_content (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  sha256 text not null,
  size integer not null check (size between 1 and 16777216),
  type text not null,
  content bytea not null,
  primary key (flow_id, sha256),
  check (length(content) = size)
);
-- What people send is mostly compressed already.
alter table wedsql.file_content alter column content set storage external;
create index if not exists file_content_size on wedsql.file_content (flow_id) include (size);

-- Which instance has which content, from which task. kept: it is in a state of the instance.
create table if not exists wedsql.task_file (
  wid integer not null,
  sha256 text not null,
  attribute text not null,
  flow_id integer not null,
  job_id bigint not null,
  person text not null,
  added_at timestamptz not null,
  kept boolean not null default false,
  primary key (wid, sha256, attribute),
  foreign key (flow_id, sha256) references wedsql.file_content (flow_id, sha256) on delete cascade
);
create index if not exists task_file_content on wedsql.task_file (flow_id, sha256);
create index if not exists task_file_job on wedsql.task_file (job_id);
create index if not exists task_file_unkept on wedsql.task_file (added_at) where not kept;
