-- Creates a new, empty flow: its schema with wed_flow and the paper's control tables as views; returns its
-- id.
-- Raises: WD004 for a name that is taken or cannot be used; WD009 for a wrong final_when_pending.
create or replace function wedsql.create_flow(p_name text, p_label text default '',
  p_final_when_pending text default null) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := jsonb_populate_record(null::wedsql.flow, wedsql._as_columns(
    jsonb_build_object('label', p_label, 'final_when_pending', p_final_when_pending),
      wedsql._option_list('flow'), true));
  v_id integer;
begin
  perform wedsql.check_name(p_name, 'flow');
  if to_regnamespace(quote_ident(p_name)) is not null then
    perform wedsql._refuse_existing_name(p_name);
  end if;
  if exists (select 1 from pg_roles where rolname = p_name and rolsuper) then
    perform wedsql._raise('WD004', '"{name}" is the name of a superuser.', 'Choose another name.',
      jsonb_build_object('name', p_name));
  end if;
  perform wedsql._check_values('flow', v_flow);
  insert into wedsql.flow (name, label, final_when_pending) values (p_name, v_flow.label,
    v_flow.final_when_pending) on conflict (name) do nothing returning id into v_id;
  if v_id is null then  -- another session has created it since the check
    perform wedsql._refuse_existing_name(p_name);
  end if;
  execute format('create schema %I', p_name);
  execute format('create table %I.wed_flow (wid integer primary key) with (fillfactor = 80)', p_name);
  perform wedsql._vacuum_by_dead_rows(p_name);
  perform wedsql._guard_flow(p_name);
  perform wedsql._make_views(v_id, p_name);
  perform wedsql._make_worker_functions(v_id, p_name);
  execute format('grant usage on schema %I to wed_eval', p_name);
  perform wedsql._grant_flow(p_name);
  perform wedsql._touch(v_id, false);
  perform wedsql._generate_later(v_id);
  return v_id;
end $$;

-- Raises: WD004.
create or replace function wedsql._refuse_existing_name(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD004', 'The name "{name}" exists already in this database.', 'Choose another name.',
    jsonb_build_object('name', p_name));
end $$;

