-- Changes of controls are not recorded. Lost is which there were.
reset role;  -- triggers are dropped by the owners of Django's tables
do $$
declare
  v_trigger record;
begin
  for v_trigger in
    select t.tgname, t.tgrelid::regclass as of from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.pronamespace = 'wedsql'::regnamespace and p.proname = '_record_control'
  loop
    execute format('drop trigger %I on %s', v_trigger.tgname, v_trigger.of);
  end loop;
end $$;
drop function if exists wedsql._record_control();
drop table wedsql.control_change;
drop function if exists wedsql._keep_control_changes();
