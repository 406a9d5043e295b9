-- The roles of the kernel (described in docs/operating.md). wed_owner owns every object of the kernel and
-- never logs in: only functions that run with its rights write to wed_flow, job_pool, instance and wed_trace.
-- wed_eval owns the matchers and may read nothing. wed_view owns the views of the flows: it may read and
-- write what they show, and may not lock tables, because LOCK on a view uses the rights of its owner.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['wed_owner', 'wed_eval', 'wed_view'] loop
    if not exists (select 1 from pg_catalog.pg_roles where rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I nologin', v_role);
      exception when duplicate_object or unique_violation then null;  -- another installation created it first
      end;
    end if;
  end loop;
  foreach v_role in array array['wed_web', 'wed_worker', 'wed_reaper', 'wed_monitor'] loop
    if not exists (select 1 from pg_catalog.pg_roles where rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I login', v_role);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
  if not pg_catalog.pg_has_role(current_user, 'wed_owner', 'usage') then
    execute pg_catalog.format('grant wed_owner to %I', current_user);
  end if;
  if not pg_catalog.pg_has_role(current_user, 'wed_eval', 'usage') then
    execute pg_catalog.format('grant wed_eval to %I', current_user);
  end if;
  if not pg_catalog.pg_has_role(current_user, 'wed_view', 'usage') then
    execute pg_catalog.format('grant wed_view to %I', current_user);
  end if;
  if not pg_catalog.pg_has_role('wed_owner', 'wed_view', 'usage') then
    grant wed_view to wed_owner;
  end if;
  -- Ending an overdue transaction requires the right to signal; only the reaper's functions use it.
  if not pg_catalog.pg_has_role('wed_owner', 'pg_signal_backend', 'member') then
    begin
      grant pg_signal_backend to wed_owner;
    exception when insufficient_privilege then
      raise notice 'wed_owner may not end other sessions: ask a superuser for "grant pg_signal_backend to '
                   'wed_owner"';
    end;
  end if;
  if not pg_catalog.pg_has_role('wed_owner', 'pg_read_all_settings', 'member') then
    begin
      grant pg_read_all_settings to wed_owner;
    exception when insufficient_privilege then
      raise notice 'wed_owner cannot read the data directory, so free space is not reported. Ask a '
                   'superuser for "grant pg_read_all_settings to wed_owner"';
    end;
  end if;
  if not pg_catalog.pg_has_role('wed_owner', 'pg_read_all_stats', 'member') then
    begin
      grant pg_read_all_stats to wed_owner;
    exception when insufficient_privilege then
      raise notice 'wed_owner may not see other sessions: ask a superuser for "grant pg_read_all_stats to '
                   'wed_owner"';
    end;
  end if;
end $$;

do $$
begin
  execute pg_catalog.format('grant create on database %I to wed_owner', pg_catalog.current_database());
end $$;
