-- Cases that are put aside wait for their time only.
drop index wedsql.repair_case_awaited;
alter table wedsql.repair_case
  drop column waits_for, drop column waits_compiled, drop column waits_reads, drop column waits_seq;
