-- Evaluates compiled conditions over states, as the role without rights and under the settings of the
-- matcher. The value of each condition on a state is a letter: t true, f false, u unknown, e not evaluated
-- because it failed.

-- Returns the values of the conditions on each state, all in one statement.
-- Raises: what the first condition that fails raises.
create or replace function wed_match.values_at_once(p_columns text, p_conditions text[], p_states jsonb)
  returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_found text[];
begin
  execute format($q$select array_agg(%s order by r."#")
      from rows from (jsonb_to_recordset($1) as (%s)) with ordinality r (%s, "#")$q$,
    (select case when count(*) = 1 then min(one) else format('array_to_string(array[%s], '''')',
       string_agg(one, ', ' order by n)) end
     from (select n, format('case (%s)::boolean when true then ''t'' when false then ''f'' else ''u'' end',
       c) as one
           from unnest(p_conditions) with ordinality u (c, n)) w),
    p_columns, regexp_replace(p_columns, '" [a-z]+', '"', 'g'))
  into v_found using p_states;
  return v_found;
end $$;

-- Returns the values of one condition on each state; where it fails, each half of the states is evaluated by
-- itself, until the states are found on which it fails.
create or replace function wed_match.values_of_one(p_columns text, p_condition text, p_states jsonb)
  returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_half integer := jsonb_array_length(p_states) / 2;
begin
  return wed_match.values_at_once(p_columns, array[p_condition], p_states);
exception
when insufficient_resources or operator_intervention or system_error or internal_error then raise;
when others then
  if v_half = 0 then
    return array['e'];
  end if;
  return wed_match.values_of_one(p_columns, p_condition, jsonb_path_query_array(p_states,
      '$[0 to $n]', jsonb_build_object('n', v_half - 1)))
    || wed_match.values_of_one(p_columns, p_condition, jsonb_path_query_array(p_states,
      '$[$n to last]', jsonb_build_object('n', v_half)));
end $$;

-- Returns for each state one text with the letters of the conditions in their order. p_states is a list;
-- p_columns has the attributes with their types as for jsonb_to_recordset. As in the matcher at most two
-- conditions that make texts are in one statement; each is evaluated on its own only if a statement fails.
create or replace function wed_match.values_of(p_columns text, p_conditions text[], p_states jsonb)
  returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_all text[] := array_fill(''::text, array[jsonb_array_length(p_states)]);
  v_part text[];
  v_some text[];
  v_one text;
begin
  for v_some in
    select array_agg(w.c order by w.n) from (
      select u.*, (count(*) filter (where u.c ~ '[a-z0-9_][(]|[|][|]|::json') over (order by u.n) - 1) / 2
        as part
      from unnest(p_conditions) with ordinality u (c, n)) w group by w.part order by w.part
  loop
    begin
      v_part := wed_match.values_at_once(p_columns, v_some, p_states);
      v_all := array(select a || p from unnest(v_all, v_part) with ordinality x (a, p, i) order by i);
    exception
    when insufficient_resources or operator_intervention or system_error or internal_error then raise;
    when others then
      foreach v_one in array v_some loop
        v_part := wed_match.values_of_one(p_columns, v_one, p_states);
        v_all := array(select a || p from unnest(v_all, v_part) with ordinality x (a, p, i) order by i);
      end loop;
    end;
  end loop;
  return v_all;
end $$;

-- Returns with which SQLSTATE and message each of the conditions fails on a state, by its place from 1.
create or replace function wed_match.failures(p_columns text, p_conditions text[], p_state jsonb)
  returns table (n integer, code text, message text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  for v_place in 1..coalesce(cardinality(p_conditions), 0) loop
    begin
      perform wed_match.values_at_once(p_columns, p_conditions[v_place:v_place], jsonb_build_array(p_state));
    exception
    when insufficient_resources or operator_intervention or system_error or internal_error then raise;
    when others then
      n := v_place;
      code := sqlstate;
      message := sqlerrm;
      return next;
    end;
  end loop;
end $$;

-- Returns the attributes that the conditions read, with their types, as the functions above expect them.
create or replace function wedsql._columns_read(p_conditions wedsql.condition[], p_types jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(format('"%s" %s', r.name, wedsql.sql_type(p_types ->> r.name)), ', '
                           order by r.name), '"wed_none" text')
from (select distinct unnest(c.reads) as name from unnest(p_conditions) c) r
$$;

-- Returns the values of the conditions of a definition on each of the states, in their order.
-- Raises: WD005, WD006, WD009.
create or replace function wedsql._values(p_conditions wedsql.condition[], p_types jsonb, p_states jsonb)
  returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when coalesce(cardinality(p_conditions), 0) = 0
  then array_fill(''::text, array[jsonb_array_length(p_states)])
  else wed_match.values_of(wedsql._columns_read(p_conditions, p_types),
         array(select c.canonical from unnest(p_conditions) c order by c.n), p_states) end
$$;

-- Evaluates the conditions of a definition that need not be published on each of the states, which are
-- complete states as JSON. Returns per state one letter per trigger: t true, f false, u unknown, e failed;
-- errors has SQLSTATE and message of those that failed, by the place of the trigger from 0.
-- Raises: WD005, WD006; WD009.
create or replace function wedsql.evaluate(p_flow text, p_definition jsonb, p_states jsonb)
  returns table (n integer, held text, errors jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (select f.id from wedsql.flow f where f.name = p_flow);
  v_types jsonb := wedsql._given_types(p_definition);
  v_conditions wedsql.condition[];
begin
  perform wedsql._check_definition(p_definition);
  perform wedsql._need_writable();
  v_conditions := array(select c from wedsql._compile(v_flow, p_definition) c order by c.n);
  return query
    select v.i::integer - 1, v.held, case when v.held like '%e%' then (
        select jsonb_agg(jsonb_build_object('trigger', x.n - 1, 'code', x.code, 'message', x.message)
                         order by x.n)
        from wed_match.failures(wedsql._columns_read(v_conditions, v_types),
          array(select c.canonical from unnest(v_conditions) c order by c.n),
          p_states -> (v.i::integer - 1)) x) end
    from unnest(wedsql._values(v_conditions, v_types, p_states)) with ordinality v (held, i);
end $$;

-- Returns all combinations of values as states: p_classes is a list of pairs, an attribute and its values.
-- The values of the last attribute change first.
create or replace function wedsql._product(p_classes jsonb) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_states jsonb := '[{}]';
  v_one jsonb;
begin
  for v_one in select e from jsonb_array_elements(p_classes) with ordinality u (e, n) order by n loop
    v_states := (
      select jsonb_agg(s.state || jsonb_build_object(v_one ->> 0, v.value) order by s.n, v.n)
      from jsonb_array_elements(v_states) with ordinality s (state, n)
      cross join jsonb_array_elements(v_one -> 1) with ordinality v (value, n));
  end loop;
  return v_states;
end $$;

-- Evaluates each condition of a definition that need not be published on the product of values of its own:
-- p_classes has for each trigger what _product takes. Returns per trigger one letter per state as evaluate.
-- Raises: WD005, WD006; WD009.
create or replace function wedsql.evaluate_classes(p_flow text, p_definition jsonb, p_classes jsonb)
  returns table (n integer, held text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
begin
  perform wedsql._check_definition(p_definition);
  perform wedsql._need_writable();
  return query
    select c.n - 1,
      array_to_string(wedsql._values(array[c], v_types, wedsql._product(p_classes -> (c.n - 1))), '')
    from wedsql._compile((select f.id from wedsql.flow f where f.name = p_flow), p_definition) c order by c.n;
end $$;

-- Rejects compiling in a read-only transaction: there the parse tree of a condition cannot be checked.
-- Raises: 25006.
create or replace function wedsql._need_writable() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_read_only')::boolean then
    raise read_only_sql_transaction using
      message = 'A condition cannot be compiled in a read-only transaction.',
      hint = 'Call the function in an ordinary transaction; it changes nothing.';
  end if;
end $$;

grant execute on function
  wedsql.evaluate(text, jsonb, jsonb), wedsql.evaluate_classes(text, jsonb, jsonb)
to wed_web;
