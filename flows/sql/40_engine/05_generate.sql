-- Creates the flow's matcher as the role without rights: predicates run with the rights of wed_eval, which
-- has none, so it cannot call wedsql._fill.
create or replace function wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text,
                                             p_settings text, p_guard text, p_automatic text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
declare
  v_made text := format('wed_match.f_%1$s(%2$I.wed_flow), wed_match.e_%1$s(%2$I.wed_flow)', p_flow, p_schema);
begin
  execute format('create or replace function wed_match.f_%s(r %I.wed_flow) returns integer[]
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp %s as %L',
    p_flow, p_schema, p_settings, p_matcher);
  execute format('create or replace function wed_match.e_%s(r %I.wed_flow) returns jsonb
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres''
    set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
    set bytea_output = hex set quote_all_identifiers = off as %L',
    p_flow, p_schema, p_errors);
  if p_guard is not null then
    execute format('create or replace function wed_match.i_%s(r %I.wed_flow, p_final boolean)
      returns integer[]
      language plpgsql stable security definer set search_path = pg_catalog, pg_temp %s as %L',
      p_flow, p_schema, p_settings, p_guard);
    v_made := v_made || format(', wed_match.i_%s(%I.wed_flow, boolean)', p_flow, p_schema);
  elsif to_regproc(format('wed_match.i_%s', p_flow)) is not null then
    execute format('drop function wed_match.i_%s', p_flow);
  end if;
  if p_automatic is not null then
    execute format('create or replace function wed_match.a_%s(r %I.wed_flow, p_tgid integer) returns jsonb
      language plpgsql stable security definer set search_path = pg_catalog, pg_temp
      set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres''
      set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
      set bytea_output = hex set quote_all_identifiers = off as %L',
      p_flow, p_schema, p_automatic);
    v_made := v_made || format(', wed_match.a_%s(%I.wed_flow, integer)', p_flow, p_schema);
  elsif to_regproc(format('wed_match.a_%s', p_flow)) is not null then
    execute format('drop function wed_match.a_%s', p_flow);
  end if;
  execute format('revoke all on function %s from public', v_made);
  execute format('grant execute on function %s to wed_owner', v_made);
end $$;

-- Returns the statements that evaluate all predicates of a flow in one pass and return the tgid of each true
-- trigger in their order. The memory of a statement is freed at its end, and between statements PostgreSQL
-- checks for an interrupt, so at most two predicates that make texts are in one statement.
create or replace function wedsql._match_at_once(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
with part as (
  select t.chunk, format('array_remove(array[%s]::integer[], null)', string_agg(
    format('case when (%s) then %s end', t.canonical, t.tgid), E',\n    ' order by t.tgid)) as list
  from (select t.*, (count(*) filter (where t.canonical ~ '[a-z0-9_][(]|[|][|]|::json')
                     over (order by t.tgid) - 1) / 2 as chunk
        from wedsql.trig t where t.flow_id = p_flow and t.enabled and t.integrity is null) t
  group by t.chunk)
select case count(*)
  when 0 then '  return array_remove(array[]::integer[], null);'
  when 1 then format('  return %s;', min(p.list))
  else string_agg(format('  v := v || %s;', p.list), E'\n' order by p.chunk) || E'\n  return v;' end
from part p
$$;

-- Returns the names of the classes of errors that say nothing about a condition or a state: the server lacks
-- something, is stopped, or has a defect (classes 53, 57, 58, XX). They end the statement.
create or replace function wedsql._trouble_conditions() returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select 'insufficient_resources or operator_intervention or system_error or internal_error'
$$;

-- Returns the body of the matcher. It evaluates all predicates in one pass; only if that fails is each
-- evaluated on its own, and a trigger whose predicate failed is returned as -tgid.
create or replace function wedsql._matcher(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $f$
select wedsql._fill($t$declare
  v integer[] := '{}';
begin
{all_at_once}
exception
when {trouble} then raise;
when others then
  v := '{}';{one_by_one}
  return v;
end$t$, jsonb_build_object('all_at_once', wedsql._match_at_once(p_flow),
  'one_by_one', coalesce(string_agg(format($t$
  begin if (%1$s) then v := v || %2$s; end if;
  exception when %3$s then raise; when others then v := v || -%2$s; end;$t$,
    t.canonical, t.tgid, wedsql._trouble_conditions()), '' order by t.tgid), ''),
  'trouble', wedsql._trouble_conditions()))
from wedsql.trig t where t.flow_id = p_flow and t.enabled and t.integrity is null
$f$;

-- Returns the body of the function that returns which predicates fail on a state, with SQLSTATE and message.
create or replace function wedsql._gen_error_function(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $f$
select wedsql._fill($t$declare
  v jsonb := '[]';
  b boolean;
begin{predicates}
  return v;
end$t$, jsonb_build_object('predicates', coalesce(string_agg(format($t$
  begin b := (%1$s);
  exception when %3$s then raise;
  when others then
    v := v || jsonb_build_object('tgid', %2$s, 'sqlstate', sqlstate, 'message', sqlerrm);
  end;$t$, t.canonical, t.tgid, wedsql._trouble_conditions()), '' order by t.tgid), '')))
from wedsql.trig t where t.flow_id = p_flow and t.enabled and t.integrity is null
$f$;

-- Returns the body of the function that returns which integrity conditions a state violates: those whose
-- condition is false or fails; one that is null does not count, as in a CHECK of SQL. p_final: whether the
-- state is final. Null where the flow has none.
create or replace function wedsql._gen_guard(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $f$
select wedsql._fill($t$declare
  v integer[] := '{}';
begin{conditions}
  return v;
end$t$, jsonb_build_object('conditions', string_agg(wedsql._fill($t$
  begin if {applies}not ({condition}) then v := v || {tgid}; end if;
  exception when {trouble} then raise; when others then v := v || {tgid}; end;$t$,
    jsonb_build_object('trouble', wedsql._trouble_conditions(), 'condition', t.canonical, 'tgid', t.tgid,
      'applies', case t.integrity when 'final' then 'p_final and ' else '' end)), '' order by t.tgid)))
from wedsql.trig t where t.flow_id = p_flow and t.enabled and t.integrity is not null
having count(*) > 0
$f$;

-- Returns the settings that the matcher needs besides those of time: how a floating-point number and bytes
-- become a text (numbers are floating-point without saying so: sqrt(n)), what "= null" means, what null means
-- in the text of an array, and which names quote_ident quotes. Flows whose conditions have none of these do
-- not pay for them.
create or replace function wedsql._text_settings(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when c ~ 'float|double|real|(::|as )(text|(var)?char)|(text|name) ?[(]'
            then ' set extra_float_digits = 1 set bytea_output = hex' else '' end
  || case when c ~* '=[ (]*null|null[ )]*=' then ' set transform_null_equals = off' else '' end
  || case when c ~* E'\\{.*null|\\[ ?[0-9]*]' then ' set array_nulls = on' else '' end
  || case when c ~ 'quote_ident' then ' set quote_all_identifiers = off' else '' end
from (select coalesce(string_agg(t.canonical, ' '), '') as c from wedsql.trig t where t.flow_id = p_flow) x
$$;
