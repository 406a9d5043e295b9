-- What an editor offers while a condition is typed.

-- Returns the functions that a condition may call: how each is written, and what it returns. One name may
-- have several rows.
create or replace function wedsql.condition_functions()
  returns table (name text, arguments text, returns text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select distinct v.word, pg_get_function_arguments(p.oid), format_type(p.prorettype, null)
from wedsql.vocabulary v join wedsql.pure_function f on f.name = v.word join pg_proc p on p.oid = f.oid
where v.func = 'ok'
union
select s.word, s.arguments, s.returns
from (values ('coalesce', 'value, value ...', 'the type of the values'), ('greatest', 'value, value ...',
  'the type of the values'),
  ('least', 'value, value ...', 'the type of the values'), ('nullif', 'value, value',
    'the type of the value'),
  ('extract', 'field from time', 'numeric'), ('position', 'text in text', 'integer'),
  ('trim', 'both text from text', 'text')) s (word, arguments, returns)
order by 1, 2
$$;

-- Returns the words of SQL, and the operators, that a condition may contain.
create or replace function wedsql.condition_words() returns table (word text, kind text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select v.word, case when v.type is not null then 'type' else 'operator' end
from wedsql.vocabulary v where v.type is not null or v.infix
union
select w, 'keyword' from unnest(array['and', 'or', 'not', 'is', 'null', 'true', 'false', 'unknown', 'in',
  'between',
  'symmetric', 'like', 'ilike', 'similar', 'to', 'escape', 'case', 'when', 'then', 'else', 'end', 'distinct',
    'from',
  'isnull', 'notnull', 'any', 'all', 'array', 'cast', 'as', 'at', 'time', 'zone']) w
order by 2, 1
$$;
