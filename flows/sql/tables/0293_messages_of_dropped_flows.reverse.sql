-- The tables without messages about flows that were dropped. Lost are these messages.
delete from wedsql.message where flow_id is null;
alter table wedsql.message alter column flow_id set not null;
