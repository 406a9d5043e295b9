-- What an editor offers while a condition is typed.

-- Returns whether a function is of use in a condition: its types are those of attributes and constants, and
-- it is not what an operator, an index or an aggregate calls (starts_with is known by its name, too).
create or replace function wedsql._useful_function(p_function oid) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select not exists (
    select 1 from unnest(p.proargtypes::oid[] || p.prorettype) t
    where format_type(t, null) <> all ('{text,integer,bigint,numeric,double precision,boolean,date,interval,
      timestamp with time zone,timestamp without time zone,time without time zone,jsonb,jsonpath,text[],
      integer[],anyarray,anyelement,anycompatible,anycompatiblearray}'))
  and p.proname !~ '^(int[248]|float[48]|numeric_|d(log|sqrt|round|trunc|cbrt|exp|pow))'
  and (p.proname = 'starts_with' or p.proname like 'array_%' and p.proname !~ '_(eq|ne|lt|gt|le|ge)$'
       or not exists (select 1 from pg_operator o where o.oprcode = p.oid))
  and not exists (select 1 from pg_amproc m where m.amproc = p.oid)
  and not exists (select 1 from pg_aggregate g where p.oid in (g.aggtransfn, g.aggfinalfn, g.aggcombinefn))
from pg_proc p where p.oid = p_function
$$;

-- Returns the functions that an editor offers for a condition: how each is written, and what it returns. One
-- name may have several rows. Other functions of the vocabulary may be called, too.
create or replace function wedsql.condition_functions()
  returns table (name text, arguments text, returns text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select distinct v.word, pg_get_function_arguments(p.oid), format_type(p.prorettype, null)
from wedsql.vocabulary v join wedsql.pure_function f on f.name = v.word join pg_proc p on p.oid = f.oid
where v.func = 'ok' and wedsql._useful_function(p.oid)
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

grant execute on function wedsql.condition_functions(), wedsql.condition_words() to wed_web;
