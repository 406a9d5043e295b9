-- What a definition was translated from, when it was written in another language than that of the kernel.

-- Keeps with the present version of a flow what it was translated from: {"language", "format", "text",
-- "map"}.
-- Locks: the flow's row.
-- Raises: WD001, WD010.
create or replace function wedsql.keep_source(p_flow text, p_source jsonb) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._lock_definition(v_flow.id);
  select f.* into v_flow from wedsql.flow f where f.id = v_flow.id;
  insert into wedsql.flow_source as s (flow_id, version, language, format, text, map)
  values (v_flow.id, v_flow.version, p_source ->> 'language', p_source ->> 'format', p_source ->> 'text',
          p_source -> 'map')
  on conflict (flow_id, version) do update
  set language = excluded.language, format = excluded.format, text = excluded.text, map = excluded.map;
  return v_flow.version;
end $$;

-- Returns what a version of a flow was translated from, with the version; null where it was not. A version
-- that was published without a source has none, even if an earlier one has. p_version: null for the present
-- one.
-- Raises: WD001.
create or replace function wedsql.source(p_flow text, p_version integer default null) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select to_jsonb(s) - 'flow_id' from wedsql._flow(p_flow) f
join wedsql.flow_source s on s.flow_id = f.id and s.version = coalesce(p_version, f.version)
$$;

-- Returns in what language the present version of a flow was written, and the attributes that only its
-- translation has; no row where it was not translated. It does not read the text, which may have megabytes.
create or replace function wedsql.source_outline(p_flow integer)
returns table (language text, internal text[])
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select s.language, array(select e #>> '{}' from jsonb_array_elements(s.map -> 'internal') e)
from wedsql.flow f join wedsql.flow_source s on s.flow_id = f.id and s.version = f.version
where f.id = p_flow
$$;
