-- What devices report besides, and until when their person expects to be without a connection. bandwidth:
-- bytes per second as measured last; kind: what it is ('phone', 'computer'); away_since: null while
-- connected.
alter table wedsql.device add column if not exists bandwidth bigint;
alter table wedsql.device add column if not exists kind text not null default '';
alter table wedsql.device add column if not exists away_since timestamptz;
alter table wedsql.device add column if not exists away_until timestamptz;
-- claim: null where the task was not locked when the device got it: it cannot be performed there yet.
alter table wedsql.device_package alter column claim drop not null;
create index if not exists device_result_late on wedsql.device_result (device_id, number) where state = 'L';
