-- A job whose state is large has it in the history only: payload is null, and the state is that of the step
-- cause_seq, which fired it (wedsql._payload).
alter table wedsql.job_pool alter column payload drop not null;
