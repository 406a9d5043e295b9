-- Webhooks of flows: what is sent when an instance starts, ends or becomes an exception
-- (flows/capabilities/webhooks). The deliveries of alerts become the deliveries of both
-- (flows/capabilities/alerts/sql/05_deliveries.sql).
create table if not exists wedsql.webhook (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  events text[] not null
    check (events <> '{}' and events <@ array['started', 'final', 'exception', 'cancelled']),
  query text not null default '',          -- the canonical text of a filter over the state at the step
  attributes text[] not null default '{}', -- whose values are sent
  url text not null,
  secret text not null,                    -- signs its messages
  enabled boolean not null default true,
  revision integer not null default 1,     -- what was read for an earlier one is not used
  changed_by text not null,
  changed_at timestamptz not null,
  seen pg_snapshot not null,               -- the steps of the transactions that it sees have been read
  restored_at timestamptz not null,        -- of wedsql.figure_state when `seen` was noted
  read_after timestamptz not null default '-infinity',  -- when it is read again after its filter failed
  problem text,                            -- why its filter cannot be evaluated, or why it is paused
  paused_at timestamptz,
  failing_since timestamptz,               -- since when no message was confirmed
  retry_at timestamptz not null default '-infinity'     -- when a receiver that fails gets the next message
) with (fillfactor = 50);
create index if not exists webhook_flow on wedsql.webhook (flow_id);

-- An earlier change that runs once more creates the table under its former name again, empty.
do $$
begin
  if to_regclass('wedsql.delivery') is not null then
    drop table if exists wedsql.alert_delivery;
  else
    alter table wedsql.alert_delivery rename to delivery;
  end if;
end $$;
alter index if exists wedsql.alert_delivery_pkey rename to delivery_pkey;
alter index if exists wedsql.alert_delivery_next rename to delivery_next;
alter index if exists wedsql.alert_delivery_event rename to delivery_event;
alter table wedsql.delivery
  alter column event_id drop not null,
  add column if not exists hook_id bigint references wedsql.webhook (id) on delete cascade,
  add column if not exists message jsonb;  -- of a webhook: what is sent
alter table wedsql.delivery drop constraint if exists delivery_source;
alter table wedsql.delivery add constraint delivery_source
  check ((event_id is null) = (hook_id is not null) and (hook_id is null) = (message is null));
create index if not exists delivery_hook on wedsql.delivery (hook_id, id) where hook_id is not null;
create index if not exists delivery_waiting on wedsql.delivery (hook_id)
  where status = 'waiting' and hook_id is not null;
