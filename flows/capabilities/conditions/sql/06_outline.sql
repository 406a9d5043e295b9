-- How a condition is built, for readers who do not know SQL: its parts, and which of them are comparisons of
-- one attribute with values. Made of the tokens of the lexer; the grammar itself is only there.

-- Returns what a run of tokens stands for when it is one value: {"text"}, {"number"}, {"word"} for true,
-- false and null, or {"attribute"}; null for anything computed. The type of a fixed value is left out.
create or replace function wedsql._plain_value(p_tokens wedsql.token[], p_from integer, p_to integer)
returns jsonb language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when array_agg(t.kind) = '{attribute}' then
      case when p_from = p_to then jsonb_build_object('attribute', min(t.text)) end
    when array_agg(t.kind) = '{text}' then jsonb_build_object('text', wedsql.unquote(min(t.text)))
    when array_agg(t.kind) = '{number}' then jsonb_build_object('number', min(t.text))
    when array_agg(t.kind) = '{prefix,number}' and p_tokens[p_from].text = '-' then
      jsonb_build_object('number', string_agg(t.text, ''))
    when array_agg(t.text) <@ array['true', 'false', 'null'] and count(*) = 1 then
      jsonb_build_object('word', min(t.text)) end
  from unnest(p_tokens[p_from:p_to]) as t where t.kind <> 'type'
$$;

-- Returns the values between the tokens that divide a run into values, null when one of them is computed.
create or replace function wedsql._plain_values(
  p_tokens wedsql.token[], p_from integer, p_to integer, p_divider text)
returns jsonb language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when bool_and(v.value is not null) then jsonb_agg(v.value order by part.first) end
  from (select array_agg(p_from - 1 + t.ord::integer order by t.ord) as at
        from unnest(p_tokens[p_from:p_to]) with ordinality as t(position, length, kind, text, depth, ord)
        where t.text = p_divider and t.kind <> 'text' and t.depth = p_tokens[p_from].depth) as divider,
    lateral wedsql._parts_between(p_from, p_to, divider.at) as part,
    lateral (select wedsql._plain_value(p_tokens, part.first, part.last) as value) as v
$$;

-- Returns attribute, operator and values of tokens p_from to p_to when they compare one attribute with plain
-- values, else an empty object. The operator is "holds" for an attribute that is itself the condition.
create or replace function wedsql._comparison(p_tokens wedsql.token[], p_from integer, p_to integer)
returns jsonb language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := array(select t.text from unnest(p_tokens[p_from + 1:least(p_to, p_from + 5)]) as t);
  v_phrase record;
  v_operator text;
  v_values jsonb;
begin
  if p_tokens[p_from].kind <> 'attribute' then
    return '{}';
  end if;
  select take, wants into v_phrase from wedsql.phrase(array_to_string(v_words, ' '));
  v_operator := array_to_string(v_words[1:greatest(v_phrase.take, 1)], ' ');
  v_values := case
    when p_from = p_to or v_phrase.wants = 'operator' and p_from + v_phrase.take = p_to then '[]'
    when v_phrase.wants = 'in' then wedsql._plain_values(p_tokens, p_from + v_phrase.take + 1, p_to - 1, ',')
    when v_phrase.wants = 'between' then
      wedsql._plain_values(p_tokens, p_from + v_phrase.take + 1, p_to, 'and')
    when v_phrase.wants = 'operand' then wedsql._plain_values(p_tokens, p_from + v_phrase.take + 1, p_to, ',')
    when p_tokens[p_from + 1].kind = 'operator' then
      wedsql._plain_values(p_tokens, p_from + 2, p_to, ',') end;
  return case when v_values is null then '{}'
    else jsonb_build_object('attribute', p_tokens[p_from].text, 'values', v_values,
      'operator', case when p_from = p_to then 'holds' else rtrim(v_operator, ' (') end) end;
end
$$;

-- Returns tokens p_from to p_to as a tree: {"all": [...]}, {"any": [...]}, {"not": ...} or a part that
-- nothing joins, with its text as "sql" and what _comparison returns.
create or replace function wedsql._outline(p_tokens wedsql.token[], p_text text, p_from integer, p_to integer)
returns jsonb language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_from integer := p_from; v_to integer := p_to; v_depth integer; v_negated boolean := false;
  v_joint text; v_cuts integer[]; v_found jsonb;
begin
  loop
    v_depth := p_tokens[v_from].depth;
    select min(t.kind) filter (where t.kind = 'or'), array_agg(v_from - 1 + t.ord::integer order by t.ord)
    into v_joint, v_cuts
    from unnest(p_tokens[v_from:v_to]) with ordinality as t(position, length, kind, text, depth, ord)
    where t.kind in ('and', 'or') and t.depth = v_depth;
    exit when v_cuts is not null or v_from >= v_to;
    if p_tokens[v_from].text = 'not' then
      v_from := v_from + 1; v_negated := not v_negated;
    elsif p_tokens[v_from].text = '(' and p_tokens[v_to].text = ')' and not exists (
        select 1 from unnest(p_tokens[v_from + 1:v_to - 1]) as t where t.depth <= v_depth) then
      v_from := v_from + 1; v_to := v_to - 1;
    else
      exit;
    end if;
  end loop;
  if v_cuts is null then
    v_found := wedsql._comparison(p_tokens, v_from, v_to) || jsonb_build_object('sql',
      substr(p_text, p_tokens[v_from].position,
        p_tokens[v_to].position + p_tokens[v_to].length - p_tokens[v_from].position));
  else
    -- OR divides first: AND binds more tightly.
    v_joint := coalesce(v_joint, 'and');
    v_cuts := array(select c from unnest(v_cuts) as c where p_tokens[c].kind = v_joint order by c);
    v_found := jsonb_build_object(case v_joint when 'or' then 'any' else 'all' end, (
      select jsonb_agg(wedsql._outline(p_tokens, p_text, part.first, part.last) order by part.first)
      from wedsql._parts_between(v_from, v_to, v_cuts) as part));
  end if;
  return case when v_negated then jsonb_build_object('not', v_found) else v_found end;
end
$$;

-- Returns how a condition over attributes of these types is built.
-- Raises: WD005 when the lexer rejects it.
create or replace function wedsql.condition_outline(p_types jsonb, p_predicate text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_predicate, ''), p_types);
begin
  return wedsql._outline(v_tokens, p_predicate, 1, cardinality(v_tokens));
end
$$;

grant execute on function wedsql.condition_outline(jsonb, text) to wed_web;
