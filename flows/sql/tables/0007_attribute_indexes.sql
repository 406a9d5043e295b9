-- The attributes that shall have an index, so that filters by them are quick in a flow of many instances
-- (30_definition/07_attribute_index.sql). The index itself is created outside of transactions.
create table if not exists wedsql.attr_index (
  aid integer primary key references wedsql.attr (aid) on delete cascade,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  actor text not null,
  requested_at timestamptz not null,
  tried_at timestamptz not null default '-infinity',
  problem text                             -- why the last attempt failed
);
create index if not exists attr_index_flow on wedsql.attr_index (flow_id);
