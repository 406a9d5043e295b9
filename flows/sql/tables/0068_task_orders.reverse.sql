-- The tables with three orders of tasks. Lost are the orders, places and columns that people have chosen.
drop table wedsql.task_list;
drop table wedsql.task_application;
drop table wedsql.task_place;
alter table wedsql.task drop column size, drop column app;
