-- The table without views of lists of cases, which are lost.
delete from wedsql.saved_view where list = 'cases';
alter table wedsql.saved_view drop constraint saved_view_list_check;
alter table wedsql.saved_view add constraint saved_view_list_check check (list in ('instances', 'tasks'));
