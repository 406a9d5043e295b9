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
  perform wedsql._put_source(v_flow.id, v_flow.version, p_source);
  return v_flow.version;
end $$;

-- Writes what a version of a flow was translated from; versions up to 0 are what is not published yet.
create or replace function wedsql._put_source(p_flow integer, p_version integer, p_source jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.flow_source as s (flow_id, version, language, format, text, map)
values (p_flow, p_version, p_source ->> 'language', p_source ->> 'format', p_source ->> 'text',
        p_source -> 'map')
on conflict (flow_id, version) do update
set language = excluded.language, format = excluded.format, text = excluded.text, map = excluded.map
$$;

-- Returns what is the same as long as a definition says the same, whatever numbers its parts have.
create or replace function wedsql._definition_digest(p_definition jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select md5((p_definition - 'flow' - 'version' || jsonb_build_object(
  'attributes', (select jsonb_agg(e.j - 'id' - 'was' order by e.n)
                 from jsonb_array_elements(p_definition -> 'attributes') with ordinality e (j, n)),
  'triggers', (select jsonb_agg(e.j - 'id' order by e.n)
               from jsonb_array_elements(p_definition -> 'triggers') with ordinality e (j, n))))::text)
$$;

-- Keeps what a definition that is not published yet was translated from, one for each draft of a flow, the
-- last 40. It becomes the source of the version that is published of this definition, of no other one.
-- Locks: the rows of the sources.
-- Raises: WD001.
create or replace function wedsql._keep_pending_source(p_flow text, p_draft bigint, p_definition jsonb,
  p_source jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
begin
  perform wedsql._put_source(v_flow, (-p_draft)::integer, p_source || jsonb_build_object('map',
    p_source -> 'map' || jsonb_build_object('digest', wedsql._definition_digest(p_definition))));
  delete from wedsql.flow_source s
  where s.flow_id = v_flow and s.version <= 0
    and s.version > (select o.version from wedsql.flow_source o where o.flow_id = v_flow and o.version <= 0
                     order by o.version offset 39 limit 1);
end $$;

-- Returns what a definition that is not published yet was translated from: what was kept with it, or that of
-- an earlier version, of the last 100 that have one, with the same definition; null where it was not.
create or replace function wedsql._pending_source(p_flow integer, p_definition jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with d as materialized (select wedsql._definition_digest(p_definition) as digest)
select x.source from (
  (select to_jsonb(s) - 'flow_id' - 'version' || jsonb_build_object('map', s.map - 'digest') as source
   from wedsql.flow_source s, d where s.flow_id = p_flow and s.version <= 0 and s.map ->> 'digest' = d.digest
   order by s.version limit 1)
  union all
  (select to_jsonb(s) - 'flow_id' - 'version'
   from (select o.version from wedsql.flow_source o where o.flow_id = p_flow and o.version > 0
         order by o.version desc limit 100) l
   join wedsql.flow_version v on v.flow_id = p_flow and v.version = l.version
   join wedsql.flow_source s on s.flow_id = p_flow and s.version = l.version
   where wedsql._definition_digest(v.definition) = (select d.digest from d)
   order by l.version desc limit 1)) x limit 1
$$;

-- Gives a version that was published of this definition the source that was kept before.
create or replace function wedsql._publish_source(p_flow integer, p_version integer, p_definition jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_source jsonb := wedsql._pending_source(p_flow, p_definition);
begin
  if v_source is not null then
    perform wedsql._put_source(p_flow, p_version, v_source);
    delete from wedsql.flow_source s where s.flow_id = p_flow and s.version <= 0
      and s.map ->> 'digest' = wedsql._definition_digest(p_definition);
  end if;
end $$;

-- Returns what a version of a flow was translated from, with the version; null where it was not. A version
-- that was published without a source has that of an earlier one only if its definition is the same.
-- p_version: null for the present one.
-- Raises: WD001.
create or replace function wedsql.source(p_flow text, p_version integer default null) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select to_jsonb(s) - 'flow_id' from wedsql._flow(p_flow) f
cross join lateral (  -- so that the flow is looked up in any case
  select o.* from wedsql.flow_source o
  where o.flow_id = f.id and o.version = coalesce(p_version, f.version) offset 0) s
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

-- Returns the host on which an attempt of an automatic task runs: the first of its application for the first
-- attempt, and the next one after each failure; after the last one the first again. Null where the definition
-- names none.
create or replace function wedsql.task_host(p_flow text, p_transition text, p_attempt integer) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select h.hosts ->> ((greatest(p_attempt, 1) - 1) % jsonb_array_length(h.hosts))
from wedsql._flow(p_flow) f
cross join lateral (
  select s.map #> array['tasks', p_transition, 'application', 'hosts'] as hosts
  from wedsql.flow_source s where s.flow_id = f.id and s.version = f.version offset 0) h
where jsonb_typeof(h.hosts) = 'array' and jsonb_array_length(h.hosts) > 0
$$;
