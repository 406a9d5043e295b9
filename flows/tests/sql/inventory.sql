-- All objects of the kernel as text: tables, constraints, indexes, sequences, views, triggers, functions,
-- rights. {only} selects the tables of the kernel, as Django's own share its schema.
with e as (
  select case c.relpersistence when 'u' then 'unlogged table' else 'table' end as type, c.oid::regclass::text as identity,
         string_agg(format('%s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
           coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')), ', ' order by a.attname) || coalesce(' with ' || c.reloptions::text, '')
         || ' owner ' || c.relowner::regrole as what
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition {only} group by c.oid
  union all
  select 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint c
  where connamespace = 'wedsql'::regnamespace and contype in ('p', 'u', 'c', 'f') and conrelid <> 0 and not exists (
    select 1 from pg_class p where p.oid = conrelid and p.relispartition) {only_constraints}
  union all
  select 'sequence', c.oid::regclass::text, format_type(s.seqtypid, null) || ' owner ' || c.relowner::regrole
  from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relnamespace = 'wedsql'::regnamespace {only}
  union all
  select 'view', c.oid::regclass::text,
         string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
         || ' owner ' || c.relowner::regrole
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind = 'v' {only} group by c.oid
  union all
  select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = 'wedsql'::regnamespace and not c.relispartition {only}
  union all
  select 'trigger', t.tgrelid::regclass || ' ' || t.tgname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'wedsql'::regnamespace and not t.tgisinternal {only}
  union all
  select 'function', p.oid::regprocedure::text,
         'returns ' || pg_get_function_result(p.oid) || ' owner ' || p.proowner::regrole || case when p.prosecdef then ' definer' else '' end
         || ' ' || case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
         || ' to ' || coalesce((select string_agg(distinct coalesce(nullif(x.grantee, 0)::regrole::text, 'everybody'), ',') from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                                where x.grantee <> p.proowner), 'nobody')
  from pg_proc p where p.pronamespace in ('wedsql'::regnamespace, 'wed_match'::regnamespace) and p.proname !~ '^[aefi]_[0-9]+$'
  union all
  select 'rights', c.oid::regclass::text, string_agg(distinct x.grantee::regrole || ' ' || lower(x.privilege_type), ', ')
  from pg_class c cross join lateral aclexplode(c.relacl) x
  where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p', 'S') and not c.relispartition
    and x.grantee::regrole::text like 'wed\_%' and x.grantee <> c.relowner {only} group by c.oid
  union all
  select 'column rights', format('%s to %s', c.oid::regclass, x.grantee::regrole),
         string_agg(format('%s %s', lower(x.privilege_type), a.attname), ', ' order by x.privilege_type, a.attname)
  from pg_class c join pg_attribute a on a.attrelid = c.oid cross join lateral aclexplode(a.attacl) x
  where c.relnamespace = 'wedsql'::regnamespace and not c.relispartition and not a.attisdropped
    and x.grantee::regrole::text like 'wed\_%' {only} group by c.oid, x.grantee)
select e.type, e.identity, e.what from e
