-- Checks the meaning of SET strings, and renames attributes inside conditions.

-- Returns whether a value of type p_from may be stored in an attribute of type p_to, as by UPDATE.
create or replace function wedsql.assignable(p_from regtype, p_to regtype)
returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
  select p_from = p_to or p_to = 'text'::regtype
    or exists (select 1 from pg_cast c
               where c.castsource = p_from and c.casttarget = p_to and c.castcontext in ('a', 'i'))
$$;

-- Returns whether a rendered expression is a text or NULL alone, which takes the type of the attribute to
-- which it is assigned.
create or replace function wedsql.is_untyped(p_qualified text)
returns boolean language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select p_qualified ~ '^[( ]*(null|E?''([^'']|'''')*'')[) ]*$'
$$;

-- Returns whether the tokens of a SET string could be costly or large, so that its parse tree has to be
-- checked before it is computed. Most could not, and the check costs as much as a commit. A minus is costly
-- between a document and a computed array.
create or replace function wedsql.needs_tree_check(p_tokens wedsql.token[])
returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(bool_or(v.costly and t.text <> '-' or v.grows), false)
    or bool_or(t.text = '-') and bool_or(t.kind = 'function' or t.text = '[')
    or count(*) filter (where t.kind in ('function', 'operator', 'prefix', 'type')) > 16
  from unnest(p_tokens) as t
  left join wedsql.vocabulary v on v.word = t.text and t.kind in ('function', 'operator', 'prefix', 'keyword')
$$;

-- Returns whether all assignments of a SET string are certainly accepted: they are parsed and planned as one
-- query, and their trees checked together. Where that fails, each is looked at by itself, to say which.
create or replace function wedsql._is_fine_set(p_tokens wedsql.token[], p_source text, p_attrs jsonb)
returns boolean language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_query text := (
    select format('select %s from %s', string_agg(
      format(case when wedsql.is_untyped(a.qualified) then '(%s)::%s' else '(%s)' end, a.qualified,
             wedsql.sql_type(p_attrs ->> a.attribute)), ', ' order by a.first), p_source)
    from wedsql.assignments(p_tokens) a);
  v_tree record;
begin
  v_tree := wedsql.parse_tree(v_query);
  if v_tree.nodes = '{}' or (wedsql.too_costly(v_tree.tree, v_tree.functions)).reason is not null
     or (wedsql.plan_error(v_query)).code is not null then
    return false;
  end if;
  perform wedsql.check_tree(v_tree.nodes, v_tree.functions, p_tokens, true);
  return (
    select bool_and(wedsql.is_untyped(a.qualified) or wedsql.assignable(
      wedsql.type_of(a.qualified, p_source)::regtype, wedsql.sql_type(p_attrs ->> a.attribute)::regtype))
    from wedsql.assignments(p_tokens) a);
exception when others then
  if wedsql._passes(sqlstate) then
    raise;
  end if;
  return false;
end
$$;

-- Rejects a SET string with a part that PostgreSQL can compute for no state.
-- Raises: WD211.
create or replace function wedsql._check_computable_set(
  p_tokens wedsql.token[], p_source text, p_attrs jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_part record;
begin
  if wedsql._may_be_uncomputable(p_tokens) then
    for v_part in select * from wedsql.assignments(p_tokens) loop
      perform wedsql._check_computable(p_tokens[v_part.first:v_part.last], p_source, p_attrs, true);
    end loop;
  end if;
end
$$;

-- Rejects a SET string of which PostgreSQL cannot compute each assignment and store it in its attribute.
-- p_tokens: of p_text.
-- Raises: WD211 with the SQLSTATE of PostgreSQL and the place in the detail.
create or replace function wedsql._check_set_tokens(p_text text, p_tokens wedsql.token[], p_attrs jsonb)
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_source text := wedsql.row_source(p_tokens, p_attrs);
  v_together text[] := '{}';
  v_tokens wedsql.token[];
  v_part record; v_tree record; v_error record;
  v_untyped boolean; v_type text; v_query text;
begin
  if wedsql._is_fine_set(p_tokens, v_source, p_attrs) then
    perform wedsql._check_computable_set(p_tokens, v_source, p_attrs);
    return;
  end if;
  for v_part in select * from wedsql.assignments(p_tokens) loop
    v_tokens := p_tokens[v_part.first:v_part.last];
    v_type := wedsql.sql_type(p_attrs ->> v_part.attribute);
    v_untyped := wedsql.is_untyped(v_part.qualified);
    v_query := format(case when v_untyped then 'select (%s)::%s as x from %s'
                      else 'select (%1$s) as x from %3$s' end,
      wedsql.align(p_tokens, v_part.first, v_part.last, length(p_text)), v_type, v_source);
    v_tree := wedsql.bounded_tree(v_query, v_tokens, true);
    v_together := v_together || format('(%s)', v_part.qualified);
    v_error := wedsql.plan_error(v_query);
    if v_error.code is not null then
      perform wedsql.refuse_problem(v_error.code, v_error.message, v_tokens, p_attrs,
        wedsql.named_token(v_tokens, 1, cardinality(v_tokens), v_error.code, v_error.message), true);
    end if;
    perform wedsql.check_tree(v_tree.nodes, v_tree.functions, v_tokens, true);
    if not v_untyped
       and not wedsql.assignable(wedsql.type_of(v_part.qualified, v_source)::regtype, v_type::regtype) then
      perform wedsql.refuse_sense(
        'The attribute "{attribute}" is of type {type}, but this is of type {given}.',
        'Convert it: (...)::{type}.',
        '42804', wedsql.named_token(v_tokens, 1, cardinality(v_tokens), '42804', ''), true, 'set_type',
        jsonb_build_object('attribute', v_part.attribute, 'type', v_type,
          'given', wedsql.type_of(v_part.qualified, v_source)));
    end if;
  end loop;
  if cardinality(v_together) > 1 then  -- they are computed together
    perform wedsql.bounded_tree(format('select %s from %s', array_to_string(v_together, ', '), v_source),
                                p_tokens, true);
  end if;
  perform wedsql._check_computable_set(p_tokens, v_source, p_attrs);
end
$$;

-- Rejects a SET string that is none, or that _check_set_tokens rejects.
-- Raises: WD211.
create or replace function wedsql.check_set_text(p_text text, p_attrs jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_set_tokens(p_text, wedsql.parse(coalesce(p_text, ''), p_attrs, true), p_attrs);
end
$$;

-- Returns p_text with the attribute p_old renamed to p_new and everything else unchanged. p_attrs contains
-- p_old. p_set: the text is a SET string.
-- Raises: WD004 when p_new would be read as something else; WD005 when p_text is no condition over p_attrs,
-- WD211 when it is no SET string.
create or replace function wedsql.rename_in_predicate(p_text text, p_old text, p_new text, p_attrs jsonb,
  p_set boolean default false)
returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_before wedsql.token[] := wedsql.parse(p_text, p_attrs, p_set);
  v_after wedsql.token[];
  v_result text := '';
  v_at integer := 1;
  v_token wedsql.token;
begin
  foreach v_token in array v_before loop
    if v_token.kind in ('attribute', 'target') and v_token.text = p_old then
      v_result := v_result || substr(p_text, v_at, v_token.position - v_at) || p_new;
      v_at := v_token.position + v_token.length;
    end if;
  end loop;
  v_result := v_result || substr(p_text, v_at);
  begin
    v_after := wedsql.parse(v_result, (p_attrs - p_old) || jsonb_build_object(p_new, p_attrs -> p_old),
                            p_set);
  exception when sqlstate 'WD005' or sqlstate 'WD211' then
    v_after := '{}';
  end;
  if array(select (t.kind, case when t.kind in ('attribute', 'target') and t.text = p_old then p_new
                                else t.text end, t.depth) from unnest(v_before) as t)
     is distinct from array(select (t.kind, t.text, t.depth) from unnest(v_after) as t) then
    perform wedsql._raise('WD004', 'The name "{token}" would be read as something else in a condition.',
      'Choose a name that is not a word of SQL.', jsonb_build_object('token', p_new, 'reason', 'reserved'));
  end if;
  return v_result;
end
$$;

do $$
declare
  v_object text;
begin
  foreach v_object in array array['plan_error(text)', 'is_never_true(text)', 'type_of(text, text)',
                                  'parse_tree(text)', 'written_query(text)', 'compute_error(text)',
                                  'types_of(text[], text)'] loop
    execute format('revoke all on function wedsql.%s from public', v_object);
    if to_regrole('wed_eval') is not null then
      grant create on schema wedsql to wed_eval;
      execute format('alter function wedsql.%s owner to wed_eval', v_object);
      revoke create on schema wedsql from wed_eval;
    end if;
    if to_regrole('wed_owner') is not null then
      execute format('grant execute on function wedsql.%s to wed_owner', v_object);
    end if;
  end loop;
  if to_regrole('wed_owner') is not null then
    foreach v_object in array array['table wedsql.vocabulary', 'table wedsql.refusal',
                                    'view wedsql.plain_type', 'view wedsql.pure_function',
      'view wedsql.excluded_function', 'view wedsql.function_hint', 'view wedsql.function_vocabulary',
      'view wedsql.pinned_function',
      'view wedsql.costly_function'] loop
      execute format('alter %s owner to wed_owner', v_object);
    end loop;
  end if;
end
$$;
