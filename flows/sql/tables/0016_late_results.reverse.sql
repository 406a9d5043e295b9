-- The tables without late results. Lost are the results that wait for a decision; their cases are closed.
update wedsql.repair_case c
set state = 'closed', closed_at = now(), closed_by = '', lease_until = null, waits_until = null
where c.closed_at is null and c.cause = 'LATE_RESULT';
drop table wedsql.late_result;
