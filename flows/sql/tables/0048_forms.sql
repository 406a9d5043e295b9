-- Forms of tasks, and what people have typed into them.
-- form: {"sections": [{"title", "help", "fields": [{"attribute", ...}]}]}, see docs/forms.md.
alter table wedsql.trig add column if not exists form jsonb;

-- What a person has typed into the form of a task and not sent yet: texts by field. It goes with the task.
create table if not exists wedsql.task_draft (
  job_id bigint not null references wedsql.task (job_id) on delete cascade,
  person text not null,
  fields jsonb not null,
  saved_at timestamptz not null,
  primary key (job_id, person)
);
