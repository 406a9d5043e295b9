-- Says of many instances of a flow at once which conditions hold, and what the exceptions lack.

-- Returns the numbers of the newest instances of a flow in these statuses, at most p_limit.
create or replace function wedsql._newest(p_flow integer, p_statuses "char"[], p_limit integer)
  returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select x.wid from unnest(p_statuses) s (status) cross join lateral (
  select i.wid from wedsql.instance i where i.flow_id = p_flow and i.status = s.status
  order by i.wid desc limit p_limit) x order by x.wid desc limit p_limit)
$$;

-- Counts of how many living instances the condition of each trigger is true, by the matcher of the flow:
-- {"examined", "holds": {tgid: number}}. Examines the newest p_limit, and stops after p_seconds.
-- Raises: WD001.
create or replace function wedsql.count_holding(p_flow text, p_limit integer default 5000,
  p_seconds double precision default 1) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_until timestamptz := clock_timestamp() + make_interval(secs => p_seconds);
  v_wids integer[] := wedsql._newest(v_flow.id, '{R,E,S,X}', p_limit);
  v_query text := wedsql._fill('select count(*), array_agg(wed_match.f_{id}(w.*)::text)
    from {flow:I}.wed_flow w where w.wid = any ($1)', jsonb_build_object('id', v_flow.id, 'flow', p_flow));
  v_examined integer := 0;
  v_held text[] := '{}';
  v_part record;
begin
  for v_from in 1..cardinality(v_wids) by 200 loop
    exit when clock_timestamp() > v_until;
    execute v_query into v_part using v_wids[v_from:v_from + 199];
    v_examined := v_examined + v_part.count;
    v_held := v_held || v_part.array_agg;
  end loop;
  return jsonb_build_object('examined', v_examined, 'holds', (
    select coalesce(jsonb_object_agg(x.tgid, x.n), '{}') from (
      select h.tgid, count(*) as n from unnest(v_held) e (held) cross join unnest(e.held::integer[]) h (tgid)
      where h.tgid > 0 group by h.tgid) x));
end $$;

-- Returns what the newest p_limit exceptions of a flow lack: {"predicates": {tgid: condition}, "parts":
-- [[tgid, path, kind, position, length, reads, outline]], "instances": [[wid, letters]]}, a letter for each
-- part, as explain_condition has them.
-- Raises: WD001.
create or replace function wedsql.explain_exceptions(p_flow text, p_limit integer default 100) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_types jsonb := wedsql._attr_types(v_flow.id);
  v_rules wedsql.trig[] := array(select t from wedsql.trig t where t.flow_id = v_flow.id and t.enabled
                                 order by t.tgid);
  v_states jsonb;
  v_wids integer[];
begin
  execute wedsql._fill($q$select array_agg(w.wid order by w.wid desc),
      jsonb_agg(to_jsonb(w.*) - 'wid' order by w.wid desc)
    from {flow:I}.wed_flow w where w.wid = any ($1)$q$, jsonb_build_object('flow', p_flow))
  into v_wids, v_states using wedsql._newest(v_flow.id, '{E}', p_limit);
  if v_wids is null then
    return '{"predicates": {}, "parts": [], "instances": []}';
  end if;
  return (
    with p as materialized (
      select * from wedsql._parts_to_evaluate(array(select t.cpred from unnest(v_rules) t order by t.tgid),
        v_types)),
    v as (
      select x.* from unnest(wedsql._values(
        array(select row(p.place, null, p.canonical, p.reads, null)::wedsql.condition from p
              order by p.place),
        v_types, v_states)) with ordinality x (letters, i))
    select jsonb_build_object(
      'predicates', (select jsonb_object_agg(t.tgid, t.cpred) from unnest(v_rules) t),
      'parts', (select jsonb_agg(jsonb_build_array(v_rules[p.n].tgid, p.path, p.kind, p."position", p.length,
        p.reads, p.outline) order by p.place) from p),
      'instances', (select jsonb_agg(jsonb_build_array(v_wids[v.i], v.letters) order by v.i) from v)));
end $$;

grant execute on function wedsql.count_holding(text, integer, double precision),
  wedsql.explain_exceptions(text, integer) to wed_web;
