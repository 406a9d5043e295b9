-- Changes of controls: of rules, webhooks, visibility, keys, users and rights (85_controls). Rows are only
-- added, by triggers on those tables; they outlive the flow. One transaction has one row per thing that it
-- changed: what it was before the transaction, and what it is after it.
create table if not exists wedsql.control_change (
  id bigint primary key generated always as identity,
  at timestamptz not null,
  control text not null,                   -- the table
  item text not null,                      -- its key there
  flow_id integer not null default 0,      -- 0: of no single flow
  flow text not null default '',           -- its name then
  actor text not null,
  role text not null,                      -- that logged in to the database
  before jsonb,                            -- null: it did not exist
  after jsonb,                             -- null: it was deleted
  xid bigint not null,
  began_at timestamptz not null,           -- of the transaction: a restored dump may have its number again
  unique (xid, began_at, control, flow_id, item)
);
create index if not exists control_change_flow on wedsql.control_change (flow, id);
create index if not exists control_change_actor on wedsql.control_change (actor, id);
