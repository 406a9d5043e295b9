-- The table with messages by their time. Nothing is lost: tests of webhooks are known by their event.
drop index wedsql.delivery_due;
drop index wedsql.delivery_urgent;
alter table wedsql.delivery drop column urgent;
create index delivery_waiting on wedsql.delivery (hook_id)
  where status = 'waiting' and hook_id is not null;
create index delivery_next on wedsql.delivery (next_at) where status = 'waiting';
