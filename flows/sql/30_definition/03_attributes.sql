-- Checks that a row of wed_attr is a legal attribute, and completes it.
-- Locks: the flow's row.
-- Raises: WD003, WD004, WD007, WD009, WD010.
create or replace function wedsql._attr_before() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
begin
  if not wedsql._is_applying(coalesce(old.flow_id, new.flow_id)) then
    perform wedsql._begin_change(coalesce(old.flow_id, new.flow_id));
  end if;
  if tg_op = 'DELETE' then
    if exists (select 1 from wedsql.flow f where f.id = old.flow_id and not f.applying) then
      perform wedsql._raise_in_use(r.attribute, r.places)
      from wedsql._attribute_references(old.flow_id, array[old.aname]) r;
    end if;
    return old;
  end if;
  if tg_op = 'UPDATE' and new.flow_id <> old.flow_id then
    perform wedsql._raise('WD009', 'An attribute cannot move to another flow.');
  end if;
  if tg_op = 'INSERT' then
    new.aid := wedsql._next_number('aid', new.aid);
  else
    perform wedsql._keep_number('aid', old.aid, new.aid);
  end if;
  new.type := coalesce(nullif(new.type, ''), 'text');
  perform wedsql._check_attribute(new);
  if exists (select 1 from wedsql.attr a
             where a.flow_id = new.flow_id and a.aname = new.aname and a.aid <> new.aid) then
    perform wedsql._raise('WD004', 'The flow has an attribute "{attribute}" already.',
      'Attribute names are unique in a flow.', jsonb_build_object('attribute', new.aname));
  end if;
  return new;
end $$;

-- Raises that an attribute cannot be removed.
-- Raises: WD007.
create or replace function wedsql._raise_in_use(p_name text, p_places text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD007', 'Attribute "{attribute}" is still used by {places}.',
    'Change or delete those triggers first; the same transaction can do both.',
    jsonb_build_object('attribute', p_name, 'places', p_places));
end $$;

-- Checks the name, the type, the options, the default and the uses of an attribute.
-- Raises: WD003, WD004, WD009.
create or replace function wedsql._check_attribute(p_attr wedsql.attr) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql.check_name(p_attr.aname, 'attribute');
  -- Before any other use: the type becomes part of statements, and the table's check runs after the trigger.
  perform wedsql._check_values('attr', p_attr, jsonb_build_object('attribute', p_attr.aname));
  perform wedsql._check_default(p_attr.aname, p_attr.type, p_attr.options, p_attr.adv);
  perform wedsql._check_key(p_attr.aname, p_attr.type, p_attr.business_key);
  perform wedsql._check_start_source(p_attr.aname, p_attr.type, p_attr.start_source);
  perform wedsql._check_option_labels(p_attr.aname, p_attr.type, p_attr.options, p_attr.option_labels);
end $$;

-- Gives an enum column the check that it has one of its options or null, and other columns none.
-- Raises: WD003 when living instances have other values.
create or replace function wedsql._attr_check(p_flow text, p_attr wedsql.attr) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := 'enum_' || p_attr.aid;
begin
  if exists (select 1 from pg_constraint c
             where c.conname = v_name and c.conrelid = to_regclass(format('%I.wed_flow', p_flow))) then
    execute format('alter table %I.wed_flow drop constraint %I', p_flow, v_name);
  end if;
  if p_attr.type = 'enum' then
    execute format('alter table %I.wed_flow add constraint %I check (%I = any (%L::text[]))', p_flow, v_name,
                   p_attr.aname, p_attr.options);
  end if;
exception when check_violation then
  perform wedsql._raise('WD003',
                        'Living instances have values of "{attribute}" that are not among its options.',
    'Keep the old options, or repair those instances first.',
    jsonb_build_object('attribute', p_attr.aname));
end $$;

-- Returns the first instance with a value that cannot become the type, where there is one: the half of the
-- instances in which it is, half of that, and so on.
create or replace function wedsql._first_unconverted(p_flow text, p_column text, p_type text)
  returns integer
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_wids integer[];
  v_half integer;
begin
  execute format('select array_agg(w.wid order by w.wid) from %I.wed_flow w where w.%I is not null', p_flow,
    p_column) into v_wids;
  while cardinality(v_wids) > 1 loop
    v_half := cardinality(v_wids) / 2;
    begin
      execute format('select count(w.%2$I::text::%3$s) from %1$I.wed_flow w where w.wid between $1 and $2',
        p_flow, p_column, wedsql.sql_type(p_type)) using v_wids[1], v_wids[v_half];
      v_wids := v_wids[v_half + 1:];
    exception when data_exception then
      v_wids := v_wids[:v_half];
    end;
  end loop;
  return v_wids[1];
end $$;

-- Returns why a column cannot get another type, null where it can; p_name is the attribute's name in the
-- definition.
create or replace function wedsql._unconverted(p_flow text, p_column text, p_name text, p_type text)
  returns wedsql.why
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_wid integer := wedsql._first_unconverted(p_flow, p_column, p_type);
  v_text text;
begin
  execute format('select (w.%2$I::text::%3$s)::text from %1$I.wed_flow w where w.wid = $1', p_flow, p_column,
    wedsql.sql_type(p_type)) into v_text using v_wid;
  return null;
exception when data_exception then
  return wedsql._why('WD003',
    'The value of "{attribute}" in instance {instance} cannot become {type}: {problem}.',
    'Repair such instances first, or add a new attribute.', jsonb_build_object('attribute', p_name,
      'instance', v_wid, 'type', p_type, 'problem', sqlerrm));
end $$;

-- Applies a changed name, type, default and options to the column; predicates, write-sets and due attributes
-- follow a renamed attribute (K-20).
-- Raises: WD003 when living values do not fit.
create or replace function wedsql._attr_alter(p_flow text, p_old wedsql.attr, p_new wedsql.attr) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_type text := wedsql.sql_type(p_new.type);
begin
  if p_new.aname <> p_old.aname then
    execute format('alter table %I.wed_flow rename column %I to %I', p_flow, p_old.aname, p_new.aname);
    perform wedsql._rename_in_triggers(p_new.flow_id, p_old.aname, p_new.aname);
  end if;
  if v_type <> wedsql.sql_type(p_old.type) then
    -- The index of a filter is created again after the commit, with the columns of the new type.
    execute format('drop index if exists %1$I.%2$I, %1$I.%3$I', p_flow, 'key_' || p_old.aid,
                   'attr_' || p_old.aid);
    begin
      execute format('alter table %I.wed_flow drop constraint if exists %I', p_flow, 'enum_' || p_old.aid);
      execute format('alter table %I.wed_flow alter column %I drop default', p_flow, p_new.aname);
      execute format('alter table %I.wed_flow alter column %I type %s using %I::text::%s', p_flow,
                     p_new.aname, v_type, p_new.aname, v_type);
    exception when data_exception then
      perform wedsql._raise(wedsql._unconverted(p_flow, p_new.aname, p_new.aname, p_new.type));
    end;
  end if;
  if p_new.type is distinct from p_old.type or p_new.options is distinct from p_old.options then
    perform wedsql._attr_check(p_flow, p_new);
    perform wedsql._recheck_triggers(p_new.flow_id, p_new.aname);
  end if;
  execute format('alter table %I.wed_flow alter column %I set default %L', p_flow, p_new.aname, p_new.adv);
  if (p_new.business_key, v_type) <> (p_old.business_key, wedsql.sql_type(p_old.type)) then
    perform wedsql._key_index(p_flow, p_new);
  end if;
end $$;
