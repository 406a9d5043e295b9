-- Fills the vocabulary from the catalog of this server.

-- Returns the reason for which a function of the catalog that is not pure is rejected.
create or replace function wedsql.function_refusal(
  p_name text, p_kind "char", p_volatile "char", p_set boolean)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when p_name in ('now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'timeofday',
                    'pg_postmaster_start_time', 'pg_conf_load_time', 'age') then 'clock'
    when p_name ~ '^(current_|session_user|system_user|inet_(client|server)|pg_backend_pid|has_|row_security'
                   '|txid_)'
      then 'session'
    when p_kind = 'a' then 'aggregate'
    when p_kind = 'w' then 'window'
    when p_set then 'set_returning'
    when p_volatile = 'v' then 'volatile'
    when p_volatile = 's' then 'stable'
    else 'internal'
  end
$$;

-- What to write instead of functions that are often tried first.
create or replace view wedsql.function_hint(name, hint) as values
  ('to_char', 'The function to_char depends on the language of the session; use extract(year from '
              'attribute), or a cast such as attribute::text.'),
  ('to_date', 'Keep dates in a date attribute, or write attribute::date for a text like 2026-01-31.'),
  ('to_number', 'Write attribute::numeric.'),
  ('to_timestamp',
   'The function to_timestamp takes one number of seconds here; for texts write attribute::timestamptz.'),
  ('concat', 'Join texts with ||, and coalesce(attribute, '''') where one may be null.'),
  ('concat_ws', 'Join texts with ||, and coalesce(attribute, '''') where one may be null.'),
  ('format', 'Join texts with ||.'),
  ('array_to_string', 'Compare the array itself, for example array[''a'', ''b''] = attribute.'),
  ('to_json', 'Write attribute::jsonb.'),
  ('to_jsonb', 'Write attribute::jsonb.'),
  ('jsonb_build_object', 'Write the document as a text: ''{"a": 1}''::jsonb.'),
  ('jsonb_build_array', 'Write the document as a text: ''[1, 2]''::jsonb.'),
  ('age', 'The function age takes two points in time here; to wait for a moment use a timer or a timeout of '
          'the trigger.'),
  ('lpad', 'Give the length as a plain number of at most 1000.'),
  ('unnest', 'Use value = any (array), or cardinality(array).'),
  ('count', 'Use cardinality(array) or jsonb_array_length(document) to count the parts of one value.'),
  ('random', 'Let the transition draw the number and store it in an attribute.');

-- One row per function name: ok when some form of it is pure, else the reason for which it is rejected.
create or replace view wedsql.function_vocabulary as
with pure as (
  select name, min(min_args) as min_args,
         case when bool_and(max_args is not null) then max(max_args) end as max_args,
         bool_or(temporal) as temporal
  from wedsql.pure_function group by name),
known as (
  select p.proname::text as name,
         -- of several forms the strongest reason: volatile before stable before internal
         max(wedsql.function_refusal(p.proname, p.prokind, p.provolatile, p.proretset)) as reason
  from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.oid < 16384 group by 1)
select k.name,
       coalesce(x.reason, case when p.name is null then k.reason else 'ok' end) as func,
       p.min_args, p.max_args, coalesce(p.temporal, false) as temporal, coalesce(x.hint, h.hint) as hint,
       case when k.name ~ '^regexp_' then 2 end as pattern_arg,
       case k.name when 'regexp_replace' then '{4,6}' when 'regexp_count' then '{4}'
         when 'regexp_instr' then '{6}'
                   when 'regexp_substr' then '{5}' else case
                     when k.name ~ '^regexp_' then '{3}' end end::integer[] as flag_args,
       case k.name when 'repeat' then 100 when 'lpad' then 1000 when 'rpad' then 1000 end as max_count,
       k.name in ('repeat', 'lpad', 'rpad', 'replace', 'regexp_replace', 'quote_literal', 'quote_nullable',
                  'quote_ident', 'encode', 'array_replace', 'normalize', 'convert', 'convert_from',
                  'convert_to') as grows
from known k
left join pure p using (name)
left join wedsql.function_hint h on h.name = k.name
left join lateral (select e.reason, e.hint from wedsql.excluded_function e where k.name ~ e.pattern
                   limit 1) as x on true;

