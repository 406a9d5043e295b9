-- Drops the kernel's functions and row types before each installation, so that a signature may change and
-- only the bodies in these files run. Trigger functions stay (their triggers depend on them) and are replaced
-- in place, like views that call none of the dropped functions; tables change in tables/. In the same
-- transaction 90_finish.sql generates the functions of every flow again, and 92_site_grants.sql restores the
-- rights that the site granted. In a flow's schema only functions of the kernel's role are dropped. Objects
-- of the site are never dropped: where one depends on a dropped object, the installation ends with WD907.
do $$
declare
  v_routines oid[] := array(
    select p.oid from pg_catalog.pg_proc p
    where p.prorettype <> 'trigger'::regtype and p.prokind in ('f', 'p')
      and (p.pronamespace in ('wedsql'::regnamespace, 'wed_match'::regnamespace)
           or p.proowner = 'wed_owner'::regrole and exists (
             select from pg_catalog.pg_class c
             where c.relnamespace = p.pronamespace and c.relname = 'wed_flow' and c.relowner = p.proowner)));
  v_statements text[];
  v_statement text;
  v_detail text;
begin
  perform pg_catalog.set_config('wedsql.site_grants', coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', o.kind, 'name', o.name,
      'privilege', x.privilege_type, 'grantee', g.rolname, 'grantable', x.is_grantable))
    from (
      select 'routine' as kind, p.pronamespace as namespace, p.proacl as acl,
        format('%s.%I(%s)', p.pronamespace::regnamespace, p.proname, oidvectortypes(p.proargtypes)) as name
      from pg_catalog.pg_proc p where p.oid = any (v_routines)
      union all
      select 'table', c.relnamespace, c.relacl, format('%s.%I', c.relnamespace::regnamespace, c.relname)
      from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.relkind = 'v' and r.rolname in ('wed_owner', 'wed_view')) o
    cross join lateral pg_catalog.aclexplode(o.acl) x join pg_catalog.pg_roles g on g.oid = x.grantee
    join pg_catalog.pg_namespace n on n.oid = o.namespace
    where g.rolname not in ('wed_owner', 'wed_eval', 'wed_view', 'wed_web', 'wed_worker', 'wed_reaper',
                            'wed_monitor')
      and g.rolname <> n.nspname)::text, '[]'), true);
  with recursive found as (  -- the kernel's views that call these functions, and those over them
    select r.ev_class as oid from pg_catalog.pg_depend d
    join pg_catalog.pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
    where d.refclassid = 'pg_proc'::regclass and d.refobjid = any (v_routines)
    union
    select r.ev_class from found f join pg_catalog.pg_depend d
      on d.refclassid = 'pg_class'::regclass and d.refobjid = f.oid and d.classid = 'pg_rewrite'::regclass
    join pg_catalog.pg_rewrite r on r.oid = d.objid)
  select array[
    'drop view ' || (select string_agg(c.oid::regclass::text, ', ')
                     from found f join pg_catalog.pg_class c using (oid)
                     where c.relnamespace = 'wedsql'::regnamespace and c.relowner = 'wed_owner'::regrole),
    'drop routine ' || (select string_agg(p::regprocedure::text, ', ') from unnest(v_routines) p),
    'drop type ' || (select string_agg(t.oid::regtype::text, ', ') from pg_catalog.pg_type t
                     join pg_catalog.pg_class c on c.oid = t.typrelid
                     where t.typnamespace = 'wedsql'::regnamespace and c.relkind = 'c')] into v_statements;
  foreach v_statement in array v_statements loop
    if v_statement is not null then
      execute v_statement;
    end if;
  end loop;
exception when dependent_objects_still_exist then
  get stacked diagnostics v_detail = pg_exception_detail;
  raise exception using errcode = 'WD907', detail = v_detail,
    message = 'The kernel cannot be installed: objects of the site depend on what the installation replaces.',
    hint = 'Drop the objects that the detail names, install, and create them again.';
end $$;
