-- What the fast path of a flow has in addition where the kernel sets values or performs transitions
-- (12_generated_single.sql): nothing in other flows.

-- Returns the statement that creates <flow>._automatic, or drops it where the kernel performs nothing any
-- more; null where there is nothing to do.
create or replace function wedsql._gen_automatic_step(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  if not (select f.automatic from wedsql.flow f where f.id = p_flow) then
    return case when to_regproc(format('%I._automatic', p_schema)) is not null
           then format('drop function %I._automatic', p_schema) end;
  end if;
  return wedsql._fill($t$
-- Performs one automatic transition by the fast path and returns the status of the instance, or does nothing
-- and returns null.
-- Locks: the instance, its job, its trace.
create or replace function {flow:I}._automatic(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text,
  out status "char")
language plpgsql set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC'
set intervalstyle = 'postgres' set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $f$
{body}
end $f$ $t$, jsonb_build_object('flow', p_schema, 'body', wedsql._gen_fast_path(p_flow, p_schema,
    p_name => '_automatic', p_first => '', p_held => $q$j.state = 'P'$q$, p_ours => 'true', p_claim => 'null',
    p_until => '', p_answer => 'status := v_status; return;')));
end $g$;

-- Returns the attributes that are named in what automatic transitions set: those which these write, and those
-- that they read.
create or replace function wedsql._named_in_sets(p_flow integer) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $g$
select array(
  select a.aname from wedsql.attr a where a.flow_id = p_flow
  intersect
  select w from wedsql.trig t cross join lateral regexp_split_to_table(lower(t.sets), '[^a-z0-9_]+') w
  where t.flow_id = p_flow and t.performer = 'database')
$g$;

-- Returns what the fast path of a flow has in addition, by its places in the template. p_name: the function
-- that is generated.
create or replace function wedsql._automatic_parts(p_flow integer, p_name text) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
declare
  v_sets integer[];
  v_tgids integer[];
  v_names text[];
  v_only boolean;
  v_parts jsonb;
begin
  select array_agg(t.tgid order by t.tgid) filter (where t.enabled and t.sets is not null),
         array_agg(t.tgid order by t.tgid) filter (where t.enabled and t.performer = 'database'),
         array_agg(distinct t.trname) filter (where t.enabled and t.performer = 'database'),
         bool_and(wedsql._sets_at_most(t))
  into v_sets, v_tgids, v_names, v_only
  from wedsql.trig t where t.flow_id = p_flow;
  v_parts := jsonb_build_object('plain', 'f.plain', 'is_offered', 'v_new is not null', 'offered', 'v_fired')
    || (select jsonb_object_agg(k, '') from unnest('{declare,sets,stale,perform,restore}'::text[]) k);
  if v_sets is null then
    return v_parts;
  end if;
  if v_only then
    v_parts := v_parts || jsonb_build_object('plain',
      'not exists (select 1 from wedsql.skipped s where s.wid = p_wid)');
  end if;
  v_parts := v_parts || wedsql._setting_parts(p_flow, p_name, v_sets);
  return case when v_tgids is null then v_parts
              else v_parts || wedsql._performing_parts(p_flow, p_name, v_tgids, v_names) end;
end $g$;

-- Returns the parts that add what is set to the changes. A SET string that fails is left to the general path.
create or replace function wedsql._setting_parts(p_flow integer, p_name text, p_tgids integer[])
  returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select jsonb_build_object(
  'declare', E'\n  v_given jsonb;',
  'sets', format(case when p_name = '_automatic' then $t$
  begin
    p_changes := wed_match.a_%1$s(v_row, v_job.tgid);
  exception when others then
    exit fast_path;
  end;
  exit fast_path when p_changes - %3$L::text[] <> '{}';$t$ else $t$
  v_given := p_changes;
  if v_job.tgid = any (%2$L::integer[]) then
    p_changes := p_changes || wed_match.a_%1$s(jsonb_populate_record(v_row, p_changes), v_job.tgid);
  end if;$t$ end, p_flow, p_tgids, wedsql._named_in_sets(p_flow)),
  'restore', E'\n  p_changes := coalesce(v_given, p_changes);')
$g$;

-- Returns the parts that perform automatic transitions after a step, unless the step is one itself. One whose
-- condition no longer holds is withdrawn by the general path.
create or replace function wedsql._performing_parts(p_flow integer, p_name text, p_tgids integer[],
  p_names text[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select jsonb_build_object(
  'stale', format($t$
  exit fast_path when exists (select 1 from unnest(v_job.pending) p
                              where p = any (%L::integer[]) and p <> all (v_matched));$t$, p_tgids),
  'is_offered', format('exists (select 1 from unnest(v_fired) n where n <> all (%L::text[]))', p_names),
  'offered', format('array(select n from unnest(v_fired) n where n <> all (%L::text[]))', p_names),
  'perform', case when p_name = '_automatic' then '' else format($t$
  if v_new && %1$L::integer[] or v_job.pending && %1$L::integer[] then
    select wedsql._perform_automatic(f, p_wid, v_status, false) into v_status
    from wedsql.flow f where f.id = %2$s;
  end if;$t$, p_tgids, p_flow) end)
$g$;
