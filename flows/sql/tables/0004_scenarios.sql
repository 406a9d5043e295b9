-- Scenarios: paths through a flow with what is expected of them.

-- It names its flow, because a flow that was never published has no row.
create table if not exists wedsql.scenario (
  id bigint primary key generated always as identity,
  flow text not null,
  name text not null,
  revision integer not null,       -- grows by one with each save
  content jsonb not null,          -- {"story", "attributes", "steps"}, see trials/sql/08_scenarios.sql
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  changed_by text not null,
  unique (flow, name)
);