-- Fills the vocabulary with what this server's catalog offers. Can be repeated.
-- Locks: rows of wedsql.vocabulary.
create or replace function wedsql.fill_vocabulary()
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.vocabulary;
  insert into wedsql.vocabulary (word, func, min_args, max_args, pattern_arg, flag_args, max_count, grows,
                                 temporal, hint)
  select name, func, min_args, max_args, pattern_arg, flag_args, max_count, grows, temporal, hint
  from wedsql.function_vocabulary where name ~ '^[a-z_][a-z0-9_]*$';
  insert into wedsql.vocabulary (word, keyword)
  select word, catcode from pg_get_keywords()
  on conflict (word) do update set keyword = excluded.keyword;
  -- PostgreSQL's grammar does not read a name of category C followed by a parenthesis as a call.
  update wedsql.vocabulary set func = 'reserved', hint = 'Write (value)::{token}.'
  where keyword = 'C' and func is not null
    and word not in ('substring', 'overlay', 'normalize', 'json_object');
  insert into wedsql.vocabulary (word, func, min_args, max_args)
  values ('coalesce', 'ok', 1, null), ('greatest', 'ok', 1, null), ('least', 'ok', 1, null),
    ('nullif', 'ok', 2, 2)
  on conflict (word) do update set func = 'ok', min_args = excluded.min_args, max_args = excluded.max_args,
  hint = null;
  insert into wedsql.vocabulary (word, func)
  values ('extract', 'ok'), ('position', 'ok'), ('trim', 'ok')
  on conflict (word) do update set func = 'ok', hint = null, min_args = null, max_args = null;
  update wedsql.vocabulary set temporal = true where word = 'extract';
  insert into wedsql.vocabulary (word, type, temporal)
  select t.word, t.modifier, t.modifier in ('seconds', 'moment')
  from (values ('text', 'none'), ('integer', 'none'), ('int', 'none'), ('int2', 'none'), ('int4', 'none'),
    ('int8', 'none'), ('bigint', 'none'), ('smallint', 'none'), ('real', 'none'), ('float4', 'none'),
    ('float8', 'none'), ('double', 'double'), ('boolean', 'none'), ('bool', 'none'), ('json', 'none'),
    ('jsonb', 'none'), ('uuid', 'none'), ('date', 'moment'), ('varchar', 'length'), ('char', 'length'),
    ('character', 'character'), ('numeric', 'digits'), ('decimal', 'digits'), ('time', 'seconds'),
    ('timestamp', 'seconds'), ('timestamptz', 'seconds'), ('interval', 'seconds')) as t(word, modifier)
  on conflict (word) do update set type = excluded.type, temporal = wedsql.vocabulary.temporal
    or excluded.temporal;
  insert into wedsql.vocabulary (word, infix, prefix)
  select o.oprname, bool_or(o.oprkind = 'b'), bool_or(o.oprkind = 'l')
  from pg_operator o join wedsql.pure_function p on p.oid = o.oprcode
  where o.oprnamespace = 'pg_catalog'::regnamespace and o.oid < 16384
  group by o.oprname
  on conflict (word) do nothing;
  insert into wedsql.vocabulary (word, infix) values ('!=', true)
  on conflict (word) do update set infix = true;
  insert into wedsql.vocabulary (word, refusal)
  select w, r.reason
  from (values
    ('subquery', 'select exists with from values table'),
    ('statement',
     'insert update delete merge drop create alter grant revoke copy do call begin commit rollback truncate '
     'union'
      ' intersect except where group having order limit offset fetch into returning window using set reset '
      'listen notify'),
    ('clock', 'current_date current_time current_timestamp localtime localtimestamp'),
    ('session', 'current_user session_user user current_role current_catalog current_schema system_user'),
    ('collate', 'collate collation'), ('row', 'row')) as r(reason, words),
    regexp_split_to_table(r.words, ' ') as w
  on conflict (word) do update set refusal = excluded.refusal;
  -- A comparison with the members of a computed array reads its other operand once per member.
  update wedsql.vocabulary v set costly = true
  where v.word in ('any', 'some', 'all') or v.word in (
    select unnest(wedsql.words_of(p.oid))
    from pg_proc p join wedsql.costly_function c on p.proname ~ c.pattern and c.kind <> 'numeric'
    where p.pronamespace = 'pg_catalog'::regnamespace);
end
$$;

select wedsql.fill_vocabulary();
revoke all on wedsql.vocabulary, wedsql.refusal from public;
grant select on wedsql.vocabulary, wedsql.refusal to public;
