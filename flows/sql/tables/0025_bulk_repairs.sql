-- Repairs of many instances: the arguments of the operation, whether it is all or nothing, and of each
-- instance the step at which it was confirmed, and since when a lock has prevented its repair.
alter table wedsql.bulk add column if not exists arguments jsonb not null default '{}',
  add column if not exists atomic boolean not null default false;
alter table wedsql.bulk drop constraint if exists bulk_operation_check;
alter table wedsql.bulk add constraint bulk_operation_check
  check (operation in ('cancel', 'rematch', 'suspend', 'resume', 'retry', 'priority', 'reassign', 'patch',
                       'complete', 'skip', 'accept', 'rollback', 'abort'));
alter table wedsql.bulk_row add column if not exists seq integer,
  add column if not exists blocked_at timestamptz;
