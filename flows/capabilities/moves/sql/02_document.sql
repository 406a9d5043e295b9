-- An instance as a document that another installation continues: its state, its history, its pending jobs and
-- timers, the definition, and the files of its tasks. Triggers are named by their place in the definition,
-- and those that it no longer has by -1, -2 ...; jobs by numbers of the document.

-- Returns the place of each trigger that a flow or the history of an instance names, by its number.
create or replace function wedsql._trigger_places(p_flow wedsql.flow, p_wid integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with known as (
  select (e.j ->> 'id')::integer as tgid, e.n as place
  from jsonb_array_elements(wedsql._definition(p_flow, true) -> 'triggers') with ordinality e (j, n)),
named as (
  select t.tgid from wedsql.wed_trace t where t.wid = p_wid
  union select unnest(t.fired) from wedsql.wed_trace t where t.wid = p_wid
  union select unnest(t.suppressed) from wedsql.wed_trace t where t.wid = p_wid
  union select l.tgid from wedsql.job_log l where l.wid = p_wid),
gone as (
  select n.tgid, - row_number() over (order by n.tgid) as place from named n
  where n.tgid > 0 and n.tgid not in (select k.tgid from known k))
select coalesce(jsonb_object_agg(p.tgid, p.place), '{}') || '{"0": 0}'
from (select * from known union all select * from gone) p
$$;

-- Returns numbers of triggers as places; null for null.
create or replace function wedsql._as_places(p_places jsonb, p_tgids integer[]) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_tgids is not null then (
  select coalesce(jsonb_agg(p_places -> u.tgid::text order by u.n), '[]')
  from unnest(p_tgids) with ordinality u (tgid, n)) end
$$;

-- Returns the jobs that an instance has or had: number here, number in the document, trigger and the step
-- that fired it, as far as they are known.
create or replace function wedsql._jobs_of_document(p_wid integer)
  returns table (id bigint, n bigint, tgid integer, cause_seq integer)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select j.id, row_number() over (order by j.id), j.tgid, j.cause_seq
from (select o.id, max(o.tgid) as tgid, max(o.cause_seq) as cause_seq from (
        select t.job_id as id, t.tgid, t.cause_seq from wedsql.wed_trace t
        where t.wid = p_wid and t.job_id is not null
        union all
        select p.id, p.tgid, p.cause_seq from wedsql.job_pool p where p.wid = p_wid
        union all
        select l.job_id, l.tgid, null from wedsql.job_log l where l.wid = p_wid) o
      group by o.id) j
$$;

-- Returns the history for a document.
create or replace function wedsql._document_steps(p_wid integer, p_places jsonb, p_jobs jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
select coalesce(jsonb_agg(to_jsonb(t) - '{flow_id,wid,claim,xid,case_id}'::text[] || jsonb_build_object(
  'job_id', p_jobs -> t.job_id::text, 'tgid', p_places -> t.tgid::text,
  'fired', wedsql._as_places(p_places, t.fired), 'suppressed', wedsql._as_places(p_places, t.suppressed))
  order by t.seq), '[]')
from wedsql.wed_trace t where t.wid = p_wid
$$;

-- Returns the pending jobs and the log of failed attempts for a document.
create or replace function wedsql._document_jobs(p_wid integer, p_places jsonb, p_jobs jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select jsonb_build_object(
  'pending', (select coalesce(jsonb_agg(to_jsonb(j) - '{flow_id,wid,claim,lckid,lease_until,state,fired_xid,
      version,lock,assigned_by,assigned_at}'::text[] || jsonb_build_object('id', p_jobs -> j.id::text,
      'tgid', p_places -> j.tgid::text, 'assigned_to', case when j.assigned_to = '' then '' end)
      order by j.id), '[]')
    from wedsql.job_pool j where j.wid = p_wid),
  'timers', (select coalesce(jsonb_agg(jsonb_build_object('tgid', p_places -> x.tgid::text,
      'due_at', x.due_at) order by x.tgid), '[]') from wedsql.timer x where x.wid = p_wid),
  'skipped', (select coalesce(jsonb_agg(jsonb_build_object('tgid', p_places -> s.tgid::text,
      'seq', s.seq) order by s.tgid), '[]') from wedsql.skipped s where s.wid = p_wid),
  'log', (select coalesce(jsonb_agg(to_jsonb(l) - '{id,flow_id,wid,xid}'::text[] || jsonb_build_object(
      'job_id', p_jobs -> l.job_id::text, 'tgid', p_places -> l.tgid::text) order by l.id), '[]')
    from wedsql.job_log l where l.wid = p_wid))
$$;

-- Returns the files of the tasks of an instance, with their contents.
create or replace function wedsql._document_files(p_wid integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
select coalesce(jsonb_agg(jsonb_build_object('sha256', f.sha256, 'attribute', f.attribute, 'person', f.person,
  'added_at', f.added_at, 'kept', f.kept, 'type', c.type, 'content', encode(c.content, 'base64'))
  order by f.sha256, f.attribute), '[]')
from wedsql.task_file f join wedsql.file_content c on c.flow_id = f.flow_id and c.sha256 = f.sha256
where f.wid = p_wid
$$;

-- Returns an instance as a document. Its row has been locked.
-- Raises: WD622 for one that is too large.
create or replace function wedsql._moved_document(p_flow wedsql.flow, p_wid integer) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_places jsonb := wedsql._trigger_places(p_flow, p_wid);
  v_jobs jsonb := (select coalesce(jsonb_object_agg(j.id, j.n), '{}') from wedsql._jobs_of_document(p_wid) j);
  v_document jsonb;
begin
  if (select coalesce(sum(c.size), 0) from wedsql.task_file f join wedsql.file_content c
        on c.flow_id = f.flow_id and c.sha256 = f.sha256 where f.wid = p_wid) > wedsql._largest_package()
  then
    perform wedsql._raise_too_large(p_wid);
  end if;
  v_document := jsonb_build_object('flow', p_flow.name, 'version', p_flow.version,
    'definition', wedsql._definition(p_flow, false),
    'digest', wedsql._definition_digest(wedsql._definition(p_flow, false)),
    'instance', (select jsonb_build_object('started_at', i.started_at, 'actor', i.actor, 'key', i.key,
                   'seq', i.seq, 'version', i.version) from wedsql.instance i where i.wid = p_wid),
    'steps', wedsql._document_steps(p_wid, v_places, v_jobs),
    'jobs', (select coalesce(jsonb_agg(jsonb_build_object('n', j.n, 'trigger', v_places -> j.tgid::text,
               'cause', j.cause_seq) order by j.n), '[]') from wedsql._jobs_of_document(p_wid) j),
    'files', wedsql._document_files(p_wid)) || wedsql._document_jobs(p_wid, v_places, v_jobs);
  if octet_length(v_document::text) > wedsql._largest_package() then
    perform wedsql._raise_too_large(p_wid);
  end if;
  return v_document;
end $$;

-- Returns how many bytes a document may have.
create or replace function wedsql._largest_package() returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 32 * 1024 * 1024 $$;

-- Raises: WD622.
create or replace function wedsql._raise_too_large(p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD622', 'Instance {instance} with its history and files is larger than {limit} MB.',
    'It stays here.', jsonb_build_object('instance', p_wid, 'limit', wedsql._largest_package() / 1048576));
end $$;
