-- The tables without signals. Lost are all that were sent. Triggers name the column; the functions of either
-- version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop table wedsql.signal;
alter table wedsql.trig drop column signal;
alter table wedsql.trig drop column keep;
alter table wedsql.flow drop column start_by;
