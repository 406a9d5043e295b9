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
-- names none. Where the application chooses by load, and with the job: the host that runs the fewest jobs, of
-- equals the first, and one on which the job has failed last of all.
-- Locks: by load, the number of the job and the host, as its user.
create or replace function wedsql.task_host(p_flow text, p_transition text, p_attempt integer,
  p_wid integer default null, p_job bigint default null) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_application jsonb := (
    select s.map #> array['tasks', p_transition, 'application'] from wedsql.flow_source s
    where s.flow_id = v_flow.id and s.version = v_flow.version);
  v_hosts jsonb := v_application -> 'hosts';
begin
  if jsonb_typeof(v_hosts) is distinct from 'array' or jsonb_array_length(v_hosts) = 0 then
    return null;
  elsif p_job is null or v_application -> 'by_load' is distinct from 'true' then
    return v_hosts ->> ((greatest(p_attempt, 1) - 1) % jsonb_array_length(v_hosts));
  end if;
  return wedsql._use_host(v_flow.id, p_wid, p_job, p_attempt,
                          array(select jsonb_array_elements_text(v_hosts)));
end $$;

-- Chooses the host that runs the least, and notes that it runs this attempt of a job.
-- Locks: what is noted of the job, and the host in a shared mode until the transaction ends, by which others
-- see that a transaction which performs its job uses it.
create or replace function wedsql._use_host(p_flow integer, p_wid integer, p_job bigint,
  p_attempt integer, p_hosts text[]) returns text
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_used wedsql.host_use;
begin
  select u.* into v_used from wedsql.host_use u where u.job_id = p_job;
  if v_used.attempt = p_attempt and v_used.host = any (p_hosts) then
    return v_used.host;  -- asked again
  end if;
  delete from wedsql.host_use u using (
    select o.job_id from wedsql.host_use o
    where o.flow_id = p_flow and not exists (select from wedsql.job_pool j where j.id = o.job_id
                                             and j.wid = o.wid)
    limit 100 for update skip locked) gone
  where u.job_id = gone.job_id;
  insert into wedsql.host_use as u (job_id, wid, flow_id, host, attempt)
  select j.id, j.wid, p_flow, h.host, p_attempt
  from (select o.host from unnest(p_hosts) with ordinality o (host, place)
        order by o.host is not distinct from v_used.host, wedsql._host_load(o.host, p_job), o.place limit 1) h
  join wedsql.job_pool j on j.wid = p_wid and j.id = p_job and j.flow_id = p_flow
  on conflict (job_id) do update set host = excluded.host, attempt = excluded.attempt
  returning * into v_used;
  perform pg_advisory_xact_lock_shared(wedsql._lock_key('host ' || v_used.host));
  return v_used.host;
end $$;

-- Returns how many other jobs run on a host: those that are leased or held, and those that transactions
-- perform which have not ended.
create or replace function wedsql._host_load(p_host text, p_job bigint) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select (select count(*) from wedsql.host_use u join wedsql.job_pool j on j.wid = u.wid and j.id = u.job_id
        where u.host = p_host and u.job_id <> p_job and u.attempt = j.attempts + 1
          and (j.state = 'L' and j.lease_until > wedsql.now() or wedsql._holder(j.wid, j.tgid) is not null))
  + (select count(*) from pg_locks l
     where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.pid <> pg_backend_pid()
       and l.database = (select d.oid from pg_database d where d.datname = current_database())
       and wedsql._key_locked(l.classid, l.objid) = wedsql._lock_key('host ' || p_host))
$$;
