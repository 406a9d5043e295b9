-- Rebuilds a flow's table. PostgreSQL does not reuse the place of a removed column, and a table has 1,600
-- places.

-- Rebuilds the flow's table where few places are left for p_columns new columns and removed ones have many.
-- Locks: none; the caller has the table in access exclusive mode.
-- Raises: WD007.
create or replace function wedsql._rebuild_if_full(p_flow text, p_columns integer default 1) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (select max(a.attnum) + p_columns > 1500 and count(*) filter (where a.attisdropped) > 50
      from pg_attribute a where a.attrelid = format('%I.wed_flow', p_flow)::regclass and a.attnum > 0) then
    perform wedsql._rebuild_table(p_flow);
  end if;
end $$;

-- Returns the objects of the site that depend on the table and would be dropped with it, as text; null where
-- there are none. The table's own parts, and the kernel's functions over its rows, are created again with it.
create or replace function wedsql._site_dependents(p_table regclass) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(distinct case when d.classid = 'pg_rewrite'::regclass
    then (select r.ev_class::regclass::text from pg_rewrite r where r.oid = d.objid)
    else pg_describe_object(d.classid, d.objid, d.objsubid) end, ', ')
from pg_depend d join pg_class t on t.oid = p_table
where (d.refclassid, d.refobjid) in (('pg_class'::regclass, t.oid), ('pg_type'::regclass, t.reltype),
    ('pg_type'::regclass, (select y.typarray from pg_type y where y.oid = t.reltype)))
  and d.classid not in ('pg_type'::regclass, 'pg_attrdef'::regclass, 'pg_statistic_ext'::regclass)
  and not exists (select 1 from pg_constraint c
                  where d.classid = 'pg_constraint'::regclass and c.oid = d.objid
                  and c.conrelid = t.oid)
  and not exists (select 1 from pg_index i where d.classid = 'pg_class'::regclass and i.indexrelid = d.objid
                  and i.indrelid = t.oid)
  and not exists (select 1 from pg_trigger g where d.classid = 'pg_trigger'::regclass and g.oid = d.objid
                  and g.tgrelid = t.oid)
  and not exists (select 1 from pg_class o
                  where d.classid = 'pg_class'::regclass and o.oid = d.objid and o.oid = t.reltoastrelid)
  and not exists (select 1 from pg_proc p where d.classid = 'pg_proc'::regclass and p.oid = d.objid
                  and p.proowner in ('wed_owner'::regrole, 'wed_eval'::regrole))
$$;

