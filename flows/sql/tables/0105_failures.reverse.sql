-- Errors by message are lost; the log of attempts has each of them, as long as its instance is kept.
drop table wedsql.failure_instance, wedsql.failure_hour, wedsql.failure_flow, wedsql.failure;
