-- The business key of a flow: the attributes by which people identify an instance. Each has an index over the
-- beginning of its values, in small letters, so that instances are found by it without reading the table.

-- Checks that an attribute of the business key has a type whose values people type as they are shown.
-- Raises: WD009.
create or replace function wedsql._check_key(p_name text, p_type text, p_key boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_key and p_type not in ('text', 'enum', 'integer', 'numeric') then
    perform wedsql._raise('WD009',
      'Attribute "{attribute}" of type {type} cannot be part of the business key.',
      'A business key is made of texts, numbers and options.',
      jsonb_build_object('attribute', p_name, 'type', p_type));
  end if;
end $$;

-- Returns the expression of the index and of the search: the first 100 characters, because an index cannot
-- have long values.
create or replace function wedsql._key_expression(p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format('lower("left"(%I::text, 100))', p_name)
$$;

-- Gives an attribute of the business key its index, and others none.
-- Locks: none; the caller has the table in access exclusive mode.
create or replace function wedsql._key_index(p_flow text, p_attr wedsql.attr) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning as $$
declare
  v_name text := 'key_' || p_attr.aid;
begin
  execute format('drop index if exists %I.%I', p_flow, v_name);
  if p_attr.business_key then
    execute format('create index %I on %I.wed_flow (%s text_pattern_ops)', v_name, p_flow,
                   wedsql._key_expression(p_attr.aname));
  end if;
end $$;
