-- The worker to which an operator assigned a job, by its name or a name that several have: only such a worker
-- takes it. Null: every worker that serves the transition.
alter table wedsql.job_pool add column if not exists assigned_to text,
  add column if not exists assigned_by text, add column if not exists assigned_at timestamptz;
create index if not exists job_pool_assigned on wedsql.job_pool (flow_id, trname)
  where assigned_to is not null;

-- The worker to which a bulk operation assigns jobs; '' gives them back to all.
alter table wedsql.bulk add column if not exists assignee text;
alter table wedsql.bulk drop constraint if exists bulk_operation_check;
alter table wedsql.bulk add constraint bulk_operation_check
  check (operation in ('cancel', 'rematch', 'suspend', 'resume', 'retry', 'priority', 'reassign'));
alter table wedsql.bulk drop constraint if exists bulk_assignee_check;
alter table wedsql.bulk add constraint bulk_assignee_check
  check ((operation = 'reassign') = (assignee is not null));
