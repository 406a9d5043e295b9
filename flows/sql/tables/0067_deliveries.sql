-- Messages by sender, so that what waits of one is not read with each message of another. urgent: sent
-- whatever its sender says.
alter table wedsql.delivery add column if not exists urgent boolean not null default false;
update wedsql.delivery d set urgent = true
where d.status = 'waiting' and d.message ->> 'event' = 'tested' and not d.urgent;
create index if not exists delivery_due on wedsql.delivery (hook_id, next_at, id) where status = 'waiting';
create index if not exists delivery_urgent on wedsql.delivery (next_at, id)
  where status = 'waiting' and urgent;
drop index if exists wedsql.delivery_waiting;
drop index if exists wedsql.alert_delivery_next;
drop index if exists wedsql.delivery_next;
