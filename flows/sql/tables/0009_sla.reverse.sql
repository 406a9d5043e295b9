-- The tables without SLAs. Lost are all SLAs with their clocks, and all calendars.
drop table wedsql.sla_clock, wedsql.sla, wedsql.calendar_span, wedsql.calendar, wedsql.sla_state;
