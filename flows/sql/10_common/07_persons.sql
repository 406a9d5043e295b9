-- Persons, of whom the kernel knows the names only.

-- Returns the name of a person, by which persons are compared: without case, and without what is not seen,
-- the spaces, control and format characters of Unicode.
create or replace function wedsql._compared_name(p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select lower(regexp_replace(p_name,
  E'[\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2'
  || E'\\u1680\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufe00-\\ufe0f\\ufeff'
  || E'\\ufff9-\\ufffb\\U000110bd\\U000110cd\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3'
  || E'\\U0001d173-\\U0001d17a\\U000e0001-\\U000e01ef]', '', 'g'))
$$;
