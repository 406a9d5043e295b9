-- How many attempts a job had when a person retried it last: those after it count towards max_attempts.
alter table wedsql.job_pool add column if not exists earlier_attempts smallint not null default 0;
