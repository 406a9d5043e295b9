-- Saved views are of lists of instances, tasks or cases.
alter table wedsql.saved_view drop constraint if exists saved_view_list_check;
alter table wedsql.saved_view add constraint saved_view_list_check
  check (list in ('instances', 'tasks', 'cases'));
