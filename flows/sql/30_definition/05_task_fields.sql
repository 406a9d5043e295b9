-- The fields of a form: what each of their options may be, and which kind shows which type.

-- Checks one field of a form; p_writes: the task may change its attribute.
-- Raises: WD002, WD009.
create or replace function wedsql._check_form_field(p_name text, p_field jsonb, p_types jsonb,
  p_writes boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_option text;
  v_kind text := p_field ->> 'kind';
  v_type text := p_types ->> p_name;
begin
  if v_type is null then
    perform wedsql._refuse_form('WD002', 'The form has "{attribute}", which is not an attribute of the flow.',
      p_name, 'attribute', null);
  end if;
  select k into v_option from jsonb_each(p_field) e (k, v) where not wedsql._fits_form(k, v) limit 1;
  if found then
    perform wedsql._refuse_form('WD009',
      '"{value}" is not a value of {option} in the field of "{attribute}".', p_name, v_option,
      p_facts => jsonb_build_object('value', left(p_field ->> v_option, 80)));
  elsif not p_writes and coalesce(p_field -> 'required', 'false') <> 'false' then
    perform wedsql._refuse_form('WD009', 'The form cannot require "{attribute}", which it may not write.',
      p_name, 'required', 'Add it to what the transition may write, take it out of the outcomes, or leave '
      'out required.');
  elsif not wedsql._form_shows(v_kind, v_type) then
    perform wedsql._refuse_form('WD009', 'A field of kind {kind} cannot show "{attribute}", which is of type '
      '{type}.', p_name, 'kind', p_facts => jsonb_build_object('kind', v_kind, 'type', v_type));
  elsif v_kind in ('choice', 'choices') and v_type <> 'enum' and not p_field ? 'options'
        or v_kind = 'table' and not p_field ? 'columns' or v_kind = 'query' and not p_field ? 'query' then
    perform wedsql._refuse_form('WD009', 'The field of "{attribute}", of kind {kind}, has nothing to choose '
      'or to fill in.', p_name, 'kind', 'Give it a list: options to choose from, or the columns of a table; '
      'or a query.', jsonb_build_object('kind', v_kind));
  end if;
  perform wedsql._check_limits(p_name, p_field, v_type);
  select o into v_option from unnest(array['accept', 'max_kb', 'capture', 'columns', 'query']) o
  where p_field ? o and v_kind is distinct from wedsql._kind_of_option(o) limit 1;
  if found then
    perform wedsql._refuse_form('WD009', 'The field of "{attribute}" has {option}, which is for the kind '
      '{kind}.', p_name, v_option, p_facts => jsonb_build_object('kind', wedsql._kind_of_option(v_option)));
  end if;
end $$;

-- Returns the kind of field that an option belongs to; null for one of all kinds.
create or replace function wedsql._kind_of_option(p_option text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_option in ('accept', 'max_kb', 'capture') then 'file'
            when p_option = 'columns' then 'table' when p_option = 'query' then 'query' end
$$;

-- Returns whether a field of a kind can show an attribute of a type.
create or replace function wedsql._form_shows(p_kind text, p_type text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_kind is null then true
            when p_kind in ('choices', 'table', 'file') then p_type = 'jsonb'
            when p_kind in ('short', 'long', 'person') then p_type = 'text'
            when p_kind = 'choice' then p_type in ('text', 'enum', 'integer', 'numeric')
            when p_kind = 'query' then p_type in ('text', 'integer', 'numeric', 'date') else false end
$$;

-- Returns whether an option of a field has a value of its form.
create or replace function wedsql._fits_form(p_option text, p_value jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_option in ('attribute', 'label', 'help', 'placeholder', 'default', 'unit')
    then jsonb_typeof(p_value) = 'string' and length(p_value #>> '{}') <= 2000
  when p_option = 'width' then p_value #>> '{}' in ('full', 'half', 'third')
  when p_option = 'kind' then p_value #>> '{}' in ('short', 'long', 'choice', 'choices', 'person', 'table',
                                                   'file', 'query')
  when p_option in ('shown', 'required', 'readonly') then jsonb_typeof(p_value) in ('boolean', 'string')
  when p_option = 'options' then jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value)
      between 1 and 500 and not jsonb_path_exists(p_value, 'strict $[*] ? (@.type() <> "string" || @ == "")')
  when p_option = 'columns' then wedsql._fits_columns(p_value)
  when p_option = 'accept' then jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value)
      between 1 and 20 and not exists (select from jsonb_array_elements(p_value) a
        where not wedsql._is_file_type(case when jsonb_typeof(a) = 'string' then a #>> '{}' end))
  when p_option = 'max_kb' then case when p_value::text ~ '^[1-9][0-9]{0,4}$'
                                     then p_value::text::integer <= 16384 else false end
  when p_option = 'capture' then p_value #>> '{}' in ('user', 'environment')
  when p_option = 'query' then jsonb_typeof(p_value) = 'object'
  when p_option in ('min', 'max', 'min_length', 'max_length', 'pattern')
    then wedsql._fits_limit(p_option, p_value)
  else false end
$$;

-- Returns whether these are the columns of a table: each with a name of its own, and perhaps a label, a type,
-- options to choose from, and whether each row needs a value.
create or replace function wedsql._fits_columns(p_columns jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_typeof(p_columns) = 'array' and jsonb_array_length(p_columns) between 1 and 20
  and not jsonb_path_exists(p_columns, 'strict $[*] ? (@.type() <> "object")')
  and (select count(distinct c ->> 'name') = count(*) and bool_and(coalesce(c ->> 'name', '')
                                                                  ~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$')
         and bool_and(coalesce(c ->> 'type', 'text')
                      in ('text', 'integer', 'numeric', 'boolean', 'date', 'choice'))
         and bool_and((coalesce(c ->> 'type', '') = 'choice') = (c ? 'options'))
       from jsonb_path_query(p_columns, '$[*]') c)
  and not exists (select from jsonb_path_query(p_columns, '$[*]') c cross join lateral jsonb_each(c) e
                  where case e.key when 'options' then not wedsql._fits_form('options', e.value)
                                   when 'required' then jsonb_typeof(e.value) <> 'boolean'
                                   when 'name' then false when 'type' then false
                                   when 'label' then jsonb_typeof(e.value) <> 'string' else true end)
$$;

-- Returns whether a text is a type of files that the kernel recognizes by what is in them, or a group of such
-- types as in image/*.
create or replace function wedsql._is_file_type(p_type text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(bool_or(p_type in (t, split_part(t, '/', 1) || '/*')), false)
from unnest(wedsql._file_types()) t
$$;

-- Returns the types of files that _file_type finds.
create or replace function wedsql._file_types() returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/heic', 'video/mp4',
  'application/pdf', 'application/zip', 'application/msword', 'application/octet-stream', 'text/plain',
  'text/csv', 'application/json', 'application/xml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.spreadsheet']
$$;
