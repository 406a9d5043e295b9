-- What is set when a person takes a task.
alter table wedsql.trig add column if not exists sets_when_taken text;
