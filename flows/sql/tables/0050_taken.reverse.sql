-- The tables without what is set when a person takes a task. Lost is what triggers say about it. Triggers
-- name the column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.trig drop column sets_when_taken;
