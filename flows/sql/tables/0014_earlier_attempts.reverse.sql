-- All attempts of a job count towards max_attempts again.
alter table wedsql.job_pool drop column earlier_attempts;
