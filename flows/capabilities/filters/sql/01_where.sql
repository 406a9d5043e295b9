-- SQL predicates of filters: checked by the lexer like conditions, and evaluated by the role without rights.

-- Returns whether a compiled predicate holds on a row, null where it is unknown or fails.
create or replace function wed_match.row_holds(p_condition text, p_row anyelement) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_found boolean;
begin
  execute format('select (%s)::boolean from (select ($1).*) r', p_condition) into v_found using p_row;
  return v_found;
exception
when insufficient_resources or operator_intervention or system_error or internal_error then raise;
when others then
  return null;
end $$;

-- Removes predicates that no list has used for a day, and of a flow those beyond its last 200.
create or replace function wedsql._forget_predicates(p_flow integer) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
delete from wedsql.filter_predicate p
where p.used_at < wedsql.now() - interval '1 day' or p.flow_id = p_flow and p.id in (
  select o.id from wedsql.filter_predicate o where o.flow_id = p_flow
  order by o.used_at desc, o.id desc offset 200)
$$;

-- Checks an SQL predicate over the attributes of a flow as a condition is checked, and returns the number by
-- which filter_holds evaluates it. One that was checked before is only looked up.
-- Raises: WD001, WD005, WD006; 25006 in a read-only transaction.
create or replace function wedsql.prepare_filter(p_flow text, p_predicate text) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_types jsonb := wedsql._attr_types(v_flow.id);
  v_digest text := encode(sha256(convert_to(v_types || p_predicate, 'UTF8')), 'hex');
  v_id bigint := (select p.id from wedsql.filter_predicate p
                  where p.flow_id = v_flow.id and p.digest = v_digest
                    and p.used_at > wedsql.now() - interval '1 hour');
  v_condition wedsql.condition;
begin
  if v_id is not null then
    return v_id;
  end if;
  perform wedsql._need_writable();
  v_condition := wedsql._compile_one(p_predicate, v_types);
  insert into wedsql.filter_predicate as p (flow_id, digest, canonical, used_at)
  values (v_flow.id, v_digest, v_condition.canonical, wedsql.now())
  on conflict (flow_id, digest) do update set used_at = excluded.used_at
  returning p.id into v_id;
  perform wedsql._forget_predicates(v_flow.id);
  return v_id;
end $$;

-- Returns whether a prepared predicate holds on a row of its flow, null where it is unknown or fails, or was
-- removed.
create or replace function wedsql.filter_holds(p_filter bigint, p_row anyelement) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wed_match.row_holds(p.canonical, p_row) from wedsql.filter_predicate p where p.id = p_filter
$$;

-- The reaper evaluates filters for capabilities.
grant execute on function wedsql.prepare_filter(text, text), wedsql.filter_holds(bigint, anyelement)
  to wed_reaper;

grant execute on function
  wedsql.prepare_filter(text, text), wedsql.filter_holds(bigint, anyelement)
to wed_web;
