-- Jobs are not assigned: every worker that serves their transition takes them. Lost are the assignments, and
-- the bulk operations that made some.
delete from wedsql.bulk where operation = 'reassign';
alter table wedsql.bulk drop column assignee;
alter table wedsql.bulk drop constraint bulk_operation_check;
alter table wedsql.bulk add constraint bulk_operation_check
  check (operation in ('cancel', 'rematch', 'suspend', 'resume', 'retry', 'priority'));
alter table wedsql.job_pool drop column assigned_to, drop column assigned_by, drop column assigned_at;
