-- What the values of a form's fields have to be, beyond their types: one of the options, rows of the columns'
-- types, a file that was sent, a row of the query, within the limits of the field.

-- Returns whether a value of a table's cell is one of its column's type. An empty cell is null or absent.
create or replace function wedsql._fits_cell(p_column jsonb, p_value jsonb) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' as $$
declare
  v_type text := coalesce(p_column ->> 'type', 'text');
  v_text text := p_value #>> '{}';
begin
  if coalesce(p_value, 'null') in ('null', '""') then
    return not coalesce((p_column ->> 'required')::boolean, false);
  end if;
  return case v_type
    when 'integer' then jsonb_typeof(p_value) = 'number' and v_text::numeric = trunc(v_text::numeric)
      and abs(v_text::numeric) <= 9223372036854775807
    when 'numeric' then jsonb_typeof(p_value) = 'number'
    when 'boolean' then jsonb_typeof(p_value) = 'boolean'
    when 'date' then jsonb_typeof(p_value) = 'string' and v_text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
      and v_text::date is not null
    when 'choice' then p_column -> 'options' ? v_text and jsonb_typeof(p_value) = 'string'
    else jsonb_typeof(p_value) in ('string', 'number', 'boolean') end;
exception when data_exception then
  return false;  -- a day that there is not
end $$;

-- Returns the cells of a table that its columns do not take, as {"row", "column"}, rows from 1; the first 50.
-- [{"row": 0}]: it is no list of rows, or has more than 500.
create or replace function wedsql._wrong_cells(p_columns jsonb, p_rows jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when jsonb_typeof(p_rows) <> 'array' or jsonb_array_length(p_rows) > 500
              or jsonb_path_exists(p_rows, 'strict $[*] ? (@.type() <> "object")') then '[{"row": 0}]'::jsonb
  else (select jsonb_agg(w.cell order by w.row, w.place) from (
    select r.n as row, c.n as place, jsonb_build_object('row', r.n, 'column', c.j ->> 'name') as cell
    from jsonb_array_elements(p_rows) with ordinality r (j, n)
    cross join lateral jsonb_array_elements(p_columns) with ordinality c (j, n)
    where not wedsql._fits_cell(c.j, r.j -> (c.j ->> 'name'))
    order by r.n, c.n limit 50) w) end
$$;

-- Returns why a field does not take a value that was changed: option, cells, file or row, or the name of a
-- limit; null where it takes it. p_state: the state with what was typed.
-- Raises: WD597.
create or replace function wedsql._value_problem(p_task wedsql.task, p_field jsonb, p_value jsonb,
  p_state jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_options jsonb := p_field -> 'options';
  v_limit text;
begin
  if coalesce(p_value, 'null') in ('null', '""') then
    return null;
  end if;
  v_limit := wedsql._broken_limit(p_field, p_value);
  if v_limit is not null then
    return v_limit;
  end if;
  return case p_field ->> 'kind'
    when 'choice' then case when v_options is not null and not v_options ? (p_value #>> '{}')
                       then 'option' end
    when 'choices' then case when jsonb_typeof(p_value) <> 'array' or exists (
        select from jsonb_array_elements(p_value) v
        where jsonb_typeof(v) <> 'string' or not v_options ? (v #>> '{}')) then 'option' end
    when 'table' then case when wedsql._wrong_cells(p_field -> 'columns', p_value) is not null
                      then 'cells' end
    when 'file' then case when not wedsql._is_sent_file(p_task, p_field ->> 'attribute', p_value)
                            or not wedsql._takes_type(p_field, p_value ->> 'type') then 'file' end
    when 'query' then case when not wedsql._is_offered(p_task, p_field, p_value, p_state)
                      then 'row' end end;
end $$;
