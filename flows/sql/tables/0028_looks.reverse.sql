-- Looks at masked values are not recorded. Lost is which there were.
drop table wedsql.look;
drop index wedsql.wed_trace_reason;
