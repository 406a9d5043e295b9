-- The paper's SET string: what an UPDATE with the same text would store, as the changes of a result.

-- Returns what the SET string (section 3.1) changes, computed on the present state of the locked instance.
-- Locks: the instance, unless the changes do not depend on its state.
-- Raises: as _set_on.
create or replace function wedsql._set_changes(p_flow text, p_wid integer, p_set text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_state jsonb;
  v_changes jsonb := (select wedsql._quoted_values(p_set, wedsql._attr_types(f.id))
                      from wedsql.flow f where f.name = p_flow);
begin
  if v_changes is not null then
    return v_changes;
  end if;
  execute format('select to_jsonb(w.*) - ''wid'' from %I.wed_flow w where w.wid = $1 for no key update',
                 p_flow) into v_state using p_wid;
  return wedsql._set_on(p_flow, p_set, v_state);
end $$;

-- Returns the changes that a SET string makes to a state: each value as the text of its attribute's type,
-- which reads back as the same value; a document as it is.
-- Raises: WD211 with the SQLSTATE with which PostgreSQL would reject the UPDATE.
create or replace function wedsql._set_on(p_flow text, p_set text, p_state jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._attr_types((wedsql._flow(p_flow)).id);
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_set, ''), v_types, true);
  v_names text[];
  v_exprs text[];
  v_kinds text[];
  v_untyped boolean[];
  v_answer record;
  v_state text;
  v_message text;
begin
  if wedsql.needs_tree_check(v_tokens) then
    perform wedsql.check_set_text(p_set, v_types);
  end if;
  select array_agg(a.attribute), array_agg(a.qualified) into v_names, v_exprs
  from wedsql.assignments(v_tokens) a;
  v_kinds := array(select wedsql.sql_type(v_types ->> n) from unnest(v_names) n);
  v_untyped := array(select wedsql.is_untyped(e) from unnest(v_exprs) e);
  begin
    execute format('select e.changes, e.given from jsonb_populate_record(null::%1$I.wed_flow, $1) w, '
                   'wed_match.evaluate(%1$L, $2, $3, $4, $5, w.*) e', p_flow)
      into v_answer using coalesce(p_state, '{}'), v_names, v_exprs, v_kinds, v_untyped;
    if (select coalesce(bool_and(u.untyped or u.given::text = u.kind
                                 or wedsql.assignable(u.given, u.kind::regtype)), true)
        from unnest(v_answer.given, v_kinds, v_untyped) u (given, kind, untyped)) then
      return coalesce(v_answer.changes, '{}');
    end if;
    v_state := '42804';
    v_message := 'a value is of another type than its attribute';
  exception when data_exception or syntax_error_or_access_rule_violation or program_limit_exceeded
    or feature_not_supported then
    v_state := sqlstate;
    v_message := sqlerrm;
  end;
  perform wedsql.check_set_text(p_set, v_types);  -- raises the place where the text itself is wrong
  perform wedsql._raise('WD211', 'The SET string cannot be computed on this state: {problem}.',
    'Check the types of the attributes, and values that are empty or zero.',
    jsonb_build_object('sqlstate', v_state, 'problem', v_message));
end $$;

-- Returns the changes of a SET string that only gives quoted values to attributes of type text, which most
-- do, without parsing it; null for any other one. Each value must be free of characters that may mean
-- something else than themselves.
create or replace function wedsql._quoted_values(p_set text, p_types jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when octet_length(p_set) <= 1000
             and p_set ~ E'^([a-z][a-z0-9_]* *= *''[^''\\\\[:cntrl:]]*''(, ?(?=[a-z])|$))+$'
       then (select case when bool_and(p_types ->> v.one[1] = 'text' and quote_ident(v.one[1]) = v.one[1])
                          and count(*) = count(distinct v.one[1])
                    then jsonb_object_agg(v.one[1], v.one[2]) end
             from regexp_matches(p_set, '([a-z][a-z0-9_]*) *= *''([^'']*)''', 'g') v (one)) end
$$;

-- Returns the values of rendered expressions over a row, computed by the role without rights, as an object of
-- their names; and the type that each has by itself. p_untyped: it has none and takes that of its attribute.
-- Raises: what PostgreSQL raises for the expressions.
create or replace function wed_match.evaluate(
  p_schema text, p_names text[], p_exprs text[], p_types text[], p_untyped boolean[], p_row anyelement,
  out changes jsonb, out given regtype[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_row refcursor;
  v_values text; v_given text; v_exprs text;
begin
  select string_agg(format(case when u.t = 'jsonb' then 'q.x%s::%s as %I' else 'q.x%s::%s::text as %I' end,
                           u.i, u.t, u.n), ', ' order by u.i),
         string_agg(format('pg_typeof(q.x%s)', u.i), ', ' order by u.i),
         string_agg(format(case when u.untyped then '(%s)::%s as x%s' else '(%1$s) as x%3$s' end, u.e, u.t,
                           u.i), ', ' order by u.i)
  into v_values, v_given, v_exprs
  from unnest(p_names, p_exprs, p_types, p_untyped) with ordinality u (n, e, t, untyped, i);
  open v_row for execute format('select (select to_jsonb(v.*) from (select %s) v), array[%s]::regtype[] '
                                'from (select %s from (select ($1::%I.wed_flow).*) r offset 0) q',
    v_values, v_given, v_exprs, p_schema) using p_row;
  fetch v_row into changes, given;
  close v_row;
end $$;
