-- chain: by transition, for whom the task was to be that becomes ready by the result of this task, as the
-- device has it, which offers it before the result has arrived.
alter table wedsql.device_package add column if not exists chain jsonb not null default '{}';
