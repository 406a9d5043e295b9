-- A condition as a tree that a browser can evaluate with the same result as PostgreSQL, made of the tokens of
-- the kernel's own parse. What a browser cannot do exactly (the order of texts, patterns, casts, times) makes
-- no tree: the server is asked. A node is a list: its operation, what that needs, and the nodes below it.

-- Returns the tree of a condition that is known to be valid; null where there is none.
-- Raises: WD005.
create or replace function wedsql._condition_tree(p_predicate text, p_types jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[] := wedsql.parse(p_predicate, p_types);
  v_made record := wedsql._tree(v_tokens, 1, cardinality(v_tokens), p_types);
begin
  return case when v_made.type = 'boolean' then v_made.node end;
end $$;

-- Returns the places of the tokens p_from to p_to that stand in no brackets and have one of these texts.
create or replace function wedsql._tree_cuts(p_tokens wedsql.token[], p_from integer, p_to integer,
  p_kinds text[], p_texts text[]) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(
  select p_from + t.ord::integer - 1
  from unnest(p_tokens[p_from:p_to]) with ordinality t (position, length, kind, text, depth, ord)
  where t.kind = any (p_kinds) and t.text = any (p_texts)
    and t.depth = (select min(d.depth) from unnest(p_tokens[p_from:p_to]) d)
  order by t.ord)
$$;

-- Returns the tree of tokens p_from to p_to and the type of its value: boolean, text, integer, bigint,
-- numeric, date, jsonb or another type of an attribute; literal for a text whose type its place decides, null
-- for NULL. Without a tree both are null.
create or replace function wedsql._tree(p_tokens wedsql.token[], p_from integer, p_to integer, p_types jsonb,
  out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_cuts integer[];
  v_word text;
  v_part record;
begin
  if p_from > p_to then
    return;
  elsif p_tokens[p_from].text = '(' and p_tokens[p_from].kind = 'sign' and p_tokens[p_to].text = ')'
        and not exists (select from unnest(p_tokens[p_from + 1:p_to - 1]) t
                        where t.depth <= p_tokens[p_from].depth) then
    select * into node, type from wedsql._tree(p_tokens, p_from + 1, p_to - 1, p_types);
    return;
  end if;
  foreach v_word in array array['or', 'and'] loop
    v_cuts := wedsql._tree_cuts(p_tokens, p_from, p_to, array[v_word], array[v_word]);
    if v_cuts <> '{}' then
      node := jsonb_build_array(v_word);
      for v_part in select m.* from wedsql._parts_between(p_from, p_to, v_cuts) b
                    cross join lateral wedsql._tree(p_tokens, b.first, b.last, p_types) m loop
        node := case when v_part.type in ('boolean', 'null') then node || jsonb_build_array(v_part.node) end;
      end loop;
      type := case when node is not null then 'boolean' end;
      return;
    end if;
  end loop;
  if p_tokens[p_from].kind = 'keyword' and p_tokens[p_from].text = 'not' then
    select * into v_part from wedsql._tree(p_tokens, p_from + 1, p_to, p_types);
    if v_part.type in ('boolean', 'null') then
      node := jsonb_build_array('not', v_part.node);
      type := 'boolean';
    end if;
    return;
  end if;
  select * into node, type from wedsql._tree_test(p_tokens, p_from, p_to, p_types);
end $$;

-- Returns the tree of tokens that neither AND, OR nor NOT joins: a test with IS, a comparison, IN, BETWEEN,
-- LIKE, or else a value.
create or replace function wedsql._tree_test(p_tokens wedsql.token[], p_from integer, p_to integer,
  p_types jsonb, out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_is integer[] := wedsql._tree_cuts(p_tokens, p_from, p_to, '{keyword}', '{is}');
  v_compare integer[] := wedsql._tree_cuts(p_tokens, p_from, p_to, '{operator}',
                                           array['=', '<>', '!=', '<', '>', '<=', '>=']);
  v_set integer[] := wedsql._tree_cuts(p_tokens, p_from, p_to, '{keyword}', '{between,in,like}');
begin
  if cardinality(v_is) > 1 or cardinality(v_compare) > 1 or cardinality(v_set) > 1
     or v_set <> '{}' and v_compare <> '{}'
     or wedsql._tree_cuts(p_tokens, p_from, p_to, '{keyword}', array['isnull', 'notnull', 'ilike',
          'similar', 'escape', 'any', 'some', 'all', 'at', 'symmetric', 'asymmetric', 'collate',
          'overlaps']) <> '{}' then
    return;
  elsif v_is <> '{}' then
    select * into node, type from wedsql._tree_is(p_tokens, p_from, v_is[1], p_to, p_types);
  elsif v_compare <> '{}' then
    select * into node, type
    from wedsql._tree_pair(case p_tokens[v_compare[1]].text when '!=' then '<>'
                                                            else p_tokens[v_compare[1]].text end,
      wedsql._tree(p_tokens, p_from, v_compare[1] - 1, p_types),
      wedsql._tree(p_tokens, v_compare[1] + 1, p_to, p_types));
  elsif v_set <> '{}' then
    select * into node, type from wedsql._tree_set(p_tokens, p_from, v_set[1], p_to, p_types);
  else
    select * into node, type from wedsql._tree_value(p_tokens, p_from, p_to, p_types);
  end if;
end $$;

-- Returns the tree of a test with IS at p_at.
create or replace function wedsql._tree_is(p_tokens wedsql.token[], p_from integer, p_at integer,
  p_to integer, p_types jsonb, out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_not boolean := p_tokens[p_at + 1].text = 'not';
  v_next integer := p_at + 1 + v_not::integer;
  v_word text := p_tokens[v_next].text;
  v_left record := wedsql._tree(p_tokens, p_from, p_at - 1, p_types);
begin
  if v_left.node is null then
    return;
  elsif v_word = 'distinct' then
    select * into node, type
    from wedsql._tree_pair('distinct', v_left, wedsql._tree(p_tokens, v_next + 2, p_to, p_types));
  elsif v_next = p_to and v_word = 'null' then
    node := jsonb_build_array('is null', v_left.node);
  elsif v_next = p_to and v_word in ('true', 'false', 'unknown') and v_left.type in ('boolean', 'null') then
    node := jsonb_build_array('is ' || v_word, v_left.node);
  end if;
  type := case when node is not null then 'boolean' end;
  node := case when v_not then case when node is not null then jsonb_build_array('not', node) end
               else node end;
end $$;

-- Returns the tree of a comparison of two trees; null where their types have none that a browser can make.
create or replace function wedsql._tree_pair(p_operator text, p_left record, p_right record, out node jsonb,
  out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_kind text := wedsql._tree_kind(array[p_left.type, p_right.type], array[p_left.node, p_right.node]);
begin
  if v_kind in ('number', 'date')
     or v_kind in ('text', 'boolean') and p_operator in ('=', '<>', 'distinct') then
    node := jsonb_build_array(p_operator, v_kind, p_left.node, p_right.node);
    type := 'boolean';
  end if;
end $$;

-- Returns as what values of these types are compared with each other: number, text, date or boolean; null
-- where a browser cannot. A text without a type of its own is one of the others' type.
create or replace function wedsql._tree_kind(p_types text[], p_nodes jsonb[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when bool_or(u.type is null) or count(distinct k.kind) > 1 or bool_or(k.kind = '') then null
            when min(k.kind) is null then 'text'
            when min(k.kind) in ('number', 'boolean') and bool_or(u.type = 'literal') then null
            when min(k.kind) = 'date' and bool_or(u.type = 'literal'
              and u.node ->> 1 !~ '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$') then null
            else min(k.kind) end
from unnest(p_types, p_nodes) u (type, node)
cross join lateral (select case when u.type in ('integer', 'bigint', 'numeric') then 'number'
                                when u.type in ('text', 'enum') then 'text'
                                when u.type in ('date', 'boolean') then u.type
                                when u.type in ('literal', 'null') then null else '' end as kind) k
$$;

-- Returns the tree of BETWEEN, IN or LIKE at p_at.
create or replace function wedsql._tree_set(p_tokens wedsql.token[], p_from integer, p_at integer,
  p_to integer, p_types jsonb, out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_not boolean := p_tokens[p_at - 1].text = 'not' and p_tokens[p_at - 1].kind = 'keyword';
  v_word text := p_tokens[p_at].text;
  v_left record := wedsql._tree(p_tokens, p_from, p_at - 1 - v_not::integer, p_types);
  v_cuts integer[] := wedsql._tree_cuts(p_tokens, p_at + 1, p_to, '{keyword}', '{and}');
  v_nodes jsonb[];
  v_kinds text[];
  v_kind text;
begin
  if v_word = 'in' and p_tokens[p_at + 1].text = '(' then
    v_cuts := wedsql._tree_cuts(p_tokens, p_at + 2, p_to - 1, '{sign}', '{","}');
    select array_agg(m.node order by b.first), array_agg(m.type order by b.first) into v_nodes, v_kinds
    from wedsql._parts_between(p_at + 2, p_to - 1, v_cuts) b
    cross join lateral wedsql._tree(p_tokens, b.first, b.last, p_types) m;
  elsif v_word = 'like' then
    select array[m.node], array[m.type] into v_nodes, v_kinds
    from wedsql._tree(p_tokens, p_at + 1, p_to, p_types) m;
  elsif v_word = 'between' and cardinality(v_cuts) = 1 then
    select array[a.node, b.node], array[a.type, b.type] into v_nodes, v_kinds
    from wedsql._tree(p_tokens, p_at + 1, v_cuts[1] - 1, p_types) a,
         wedsql._tree(p_tokens, v_cuts[1] + 1, p_to, p_types) b;
  end if;
  v_kind := wedsql._tree_kind(v_left.type || v_kinds, v_left.node || v_nodes);
  if v_kind is null or v_word = 'like' and v_kind <> 'text'
     or v_word = 'between' and v_kind not in ('number', 'date') then
    return;
  end if;
  node := jsonb_build_array(v_word, v_kind, v_left.node) || to_jsonb(v_nodes);
  node := case when v_not then jsonb_build_array('not', node) else node end;
  type := 'boolean';
end $$;

-- Returns the tree of a value: operators between values by their precedence, else a single value.
create or replace function wedsql._tree_value(p_tokens wedsql.token[], p_from integer, p_to integer,
  p_types jsonb, out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_cuts integer[];
  v_level text[];
  v_known text[] := array['||', '+', '-', '*', '/', '%'];
begin
  if exists (select from unnest(p_tokens[p_from:p_to]) t
             where t.depth = (select min(d.depth) from unnest(p_tokens[p_from:p_to]) d)
               and (t.kind = 'operator' and t.text <> all (v_known) or t.text in ('::', '[', ']')
                    or t.kind in ('type', 'prefix') and t.text <> '-')) then
    return;
  end if;
  foreach v_level slice 1 in array array[array['||', '||', '||'], array['+', '-', '-'],
                                         array['*', '/', '%']] loop
    v_cuts := wedsql._tree_cuts(p_tokens, p_from, p_to, '{operator}', v_level);
    if v_cuts <> '{}' then
      select * into node, type
      from wedsql._tree_sum(p_tokens[v_cuts[cardinality(v_cuts)]].text,
        wedsql._tree_value(p_tokens, p_from, v_cuts[cardinality(v_cuts)] - 1, p_types),
        wedsql._tree_value(p_tokens, v_cuts[cardinality(v_cuts)] + 1, p_to, p_types));
      return;
    end if;
  end loop;
  if p_tokens[p_from].kind = 'prefix' then
    select jsonb_build_array('minus', v.type, v.node), v.type into node, type
    from wedsql._tree_value(p_tokens, p_from + 1, p_to, p_types) v
    where v.type in ('integer', 'bigint', 'numeric');
  elsif p_from = p_to then
    select * into node, type from wedsql._tree_leaf(p_tokens[p_from], p_types);
  elsif p_tokens[p_from].text = '(' and p_tokens[p_from].kind = 'sign' then
    select * into node, type from wedsql._tree(p_tokens, p_from, p_to, p_types)
    where p_tokens[p_to].text = ')';
  elsif p_tokens[p_from].kind in ('function', 'keyword') and p_tokens[p_from + 1].text = '('
        and p_tokens[p_to].text = ')' then
    select * into node, type from wedsql._tree_call(p_tokens, p_from, p_to, p_types);
  end if;
end $$;

-- Returns the tree of an operator between two values. A division of numerics has as many digits as PostgreSQL
-- chooses, and makes none.
create or replace function wedsql._tree_sum(p_operator text, p_left record, p_right record, out node jsonb,
  out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_operator = '||' then
    type := case when p_left.type in ('text', 'enum', 'literal')
                      and p_right.type in ('text', 'enum', 'literal') then 'text' end;
  elsif p_left.type in ('integer', 'bigint', 'numeric')
        and p_right.type in ('integer', 'bigint', 'numeric') then
    type := case when 'numeric' in (p_left.type, p_right.type) then 'numeric'
                 when 'bigint' in (p_left.type, p_right.type) then 'bigint' else 'integer' end;
    type := case when p_operator <> '/' or type <> 'numeric' then type end;
  end if;
  node := case when type is not null then jsonb_build_array(p_operator, type, p_left.node, p_right.node) end;
end $$;

-- Returns the tree of one token: a literal or an attribute.
create or replace function wedsql._tree_leaf(p_token wedsql.token, p_types jsonb, out node jsonb,
  out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_token.kind = 'attribute' then
    type := p_types ->> p_token.text;
    node := jsonb_build_array('attribute', p_token.text, type);
  elsif p_token.kind = 'number' then
    type := case when p_token.text !~ '^[0-9]+$' or p_token.text::numeric > 9223372036854775807 then 'numeric'
                 when p_token.text::numeric > 2147483647 then 'bigint' else 'integer' end;
    node := jsonb_build_array('number', p_token.text::numeric::text);
  elsif p_token.kind = 'text' then
    type := 'literal';
    node := jsonb_build_array('text', wedsql.unquote(p_token.text));
  elsif p_token.text in ('true', 'false') then
    type := 'boolean';
    node := jsonb_build_array('boolean', p_token.text = 'true');
  elsif p_token.text = 'null' then
    type := 'null';
    node := '["null"]';
  end if;
end $$;

-- Returns the tree of a call of a function that a browser knows.
create or replace function wedsql._tree_call(p_tokens wedsql.token[], p_from integer, p_to integer,
  p_types jsonb, out node jsonb, out type text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := p_tokens[p_from].text;
  v_nodes jsonb[];
  v_kinds text[];
  v_kind text;
begin
  if exists (select from unnest(p_tokens[p_from + 2:p_to - 1]) t where t.depth <= p_tokens[p_from].depth) then
    return;  -- the closing sign is that of another call
  end if;
  select array_agg(m.node order by b.first), array_agg(m.type order by b.first) into v_nodes, v_kinds
  from wedsql._parts_between(p_from + 2, p_to - 1,
    wedsql._tree_cuts(p_tokens, p_from + 2, p_to - 1, '{sign}', '{","}')) b
  cross join lateral wedsql._tree(p_tokens, b.first, b.last, p_types) m;
  v_kind := wedsql._tree_kind(v_kinds, v_nodes);
  type := case
    when v_name in ('lower', 'upper') and cardinality(v_kinds) = 1 and v_kind = 'text' then 'text'
    when v_name = 'length' and cardinality(v_kinds) = 1 and v_kind = 'text' then 'integer'
    when v_name = 'abs' and cardinality(v_kinds) = 1 and v_kinds[1] in ('integer', 'bigint', 'numeric')
      then v_kinds[1]
    when v_name = 'coalesce' and v_kind = 'number' then case when 'numeric' = any (v_kinds) then 'numeric'
      when 'bigint' = any (v_kinds) then 'bigint' else 'integer' end
    when v_name = 'coalesce' then v_kind end;
  node := case when type is not null then jsonb_build_array(v_name, type) || to_jsonb(v_nodes) end;
end $$;
