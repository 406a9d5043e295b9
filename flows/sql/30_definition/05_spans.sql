-- Limits of the intervals in definitions: checked where they are defined, and applied again where they are
-- used.

-- Returns the longest interval that is used; added to any moment of these centuries it gives a valid moment.
create or replace function wedsql._longest() returns interval
language sql immutable set search_path = pg_catalog, pg_temp as $$
select interval '1000 years'
$$;

-- Checks that an interval of a definition lies between p_from and a thousand years, so that no sum with it
-- fails.
-- Raises: WD009 naming it.
create or replace function wedsql._check_span(p_what text, p_value interval, p_from interval) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_value < p_from or p_value > wedsql._longest() then
    perform wedsql._raise('WD009', case
        when p_from > '0' then '{column} is {value}; it must be longer than 0 and at most 1000 years.'
        when p_from = '0' then '{column} is {value}; it must be at most 1000 years and not negative.'
        else '{column} is {value}; it must be within 1000 years.' end,
      'Leave it empty for none.', jsonb_build_object('column', p_what, 'value', left(p_value::text, 80)));
  end if;
end $$;

-- Checks the intervals of a row in the same way; the checks of its table limit how short each may be.
-- Raises: WD009.
create or replace function wedsql._check_spans(p_table text, p_row anyelement) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_row jsonb := to_jsonb(p_row);
begin
  perform wedsql._check_span(a.attname, (v_row ->> a.attname)::interval, - wedsql._longest())
  from pg_attribute a
  where a.attrelid = to_regclass('wedsql.' || p_table) and a.attnum > 0 and a.atttypid = 'interval'::regtype;
end $$;
