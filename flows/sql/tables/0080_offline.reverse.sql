-- The tables without work without a connection. Lost are devices, what was transferred to them, and the
-- results that wait for earlier ones; results that were applied stay in the history.
drop table wedsql.device_result;
drop table wedsql.device_package;
drop table wedsql.device;
