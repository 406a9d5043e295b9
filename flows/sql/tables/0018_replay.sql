-- A roll back that re-uses recorded results: what a person changes at the step, and of which step a step has
-- the result.
alter table wedsql.recovery drop constraint if exists recovery_operation_check;
alter table wedsql.recovery add constraint recovery_operation_check
  check (operation in ('rollback', 'compensate', 'abort', 'replay'));
alter table wedsql.recovery add column if not exists changes jsonb not null default '{}';
alter table wedsql.wed_trace add column if not exists replays_seq integer;

-- Whether a recorded result of the transition may be used again.
alter table wedsql.trig add column if not exists replay text not null default 'call';
alter table wedsql.trig drop constraint if exists trig_replay_check;
alter table wedsql.trig add constraint trig_replay_check check (replay in ('call', 'reuse'));
