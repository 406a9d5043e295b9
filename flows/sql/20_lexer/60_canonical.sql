-- Renders texts from their tokens; the text that was typed is never executed.

-- Returns tokens p_from to p_to as SQL in which every attribute is r."<attribute>". The name is always
-- quoted, because PL/pgSQL has reserved words of its own. One space separates tokens except at brackets,
-- casts and calls, so that no two tokens can join to one. Texts with a backslash become E'' texts, which mean
-- the same under every setting of standard_conforming_strings.
create or replace function wedsql.qualify(p_tokens wedsql.token[], p_from integer, p_to integer)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg(
    case when ord = p_from or low1 in ('(', '[', '::') or t.text in (')', ']', ',', '::', '[') then ''
         when t.text = '(' and kind1 in ('function', 'type') then '' else ' ' end
    || case when t.kind = 'attribute' then 'r."' || t.text || '"'
            when t.kind = 'text' and strpos(t.text, E'\\') > 0 then 'E' || replace(t.text, E'\\', E'\\\\')
            else t.text end, '' order by ord)
  from (select u.*, lag(u.text) over (order by u.ord) as low1, lag(u.kind) over (order by u.ord) as kind1
        from unnest(p_tokens) with ordinality as u(position, length, kind, text, depth, ord)
        where u.ord between p_from and p_to) as t
$$;

-- Returns tokens p_from to p_to, each at its own offset, with spaces elsewhere; p_width characters long.
create or replace function wedsql.align(
  p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select rpad(string_agg(repeat(' ', t.position - 1 - before) || t.text, '' order by t.position), p_width)
  from (select u.position, u.text, coalesce(lag(u.position + u.length - 1) over (order by u.ord), 0) as before
        from unnest(p_tokens) with ordinality as u(position, length, kind, text, depth, ord)
        where u.ord between p_from and p_to) as t
$$;

-- Returns the runs of tokens p_from to p_to between those at p_cuts, in their order.
create or replace function wedsql._parts_between(p_from integer, p_to integer, p_cuts integer[])
returns table (first integer, last integer) language sql immutable set search_path = pg_catalog, pg_temp as $$
  select part.a, part.b
  from unnest(p_from || array(select c + 1 from unnest(p_cuts) as c),
              array(select c - 1 from unnest(p_cuts) as c) || p_to) as part(a, b)
$$;

-- Returns the same, but what is read as a moment fails where it would depend on when it is read.
create or replace function wedsql.qualify_fixed(p_tokens wedsql.token[], p_from integer, p_to integer)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select wedsql.qualify(t.fixed, 1, cardinality(t.fixed))
  from (select wedsql.with_fixed_moments(p_tokens, p_from, p_to) as fixed) as t
$$;

-- Returns the two renderings, the attributes read and the top-level OR disjuncts of tokens p_from to p_to.
-- Parentheses around the whole expression do not hide its disjuncts.
create or replace function wedsql.render(
  p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer)
returns wedsql.rendered language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_result wedsql.rendered;
  v_first integer := p_from; v_last integer := p_to; v_depth integer := 0; v_or integer[];
begin
  v_result.aligned := wedsql.align(p_tokens, p_from, p_to, p_width);
  v_result.qualified := wedsql.qualify_fixed(p_tokens, p_from, p_to);
  v_result.reads := coalesce((select array_agg(distinct t.text order by t.text)
    from unnest(p_tokens[p_from:p_to]) as t where t.kind = 'attribute'), '{}');
  while p_tokens[v_first].text = '(' and p_tokens[v_last].text = ')' and v_first < v_last and not exists (
    select 1 from unnest(p_tokens[v_first + 1:v_last - 1]) as t where t.depth <= v_depth) loop
    v_first := v_first + 1; v_last := v_last - 1; v_depth := v_depth + 1;
  end loop;
  v_or := array(select v_first + ord::integer - 1
    from unnest(p_tokens[v_first:v_last]) with ordinality as t(position, length, kind, text, depth, ord)
    where t.kind = 'or' and t.depth = v_depth order by ord);
  if cardinality(v_or) = 0 then
    v_result.disjuncts := array[v_result.qualified];
  else
    v_result.disjuncts := array(
      select wedsql.qualify_fixed(p_tokens, part.first, part.last)
      from wedsql._parts_between(v_first, v_last, v_or) as part);
  end if;
  return v_result;
end
$$;

-- Returns a condition rendered from its tokens: aligned has every token at its original position, qualified
-- names attributes as r.<attribute>. Types are not checked.
-- Raises: WD005 when the lexer rejects the text.
create or replace function wedsql.canonical(p_text text, p_attrs jsonb)
returns wedsql.rendered language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs);
begin
  return wedsql.render(v_tokens, 1, cardinality(v_tokens), length(p_text));
end
$$;

-- Returns the assignments of a SET string, in order: the attribute, and the expression from first to last
-- token, rendered as it is checked and computed.
create or replace function wedsql.assignments(p_tokens wedsql.token[])
returns table (attribute text, first integer, last integer, qualified text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select a.attribute, a.first, a.last, wedsql.qualify(p_tokens, a.first, a.last)
  from (select t.text, t.ord::integer + 2,
               coalesce(lead(t.ord) over (order by t.ord) - 2, cardinality(p_tokens))::integer
        from unnest(p_tokens) with ordinality as t(position, length, kind, text, depth, ord)
        where t.kind = 'target') a (attribute, first, last)
  order by a.first
$$;
