-- PostgreSQL gives the place of a removed column to no other one, and a table has 1,600 of them.
create or replace function wedsql._make_room_for_columns(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: the flow's table has places for new columns; where few are left and removed columns have many, it is built anew.
-- Locks: the caller has the table in access exclusive mode. Raises: WD007.
begin
  if (select max(a.attnum) > 1500 and count(*) filter (where a.attisdropped) > 50 from pg_attribute a
      where a.attrelid = format('%I.wed_flow', p_flow)::regclass and a.attnum > 0) then
    perform wedsql._rebuild_table(p_flow);
  end if;
end $$;

create or replace function wedsql._rebuild_table(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning as $$
-- Promise: wed_flow with the same rows, columns, defaults, checks, indexes, triggers and rights, and no removed
-- columns. What was generated for its row type goes with the old table; the statement that changes the attributes
-- ends with generating it anew.
-- Locks: the caller has the table in access exclusive mode.
-- Raises: WD007 naming views that somebody made over the table: they would go with it.
declare
  v_old regclass := format('%I.wed_flow', p_flow)::regclass;
  v_columns text := (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                     where a.attrelid = v_old and a.attnum > 0 and not a.attisdropped);
  v_after text[];
  v_views text;
  v_one text;
begin
  select string_agg(distinct r.ev_class::regclass::text, ', ') into v_views
  from pg_depend d join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
  where d.refobjid = v_old and r.ev_class <> v_old;
  if v_views is not null then
    perform wedsql._raise('WD007', format('The table of flow %I has no place for another column, and these views keep it '
      'from being built anew: %s.', p_flow, v_views),
      'Drop the views, add the attribute, and create them again.');
  end if;
  select array_agg(pg_get_triggerdef(t.oid) order by t.tgname) into v_after
  from pg_trigger t where t.tgrelid = v_old and not t.tgisinternal;
  v_after := v_after || array(
    select format('grant %s on %I.wed_flow to %s', x.privilege_type, p_flow,
                  case x.grantee when 0 then 'public' else x.grantee::regrole::text end)
    from pg_class c cross join lateral aclexplode(c.relacl) x where c.oid = v_old and x.grantee <> c.relowner);
  execute format('create table %1$I.wed_flow_new (like %1$I.wed_flow including defaults including constraints '
                 'including indexes) with (fillfactor = 80)', p_flow);
  execute format('insert into %1$I.wed_flow_new (%2$s) select %2$s from %1$I.wed_flow', p_flow, v_columns);
  execute format('drop table %I.wed_flow cascade', p_flow);
  execute format('alter table %I.wed_flow_new rename to wed_flow', p_flow);
  execute format('alter index %I.wed_flow_new_pkey rename to wed_flow_pkey', p_flow);
  perform wedsql._sweep_often(p_flow);
  foreach v_one in array v_after loop
    execute v_one;
  end loop;
end $$;
