-- Bulk operations without repairs. Lost are the bulk operations that repaired instances; what they did stays.
delete from wedsql.bulk
where operation in ('patch', 'complete', 'skip', 'accept', 'rollback', 'abort') or atomic;
alter table wedsql.bulk drop column arguments, drop column atomic;
alter table wedsql.bulk drop constraint bulk_operation_check;
alter table wedsql.bulk add constraint bulk_operation_check
  check (operation in ('cancel', 'rematch', 'suspend', 'resume', 'retry', 'priority', 'reassign'));
alter table wedsql.bulk_row drop column seq, drop column blocked_at;
