-- A case is put aside until a condition on the state holds, too (flows/capabilities/cases).
alter table wedsql.repair_case
  add column if not exists waits_for text not null default '',  -- an SQL predicate; '': none
  add column if not exists waits_compiled text,                 -- as it is evaluated
  add column if not exists waits_reads text[],                  -- the attributes in it
  add column if not exists waits_seq integer;                   -- the step at which it was evaluated last
create index if not exists repair_case_awaited on wedsql.repair_case (flow_id)
  where state = 'waiting' and waits_for <> '' and waits_seq is distinct from seq;
