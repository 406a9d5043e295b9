-- What a condition may cost at worst. PostgreSQL cannot interrupt a single call, so calls that grow faster than their
-- operands need short operands, and texts may not multiply: both are judged from the parse tree, before anything is planned.

-- Return how many bytes a value of this type has at most when it comes from an attribute.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.largest_value(p_type oid)
returns numeric language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when p_type = 'numeric'::regtype then 1000 when t.typlen > 0 then 16 else wedsql.state_limit() end
  from pg_type t where t.oid = p_type
$$;

-- Return how many bytes a call gives at most. p_sizes: of its arguments; p_numbers: their values where they are plain integers.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.largest_result(p_name text, p_type oid, p_sizes numeric[], p_numbers integer[])
returns numeric language sql stable set search_path = pg_catalog, pg_temp as $$
  with known as (select coalesce((select sum(s) from unnest(p_sizes) s), 0) as total, t.typlen from pg_type t where t.oid = p_type)
  select case
    when typlen > 0 then 16
    when p_name in ('left', 'right') then least(total, 4 * abs(p_numbers[2]))
    when p_name in ('substr', 'substring') then least(total, 4 * abs(p_numbers[3]))
    when p_name in ('varchar', 'bpchar') then least(greatest(total, 40000), 4 * p_numbers[2])
    when p_name in ('lpad', 'rpad') then coalesce(4 * p_numbers[2], total)
    when p_name = 'repeat' then p_sizes[1] * coalesce(p_numbers[2], 100)
    -- Each replaced sign may become the whole replacement; the header of a text does not count.
    when p_name in ('replace', 'regexp_replace') then p_sizes[1] * (1 + greatest(p_sizes[3] - 4, 0))
    when p_name in ('string_to_array', 'regexp_split_to_array', 'jsonb', 'json') then total * 8
    when p_name in ('encode', 'translate') then total * 4
    when p_name in ('quote_literal', 'quote_nullable', 'quote_ident', 'convert_from', 'convert_to') then total * 2
    when p_type = 'numeric'::regtype then least(74000, total + case when p_name ~ 'pow|exp' then 74000 else 2000 end)
    else total end
  from known
$$;

-- Return whether the value of a node is at most as long as its arguments together, for every length that these have.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.adds_up(p_kind text, p_name text)
returns boolean language sql immutable set search_path = pg_catalog, pg_temp as $$
  select p_kind in ('ARRAY', 'ARRAYEXPR') or p_kind in ('FUNCEXPR', 'OPEXPR', 'NULLIFEXPR') and p_name !~ ('^([lr]pad|repeat|'
    '(regexp_)?replace|string_to_array|regexp_split_to_array|jsonb?|encode|translate|quote_.*|convert_.*|varchar|bpchar)$')
$$;

-- Return how often each attribute is contained in a value that is made of others: p_sum adds its arguments up, else the
-- value is one of them. The values of all attributes together are no longer than a state.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.shares_of(p_shares jsonb[], p_sum boolean, out shares jsonb, out size numeric)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(s.key, s.n), '{}'), coalesce(max(s.n), 0) * wedsql.state_limit()
  from (select e.key, case when p_sum then sum(e.value::numeric) else max(e.value::numeric) end as n
        from unnest(p_shares) as o(share) cross join lateral jsonb_each_text(o.share) as e group by e.key) s
$$;

