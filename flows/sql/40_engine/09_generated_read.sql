-- Returns the expression for the state that fired the job j.
create or replace function wedsql._payload_of_job() returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select 'coalesce(j.payload, wedsql._state_of_step(j.wid, j.cause_seq))'
$$;

-- Returns the parts of _taken_query that read the states of the job j: from, payload, state. In a wide flow
-- the state is that of the last step, if that is the row as JSON.
create or replace function wedsql._states_of_job(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select case when wedsql._is_wide(p_flow) then jsonb_build_object(
    'payload', format('case when j.payload is null and h.seq = j.cause_seq then h.state else %s end',
      wedsql._payload_of_job()),
    'state', $q$coalesce(h.state, to_jsonb(w.*) - 'wid')$q$,
    'history', wedsql._last_state(p_flow, 'j.wid'))
  else jsonb_build_object('payload', wedsql._payload_of_job(), 'state', $q$to_jsonb(w.*) - 'wid'$q$,
    'history', '') end
$g$;

-- Returns the expression for the numbers of the top-level disjuncts of a job's condition that held at firing
-- (K-24); predicates are immutable, so evaluating them on the payload now gives the values of that time.
create or replace function wedsql._matched(p_flow integer, p_schema text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case
  when exists (select 1 from wedsql.trig t where t.flow_id = p_flow and cardinality(t.disjuncts) > 1)
  then wedsql._fill('case when cardinality(t.disjuncts) > 1 '
                    'then wedsql._disjuncts({id}, {flow:L}, t.tgid, {payload}) else ''{1}'' end',
    jsonb_build_object('id', p_flow, 'flow', p_schema, 'payload', wedsql._payload_of_job()))
  else '''{1}''::integer[]' end
$$;

-- Returns the query that reads jobs again under their locks, in the order given, with the instance's present
-- state. p_wids, p_ids: expressions for the jobs; p_which: a further condition on them.
create or replace function wedsql._taken_query(p_flow integer, p_schema text, p_wids text, p_ids text,
                                               p_which text default 'true') returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select wedsql._fill($q$select j.id, j.wid, j.tgid, j.trname, j.claim, {payload},
         {state}, {matched}, j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout),
         j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto'
              then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end
              else coalesce(t.mode, 'transaction') end
  from unnest({wids}, {ids}) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join {flow:I}.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid{history}
  where {which}$q$, wedsql._states_of_job(p_flow) || jsonb_build_object('flow', p_schema,
    'matched', wedsql._matched(p_flow, p_schema), 'wids', p_wids, 'ids', p_ids, 'which', p_which))
$g$;

-- Returns the source of <flow>._taken, which is _taken_query as a function.
create or replace function wedsql._gen_taken(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
create or replace function {flow:I}._taken(p_wids integer[], p_ids bigint[]) returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set plan_cache_mode = force_generic_plan
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $f$
begin
  return query {query};
end $f$ $t$, jsonb_build_object('flow', p_schema,
    'query', wedsql._taken_query(p_flow, p_schema, 'p_wids', 'p_ids')));
end $g$;

-- Returns which of these rendered expressions hold on the state, evaluated as the role without rights; one
-- that fails does not.
create or replace function wed_match.holds(p_schema text, p_exprs text[], p_state jsonb) returns boolean[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_holds boolean[] := '{}';
  v_one boolean;
  v_expr text;
begin
  foreach v_expr in array p_exprs loop
    begin
      execute format('select (%s) from jsonb_populate_record(null::%I.wed_flow, $1) r', v_expr, p_schema)
        into v_one using p_state;
    exception
    when insufficient_resources or operator_intervention or system_error or internal_error then raise;
    when others then v_one := null;
    end;
    v_holds := v_holds || coalesce(v_one, false);
  end loop;
  return v_holds;
end $$;

-- Returns the numbers, from 1, of the condition's top-level disjuncts that hold on the payload.
create or replace function wedsql._disjuncts(p_flow integer, p_schema text, p_tgid integer, p_payload jsonb)
returns integer[]
language sql set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(h.n::integer order by h.n), '{}')
from unnest(wed_match.holds(p_schema, (select t.disjuncts from wedsql.trig t where t.tgid = p_tgid),
                            p_payload)) with ordinality h (holds, n)
where h.holds
$$;

-- Returns the source of <flow>._retest, which evaluates the present definition on locked instances.
create or replace function wedsql._gen_retest(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
create or replace function {flow:I}._retest(p_wids integer[])
returns table (wid integer, state jsonb, matched integer[])
language plpgsql security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $f$
begin
  return query select w.wid, to_jsonb(w.*) - 'wid', wed_match.f_{id}(w.*)
    from {flow:I}.wed_flow w where w.wid = any (_retest.p_wids) order by w.wid for no key update;
end $f$ $t$, jsonb_build_object('flow', p_schema, 'id', p_flow));
end $g$;
