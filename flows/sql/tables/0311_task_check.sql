-- Which states a task may be in, with an owner and without, as one short check: each statement parses the
-- checks of its table, and a task is written by several.
alter table wedsql.task drop constraint if exists task_state_check;
alter table wedsql.task drop constraint if exists task_check;
alter table wedsql.task add constraint task_check
  check (strpos(case when owner is null then 'RHDFW' else 'SLXDFW' end, state::text) > 0) not valid;
alter table wedsql.task validate constraint task_check;
