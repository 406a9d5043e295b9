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
    set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on as %L',
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
      set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on as %L',
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
  'one_by_one', coalesce(string_agg(wedsql._fill($t$
  begin if ({condition}) then v := v || {tgid}; end if;
  exception when {trouble} then raise; when others then v := v || -{tgid}; end;$t$,
    jsonb_build_object('trouble', wedsql._trouble_conditions(), 'condition', t.canonical, 'tgid', t.tgid)),
    '' order by t.tgid), ''),
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
end$t$, jsonb_build_object('predicates', coalesce(string_agg(wedsql._fill($t$
  begin b := ({condition});
  exception when {trouble} then raise;
  when others then
    v := v || jsonb_build_object('tgid', {tgid}, 'sqlstate', sqlstate, 'message', sqlerrm);
  end;$t$, jsonb_build_object('trouble', wedsql._trouble_conditions(), 'condition', t.canonical,
    'tgid', t.tgid)), '' order by t.tgid), '')))
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

-- Returns the settings that the matcher needs besides those of time: how a floating-point number becomes a
-- text, what "= null" means, and what null means in the text of an array. Flows whose conditions have none of
-- these do not pay for them.
create or replace function wedsql._text_settings(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when c ~ 'float|double|real' then ' set extra_float_digits = 1' else '' end
  || case when c ~* '=[ (]*null|null[ )]*=' then ' set transform_null_equals = off' else '' end
  || case when c ~* E'\\{.*null' then ' set array_nulls = on' else '' end
from (select coalesce(string_agg(t.canonical, ' '), '') as c from wedsql.trig t where t.flow_id = p_flow) x
$$;

-- Generates the matcher and the functions of a flow from its definition as it is in this transaction.
create or replace function wedsql._generate(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
declare
  v_name text;
  v_automatic text;
begin
  perform wedsql._derive(p_flow);
  update wedsql.flow f set defining_xid = null where f.id = p_flow and f.defining_xid is not null;
  select name into v_name from wedsql.flow where id = p_flow;
  perform wed_match.compile(p_flow, v_name, wedsql._matcher(p_flow), wedsql._gen_error_function(p_flow),
    wedsql._time_settings(p_flow) || wedsql._text_settings(p_flow), wedsql._gen_guard(p_flow),
    wedsql._gen_automatic(p_flow));
  execute wedsql._gen_start(p_flow, v_name);
  execute wedsql._gen_commit(p_flow, v_name);
  execute wedsql._gen_single(p_flow, v_name);
  v_automatic := wedsql._gen_automatic_step(p_flow, v_name);
  if v_automatic is not null then
    execute v_automatic;
  end if;
  execute wedsql._gen_taken(p_flow, v_name);
  execute wedsql._gen_retest(p_flow, v_name);
  execute wedsql._gen_take(p_flow, v_name, false);
  execute wedsql._gen_take(p_flow, v_name, true);
  execute wedsql._gen_complete(p_flow, v_name);
  execute wedsql._gen_complete_held(p_flow, v_name);
  execute wedsql._gen_start_many(p_flow, v_name);
  perform wedsql._grant_functions(v_name);
end $$;

-- Returns the functions of a flow by which instances start and continue, with their arguments and results:
-- clients and workers call them.
create or replace function wedsql._work_functions() returns table (name text, arguments text, result text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
('start_many', 'p_states jsonb[], p_actor text default null, p_keys text[] default null',
  'table (ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)'),
('take', 'p_transitions text[], p_limit integer default 1, p_actor text default null, '
  'p_job_ids bigint[] default null', 'setof wedsql.taken'),
('hold', 'p_transitions text[], p_limit integer default 1, p_actor text default null',
  'setof wedsql.taken'),
('complete_many', 'p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], '
  'p_actor text default null, p_sets text[] default null',
  'table (job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, '
  'hint text, detail text)'),
('complete_held', 'p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text default null, '
  'p_set text default null', 'integer')
$$;

-- Returns the beginning of the statement that creates or replaces one of these functions for a flow.
create or replace function wedsql._create_work_function(p_schema text, p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format(E'create or replace function %I.%I(%s)\nreturns %s', p_schema, w.name, w.arguments, w.result)
from wedsql._work_functions() w where w.name = p_name
$$;

-- Has the functions of a flow, whose definition was changed, generated when they are needed: by the first
-- call of one in this transaction, else by its commit (_generate_at_commit). Until then each function by
-- which instances start and continue is one that generates them first. With immediate constraints they are
-- generated at once; while a whole definition is applied, at its end.
-- Locks: the flow's row.
create or replace function wedsql._generate_later(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
declare
  v_name text;
  v_made record;
begin
  update wedsql.flow f set defining_xid = txid_current()
  where f.id = p_flow and f.defining_xid is distinct from txid_current();
  if not found then
    return;
  end if;
  select f.name into v_name from wedsql.flow f
  where f.id = p_flow and f.defining_xid is not null and not f.applying;
  for v_made in
    select w.name, w.result ~ '^(table|setof) ' as rows,
           (select string_agg(a[1], ', ') from regexp_matches(w.arguments, '(p_[a-z_]+) ', 'g') a) as given
    from wedsql._work_functions() w where v_name is not null
  loop
    execute wedsql._fill($q${create}
      language plpgsql security definer set search_path = pg_catalog, pg_temp as {body:L}$q$,
      jsonb_build_object('create', wedsql._create_work_function(v_name, v_made.name), 'body', wedsql._fill(
        'begin perform wedsql._generate({id}); return {query} {flow:I}.{name:I}({given}); end',
        jsonb_build_object('id', p_flow, 'flow', v_name, 'name', v_made.name, 'given', v_made.given,
          'query', case when v_made.rows then 'query select * from' else '' end))));
  end loop;
end $$;

-- Generates the flow's functions if this transaction has changed its definition since they were generated.
-- While a whole definition is applied, its publication does that at the end.
create or replace function wedsql._follow_definition(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from wedsql.flow f
             where f.id = p_flow and f.defining_xid = txid_current() and not f.applying) then
    perform wedsql._generate(p_flow);
  end if;
end $$;

-- Generates the functions of a flow whose definition was changed, unless that was done since.
create or replace function wedsql._generate_at_commit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._follow_definition(new.id);
  return null;
end $$;
