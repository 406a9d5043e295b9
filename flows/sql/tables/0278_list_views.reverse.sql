-- The table without views of lists of jobs, approvals and alerts, which are lost.
delete from wedsql.saved_view where list in ('jobs', 'approvals', 'alerts');
alter table wedsql.saved_view drop constraint saved_view_list_check;
alter table wedsql.saved_view add constraint saved_view_list_check
  check (list in ('instances', 'tasks', 'cases'));
