-- Finds the place in the text to which an error of PostgreSQL belongs. PL/pgSQL does not get the position of
-- an error in a dynamic query, so the smallest part that fails alone is searched for, and in it the token
-- that the message names.

-- Returns the parts of tokens p_from to p_to that are joined by AND and OR, without the parentheses and NOT
-- around them; one row with joined = false when nothing joins them.
create or replace function wedsql.joined_parts(p_tokens wedsql.token[], p_from integer, p_to integer)
returns table (first integer, last integer, joined boolean)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_from integer := p_from; v_to integer := p_to; v_depth integer; v_cuts integer[];
begin
  loop
    v_depth := p_tokens[v_from].depth;
    exit when v_from >= v_to;
    if p_tokens[v_from].text = 'not' then
      v_from := v_from + 1;
    elsif p_tokens[v_from].text = '(' and p_tokens[v_to].text = ')' and not exists (
        select 1 from unnest(p_tokens[v_from + 1:v_to - 1]) as t where t.depth <= v_depth) then
      v_from := v_from + 1; v_to := v_to - 1;
    else
      exit;
    end if;
  end loop;
  v_cuts := array(select v_from + t.ord::integer - 1
    from unnest(p_tokens[v_from:v_to]) with ordinality as t(position, length, kind, text, depth, ord)
    where t.kind in ('and', 'or') and t.depth = v_depth order by 1);
  joined := cardinality(v_cuts) > 0;
  for first, last in select part.first, part.last from wedsql._parts_between(v_from, v_to, v_cuts) as part
  loop
    return next;
  end loop;
end
$$;

-- Returns the smallest run of tokens, joined to the rest by AND and OR, that PostgreSQL rejects by itself.
create or replace function wedsql.failing_part(
  p_tokens wedsql.token[], p_source text, inout first integer, inout last integer)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_part record;
  v_found boolean := true;
begin
  while v_found loop
    v_found := false;
    for v_part in select * from wedsql.joined_parts(p_tokens, first, last) loop
      continue when not v_part.joined and (v_part.first, v_part.last) = (first, last);
      if (wedsql.plan_error(format('select true from %s where (%s)', p_source,
            wedsql.qualify(p_tokens, v_part.first, v_part.last)))).code is not null then
        first := v_part.first; last := v_part.last; v_found := true;
        exit;
      end if;
    end loop;
  end loop;
end
$$;

-- Returns the token between p_from and p_to that the message of PostgreSQL names: an operator, a function, a
-- text or a cast; else one token that spans the whole run.
create or replace function wedsql.named_token(
  p_tokens wedsql.token[], p_from integer, p_to integer, p_code text, p_message text)
returns wedsql.token language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_token wedsql.token;
  v_span wedsql.token := p_tokens[p_from];
begin
  select t.position, t.length, t.kind, t.text, t.depth into v_token
  from unnest(p_tokens[p_from:p_to]) with ordinality as t(position, length, kind, text, depth, ord),
    lateral (select case
      when t.kind in ('operator', 'prefix')
        and (strpos(p_message, ' ' || replace(t.text, '!=', '<>') || ' ') > 0
        or p_code = '22012' and t.text in ('/', '%')) then 1
      when t.kind = 'function' and p_message ~ (E'\\m' || t.text || E'\\M') then 1
      when t.kind <> 'attribute' and t.text ~ '^[a-z_]' and strpos(lower(p_message), '"' || t.text || '"') > 0
        then 1
      when t.kind = 'text' and strpos(p_message, '"' || wedsql.unquote(t.text) || '"') > 0 then 1
      when t.kind = 'keyword'
        and strpos(p_message, case t.text when 'in' then ' = ' when 'between' then ' >= '
        when 'like' then '~~ ' when 'ilike' then '~~* ' when 'from' then ' = ' else '(none)' end) > 0 then 2
      when t.kind = 'text' and p_code like '22%' and p_code <> '22012' then 3
      when t.kind = 'type' and t.text = '::'
        and p_code in ('42846', '22P02', '22007', '22003', '22008') then 4 end as fit) as f
  where f.fit is not null
  order by f.fit, t.ord limit 1;
  if v_token.position is null then
    v_token := row(v_span.position, p_tokens[p_to].position + p_tokens[p_to].length - v_span.position, 'span',
                   v_span.text, v_span.depth)::wedsql.token;
  end if;
  return v_token;
end
$$;

-- Returns the hint for an error of PostgreSQL, with the types of the attributes involved.
create or replace function wedsql.meaning_hint(p_code text, p_types boolean)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when p_code in ('42883', '42804', '42725') then case when p_types
      then 'Types: {types}. Convert one side with ::, for example a1::integer, or quote the value if it is '
           'a text.'
      else 'Convert one side with ::, for example a1::integer, or quote the value if it is a text.' end
    when p_code = '42601' then 'Put parentheses around the parts, one comparison each.'
    when p_code = '22012' then 'This part divides by zero whatever the attributes are.'
    when p_code like '22%' then 'Write a value that its type can hold.'
    else 'Rewrite this part.' end
$$;
