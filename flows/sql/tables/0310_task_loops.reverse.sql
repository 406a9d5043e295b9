-- No data are lost: who performed what is in the history.
drop table if exists wedsql.task_performers;
drop index if exists wedsql.task_instance_open;
drop index if exists wedsql.task_instance;
create index if not exists task_instance on wedsql.task (wid);
