-- Messages without the kind o; those that there are are lost.
delete from wedsql.message where kind = 'o';
alter table wedsql.message drop constraint message_kind_check;
alter table wedsql.message add constraint message_kind_check check (kind in ('s', 'e', 'f', 'd'));
