-- Instances have no record of what started them. Lost is which attributes had it.
alter table wedsql.attr drop column start_source;
