-- Which tables decide what people, programs and workers may do, and who is notified: their changes are kept
-- for auditors. Every column of them is recorded that is not listed as measured, so that a new one is.

-- Returns the tables, those of Django included. key: what a row is called by; it identifies a rule that is
-- deleted and written again. kept: the only columns that are recorded, null for all but "ignored". secret:
-- of which only a change is recorded. usual: rows that have these values are added and deleted unrecorded.
create or replace function wedsql._controls() returns table (name text, key text[], kept text[],
  ignored text[], secret text[], usual jsonb)
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  ('approval_rule', '{position}'::text[], null::text[], '{id,compiled,reads}'::text[], '{}'::text[],
   null::jsonb),
  ('case_rule', '{position}', null, '{id,compiled,reads}', '{}', null),
  ('recovery_policy', '{name}', null, '{id,compiled,reads}', '{}', null),
  ('webhook', '{id}', null,
   '{revision,seen,restored_at,read_after,retry_at,failing_since,paused_at,problem}', '{secret}', null),
  ('alert_rule', '{id}', null, '{revision,value,error,measured_at,next_at,since}', '{secret}', null),
  ('sla', '{id}', null, '{revision,compiled,below,error}', '{}', null),
  ('calendar', '{id}', null, '{revision}', '{}', null),
  ('delegation', '{id}', null, '{}', '{}', null),
  ('worker_key', '{id}', null, '{}', '{}', null),
  ('worker_key_flow', '{key_id}', null, '{}', '{}', null),
  ('worker_secret', '{id}', null, '{}', '{digest}', null),
  ('installation', '{id}', null, '{one}', '{private_key}', null),
  ('move_peer', '{id}', null, '{}', '{}', null),
  ('attr', '{aid}', '{aname,visibility,repairable}', '{}', '{}',
   '{"visibility": "everyone", "repairable": true}'),
  ('flow', '{id}', '{name,needs_approval,worker_keys}', '{}', '{}', null),
  ('auth_user', '{id}', null, '{last_login,date_joined,first_name,last_name}', '{password}', null),
  ('auth_group', '{id}', null, '{}', '{}', null),
  ('auth_permission', '{id}', null, '{}', '{}', '{}'),
  ('auth_group_permissions', '{group_id,permission_id}', null, '{id}', '{}', null),
  ('auth_user_groups', '{user_id,group_id}', null, '{id}', '{}', null),
  ('auth_user_user_permissions', '{user_id,permission_id}', null, '{id}', '{}', null),
  ('api_token', '{id}', null, '{last_used_at}', '{digest}', null),
  ('otp_totp_totpdevice', '{id}', '{user_id,name,confirmed}', '{}', '{}', null),
  ('otp_static_staticdevice', '{id}', '{user_id,name,confirmed}', '{}', '{}', null)
$$;

-- Writes the triggers of the controls that exist. Tables of Django are created after the kernel, so it is
-- called again after each migration; their owner calls it.
create or replace function wedsql._watch_controls() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_one record;
  v_watched text;
begin
  for v_one in
    select c.*, to_regclass('wedsql.' || quote_ident(c.name)) as found from wedsql._controls() c
    where to_regclass('wedsql.' || quote_ident(c.name)) is not null
  loop
    select string_agg(format('%%1$s.%I', a.attname), ', ' order by a.attnum) into v_watched
    from pg_attribute a
    where a.attrelid = v_one.found and a.attnum > 0 and not a.attisdropped
      and a.attname <> all (v_one.ignored || '{changed_at,changed_by}'::text[])
      and (v_one.kept is null or a.attname = any (v_one.kept));
    execute format('create or replace trigger z_control_added after insert on %s for each row '
                   'execute function wedsql._record_control(%L)', v_one.found, to_jsonb(v_one));
    execute format('create or replace trigger z_control_changed after update on %s for each row when ('
                   'row(%s) is distinct from row(%s)) execute function wedsql._record_control(%L)',
                   v_one.found, format(v_watched, 'old'), format(v_watched, 'new'), to_jsonb(v_one));
    -- Before, so that the record of a flow precedes those of the rows that are deleted with it.
    execute format('create or replace trigger z_control_deleted before delete on %s for each row '
                   'execute function wedsql._record_control(%L)', v_one.found, to_jsonb(v_one));
    if v_one.name in ('auth_user', 'auth_group', 'auth_permission') then  -- for the names in records
      execute format('grant select (id, %I) on %s to wed_owner',
                     case v_one.name when 'auth_user' then 'username' when 'auth_group' then 'name'
                                     else 'codename' end, v_one.found);
    end if;
  end loop;
end $$;
