-- Which host an attempt of a job runs on, where hosts are chosen by load. A row is of use until its job ends.
create table if not exists wedsql.host_use (
  job_id bigint not null primary key,
  wid integer not null,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  host text not null,
  attempt integer not null
);
create index if not exists host_use_flow on wedsql.host_use (flow_id);
create index if not exists host_use_host on wedsql.host_use (host);
