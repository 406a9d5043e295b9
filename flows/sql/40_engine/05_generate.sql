-- Creates the flow's matcher as the role without rights: predicates run with the rights of wed_eval, which
-- has none.
create or replace function wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
begin
  execute format('create or replace function wed_match.f_%s(r %I.wed_flow) returns integer[] language plpgsql stable security definer %s as %L',
    p_flow, p_schema, 'set search_path = pg_catalog, pg_temp ' || p_settings, p_matcher);
  execute format('create or replace function wed_match.e_%s(r %I.wed_flow) returns jsonb language plpgsql stable security definer %s as %L',
    p_flow, p_schema, 'set search_path = pg_catalog, pg_temp set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres'' set extra_float_digits = 1
     set transform_null_equals = off set array_nulls = on', p_errors);
  execute format('revoke all on function wed_match.f_%1$s(%2$I.wed_flow), wed_match.e_%1$s(%2$I.wed_flow) from public', p_flow, p_schema);
  execute format('grant execute on function wed_match.f_%1$s(%2$I.wed_flow), wed_match.e_%1$s(%2$I.wed_flow) to wed_owner', p_flow, p_schema);
end $$;

-- Returns the body of the matcher. It evaluates all predicates in one pass and returns the tgid of each true
-- trigger in their order. Only if that fails is each predicate evaluated on its own, and a trigger whose
-- predicate failed is returned as -tgid. The memory of a statement is freed at its end, and between
-- statements PostgreSQL checks for an interrupt, so at most two predicates that make texts are in one
-- statement.
create or replace function wedsql._matcher(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
with part as (
  select t.chunk, string_agg(format('case when (%s) then %s end', t.canonical, t.tgid), E',\n    ' order by t.tgid) as list
  from (select t.*, (count(*) filter (where t.canonical ~ '[a-z0-9_][(]|[|][|]|::json') over (order by t.tgid) - 1) / 2 as chunk
        from wedsql.trig t where t.flow_id = p_flow and t.enabled) t
  group by t.chunk)
select format(E'declare\n  v integer[] := \'{}\';\nbegin\n%s\nexception when others then\n  v := \'{}\';\n%s  return v;\nend',
  (select case when count(*) < 2 then format('  return array_remove(array[%s]::integer[], null);', min(p.list))
          else string_agg(format('  v := v || array_remove(array[%s]::integer[], null);', p.list), E'\n' order by p.chunk) || E'\n  return v;' end
   from part p),
  coalesce(string_agg(format(E'  begin if (%s) then v := v || %s; end if; exception when others then v := v || -%s; end;\n',
                             t.canonical, t.tgid, t.tgid), '' order by t.tgid), ''))
from wedsql.trig t where t.flow_id = p_flow and t.enabled
$$;

-- Returns the body of the function that returns which predicates fail on a state, with SQLSTATE and message.
create or replace function wedsql._error_teller(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select format(E'declare\n  v jsonb := \'[]\';\n  b boolean;\nbegin\n%s  return v;\nend', coalesce(string_agg(format(
  E'  begin b := (%s); exception when others then v := v || jsonb_build_object(\'tgid\', %s, \'sqlstate\', sqlstate, \'message\', sqlerrm); end;\n',
  t.canonical, t.tgid), '' order by t.tgid), ''))
from wedsql.trig t where t.flow_id = p_flow and t.enabled
$$;

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
begin
  perform wedsql._derive(p_flow);
  update wedsql.flow f set defining_xid = null where f.id = p_flow and f.defining_xid is not null;
  select name into v_name from wedsql.flow where id = p_flow;
  perform wed_match.compile(p_flow, v_name, wedsql._matcher(p_flow), wedsql._error_teller(p_flow), wedsql._time_settings(p_flow) || wedsql._text_settings(p_flow));
  execute wedsql._gen_start(p_flow, v_name);
  execute wedsql._gen_commit(p_flow, v_name);
  execute wedsql._gen_single(p_flow, v_name);
  execute wedsql._gen_taken(p_flow, v_name);
  execute wedsql._gen_retest(p_flow, v_name);
  execute wedsql._gen_take(p_flow, v_name, false);
  execute wedsql._gen_take(p_flow, v_name, true);
  execute wedsql._gen_complete(p_flow, v_name);
  execute wedsql._gen_complete_held(p_flow, v_name);
  execute wedsql._gen_start_many(p_flow, v_name);
  perform wedsql._grant_functions(v_name);
end $$;

-- Replaces the functions by which instances start and continue by ones that first generate the flow's
-- functions, until that is done.
-- Locks: the flow's row.
create or replace function wedsql._generate_later(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_made record;
begin
  update wedsql.flow f set defining_xid = txid_current() where f.id = p_flow;
  for v_made in
    select p.proname, p.proretset, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
           (select string_agg('$' || i, ', ' order by i) from generate_series(1, p.pronargs) i) as given
    from pg_proc p where p.pronamespace = quote_ident(p_name)::regnamespace
      and p.proname in ('start_many', 'take', 'hold', 'complete_many', 'complete_held')
  loop
    execute format('create or replace function %1$I.%2$I(%3$s) returns %4$s language plpgsql security definer
      set search_path = pg_catalog, pg_temp as %5$L', p_name, v_made.proname, v_made.arguments, v_made.result,
      format('begin perform wedsql._generate(%s); return %s %I.%I(%s); end', p_flow,
        case when v_made.proretset then 'query select * from' else '' end, p_name, v_made.proname, v_made.given));
  end loop;
end $$;

-- Generates the flow's functions if this transaction has changed its definition since they were generated.
create or replace function wedsql._follow_definition(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from wedsql.flow f where f.id = p_flow and f.defining_xid = txid_current()) then
    perform wedsql._generate(p_flow);
  end if;
end $$;

-- After a statement on wed_attr or wed_trig, has the functions of the flows concerned generated when they are
-- needed: by the first call of one in this transaction, else by its commit. Where the commit's trigger has
-- run already (immediate constraints), at once.
create or replace function wedsql._regenerate() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
begin
  for v_flow in
    select f.* from wedsql.flow f
    where f.id in (select c.flow_id from changed c) and to_regclass(format('%I.wed_flow', f.name)) is not null
  loop
    if not v_flow.rematch_due then
      perform wedsql._generate(v_flow.id);
    elsif v_flow.defining_xid is distinct from txid_current() then
      perform wedsql._generate_later(v_flow.id, v_flow.name);
    end if;
  end loop;
  return null;
end $$;
