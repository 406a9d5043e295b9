-- The tables without child instances. Lost is which instances are children of which; their numbers of parents
-- stay in wedsql.instance. Triggers name the columns; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop table wedsql.child, wedsql.child_job;
alter table wedsql.trig drop column child, drop column child_count, drop column child_set,
  drop column child_wait, drop column child_rest, drop column child_exception, drop column child_result;
alter table wedsql.flow drop column parents;
