-- The tables without tasks. Lost is who has selected which; their jobs are offered to workers. Triggers name
-- the columns; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop table wedsql.task;
update wedsql.trig t set performer = 'worker' where t.performer = 'person';
alter table wedsql.trig drop constraint trig_performer_check;
alter table wedsql.trig add constraint trig_performer_check check (performer in ('worker', 'database'));
alter table wedsql.trig drop column deadline, drop column outcomes, drop column candidate,
  drop column not_by, drop column same_as, drop column offline, drop column application;
alter table wedsql.flow rename column followed to parents;
