-- Before the kernel is installed anew, its functions and row types go, so that a changed signature is no obstacle: the body
-- in these files is the body that runs. Trigger functions stay (their triggers hold them) and are replaced in place; tables
-- are never touched. 90_finish.sql gives every flow its generated functions and views back, in the same transaction.
-- In a flow's schema those of the kernel's own role go, and nobody else's.
do $$
declare
  v_object record;
begin
  for v_object in
    select p.oid::regprocedure as name, case p.prokind when 'p' then 'procedure' else 'function' end as kind from pg_catalog.pg_proc p
    where p.prorettype <> 'trigger'::regtype and p.prokind in ('f', 'p')
      and (p.pronamespace in ('wedsql'::regnamespace, 'wed_match'::regnamespace)
           or p.proowner = 'wed_owner'::regrole and exists (select 1 from pg_catalog.pg_class c where c.relnamespace = p.pronamespace
                                                            and c.relname = 'wed_flow' and c.relowner = p.proowner))
  loop
    execute pg_catalog.format('drop %s %s cascade', v_object.kind, v_object.name);
  end loop;
  for v_object in
    select t.oid::regtype as name from pg_catalog.pg_type t join pg_catalog.pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'wedsql'::regnamespace and c.relkind = 'c'
  loop
    execute pg_catalog.format('drop type %s cascade', v_object.name);
  end loop;
end $$;
