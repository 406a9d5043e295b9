-- The versions of a flow for designers.

-- Returns the running definition with the numbers of attributes and triggers, and its version; version 0 and
-- an empty definition for a flow that does not exist.
create or replace function wedsql.running_definition(p_flow text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._running(p_flow)
$$;

-- Returns the versions of a flow before p_before, the newest first, without their definitions. One without a
-- publication was published directly.
-- Raises: WD001.
create or replace function wedsql.list_versions(p_flow text, p_before integer default null,
  p_limit integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(l) from (
  select v.version, v.at, v.actor, v.reason, v.approver, v.publication_id
  from wedsql._flow(p_flow) f
  cross join lateral (
    select o.* from wedsql.flow_version o
    where o.flow_id = f.id and (p_before is null or o.version < p_before)
    order by o.version desc limit least(p_limit, 500)) v) l
order by l.version desc
$$;

-- Returns the definition of a version, with the numbers of those of its attributes and triggers that run now.
-- Raises: WD001, WD409.
create or replace function wedsql.version_definition(p_flow text, p_version integer) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_definition jsonb;
begin
  select v.definition into v_definition from wedsql.flow_version v
  where v.flow_id = v_flow.id and v.version = p_version;
  if not found then
    perform wedsql._raise('WD409', 'Flow "{flow}" has no version {version}.', 'List its versions.',
      jsonb_build_object('flow', p_flow, 'version', p_version));
  end if;
  return wedsql._numbered(wedsql._running(p_flow) -> 'definition', v_definition);
end $$;

-- Returns a definition that has no numbers, such as one from a file, with the numbers of those attributes and
-- triggers of p_known that they are.
-- Raises: WD009, WD404.
create or replace function wedsql.numbered(p_known jsonb, p_definition jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_draft(p_known), wedsql._check_draft(p_definition);
  return wedsql._numbered(p_known, p_definition);
end $$;

grant execute on function
  wedsql.running_definition(text), wedsql.numbered(jsonb, jsonb),
  wedsql.list_versions(text, integer, integer), wedsql.version_definition(text, integer)
to wed_web;