-- Returns the statements that give a new table, by its name, what the old one has besides columns, defaults
-- and checks: keys, indexes, statistics, triggers and how they are enabled, settings of columns, comments,
-- rights, in that order.
create or replace function wedsql._table_parts(p_table regclass, p_name text) returns setof text
language sql stable set search_path = pg_catalog, pg_temp as $$
with own as (
  select 1 as n, 'constraint' as kind, c.conname as name, c.oid, 'pg_constraint'::regclass as class,
         format('alter table %s add constraint %I %s', p_name, c.conname, pg_get_constraintdef(c.oid)) as made
  from pg_constraint c where c.conrelid = p_table and c.contype in ('p', 'u', 'x', 'f')
  union all
  select 2, 'index', x.relname, x.oid, 'pg_class', pg_get_indexdef(x.oid)
  from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = p_table and not exists (
    select 1 from pg_constraint c
    where c.conrelid = p_table and c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  union all
  select 3, 'statistics', s.stxname, s.oid, 'pg_statistic_ext', pg_get_statisticsobjdef(s.oid)
  from pg_statistic_ext s where s.stxrelid = p_table
  union all
  select 4, 'trigger', t.tgname, t.oid, 'pg_trigger', pg_get_triggerdef(t.oid)
  from pg_trigger t where t.tgrelid = p_table and not t.tgisinternal),
columns as (
  select a.* from pg_attribute a where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped),
rights as (
  select 0 as n, '' as col, x.* from pg_class c cross join lateral aclexplode(c.relacl) x
  where c.oid = p_table and x.grantee <> c.relowner
  union all
  select a.attnum, format(' (%I)', a.attname), x.* from columns a cross join lateral aclexplode(a.attacl) x)
select w.statement from (
  select o.n, o.name::text as name, o.made as statement from own o
  union all
  select 5, t.tgname, format('alter table %s %s trigger %I', p_name,
    case t.tgenabled when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end,
    t.tgname)
  from pg_trigger t where t.tgrelid = p_table and not t.tgisinternal and t.tgenabled <> 'O'
  union all
  select 5, a.attname,
         format('alter table %s alter column %I set statistics %s', p_name, a.attname, a.attstattarget)
  from columns a where a.attstattarget >= 0
  union all
  select 5, a.attname,
         format('alter table %s alter column %I set (%s)', p_name, a.attname,
                array_to_string(a.attoptions, ', '))
  from columns a where a.attoptions is not null
  union all
  select 6, '', format('comment on table %s is %L', p_name, obj_description(p_table, 'pg_class'))
  where obj_description(p_table, 'pg_class') is not null
  union all
  select 6, o.name, format('comment on %s %s is %L', o.kind, case
      when o.kind in ('constraint', 'trigger') then format('%I on %s', o.name, p_name)
      else format('%I.%I',
                  (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                   where c.oid = p_table),
                  o.name) end, d.description)
  from own o join pg_description d on d.classoid = o.class and d.objoid = o.oid and d.objsubid = 0
  union all
  select 7, r.n::text, format('grant %s%s on %s to %s%s', r.privilege_type, r.col, p_name,
    case r.grantee when 0 then 'public' else r.grantee::regrole::text end,
    case when r.is_grantable then ' with grant option' else '' end)
  from rights r) w
order by w.n, w.name
$$;

-- Replaces wed_flow by a table with the same rows, columns, defaults, checks, indexes, triggers, comments,
-- settings and rights, and no removed columns; p_added are columns that it gets besides. Functions generated
-- for its row type are dropped with the old table; they are generated again after the change of the
-- attributes.
-- Locks: none; the caller has the table in access exclusive mode.
-- Raises: WD007 naming the objects of the site over the table: views, foreign keys and others, which would be
-- dropped with it.
create or replace function wedsql._rebuild_table(p_flow text, p_added text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning as $$
declare
  v_old regclass := format('%I.wed_flow', p_flow)::regclass;
  v_columns text := (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                     where a.attrelid = v_old and a.attnum > 0 and not a.attisdropped);
  v_settings text :=
    (select coalesce(array_to_string(c.reloptions, ', '), 'fillfactor = 80') from pg_class c
     where c.oid = v_old);
  v_parts text[] := array(select p from wedsql._table_parts(v_old, format('%I.wed_flow', p_flow)) p);
  v_others text := wedsql._site_dependents(v_old);
  v_one text;
begin
  if v_others is not null then
    perform wedsql._raise('WD007',
      'The table of flow "{flow}" has no room for another column and cannot be rebuilt because of {objects}.',
      'Drop these objects, add the attribute, and create them again.',
      jsonb_build_object('flow', p_flow, 'objects', v_others));
  end if;
  execute format('create table %1$I.wed_flow_new (like %1$I.wed_flow including defaults including '
                 'constraints '
                 'including storage including compression including comments%3$s) with (%2$s)', p_flow,
                 v_settings, p_added);
  execute format('insert into %1$I.wed_flow_new (%2$s) select %2$s from %1$I.wed_flow', p_flow, v_columns);
  execute format('drop table %I.wed_flow cascade', p_flow);
  execute format('alter table %I.wed_flow_new rename to wed_flow', p_flow);
  foreach v_one in array v_parts loop
    execute v_one;
  end loop;
end $$;
