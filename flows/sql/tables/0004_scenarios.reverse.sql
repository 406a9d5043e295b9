-- The tables without scenarios. Lost are all scenarios.
drop table wedsql.scenario;
