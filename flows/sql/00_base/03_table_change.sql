-- The list of the numbered files of tables/ that this database has (flows/tables.py). Release 1.0.0 had no
-- such list; its tables are those of the first file.
do $$
begin
  if to_regclass('wedsql.table_change') is null then
    set local role wed_owner;
    create table wedsql.table_change (
      name text primary key,
      applied_at timestamptz not null default clock_timestamp()
    );
    insert into wedsql.table_change (name) select '0001_initial' where to_regclass('wedsql.flow') is not null;
    reset role;
  end if;
end $$;
