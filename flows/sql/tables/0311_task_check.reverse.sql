-- No data are lost.
alter table wedsql.task drop constraint if exists task_check;
alter table wedsql.task drop constraint if exists task_state_check;
alter table wedsql.task add constraint task_check
  check (((owner is not null) = (state in ('S', 'L', 'X'))) or state in ('D', 'F', 'W'));
alter table wedsql.task add constraint task_state_check
  check (state in ('R', 'S', 'L', 'X', 'H', 'D', 'F', 'W'));
