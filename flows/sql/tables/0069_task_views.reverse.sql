-- The table with views of lists of instances only. Lost are those of lists of tasks.
delete from wedsql.saved_view where list <> 'instances';
alter table wedsql.saved_view drop constraint saved_view_owner_list_flow_name_key;
alter table wedsql.saved_view drop column list;
alter table wedsql.saved_view add constraint saved_view_owner_flow_name_key unique (owner, flow, name);
