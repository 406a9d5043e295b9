-- The errors of a child that count as failed.
alter table wedsql.trig add column if not exists child_errors text[];
