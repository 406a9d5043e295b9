-- The tables without the option. Lost is which flows withhold the state from their messages. Triggers name
-- the column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.flow drop column notify_state;
