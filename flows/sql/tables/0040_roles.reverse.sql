-- The tables without the roles of triggers, which are lost. Keys of workers keep their transitions.
alter table wedsql.trig drop column role;
