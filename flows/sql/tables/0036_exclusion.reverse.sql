-- The tables without mutual exclusion, which is lost: jobs are taken in parallel again. Triggers name the
-- column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
drop index wedsql.job_pool_lock;
alter table wedsql.job_pool drop column lock;
alter table wedsql.flow drop column exclusive;
alter table wedsql.trig drop column mutex;
alter table wedsql.trig drop column lock;