-- Creates the triggers on wed_flow, so that every write but the kernel's own passes the kernel's triggers.
create or replace function wedsql._guard_flow(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute wedsql._fill($q$
    create trigger a_wid before insert on {flow:I}.wed_flow
      for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_wid();
    create trigger b_insert after insert on {flow:I}.wed_flow
      for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_insert();
    create trigger c_update after update on {flow:I}.wed_flow
      for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_update();
    create trigger d_delete before delete on {flow:I}.wed_flow
      for each statement when (current_user <> 'wed_owner'::text) execute function wedsql._never();
    create trigger e_truncate before truncate on {flow:I}.wed_flow
      for each statement execute function wedsql._never()$q$, jsonb_build_object('flow', p_name));
  perform wedsql._guard_room(p_name);
end $$;

-- Makes every start of an instance, by whatever function, call wedsql._room. A flow that already has the
-- trigger is not locked for it.
create or replace function wedsql._guard_room(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select 1 from pg_trigger t
                 where t.tgrelid = format('%I.wed_flow', p_name)::regclass and t.tgname = 'a_room') then
    execute format('create trigger a_room before insert on %I.wed_flow for each statement execute function '
                   'wedsql._room()', p_name);
  end if;
end $$;

-- Drops the views of a flow.
-- Locks: the views.
-- Raises: WD907 when objects that are not the kernel's depend on one of them.
create or replace function wedsql._drop_views(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_detail text;
begin
  execute format('drop view if exists %1$I.wed_attr, %1$I.wed_trig, %1$I.job_pool, %1$I.wed_trace, '
                 '%1$I.st_status', p_name);
exception when dependent_objects_still_exist then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform wedsql._raise(row('WD907',
                            'The views of a flow get other columns, and objects of the site depend on them.',
    'Drop the objects that the detail names, install, and create them again.', v_detail)::wedsql.why);
end $$;

-- Creates the paper's control tables of one flow as views, usable word for word with search_path = <flow>.
-- Each is a security barrier: no function in a reader's WHERE sees a row of another flow. Their owner may not
-- lock the tables below, which are those of all flows, so LOCK on a view is rejected; for the same reason
-- rows are deleted by a trigger and not by a right of the owner.
create or replace function wedsql._make_views(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning as $$
declare
  v_make text := wedsql._fill($q$
    create or replace view {flow:I}.wed_attr with (security_barrier) as
      select {attribute_columns}, aid, flow_id
      from wedsql.attr where flow_id = {id} with cascaded check option;
    alter view {flow:I}.wed_attr alter column flow_id set default {id};
    create or replace view {flow:I}.wed_trig with (security_barrier) as
      select tgid, {trigger_columns}, flow_id
      from wedsql.trig where flow_id = {id} with cascaded check option;
    alter view {flow:I}.wed_trig alter column flow_id set default {id};
    create or replace view {flow:I}.job_pool with (security_barrier) as
      select wid, tgid, trname, lckid, timeout,
        coalesce(payload, (select t.state from wedsql.wed_trace t
                           where t.wid = j.wid and t.seq = j.cause_seq)) as payload,
        id, state, attempts, not_before, priority, fired_at, assigned_to
      from wedsql.job_pool j where flow_id = {id};
    create or replace view {flow:I}.wed_trace with (security_barrier) as
      select wid, state, trf, trw, status, tstmp, seq, actor, reason, before, cause_seq
      from wedsql.wed_trace where flow_id = {id};
    create or replace view {flow:I}.st_status with (security_barrier) as
      select wid, status from wedsql.instance where flow_id = {id};
    create or replace trigger a_delete instead of delete on {flow:I}.wed_attr
      for each row execute function wedsql._delete_definition();
    create or replace trigger a_delete instead of delete on {flow:I}.wed_trig
      for each row execute function wedsql._delete_definition();
    create or replace trigger a_never instead of insert or update or delete on {flow:I}.job_pool
      for each row execute function wedsql._never_running();
    create or replace trigger a_never instead of insert or update or delete on {flow:I}.wed_trace
      for each row execute function wedsql._never_running();
    create or replace trigger a_never instead of insert or update or delete on {flow:I}.st_status
      for each row execute function wedsql._never_running()$q$,
    jsonb_build_object('flow', p_name, 'id', p_flow, 'attribute_columns', wedsql._option_columns('attr'),
      'trigger_columns', wedsql._option_columns('trig')));
begin
  begin
    execute v_make;
  exception when invalid_table_definition then  -- in an earlier release they had other columns
    perform wedsql._drop_views(p_name);
    execute v_make;
  end;
  perform wedsql._default_timeout(p_flow, p_name);
  perform wedsql._disown_views(p_name);
end $$;

-- Gives the views of a flow to the role that may read and write through them and nothing else.
create or replace function wedsql._disown_views(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_view text;
begin
  execute format('grant usage, create on schema %I to wed_view', p_name);
  foreach v_view in array array['wed_attr', 'wed_trig', 'job_pool', 'wed_trace', 'st_status'] loop
    execute format('alter view %I.%I owner to wed_view', p_name, v_view);
  end loop;
  execute format('revoke create on schema %I from wed_view', p_name);
end $$;

-- Deletes from the definition of a flow what is deleted through its wed_attr or wed_trig.
create or replace function wedsql._delete_definition() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'wed_attr' then
    delete from wedsql.attr a where a.aid = old.aid and a.flow_id = old.flow_id;
  else
    delete from wedsql.trig t where t.tgid = old.tgid and t.flow_id = old.flow_id;
  end if;
  return case when found then old end;
end $$;

-- Rejects writing jobs, states or the history through a flow's views, also for an owner or superuser.
-- Raises: WD301.
create or replace function wedsql._never_running() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD301', '"{table}" is written by the kernel only.',
    'Rows of the history are only added; to change an instance, UPDATE wed_flow or call the kernel''s '
    'functions.',
    jsonb_build_object('table', format('%I.%I', tg_table_schema, tg_table_name)));
  return null;
end $$;

-- Creates again what the kernel made for a flow (views, functions, rights), as this version of the kernel
-- makes it.
create or replace function wedsql._refresh_flow(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning as $$
begin
  perform wedsql._make_views(p_flow, p_name);
  perform wedsql._make_worker_functions(p_flow, p_name);
  perform wedsql._grant_flow(p_name);
  perform wedsql._guard_room(p_name);
  perform wedsql._generate(p_flow);
  perform wedsql._drop_stale_except_jobs(p_flow, p_name);
end $$;

-- Grants the product's roles, and the flow's own if it was opened, the rights that they need in the flow's
-- schema.
create or replace function wedsql._grant_flow(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('grant usage on schema %I to wed_web, wed_worker, wed_reaper, wed_monitor', p_name);
  execute format('grant select on all tables in schema %I to wed_web, wed_worker, wed_monitor', p_name);
  execute format('grant select on %I.wed_flow to wed_reaper', p_name);  -- to count the instances of alerts
  if wedsql._has_role(p_name) then
    execute format('grant usage on schema %I to %I', p_name, p_name);
    execute format('grant select on all tables in schema %1$I to %1$I', p_name);
    execute format('grant insert, update on %1$I.wed_flow to %1$I', p_name);
    execute format('grant insert, update, delete on %1$I.wed_attr, %1$I.wed_trig to %1$I', p_name);
    perform wedsql._grant_locks(p_name);
  end if;
end $$;

-- Drops the flow: definition, schema, and, with p_force, its instances and their history.
-- Locks: everything of the flow.
-- Raises: WD001, WD007 while it has instances, WD302; WD011 where p_held is not the number of tasks and cases
-- that other persons hold.
create or replace function wedsql.drop_flow(p_name text, p_force boolean default false,
  p_held integer default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_name);
begin
  perform wedsql._lock_definition(v_flow.id, true);
  v_flow := wedsql._flow(p_name);  -- behind the lock
  perform wedsql._check_direct(v_flow.name, v_flow.needs_approval);
  if not p_force and exists (select 1 from wedsql.instance i where i.flow_id = v_flow.id) then
    perform wedsql._raise('WD007', 'Flow "{flow}" has instances.',
      'Dropping it would delete their history; pass force to drop it nevertheless.',
      jsonb_build_object('flow', p_name));
  end if;
  perform wedsql._confirm_held(p_name, wedsql._call_holders(v_flow.id, null, wedsql._actor()), p_held);
  perform wedsql._call_dropping(v_flow.id);
  delete from wedsql.job_pool where flow_id = v_flow.id;
  delete from wedsql.wed_trace where flow_id = v_flow.id;
  delete from wedsql.instance where flow_id = v_flow.id;
  delete from wedsql.timer where flow_id = v_flow.id;
  execute format('drop schema %I cascade', p_name);
  delete from wedsql.flow where id = v_flow.id;
  perform wedsql._call_dropped(p_name);
end $$;

-- Has the states of a flow vacuumed by the number of dead rows, like wedsql.instance.
-- Locks: none that a step waits for.
create or replace function wedsql._vacuum_by_dead_rows(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %I.wed_flow set (autovacuum_vacuum_scale_factor = 0.02, '
                 'autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.05)', p_name);
end $$;
