-- The tables without integrity conditions, which are lost: no commit is checked against them any more.
-- Exceptions with the reason INTEGRITY remain exceptions.
delete from wedsql.trig where integrity is not null;
alter table wedsql.trig drop column integrity;
alter table wedsql.flow drop column guarded;