-- Return what one node of a parse tree costs by itself at most: the bytes of its value, those it allocates, and how many
-- steps PostgreSQL takes without looking for an interrupt (billionths of a second, roughly). A repeated comparison with the
-- members of a computed array reads its other operand anew each time, except when lengths decide that two texts differ.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.node_cost(
  p_kind text, p_function oid, p_type oid, p_sizes numeric[], p_numbers integer[], p_fixed numeric[], p_shares jsonb[],
  out size numeric, out memory numeric, out steps numeric, out fixed numeric, out shares jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := (select p.proname from pg_proc p where p.oid = p_function);
  v_costly text := (select c.kind from wedsql.costly_function c where v_name ~ c.pattern limit 1);
  v_longest numeric[] := array(select s from unnest(p_sizes) s order by s desc limit 2);
  v_adds boolean := wedsql.adds_up(p_kind, v_name);
  v_shares record;
begin
  memory := 0;
  if p_kind in ('FUNCEXPR', 'OPEXPR', 'NULLIFEXPR', 'DISTINCTEXPR') then
    size := wedsql.largest_result(v_name, p_type, p_sizes, p_numbers);
  elsif p_kind = 'COERCEVIAIO' then
    size := wedsql.largest_result((select t.typname from pg_type t where t.oid = p_type), p_type, p_sizes, '{}');
  elsif p_kind = 'SCALARARRAYOPEXPR' then
    size := 16;
    v_costly := coalesce(v_costly, case when v_name !~ '^(text|bpchar)(eq|ne)$' and p_sizes[1] > 16 then 'product' end);
  else
    size := coalesce(v_longest[1], 0);
  end if;
  if p_kind in ('ARRAY', 'ARRAYEXPR') then
    size := (select sum(s) from unnest(p_sizes) s);
  end if;
  fixed := size; shares := '{}';
  if size > 16 and (v_adds or p_kind in ('COALESCE', 'COALESCEEXPR', 'CASE', 'CASEEXPR', 'WHEN', 'CASEWHEN', 'MINMAX', 'RELABELTYPE', 'COLLATE')) then
    v_shares := wedsql.shares_of(p_shares, v_adds);
    shares := v_shares.shares;
    fixed := (select case when v_adds then sum(f) else max(f) end from unnest(p_fixed) f);
    size := least(size, fixed + v_shares.size);
  end if;
  if p_kind in ('FUNCEXPR', 'OPEXPR', 'COERCEVIAIO', 'ARRAY', 'ARRAYEXPR', 'ARRAYCOERCEEXPR', 'SUBSCRIPTINGREF') and size > 16 then
    memory := size;
  end if;
  steps := coalesce(case v_costly when 'product' then v_longest[1] * v_longest[2] when 'square' then v_longest[1] ^ 2
                                  when 'numeric' then v_longest[1] * coalesce(v_longest[2], v_longest[1]) / 10 end, 0);
end
$$;

-- Return the first call of a parse tree with which the tree costs more than a condition may: its words, how many calls by one
-- of these words come before it, and what there is too much of. Nothing when the tree is within bounds.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.too_costly(p_tree text, p_functions oid[], out words text[], out before integer, out reason text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  m text[]; v_kinds text[] := '{}'; v_bases integer[] := '{}'; v_functions oid[] := '{}'; v_types oid[] := '{}';
  v_sizes numeric[] := '{}'; v_numbers integer[] := '{}'; v_calls oid[] := '{}';
  v_fixed numeric[] := '{}'; v_shares jsonb[] := '{}'; v_attribute text;
  v_all jsonb[] := '{}'; v_kept numeric := 0; v_share record;
  d integer := 0; n integer := 0; v_cost record; v_memory numeric := 0; v_steps numeric := 0;
  -- Most calls compare: they give a value of fixed size in linear time.
  v_cheap oid[] := array(select p.oid from pg_proc p join pg_type t on t.oid = p.prorettype where p.oid = any (p_functions) and t.typlen > 0
    and not exists (select 1 from wedsql.costly_function c where p.proname ~ c.pattern));
begin
  for m in
    select regexp_matches(p_tree, '[{]([A-Z]+)|([}])|:(funcid|opfuncid|varattno|vartype|funcresulttype|opresulttype|resulttype|constvalue)'
      ' (?:<>|([0-9]+))(?: [[] ([-0-9]+ [-0-9]+ [-0-9]+ [-0-9]+) )?', 'g')
  loop
    if m[1] is not null then
      d := d + 1;
      v_kinds[d] := m[1]; v_bases[d] := n; v_functions[d] := null; v_types[d] := null;
    elsif m[3] = 'constvalue' then
      n := n + 1;
      v_sizes[n] := coalesce(m[4]::numeric, 0); v_fixed[n] := v_sizes[n]; v_shares[n] := '{}';
      v_numbers[n] := case when m[4] in ('2', '4', '8') then wedsql.number_of(m[5]) end;
    elsif m[3] = 'varattno' then
      v_attribute := m[4];
    elsif m[3] = 'vartype' then
      n := n + 1;
      v_sizes[n] := wedsql.largest_value(m[4]::oid); v_numbers[n] := null;
      v_fixed[n] := v_sizes[n]; v_shares[n] := '{}';
      if v_sizes[n] >= wedsql.state_limit() then
        v_fixed[n] := 0; v_shares[n] := jsonb_build_object(v_attribute, 1);
      end if;
    elsif m[3] in ('funcid', 'opfuncid') then
      v_functions[d] := m[4]::oid;
    elsif m[3] is not null then
      v_types[d] := m[4]::oid;
    else
      if v_kinds[d] in ('BOOLEXPR', 'NULLTEST', 'BOOLEANTEST') or v_kinds[d] in ('FUNCEXPR', 'OPEXPR') and v_functions[d] = any (v_cheap) then
        n := v_bases[d] + 1;
        v_sizes[n] := 16; v_numbers[n] := null; v_fixed[n] := 16; v_shares[n] := '{}';
        v_calls := v_calls || v_functions[d];
      elsif v_kinds[d] not in ('VAR', 'CONST') then
        v_cost := wedsql.node_cost(v_kinds[d], v_functions[d], v_types[d], v_sizes[v_bases[d] + 1:n], v_numbers[v_bases[d] + 1:n],
                                   v_fixed[v_bases[d] + 1:n], v_shares[v_bases[d] + 1:n]);
        v_memory := v_memory + v_cost.memory;
        v_steps := v_steps + v_cost.steps;
        if v_cost.memory > 0 then
          v_kept := v_kept + v_cost.fixed; v_all := v_all || v_cost.shares;
        end if;
        if v_memory > 134217728 then
          v_share := wedsql.shares_of(v_all, true);
          v_all := array[v_share.shares]; v_memory := least(v_memory, v_kept + v_share.size);
        end if;
        if v_memory > 134217728 or v_steps > 4e9 then
          words := wedsql.words_of(v_functions[d]);
          before := (select count(*) from unnest(v_calls) c where wedsql.words_of(c) && words);
          reason := case when v_steps > 4e9 then 'costly' else 'too_large' end;
          return;
        end if;
        v_calls := v_calls || v_functions[d];
        n := v_bases[d] + 1;
        v_sizes[n] := v_cost.size; v_numbers[n] := null; v_fixed[n] := v_cost.fixed; v_shares[n] := v_cost.shares;
      end if;
      d := d - 1;
    end if;
  end loop;
end
$$;

-- Return the integer whose first four bytes, the lowest first, a parse tree shows as signed numbers.
-- Locks: none
-- Raises: nothing
create or replace function wedsql.number_of(p_bytes text)
returns integer language sql immutable set search_path = pg_catalog, pg_temp as $$
  select sum(((b::integer + 256) % 256)::bigint << (8 * (ord::integer - 1)))::bigint::bit(32)::integer
  from unnest(string_to_array(p_bytes, ' ')) with ordinality as u(b, ord)
$$;

-- Refuse an expression that could take too long or too much memory, and return its parse tree. The tree is looked at before
-- the planner computes what is constant in it; where PostgreSQL cannot parse it the tree is empty, and the planner says why.
-- Locks: none
-- Raises: WD006, WD211
create or replace function wedsql.bounded_tree(
  p_query text, p_tokens wedsql.token[], p_set boolean, out nodes text[], out functions oid[])
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_tree text; v_found record; v_token wedsql.token; v_refusal wedsql.refusal;
begin
  begin
    select p.nodes, p.functions, p.tree into nodes, functions, v_tree from wedsql.parse_tree(p_query) p;
  exception when others then
    if (wedsql.plan_error(p_query)).code is null then
      raise;
    end if;
    return;
  end;
  v_found := wedsql.too_costly(v_tree, functions);
  if v_found.reason is null then
    return;
  end if;
  select t.* into v_token from unnest(p_tokens) as t
  where t.text = any (v_found.words) and t.kind in ('operator', 'prefix', 'function', 'keyword')
     or t.text = '::' and v_found.words = '{}'
  order by t.position offset v_found.before limit 1;
  v_token := coalesce(v_token, p_tokens[1]);
  select * into strict v_refusal from wedsql.refusal r where r.reason = v_found.reason;
  perform wedsql.refuse_sense(format(v_refusal.sentence, v_token.text), v_refusal.hint, '54000', v_token, p_set, v_found.reason);
end
$$;
