-- The tables without starts by time, which are lost. Triggers name the column; the functions of either
-- version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop table wedsql.start_time;
alter table wedsql.flow drop column start_at;
