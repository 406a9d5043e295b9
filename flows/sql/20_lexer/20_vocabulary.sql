-- What the lexer may use of this server's catalog. The table wedsql.vocabulary has every known word and
-- operator.

-- The types whose values need nothing but themselves: no catalog look-up, no settings, and no pseudo-type
-- except the polymorphic ones.
create or replace view wedsql.plain_type as
select t.oid from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
where case when t.typtype = 'p' then t.typname ~ '^any.' and t.typname <> 'any'
  else coalesce(e.typname,
                t.typname) !~ ('^(reg|pg_)|^(oid|oidvector|xid|xid8|cid|tid|aclitem|refcursor|txid_snapshot'
    || '|xml|money|gtsvector|int2vector)$') and t.oid < 16384
      and t.typname !~ '^_?(reg|pg_)|vector$|^_?record$' end;

-- The functions of pg_catalog whose result depends only on their arguments and which take plain types.
create or replace view wedsql.pure_function as
select p.oid, p.proname::text as name, p.pronargs - p.pronargdefaults as min_args,
       case when p.provariadic = 0 then p.pronargs end as max_args,
       exists (select 1 from unnest(p.proargtypes::oid[] || p.prorettype) as a(type)
               where a.type in ('date'::regtype, 'time'::regtype, 'timetz'::regtype, 'timestamp'::regtype,
                                'timestamptz'::regtype, 'tsrange'::regtype, 'tstzrange'::regtype,
                                'daterange'::regtype,
                                'tsmultirange'::regtype, 'tstzmultirange'::regtype,
                                'datemultirange'::regtype)) as temporal
from pg_proc p
where p.pronamespace = 'pg_catalog'::regnamespace and p.oid < 16384 and p.prokind = 'f'
  and p.provolatile = 'i'
  and not p.proretset
  and (p.proname in ('num_nulls', 'num_nonnulls') or not exists (
    select 1 from unnest(p.proargtypes::oid[] || p.prorettype) as a(type)
    where not exists (select 1 from wedsql.plain_type k where k.oid = a.type)));

-- Functions that are excluded although the catalog calls them immutable, by regular expression over the name.
create or replace view wedsql.excluded_function(pattern, reason, hint) as values
  -- One call makes a value of any size from a number.
  ('^(array_fill|polygon|bit|varbit|bpchar|varchar)$', 'unbounded', null),
  -- One call on large numerics takes half a minute [measured: gcd of two 131,000-digit numbers 37 s].
  ('^(factorial|numeric_fac|gcd|lcm)$', 'unbounded', null),
  -- Indents deep documents quadratically.
  ('^jsonb_pretty$', 'unbounded', 'Compare the jsonb value itself.'),
  -- Runs a query given as text.
  ('^ts_rewrite$', 'volatile', null),
  -- A library outside of PostgreSQL parses XML.
  ('^(xml|xpath)', 'unbounded', 'Store documents as jsonb.'),
  -- The functions behind the regular expression operators take computed patterns.
  ('regex(eq|ne)$', 'pattern_not_literal', 'Use the operator ~ with a fixed pattern.'),
  ('^(similar_escape|similar_to_escape|like_escape)$', 'internal', 'Use SIMILAR TO or LIKE with ESCAPE.'),
  ('^jsonb_path_(exists|match)_opr$', 'internal', 'Use @? or @@.'),
  -- Parts of aggregates, index support, wire format.
  ('(_accum|_accum_inv|_combine|_transfn|_statefunc|send|_send|recv|_subdiff|_canonical)$', 'internal', null),
  ('^(hash|gin_|gist_|spg_|brin_|bt.*cmp$|in_range$|int[248]_sum$|int2int4_sum$|int8_avg$|int8inc_)',
   'internal', null),
  ('_hash(_extended)?$', 'internal', null),
  ('^float8_(avg|corr|covar|regr|stddev|var)', 'internal', null);
