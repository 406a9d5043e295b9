-- No webhooks of flows. Lost are all of them, with their deliveries.
delete from wedsql.delivery d where d.hook_id is not null;
drop index wedsql.delivery_hook, wedsql.delivery_waiting;
alter table wedsql.delivery drop constraint delivery_source;
alter table wedsql.delivery drop column hook_id, drop column message, alter column event_id set not null;
alter index wedsql.delivery_event rename to alert_delivery_event;
alter index wedsql.delivery_next rename to alert_delivery_next;
alter index wedsql.delivery_pkey rename to alert_delivery_pkey;
alter table wedsql.delivery rename to alert_delivery;
drop table wedsql.webhook;
