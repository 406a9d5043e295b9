-- Limits of the fields of a form: the least and the greatest value of a number or date, the shortest and the
-- longest text, and a pattern of which the text must have a part.

-- Returns the options that limit a value, in the order in which they are checked.
create or replace function wedsql._limit_options() returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array['min', 'max', 'min_length', 'max_length', 'pattern']
$$;

-- Returns whether an option limits values of a type.
create or replace function wedsql._limits_type(p_option text, p_type text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_option in ('min', 'max') then p_type in ('integer', 'numeric', 'date')
            else p_type = 'text' end
$$;

-- Returns whether a limit is a day; another text is a number, as some formats of files write it.
create or replace function wedsql._is_day(p_limit jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_typeof(p_limit) = 'string' and (p_limit #>> '{}') ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
$$;

-- Returns whether a limit has a value of its form, whatever the type of the attribute.
create or replace function wedsql._fits_limit(p_option text, p_value jsonb) returns boolean
language plpgsql immutable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' as $$
declare
  v_text text := p_value #>> '{}';
begin
  return case
    when p_option in ('min', 'max') then case jsonb_typeof(p_value)
      when 'number' then length(v_text) <= 100
      when 'string' then case when wedsql._is_day(p_value) then v_text::date is not null
                              else v_text ~ '^-?[0-9]{1,50}([.][0-9]{1,49})?$' end
      else false end
    when p_option = 'pattern' then jsonb_typeof(p_value) = 'string' and v_text <> ''
      and wedsql.pattern_problem(v_text) is null and ('' ~ v_text) is not null
    else jsonb_typeof(p_value) = 'number' and v_text ~ '^(0|[1-9][0-9]{0,6})$'
      and (p_option = 'min_length' or v_text <> '0') end;
exception when data_exception or program_limit_exceeded then
  return false;  -- a day that there is not, or a pattern that is none
end $$;

-- Checks that the limits of a field are for its type, and leave a value.
-- Raises: WD009.
create or replace function wedsql._check_limits(p_name text, p_field jsonb, p_type text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_option text;
  v_low jsonb := coalesce(p_field -> 'min', p_field -> 'min_length');
  v_high jsonb := coalesce(p_field -> 'max', p_field -> 'max_length');
begin
  select o into v_option from unnest(wedsql._limit_options()) o
  where p_field ? o and not coalesce(wedsql._limits_type(o, p_type), false) limit 1;
  if found then
    perform wedsql._refuse_form('WD009', 'The field of "{attribute}" has {option}, which does not limit the '
      'type {type}.', p_name, v_option, 'min and max limit integers, numerics and dates; min_length, '
      'max_length and pattern limit texts.', jsonb_build_object('type', p_type));
  end if;
  select o into v_option from unnest(array['min', 'max']) o
  where p_field ? o and wedsql._is_day(p_field -> o) is distinct from (p_type = 'date') limit 1;
  if found then
    perform wedsql._refuse_form('WD009',
      '"{value}" is not a value of {option} in the field of "{attribute}".', p_name, v_option,
      p_facts => jsonb_build_object('value', left(p_field ->> v_option, 80)));
  elsif v_low is not null and v_high is not null and wedsql._is_below(v_high, v_low, p_type = 'date') then
    perform wedsql._refuse_form('WD009', 'The field of "{attribute}" takes no value: the least one, {low}, '
      'is greater than the greatest one, {high}.', p_name,
      case when p_field ? 'min' then 'min' else 'min_length' end,
      p_facts => jsonb_build_object('low', v_low #>> '{}', 'high', v_high #>> '{}'));
  end if;
end $$;

-- Returns whether a number or day is less than another one; NaN is less than each number, and greater.
create or replace function wedsql._is_below(p_value jsonb, p_other jsonb, p_day boolean) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' as $$
select case when p_day then (p_value #>> '{}')::date < (p_other #>> '{}')::date
            else '"NaN"' in (p_value, p_other)
              or (p_value #>> '{}')::numeric < (p_other #>> '{}')::numeric end
$$;

-- Returns which limit of a field a value does not keep; null where it keeps all.
create or replace function wedsql._broken_limit(p_field jsonb, p_value jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' as $$
select o.name
from unnest(wedsql._limit_options()) with ordinality o (name, place)
where p_field ? o.name and case o.name
  when 'min' then wedsql._is_below(p_value, p_field -> 'min', wedsql._is_day(p_field -> 'min'))
  when 'max' then wedsql._is_below(p_field -> 'max', p_value, wedsql._is_day(p_field -> 'max'))
  when 'min_length' then length(p_value #>> '{}') < (p_field ->> 'min_length')::integer
  when 'max_length' then length(p_value #>> '{}') > (p_field ->> 'max_length')::integer
  else (p_value #>> '{}') !~ (p_field ->> 'pattern') end
order by o.place limit 1
$$;
