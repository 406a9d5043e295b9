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

-- Returns the parts of a condition with the value of each on a state: t true, f false, u unknown, e failed;
-- "position" and length are those of its text in the condition, reads the attributes in it.
-- Raises: WD005, WD006.
create or replace function wedsql.explain_condition(p_definition jsonb, p_predicate text, p_state jsonb)
  returns table (path text, kind text, "position" integer, length integer, reads text[], value text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
  v_tokens wedsql.token[];
  v_parts wedsql.condition[];
  v_values text;
begin
  perform wedsql._need_writable();
  perform wedsql._compile_one(p_predicate, v_types);
  v_tokens := wedsql.parse(p_predicate, v_types);
  v_parts := array(
    select row(x.n, null, wedsql._fixed_moments(wedsql.qualify(v_tokens, x.first, x.last), r.reads, v_types),
               r.reads, null)::wedsql.condition
    from wedsql._parts(v_tokens, 1, cardinality(v_tokens)) with ordinality x (path, kind, first, last, n)
    cross join lateral (select coalesce(array_agg(distinct t.text order by t.text), '{}') as reads
                        from unnest(v_tokens[x.first:x.last]) t where t.kind = 'attribute') r order by x.n);
  v_values := (wedsql._values(v_parts, v_types, jsonb_build_array(p_state)))[1];
  return query
    select x.path, x.kind, v_tokens[x.first].position,
           v_tokens[x.last].position + v_tokens[x.last].length - v_tokens[x.first].position,
           v_parts[x.n].reads, substr(v_values, x.n::integer, 1)
    from wedsql._parts(v_tokens, 1, cardinality(v_tokens)) with ordinality x (path, kind, first, last, n)
    order by x.n;
end $$;
