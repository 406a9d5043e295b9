-- Files that people attach to cases (flows/capabilities/cases). They are in the database so that a backup has
-- them with the case, and so that a file and its entry in the history are written together.
create table if not exists wedsql.case_file (
  id bigint primary key generated always as identity,
  number bigint not null references wedsql.repair_case (number) on delete cascade,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  name text not null check (length(name) between 1 and 120),
  size integer not null check (size between 1 and 16777216),
  sha256 text not null,
  content bytea not null,
  added_by text not null,
  added_at timestamptz not null,
  check (length(content) = size)
);
-- What people attach is mostly compressed already.
alter table wedsql.case_file alter column content set storage external;
create index if not exists case_file_case on wedsql.case_file (number, id);
create index if not exists case_file_flow on wedsql.case_file (flow_id) include (size);
