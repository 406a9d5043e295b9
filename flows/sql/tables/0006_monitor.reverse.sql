-- The tables without the monitor's. Lost are all saved views, bulk operations and what is left of them, all
-- alerts, and the figures of history that retention removed. The timers of suspended instances run again.
drop table wedsql.alert_delivery, wedsql.alert_event, wedsql.alert, wedsql.alert_rule;
drop table wedsql.bulk_row, wedsql.bulk;
drop table wedsql.figure_timing, wedsql.figure_state, wedsql.figure;
alter table wedsql.job_log drop column xid, drop column tx_at;
alter table wedsql.wed_trace drop column xid;
drop table wedsql.saved_view;
update wedsql.timer set due_at = now() + remaining where remaining is not null;
alter table wedsql.timer drop column remaining;
drop table wedsql.filter_predicate;
