-- Devices without bandwidth, kind, and the time without a connection, which are lost; packages of tasks that
-- were not locked are removed, and transferred again when they are.
delete from wedsql.device_package where claim is null;
alter table wedsql.device_package alter column claim set not null;
drop index wedsql.device_result_late;
alter table wedsql.device drop column bandwidth, drop column kind, drop column away_since,
  drop column away_until;
