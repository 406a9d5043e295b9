-- Recording changes of controls. The triggers fire whatever door a change comes by, and no role but the
-- owner of a table can leave them out.

-- Returns who changed a row: what the row says itself if the change wrote it, else what _changing named,
-- else the setting wedsql.actor or the role.
create or replace function wedsql._author(p_old jsonb, p_new jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(
  (select p_new ->> k.name from unnest('{changed_by,made_by,created_by,revoked_by}'::text[],
                                       '{changed_at,made_at,created_at,revoked_at}'::text[]) k (name, at)
   where p_new ->> k.name <> '' and (p_old ->> k.at is distinct from p_new ->> k.at) limit 1),
  nullif(current_setting('wedsql.changed_by', true), ''), wedsql._actor(null))
$$;

-- Returns what is recorded of a row: a secret is replaced by whether it is another one than p_before has,
-- and a number of a user, group, permission or key gets its name.
create or replace function wedsql._control_values(p_how jsonb, p_row jsonb, p_before jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_kept jsonb := (
    select jsonb_object_agg(e.key, case when not p_how -> 'secret' ? e.key then e.value
                                        when p_before is null or p_before -> e.key = e.value then '"..."'
                                        else '"... (another)"' end)
    from jsonb_each(p_row) e
    where not p_how -> 'ignored' ? e.key and e.key not in ('changed_at', 'changed_by', 'flow_id')
      and (p_how -> 'kept' = 'null' or p_how -> 'kept' ? e.key));
  v_of record;
  v_name text;
begin
  for v_of in
    select * from (values ('user_id', 'auth_user', 'username'), ('group_id', 'auth_group', 'name'),
                          ('permission_id', 'auth_permission', 'codename'), ('key_id', 'worker_key', 'name'))
      o (key, of, called)
    where v_kept -> o.key is not null and to_regclass('wedsql.' || o.of) is not null
  loop
    execute format('select t.%I from wedsql.%I t where t.id = $1', v_of.called, v_of.of)
      into v_name using (v_kept ->> v_of.key)::bigint;
    v_kept := v_kept || jsonb_build_object(left(v_of.key, -3), v_name);
  end loop;
  return v_kept;
end $$;

-- Records the change of one row. What a transaction deletes and writes again is one change; what it leaves
-- as it was is none.
create or replace function wedsql._record_control() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_how jsonb := tg_argv[0]::jsonb;
  v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  v_row jsonb := coalesce(v_new, v_old);
  v_flow integer := coalesce(case when tg_table_name = 'flow' then v_row ->> 'id'
                                  else v_row ->> 'flow_id' end, '0')::integer;
  v_id bigint;
begin
  if tg_op <> 'UPDATE' and v_row @> nullif(v_how -> 'usual', 'null') then
    return coalesce(new, old);
  end if;
  insert into wedsql.control_change as c (at, control, item, flow_id, flow, actor, role, before, after, xid,
    began_at)
  values (wedsql.now(), tg_table_name,
    (select string_agg(v_row ->> k, ' ') from jsonb_array_elements_text(v_how -> 'key') k), v_flow,
    coalesce((select f.name from wedsql.flow f where f.id = v_flow),
             (select o.flow from wedsql.control_change o where o.xid = txid_current() and o.control = 'flow'
              and o.flow_id = v_flow and o.began_at = transaction_timestamp()), ''),
    wedsql._author(v_old, v_new), session_user, wedsql._control_values(v_how, v_old, null),
    wedsql._control_values(v_how, v_new, v_old), txid_current(), transaction_timestamp())
  on conflict (xid, began_at, control, flow_id, item) do update
    set after = excluded.after, at = excluded.at,
        actor = case when excluded.actor = excluded.role then c.actor else excluded.actor end
  returning id into v_id;
  delete from wedsql.control_change c where c.id = v_id and c.before is not distinct from c.after;
  return coalesce(new, old);
end $$;

-- Rejects every change of a record by any role. Only _record_control, in a trigger of its own, completes the
-- records of its transaction.
-- Raises: WD551.
create or replace function wedsql._keep_control_changes() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_level = 'ROW' and pg_trigger_depth() > 1 and old.xid = txid_current()
     and old.began_at = transaction_timestamp() then
    return coalesce(new, old);
  end if;
  perform wedsql._raise('WD551', 'Recorded changes of controls are neither changed nor removed.',
    'Make the opposite change; it is recorded, too.');
  return null;
end $$;
create or replace trigger a_keep before update or delete on wedsql.control_change
  for each row execute function wedsql._keep_control_changes();
create or replace trigger b_keep before truncate on wedsql.control_change
  for each statement execute function wedsql._keep_control_changes();
select wedsql._watch_controls();
