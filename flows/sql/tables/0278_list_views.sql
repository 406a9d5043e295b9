-- Saved views are of lists of instances, tasks, cases, jobs, approvals or alerts.
alter table wedsql.saved_view drop constraint if exists saved_view_list_check;
alter table wedsql.saved_view add constraint saved_view_list_check
  check (list in ('instances', 'tasks', 'cases', 'jobs', 'approvals', 'alerts'));
