-- Hooks, central triggers, owners, rights, first partitions, and the generated functions of every flow.
select wedsql._generate_hooks();
select wedsql._generate_invariants();

drop trigger if exists a_before on wedsql.attr;
create trigger a_before before insert or update
  or delete on wedsql.attr for each row execute function wedsql._attr_before();
drop trigger if exists b_after on wedsql.attr;
create trigger b_after after insert or update
  or delete on wedsql.attr for each row execute function wedsql._attr_after();
drop trigger if exists a_before on wedsql.trig;
create trigger a_before before insert
  or update on wedsql.trig for each row execute function wedsql._trig_before();
drop trigger if exists b_touch on wedsql.trig;
create trigger b_touch after insert or update
  or delete on wedsql.trig for each row execute function wedsql._trig_touch();
drop trigger if exists a_delete on wedsql.trig;
create trigger a_delete before delete on wedsql.trig for each row execute function wedsql._trig_delete();
do $$
declare
  v_table text;
begin
  foreach v_table in array array['attr', 'trig'] loop
    execute format('drop trigger if exists c_insert on wedsql.%1$I; drop trigger if exists c_update on '
                   'wedsql.%1$I; drop trigger if exists c_delete on wedsql.%1$I', v_table);
    execute format('drop trigger if exists d_commit on wedsql.%I', v_table);
    execute format('create constraint trigger d_commit after insert or update or delete on wedsql.%I '
                   'deferrable initially deferred
                    for each row execute function wedsql._at_commit()', v_table);
  end loop;
end $$;

drop function if exists wedsql._regenerate();

drop trigger if exists in_time on wedsql.commit_by;
create constraint trigger in_time after insert on wedsql.commit_by deferrable initially deferred for each row
  execute function wedsql._commit_in_time();

drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
do $$
declare
  v_options text := wedsql._option_columns('flow');
begin
  execute format('create trigger c_changed after update of %s on wedsql.flow for each row
    when (current_user <> ''wed_owner'' and old.* is distinct from new.*)
    execute function wedsql._flow_changed()', v_options);
  execute format('create constraint trigger d_commit after update of %s on wedsql.flow
    deferrable initially deferred for each row when (current_user <> ''wed_owner'')
    execute function wedsql._flow_at_commit()', v_options);
end $$;
drop trigger if exists e_generate on wedsql.flow;
create constraint trigger e_generate after update of defining_xid on wedsql.flow
  deferrable initially deferred for each row when (new.defining_xid is not null)
  execute function wedsql._generate_at_commit();

do $$
declare
  v_object record;
begin
  for v_object in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'wedsql'::regnamespace
      and p.proowner not in ('wed_owner'::regrole, 'wed_eval'::regrole)
  loop
    execute format('alter function %s owner to wed_owner', v_object.name);
  end loop;
  for v_object in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'wed_match'::regnamespace and p.proowner <> 'wed_eval'::regrole
  loop
    execute format('alter function %s owner to wed_eval', v_object.name);
  end loop;
end $$;

revoke all on all functions in schema wedsql from public;
revoke all on all functions in schema wed_match from public;
grant execute on all functions in schema wed_match to wed_owner;
do $$
declare
  v_function regprocedure;
begin
  -- Only the kernel calls what the role without rights owns.
  for v_function in select p.oid from pg_proc p
  where p.pronamespace = 'wedsql'::regnamespace and p.proowner = 'wed_eval'::regrole loop
    execute format('grant execute on function %s to wed_owner', v_function);
  end loop;
end $$;
grant execute on function wedsql.now() to public;
select wedsql.make_partitions(wedsql.now(), 2);

do $$
begin
  set local role wed_owner;
  perform wedsql._refresh_flow(f.id, f.name) from wedsql.flow f order by f.id;
  reset role;
end $$;
