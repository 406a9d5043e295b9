-- After which task the next look for tasks that may be offered to a person goes on; 0 for the start.
alter table wedsql.person add column if not exists looked bigint not null default 0;
