-- The tables without messages, settings of instances and absences. Lost are these; tasks that are offered to
-- some of a role are open to all of it. Triggers name the columns; the functions of either version create
-- them again.
update wedsql.task t set audience = 'r:' || w.role from wedsql.task_watch w
where w.job_id = t.job_id and left(t.audience, 2) = 'n:';
drop table wedsql.absence;
drop table wedsql.person;
drop table wedsql.message;
drop table wedsql.task_watch;
drop table wedsql.task_setting;
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.flow drop column responsible, drop column warnings, drop column notified,
  drop column notified_count, drop column task_calendar;
