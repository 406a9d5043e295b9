-- The table without where looks go on: the next one begins at the start. Nothing is lost.
alter table wedsql.person drop column looked;
