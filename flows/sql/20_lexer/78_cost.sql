-- The maximum cost of a condition. PostgreSQL cannot interrupt a single call, so calls whose time grows
-- faster than their operands need short operands, and texts may not multiply. Both are determined from the
-- parse tree, before anything is planned.

-- Returns the maximum size in bytes of an attribute's value of this type.
create or replace function wedsql.largest_value(p_type oid)
returns numeric language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return case when p_type = 'numeric'::regtype then 1000
              when (select t.typlen from pg_type t where t.oid = p_type) > 0 then 16
                else wedsql.state_limit() end;
end
$$;

-- Returns the maximum size in bytes of a call's result. p_sizes: of its arguments; p_numbers: their values
-- where they are plain integers.
create or replace function wedsql.largest_result(
  p_name text, p_type oid, p_sizes numeric[], p_numbers integer[])
returns numeric language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_total numeric := coalesce((select sum(s) from unnest(p_sizes) s), 0);
begin
  return case
    when (select t.typlen from pg_type t where t.oid = p_type) > 0 then 16
    when p_name in ('left', 'right') then least(v_total, 4 * abs(p_numbers[2]))
    when p_name in ('substr', 'substring') then least(v_total, 4 * abs(p_numbers[3]))
    when p_name in ('varchar', 'bpchar') then least(greatest(v_total, 40000), 4 * p_numbers[2])
    when p_name in ('lpad', 'rpad') then coalesce(4 * p_numbers[2], v_total)
    when p_name = 'repeat' then p_sizes[1] * coalesce(p_numbers[2], 100)
    -- Each replaced character may become the whole replacement; the header of a text does not count.
    when p_name in ('replace', 'regexp_replace') then p_sizes[1] * (1 + greatest(p_sizes[3] - 4, 0))
    when p_name in ('string_to_array', 'regexp_split_to_array', 'jsonb', 'json') then v_total * 8
    when p_name in ('encode', 'translate') then v_total * 4
    when p_name in ('quote_literal', 'quote_nullable', 'quote_ident', 'convert_from', 'convert_to')
      then v_total * 2
    when p_type = 'numeric'::regtype then
      least(74000, v_total + case when strpos(p_name, 'pow') > 0 or strpos(p_name, 'exp') > 0 then 74000
            else 2000 end)
    else v_total end;
end
$$;

-- Returns whether the value of a node is at most as long as its arguments together, for any length of these.
create or replace function wedsql.is_sum_of_arguments(p_kind text, p_name text)
returns boolean language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return p_kind in ('ARRAY', 'ARRAYEXPR') or p_kind in ('FUNCEXPR', 'OPEXPR', 'NULLIFEXPR')
    and p_name not in (
      'lpad', 'rpad', 'repeat', 'replace', 'regexp_replace', 'string_to_array', 'regexp_split_to_array',
      'json', 'jsonb',
      'encode', 'translate', 'varchar', 'bpchar')
    and not starts_with(p_name, 'quote_') and not starts_with(p_name, 'convert_');
end
$$;

-- Returns how often each attribute is contained in a value that is made of others: with p_sum it is their
-- sum, else one of them. The values of all attributes together are no longer than a state.
create or replace function wedsql.shares_of(
  p_shares jsonb[], p_sum boolean, out shares jsonb, out size numeric)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  select coalesce(jsonb_object_agg(s.key, s.n), '{}'), coalesce(max(s.n), 0) * wedsql.state_limit()
  into shares, size
  from (select e.key, case when p_sum then sum(e.value::numeric) else max(e.value::numeric) end as n
        from unnest(p_shares) as o(share) cross join lateral jsonb_each_text(o.share) as e group by e.key) s;
end
$$;

