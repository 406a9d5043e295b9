-- Checks the meaning of conditions: by the lexer, by PostgreSQL's parser and planner, and once more by the
-- parse tree.

-- Functions that depend on no other setting than the time zone, which every function that evaluates
-- conditions sets to UTC. They are accepted although the catalog calls them stable.
create or replace view wedsql.pinned_function as
select p.oid, p.proname::text as name
from pg_proc p
where p.pronamespace = 'pg_catalog'::regnamespace and p.oid < 16384 and p.provolatile = 's'
  and not p.proretset
  and p.prokind = 'f' and (
    p.proname ~ '^(timestamptz|interval|date|timestamp)_(pl|mi|eq|ne|lt|le|gt|ge|cmp)_'
                '(interval|timestamptz|date|timestamp)$'
    or p.proname in ('date', 'time', 'timestamp', 'timestamptz', 'date_trunc', 'date_part', 'extract',
                     'date_add', 'date_subtract')
       and p.proargtypes::oid[] && array['timestamptz', 'date', 'timestamp']::regtype[]::oid[]);

-- Rejects a text for its meaning, at one of its tokens.
-- Raises: WD006; WD211 when p_set.
create or replace function wedsql.refuse_sense(
  p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean default false,
  p_reason text default 'meaning',
  p_facts jsonb default '{}')
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise(case when p_set then 'WD211' else 'WD006' end, p_message, p_hint,
                        p_facts || jsonb_build_object(
    'position', p_token.position, 'length', p_token.length, 'token', left(p_token.text, 60), 'reason',
    p_reason,
    'sqlstate', p_code));
end
$$;

-- Rejects a text for an error of PostgreSQL in p_tokens, with the types of the attributes there.
-- Raises: WD006; WD211 when p_set.
create or replace function wedsql.refuse_problem(
  p_code text, p_message text, p_tokens wedsql.token[], p_attrs jsonb, p_token wedsql.token, p_set boolean)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_types text :=
    (select string_agg(distinct t.text || ' ' || (p_attrs ->> t.text), ', ') from unnest(p_tokens) as t
                   where t.kind = 'attribute');
begin
  perform wedsql.refuse_sense('{problem}', wedsql.meaning_hint(p_code, v_types is not null), p_code, p_token,
                              p_set,
    'meaning', jsonb_strip_nulls(jsonb_build_object('problem', p_message, 'types', v_types)));
end
$$;

-- Rejects a parse tree that has other nodes and functions than those of the vocabulary. The lexer checks
-- names; which function a name means depends on the types, and PostgreSQL has resolved that here.
-- Planning its query takes ten times as long as the query: it is planned once per session.
-- Raises: WD006; WD211 when p_set.
create or replace function wedsql.check_tree(
  p_nodes text[], p_functions oid[], p_tokens wedsql.token[], p_set boolean)
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp
set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_name text; v_operator text; v_token wedsql.token;
begin
  if p_nodes = '{}' then
    return;  -- a read-only transaction, which can store nothing
  end if;
  -- One select over the row of attributes, which is the second query; anything else is not a condition.
  -- PostgreSQL 14 writes RTE for a range table entry, and other names for five more nodes.
  if cardinality(array_positions(p_nodes, 'QUERY')) <> 2
     or cardinality(array_positions(p_nodes, 'RANGETBLENTRY')) + cardinality(array_positions(p_nodes, 'RTE'))
       <> 1
     or not p_nodes <@ array['QUERY', 'RANGETBLENTRY', 'RTE', 'ALIAS', 'FROMEXPR', 'RANGETBLREF',
                             'TARGETENTRY', 'VAR', 'CONST', 'OPEXPR',
      'DISTINCTEXPR', 'NULLIFEXPR', 'SCALARARRAYOPEXPR', 'FUNCEXPR', 'BOOLEXPR', 'NULLTEST', 'BOOLEANTEST',
      'CASE', 'CASEEXPR',
      'WHEN', 'CASEWHEN', 'CASETESTEXPR', 'ARRAY', 'ARRAYEXPR', 'COALESCE', 'COALESCEEXPR', 'MINMAX',
      'MINMAXEXPR', 'RELABELTYPE',
      'COERCEVIAIO', 'ARRAYCOERCEEXPR', 'SUBSCRIPTINGREF'] then
    perform wedsql.refuse_sense('This form of expression is not available in conditions.',
                                'Write it with operators and functions.',
      '0A000', p_tokens[1], p_set, 'form');
  end if;
  select p.proname, o.oprname into v_name, v_operator
  from unnest(p_functions) as f(oid) join pg_proc p on p.oid = f.oid
  left join pg_operator o on o.oprcode = f.oid
  where (select q.oid from wedsql.pure_function as q where q.oid = f.oid) is null
    and (select q.oid from wedsql.pinned_function as q where q.oid = f.oid) is null
    and not (p_set and p.provolatile = 's')  -- a SET string is computed once, under settings that are fixed
  limit 1;
  if found then
    select t.* into v_token from unnest(p_tokens) as t
    where t.text = v_operator or t.text = v_name and t.kind = 'function' or t.text = '::'
      and v_operator is null
    order by t.text in (v_operator, v_name) desc, t.position limit 1;
    perform wedsql.refuse_sense(
      'With these types "{function}" depends on settings of the session.',
      'Convert the operands first so that both have the same type, for example attribute::text.', '42P17',
      coalesce(v_token, p_tokens[1]), p_set, 'stable_use',
      jsonb_build_object('function', coalesce(v_operator, v_name)));
  end if;
