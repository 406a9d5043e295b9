-- The tables without forms of tasks. Lost are the forms, for which those made of the rules are shown, and
-- what people have typed and not sent. Triggers name the columns; the functions of either version create them
-- again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop table if exists wedsql.task_draft;
alter table wedsql.trig drop column if exists form;
