-- The attributes to which the kernel writes what starts an instance: the name of a signal, or a time.
alter table wedsql.attr add column if not exists start_source boolean not null default false;
