-- Tasks are written with their jobs, whose flow is locked: checking the flow again for each costs a lock of
-- its row, which all sessions share. Dropping a flow deletes its tasks itself.
alter table wedsql.task drop constraint if exists task_flow_id_fkey;
