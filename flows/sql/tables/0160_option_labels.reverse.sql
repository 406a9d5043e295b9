-- The tables without labels of options and queues, which are lost: pages show the options themselves.
-- Triggers name a column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.flow drop column queue_labels;
alter table wedsql.attr drop column option_labels;
