-- What grows: the functions whose calls need a short operand, and the maximum size of a state.

-- Returns the maximum size of a state, in bytes of its JSON text.
create or replace function wedsql.state_limit()
returns integer language sql immutable parallel safe as $$ select 1048576 $$;

-- The functions whose time grows faster than linearly with their operands, by regular expression over the
-- name. product: with the product of the two longest; square: with the square of the longest; numeric: with
-- the product of the digits.
create or replace view wedsql.costly_function(pattern, kind) as values
  ('^(array(overlap|contains|contained)|jsonb_(contains|contained|exists_any|exists_all|delete))$',
   'product'),
  ('^([blr]trim|byteatrim|translate|position|strpos|replace|split_part|string_to_array)$', 'product'),
  ('^((text|bpchar|name|bytea)(ic)?n?like|(not)?like)$', 'product'),
  ('^(poly_|path_(inter|distance))', 'product'),
  ('^(is_)?normaliz(e|ed)$', 'square'),
  ('^numeric_(mul|div|div_trunc|mod|power|sqrt|exp|ln|log)$|^(div|mod|power|pow|sqrt|exp|ln|log|log10)$',
   'numeric');

-- Returns the words by which a condition calls a function: its name, its operators, and the keywords for
-- them.
create or replace function wedsql.words_of(p_function oid)
returns text[] language sql stable set search_path = pg_catalog, pg_temp as $$
  select array(
    select p.proname::text from pg_proc p where p.oid = p_function
    union select o.oprname::text from pg_operator o where o.oprcode = p_function
    union select k.word
    from (values ('like', '^!?~~$'), ('ilike', '^!?~~[*]$'), ('trim', '^[blr]trim$'),
          ('position', '^position$')) as k(word, name)
    where exists (select 1 from pg_operator o where o.oprcode = p_function and o.oprname ~ k.name)
       or exists (select 1 from pg_proc p where p.oid = p_function and p.proname ~ k.name))
$$;
