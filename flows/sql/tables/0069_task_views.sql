-- Saved views are of lists of instances, or of lists of tasks.
alter table wedsql.saved_view add column if not exists list text not null default 'instances';
alter table wedsql.saved_view drop constraint if exists saved_view_list_check;
alter table wedsql.saved_view add constraint saved_view_list_check check (list in ('instances', 'tasks'));
alter table wedsql.saved_view drop constraint if exists saved_view_owner_flow_name_key;
alter table wedsql.saved_view drop constraint if exists saved_view_owner_list_flow_name_key;
alter table wedsql.saved_view add constraint saved_view_owner_list_flow_name_key
  unique (owner, list, flow, name);
