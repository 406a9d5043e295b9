-- States of the history are compressed by the server's default again. Nothing is lost.
do $$
declare
  v_table text;
begin
  for v_table in
    select t.relid::regclass::text from pg_partition_tree('wedsql.wed_trace') t order by t.level
  loop
    execute format('alter table %s alter column state set compression default', v_table);
  end loop;
end $$;
