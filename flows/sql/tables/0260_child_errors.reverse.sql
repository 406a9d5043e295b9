-- The tables without errors of children that count as failed. Lost is which errors a trigger names.
alter table wedsql.trig drop column child_errors;