-- Returns the maximum cost of one node of a parse tree by itself: the bytes of its value, the bytes that it
-- allocates, and how many steps PostgreSQL takes without a check for interrupts (roughly nanoseconds). A
-- repeated comparison with the members of a computed array reads its other operand again each time, except
-- when lengths decide that two texts differ. p_name and p_costly: of the function behind it, and how its time
-- grows (wedsql.costly_function).
create or replace function wedsql.node_cost(
  p_kind text, p_name text, p_costly text, p_type oid, p_sizes numeric[], p_numbers integer[],
  p_fixed numeric[],
  p_shares jsonb[], out size numeric, out memory numeric, out steps numeric, out fixed numeric,
  out shares jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_costly text := p_costly;
  v_longest numeric[] := array(select s from unnest(p_sizes) s order by s desc limit 2);
  v_adds boolean := wedsql.is_sum_of_arguments(p_kind, p_name);
  v_shares record;
begin
  memory := 0;
  if p_kind in ('FUNCEXPR', 'OPEXPR', 'NULLIFEXPR', 'DISTINCTEXPR') then
    size := wedsql.largest_result(p_name, p_type, p_sizes, p_numbers);
  elsif p_kind = 'COERCEVIAIO' then
    size := wedsql.largest_result((select t.typname from pg_type t where t.oid = p_type), p_type, p_sizes,
                                  '{}');
  elsif p_kind = 'SCALARARRAYOPEXPR' then
    size := 16;
    v_costly := coalesce(v_costly,
                         case when p_name not in ('texteq', 'textne', 'bpchareq', 'bpcharne')
                           and p_sizes[1] > 16
                                        then 'product' end);
  else
    size := coalesce(v_longest[1], 0);
  end if;
  if p_kind in ('ARRAY', 'ARRAYEXPR') then
    size := (select sum(s) from unnest(p_sizes) s);
  end if;
  fixed := size; shares := '{}';
  if size > 16 and (v_adds
                    or p_kind in ('COALESCE', 'COALESCEEXPR', 'CASE', 'CASEEXPR', 'WHEN', 'CASEWHEN',
                                  'MINMAX', 'RELABELTYPE', 'COLLATE')) then
    v_shares := wedsql.shares_of(p_shares, v_adds);
    shares := v_shares.shares;
    fixed := (select case when v_adds then sum(f) else max(f) end from unnest(p_fixed) f);
    size := least(size, fixed + v_shares.size);
  end if;
  if p_kind in ('FUNCEXPR', 'OPEXPR', 'COERCEVIAIO', 'ARRAY', 'ARRAYEXPR', 'ARRAYCOERCEEXPR',
                'SUBSCRIPTINGREF') and size > 16 then
    memory := size;
  end if;
  steps := coalesce(case v_costly when 'product' then v_longest[1] * v_longest[2]
                    when 'square' then v_longest[1] ^ 2
                                  when 'numeric'
                                    then v_longest[1] * coalesce(v_longest[2], v_longest[1]) / 10 end, 0);
end
$$;

-- Returns the first call of a parse tree with which the tree costs more than a condition may: its words, how
-- many calls by one of these words come before it, and what exceeds its limit. Returns nothing when the tree
-- is within its limits.
create or replace function wedsql.too_costly(
  p_tree text, p_functions oid[], out words text[], out before integer, out reason text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v record; v_kinds text[] := '{}'; v_bases integer[] := '{}'; v_functions integer[] := '{}';
  v_types oid[] := '{}';
  v_sizes numeric[] := '{}'; v_numbers integer[] := '{}'; v_calls oid[] := '{}';
  v_fixed numeric[] := '{}'; v_shares jsonb[] := '{}';
  v_all jsonb[] := '{}'; v_kept numeric := 0; v_share record;
  d integer := 0; n integer := 0; f integer; v_cost record; v_memory numeric := 0; v_steps numeric := 0;
  v_names text[]; v_costly text[]; v_cheap boolean[];
begin
  -- Most calls compare: they return a value of fixed size in linear time.
  select array_agg(p.proname order by o.i), array_agg(c.kind order by o.i),
         array_agg(t.typlen > 0 and c.kind is null order by o.i)
  into v_names, v_costly, v_cheap
  from unnest(p_functions)
  with ordinality o (oid, i) left join pg_proc p on p.oid = o.oid left join pg_type t on t.oid = p.prorettype
  left join lateral (select c.kind from wedsql.costly_function c where p.proname ~ c.pattern
                     limit 1) c on true;
  for v in select * from wedsql.read_tree(p_tree) loop
    if v.closes then
      exit when d = 0;
      f := v_functions[d];
      if v_kinds[d] in ('BOOLEXPR', 'NULLTEST', 'BOOLEANTEST') or v_kinds[d] in ('FUNCEXPR', 'OPEXPR')
         and v_cheap[f] then
        n := v_bases[d] + 1;
        v_sizes[n] := 16; v_numbers[n] := null; v_fixed[n] := 16; v_shares[n] := '{}';
        v_calls := v_calls || p_functions[f];
      elsif v_kinds[d] in ('QUERY', 'FROMEXPR', 'RANGETBLREF', 'TARGETENTRY') then
        n := v_bases[d];
      else
        v_cost := wedsql.node_cost(v_kinds[d], v_names[f], v_costly[f], v_types[d], v_sizes[v_bases[d] + 1:n],
          v_numbers[v_bases[d] + 1:n], v_fixed[v_bases[d] + 1:n], v_shares[v_bases[d] + 1:n]);
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
          words := wedsql.words_of(p_functions[f]);
          before := (select count(*) from unnest(v_calls) c where wedsql.words_of(c) && words);
          reason := case when v_steps > 4e9 then 'costly' else 'too_large' end;
          return;
        end if;
        v_calls := v_calls || p_functions[f];
        n := v_bases[d] + 1;
        v_sizes[n] := v_cost.size; v_numbers[n] := null; v_fixed[n] := v_cost.fixed;
        v_shares[n] := v_cost.shares;
      end if;
      d := d - 1;
    end if;
    if v.kind = 'CONST' then
      n := n + 1;
      v_sizes[n] := v.length; v_numbers[n] := v.number; v_fixed[n] := v.length; v_shares[n] := '{}';
    elsif v.kind = 'VAR' then
      n := n + 1;
      v_sizes[n] := wedsql.largest_value(v.type); v_numbers[n] := null;
      v_fixed[n] := v_sizes[n]; v_shares[n] := '{}';
      if v_sizes[n] >= wedsql.state_limit() then
        v_fixed[n] := 0; v_shares[n] := jsonb_build_object(v.attribute, 1);
      end if;
    elsif v.kind is not null then
      d := d + 1;
      v_kinds[d] := v.kind; v_bases[d] := n; v_types[d] := v.type;
      v_functions[d] := array_position(p_functions, v.function);
    elsif v.type is not null and d > 0 then
      v_types[d] := v.type;
    end if;
  end loop;
end
$$;

-- Rejects an expression that could take too long or too much memory, and returns its parse tree. The tree is
-- checked before the planner computes constant parts; where PostgreSQL cannot parse the expression the tree
-- is empty, and the planner reports the reason.
-- Raises: WD006; WD211 when p_set.
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
  perform wedsql.refuse_sense(v_refusal.sentence, v_refusal.hint, '54000', v_token, p_set, v_found.reason);
end
$$;
