-- Whether the message about a new job has its state.
alter table wedsql.flow add column if not exists notify_state boolean not null default true;
