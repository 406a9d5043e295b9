-- States of the history are compressed by lz4 where the server has it, at a twentieth of the cost of its
-- default; those of before stay as they are. A new partition gets what the table has.
do $$
declare
  v_table text;
begin
  if exists (select 1 from pg_settings s
             where s.name = 'default_toast_compression' and 'lz4' = any (s.enumvals)) then
    for v_table in
      select t.relid::regclass::text from pg_partition_tree('wedsql.wed_trace') t order by t.level
    loop
      execute format('alter table %s alter column state set compression lz4', v_table);
    end loop;
  end if;
end $$;