end
$$;

-- Rejects a condition that composes a moment or zone that depends on when it is read, of constants only.
-- Raises: WD006.
create or replace function wedsql._check_moments(
  p_qualified text, p_source text, p_tokens wedsql.token[], p_attrs jsonb)
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_error record;
begin
  if p_qualified ~ 'wed_match[.](moment|zone)[(]' then
    v_error := wedsql.plan_error(format('select true from %s where (%s)', p_source, p_qualified));
    if v_error.code is not null then
      perform wedsql.refuse_problem(v_error.code, v_error.message, p_tokens, p_attrs,
        wedsql.named_token(p_tokens, 1, cardinality(p_tokens), v_error.code, v_error.message), false);
    end if;
  end if;
end
$$;

-- Rejects a condition that PostgreSQL does not accept as a pure one over the attributes. p_tokens: of p_text.
-- Raises: WD006, with its SQLSTATE and the place in the detail.
create or replace function wedsql._check_tokens(p_text text, p_tokens wedsql.token[], p_attrs jsonb)
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  n integer := cardinality(p_tokens);
  v_source text := wedsql.row_source(p_tokens, p_attrs);
  v_query text := format('select true from %s where (%s)', v_source,
                         wedsql.align(p_tokens, 1, n, length(p_text)));
  v_tree record := wedsql.bounded_tree(v_query, p_tokens, false);
  v_error record := wedsql.plan_error(v_query);
  v_part record;
begin
  if v_error.code is null then
    perform wedsql.check_tree(v_tree.nodes, v_tree.functions, p_tokens, false);
    perform wedsql._check_moments(wedsql.qualify_fixed(p_tokens, 1, n), v_source, p_tokens, p_attrs);
    perform wedsql._check_computable(p_tokens, v_source, p_attrs, false);
    return;
  end if;
  if v_error.code ~ '^(22|0A)' and v_tree.nodes <> '{}' then
    perform wedsql._check_computable(p_tokens, v_source, p_attrs, false);
  end if;
  v_part := wedsql.failing_part(p_tokens, v_source, 1, n);
  if (wedsql.plan_error(format('select (%s) is null from %s',
                               wedsql.qualify(p_tokens, v_part.first, v_part.last),
                               v_source))).code is null
     and wedsql.type_of(wedsql.qualify(p_tokens, v_part.first, v_part.last), v_source) <> 'boolean' then
    perform wedsql.refuse_sense(
      'This is of type {type}; a condition must be true or false.',
      'Compare it with something, for example with =, or test it with is null.', '42804',
      wedsql.named_token(p_tokens, v_part.first, v_part.last, '42804', ''), false, 'not_boolean',
      jsonb_build_object(
        'type', wedsql.type_of(wedsql.qualify(p_tokens, v_part.first, v_part.last), v_source)));
  end if;
  v_error := wedsql.plan_error(format('select true from %s where (%s)', v_source,
                                      wedsql.qualify(p_tokens, v_part.first, v_part.last)));
  perform wedsql.refuse_problem(v_error.code, v_error.message, p_tokens[v_part.first:v_part.last], p_attrs,
    wedsql.named_token(p_tokens, v_part.first, v_part.last, v_error.code, v_error.message), false);
end
$$;

-- Returns the rendered condition when PostgreSQL accepts it as a pure condition over the attributes.
-- Raises: WD005 when the lexer rejects it; WD006 when PostgreSQL does, with its SQLSTATE and the place in the
-- detail.
create or replace function wedsql.check_predicate_text(p_text text, p_attrs jsonb)
returns wedsql.rendered language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs);
begin
  perform wedsql._check_tokens(p_text, v_tokens, p_attrs);
  return wedsql.render(v_tokens, 1, cardinality(v_tokens), length(p_text));
end
$$;
