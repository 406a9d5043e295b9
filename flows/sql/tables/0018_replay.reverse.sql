-- No step re-uses a recorded result. Those that did look like steps of workers; a replay that is on its way
-- becomes a roll back.
update wedsql.recovery set operation = 'rollback' where operation = 'replay';
alter table wedsql.recovery drop constraint recovery_operation_check;
alter table wedsql.recovery add constraint recovery_operation_check
  check (operation in ('rollback', 'compensate', 'abort'));
alter table wedsql.recovery drop column changes;
alter table wedsql.wed_trace drop column replays_seq;
alter table wedsql.trig drop column replay;
