-- Messages that another person changed an instance: the kind o, to who had a task of it or its case.
alter table wedsql.message drop constraint if exists message_kind_check;
alter table wedsql.message add constraint message_kind_check check (kind in ('s', 'e', 'f', 'd', 'o'));
