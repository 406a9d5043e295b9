-- Runs last: restores the rights that the site granted its own roles on functions and views of the kernel, as
-- 00_base/02_forget.sql found them. Objects that no longer exist are skipped; only the kernel grants rights
-- to PUBLIC.
do $$
declare
  v_found jsonb := coalesce(nullif(current_setting('wedsql.site_grants', true), ''), '[]');
  v_grant record;
begin
  for v_grant in
    select g.* from jsonb_to_recordset(v_found)
      g (kind text, name text, privilege text, grantee text, grantable boolean)
    where case g.kind when 'routine' then to_regprocedure(g.name)::oid else to_regclass(g.name)::oid end > 0
  loop
    execute format('grant %s on %s %s to %I %s', v_grant.privilege, v_grant.kind, v_grant.name,
                   v_grant.grantee, case when v_grant.grantable then 'with grant option' end);
  end loop;
end $$;
