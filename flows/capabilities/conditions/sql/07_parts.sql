-- Explains why a condition does not hold: the parts that AND, OR and NOT join, each with its value.

-- Returns the parts of tokens p_from to p_to, the whole first: its path ('' for the whole, '0.2' for the
-- third part of the first), how its own parts are joined (and, or, not; leaf where it has none), and its
-- tokens.
create or replace function wedsql._parts(p_tokens wedsql.token[], p_from integer, p_to integer,
  p_path text default '') returns table (path text, kind text, first integer, last integer)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_from integer := p_from;
  v_to integer := p_to;
  v_cuts integer[] := '{}';
  v_kind text := 'leaf';
begin
  while v_from < v_to and p_tokens[v_from].text = '(' and p_tokens[v_to].text = ')' and not exists (
    select 1 from unnest(p_tokens[v_from + 1:v_to - 1]) t where t.depth <= p_tokens[v_from].depth) loop
    v_from := v_from + 1;
    v_to := v_to - 1;
  end loop;
  foreach v_kind in array array['or', 'and'] loop
    v_cuts := array(select v_from + t.ord::integer - 1
      from unnest(p_tokens[v_from:v_to]) with ordinality t (position, length, kind, text, depth, ord)
      where t.kind = v_kind and t.depth = (select min(d.depth)
        from unnest(p_tokens[v_from:v_to]) d) order by t.ord);
    exit when v_cuts <> '{}';
  end loop;
  v_kind := case when v_cuts <> '{}' then v_kind
                 when p_tokens[v_from].text = 'not' and p_tokens[v_from].kind <> 'text' then 'not'
                   else 'leaf' end;
  return query select p_path, v_kind, p_from, p_to;
  if v_kind = 'not' then
    return query select * from wedsql._parts(p_tokens, v_from + 1, v_to, ltrim(p_path || '.0', '.'));
  elsif v_kind <> 'leaf' then
    return query select x.* from unnest(array[v_from] || array(select c + 1 from unnest(v_cuts) c),
        array(select c - 1 from unnest(v_cuts) c) || array[v_to]) with ordinality u (a, b, i)
      cross join lateral wedsql._parts(p_tokens, a, b, ltrim(p_path || '.' || i - 1, '.')) x;
  end if;
end $$;

-- Returns the parts of conditions that are known to be valid: n is the place of the condition from 1, place
-- that of the part among all, canonical its text for the evaluation, outline how a leaf is built; the rest as
-- explain_condition.
create or replace function wedsql._parts_to_evaluate(p_predicates text[], p_types jsonb)
  returns table (place integer, n integer, path text, kind text, "position" integer, length integer,
    reads text[], canonical text, outline jsonb)
language sql stable set search_path = pg_catalog, pg_temp as $$
with c as materialized (
  select u.n::integer, u.predicate, wedsql.parse(u.predicate, p_types) as tokens
  from unnest(p_predicates) with ordinality u (predicate, n))
select row_number() over (order by c.n, x.i)::integer, c.n, x.path, x.kind, c.tokens[x.first].position,
       c.tokens[x.last].position + c.tokens[x.last].length - c.tokens[x.first].position, r.reads,
       wedsql.qualify_fixed(c.tokens, x.first, x.last),
       case when x.kind = 'leaf' then wedsql._outline(c.tokens, c.predicate, x.first, x.last) end
from c cross join lateral wedsql._parts(c.tokens, 1, cardinality(c.tokens))
  with ordinality x (path, kind, first, last, i)
cross join lateral (select coalesce(array_agg(distinct t.text order by t.text), '{}') as reads
                    from unnest(c.tokens[x.first:x.last]) t where t.kind = 'attribute') r
$$;

-- Returns these parts with the value of each on a state. All parts are evaluated together.
create or replace function wedsql._explained(p_predicates text[], p_types jsonb, p_state jsonb)
  returns table (n integer, path text, kind text, "position" integer, length integer, reads text[],
    value text, outline jsonb)
language sql stable set search_path = pg_catalog, pg_temp as $$
with p as materialized (select * from wedsql._parts_to_evaluate(p_predicates, p_types)),
v as materialized (
  select (wedsql._values(array(
    select row(p.place, null, p.canonical, p.reads, null)::wedsql.condition from p order by p.place),
    p_types, jsonb_build_array(p_state)))[1] as letters)
select p.n, p.path, p.kind, p."position", p.length, p.reads, substr(v.letters, p.place, 1), p.outline
from p cross join v order by p.place
$$;

-- Returns the parts of a condition with the value of each on a state: t true, f false, u unknown, e failed;
-- "position" and length are those of its text in the condition, reads the attributes in it.
-- Raises: WD005, WD006.
create or replace function wedsql.explain_condition(p_definition jsonb, p_predicate text, p_state jsonb)
  returns table (path text, kind text, "position" integer, length integer, reads text[], value text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
begin
  perform wedsql._need_writable();
  perform wedsql._compile_one(p_predicate, v_types);
  return query select x.path, x.kind, x."position", x.length, x.reads, x.value
    from wedsql._explained(array[p_predicate], v_types, p_state) x;
end $$;

grant execute on function wedsql.explain_condition(jsonb, text, jsonb) to wed_web;
