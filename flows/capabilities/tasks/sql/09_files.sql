-- Files that people send with forms. The attribute has the description of a file: its name, size, type and
-- the hash by which the content is stored once for the flow.

-- Returns the type of a file by its first bytes; its name decides only among types that begin alike.
create or replace function wedsql._file_type(p_name text, p_content bytea) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_head text := encode(substr(p_content, 1, 80), 'hex');
  v_ending text := lower(coalesce(substring(p_name from '[.]([^.]*)$'), ''));
begin
  return case
    when v_head like '89504e470d0a1a0a%' then 'image/png'
    when v_head like 'ffd8ff%' then 'image/jpeg'
    when v_head ~ '^4749463[8]3[79]61' then 'image/gif'
    when v_head ~ '^52494646.{8}57454250' then 'image/webp'
    when v_head ~ '^(49492a00|4d4d002a)' then 'image/tiff'
    when v_head ~ '^.{8}66747970(68656963|68656978|6d696631|68657663)' then 'image/heic'
    when v_head ~ '^.{8}66747970' then 'video/mp4'
    when v_head like '255044462d%' then 'application/pdf'
    when v_head like 'd0cf11e0a1b11ae1%' and v_ending = 'doc' then 'application/msword'
    when v_head like '504b0304%' then wedsql._zip_type(v_head, v_ending)
    else wedsql._text_type(v_ending, p_content) end;
end $$;

-- Returns the type of a file that begins as an archive.
create or replace function wedsql._zip_type(p_head text, p_ending text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when strpos(p_head, encode('mimetypeapplication/vnd.oasis.opendocument.text', 'hex')) = 61
    then 'application/vnd.oasis.opendocument.text'
  when strpos(p_head, encode('mimetypeapplication/vnd.oasis.opendocument.spread', 'hex')) = 61
    then 'application/vnd.oasis.opendocument.spreadsheet'
  when p_ending = 'docx' then 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  when p_ending = 'xlsx' then 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  when p_ending = 'pptx' then 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  else 'application/zip' end
$$;

-- Returns the type of a file that is a text; application/octet-stream for others.
create or replace function wedsql._text_type(p_ending text, p_content bytea) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if position(decode('00', 'hex') in p_content) > 0 or convert_from(p_content, 'UTF8') is null then
    return 'application/octet-stream';
  end if;
  return case p_ending when 'csv' then 'text/csv' when 'json' then 'application/json'
                       when 'xml' then 'application/xml' else 'text/plain' end;
exception when data_exception or untranslatable_character then
  return 'application/octet-stream';
end $$;

-- Returns whether a field takes files of a type.
create or replace function wedsql._takes_type(p_field jsonb, p_type text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(p_field -> 'accept' ?| array[p_type, split_part(p_type, '/', 1) || '/*'], true)
$$;

-- Rejects a file that its field or the flow does not take. The caller has locked the row of the flow, so that
-- two callers at once do not exceed its limit.
-- Raises: WD596.
create or replace function wedsql._check_task_file(p_task wedsql.task, p_field jsonb, p_type text,
  p_size bigint, p_limits jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_most bigint := least(coalesce((p_field ->> 'max_kb')::bigint * 1024, 16777216),
                         (p_limits ->> 'size')::bigint, 16777216);
  v_facts jsonb := wedsql._task_facts(p_task) || jsonb_build_object('field', p_field ->> 'attribute');
begin
  if p_size = 0 then
    perform wedsql._raise('WD596', 'The file is empty.', 'Choose a file that has something in it.', v_facts);
  elsif p_size > v_most then
    perform wedsql._raise('WD596', 'The file is too large: this field takes at most {limit} kB.',
      'Choose a smaller file, or make the photo smaller.',
      v_facts || jsonb_build_object('limit', v_most / 1024));
  elsif not wedsql._takes_type(p_field, p_type) then
    perform wedsql._raise('WD596', 'The file is of the type {type}, which this field does not take.',
      'It takes: {accept}.', v_facts || jsonb_build_object('type', p_type, 'accept',
        (select string_agg(a, ', ') from jsonb_array_elements_text(p_field -> 'accept') a)));
  elsif (select count(*) from wedsql.task_file f where f.job_id = p_task.job_id)
        >= (p_limits ->> 'of_case')::bigint then
    perform wedsql._raise('WD596', 'At most {limit} files can be sent with a task.', null,
      v_facts || jsonb_build_object('limit', (p_limits ->> 'of_case')::bigint));
  elsif p_size > (p_limits ->> 'of_flow')::bigint - coalesce((
          select sum(c.size) from wedsql.file_content c where c.flow_id = p_task.flow_id), 0) then
    perform wedsql._raise('WD596', 'The files of the forms of a flow have at most {limit} kB.',
      'Ask who administers the flow.',
      v_facts || jsonb_build_object('limit', (p_limits ->> 'of_flow')::bigint / 1024));
  end if;
end $$;

-- Stores a file for a field of a task that this person holds, and returns its description, which is the value
-- of the attribute when the task is completed with it. Sent again it is stored once.
-- Locks: the row of the flow; as _open_task.
-- Raises: WD590, WD592, WD593, WD598; WD596 where the field takes no files, or not this one.
create or replace function wedsql.attach_task_file(p_job bigint, p_person text, p_attribute text, p_name text,
  p_content bytea, p_limits jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  perform from wedsql.flow f where f.id = v_task.flow_id for no key update;
  v_task := wedsql._own_task(p_job, p_person, null);
  return wedsql._store_task_file(v_task, p_person, p_attribute, p_name, p_content, p_limits);
end $$;

-- Stores a file for a field of a task, and returns its description. The caller has locked the row of the
-- flow.
-- Raises: WD596.
create or replace function wedsql._store_task_file(p_task wedsql.task, p_person text, p_attribute text,
  p_name text, p_content bytea, p_limits jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := wedsql._file_name(p_name);
  v_type text := wedsql._file_type(v_name, p_content);
  v_hash text := encode(sha256(p_content), 'hex');
  v_field jsonb := wedsql._file_field(p_task, p_attribute);
begin
  if not (wedsql._takes_type(v_field, v_type) and exists (  -- what is there already needs no room
            select from wedsql.task_file f where f.wid = p_task.wid and f.sha256 = v_hash
              and f.attribute = p_attribute and f.job_id = p_task.job_id)) then
    perform wedsql._check_task_file(p_task, v_field, v_type, length(p_content), p_limits);
  end if;
  insert into wedsql.file_content (flow_id, sha256, size, type, content)
  values (p_task.flow_id, v_hash, length(p_content), v_type, p_content) on conflict do nothing;
  insert into wedsql.task_file as f (wid, sha256, attribute, flow_id, job_id, person, added_at)
  values (p_task.wid, v_hash, p_attribute, p_task.flow_id, p_task.job_id, p_person, wedsql.now())
  on conflict (wid, sha256, attribute) do update set job_id = excluded.job_id, person = excluded.person,
    added_at = excluded.added_at;
  return jsonb_build_object('name', v_name, 'size', length(p_content), 'type', v_type, 'sha256', v_hash);
end $$;

-- Returns the field of a task's form that takes a file for an attribute.
-- Raises: WD596.
create or replace function wedsql._file_field(p_task wedsql.task, p_attribute text) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_field jsonb := (
    select f.field from wedsql.trig t cross join lateral wedsql._form_fields(t.form) f
    where t.tgid = p_task.tgid and f.attribute = p_attribute and f.field ->> 'kind' = 'file'
      and p_attribute = any (wedsql._form_writes(t, wedsql._attr_types(t.flow_id))));
begin
  if v_field is null then
    perform wedsql._raise('WD596', 'The form of task {task} has no field "{field}" that takes a file.', null,
      wedsql._task_facts(p_task) || jsonb_build_object('field', left(p_attribute, 80)));
  end if;
  return v_field;
end $$;

-- Returns whether a value is the description of a file that was sent for the attribute of this instance.
create or replace function wedsql._is_sent_file(p_task wedsql.task, p_attribute text, p_value jsonb)
  returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_typeof(p_value) = 'object' and exists (
  select from wedsql.task_file f
  cross join lateral wedsql._file_name(p_value ->> 'name') n (name)
  join wedsql.file_content c on c.flow_id = f.flow_id and c.sha256 = f.sha256
  where f.wid = p_task.wid and f.attribute = p_attribute and f.sha256 = p_value ->> 'sha256'
    and p_value = jsonb_build_object('name', n.name, 'size', c.size, 'sha256', c.sha256,
                                     'type', wedsql._file_type(n.name, c.content)))
$$;

-- Returns a file of an instance: the one that the attribute describes now, or, with p_sha256, one that this
-- person has sent for it and not completed a task with. Whether the reader may see the attribute is checked
-- by the caller.
-- Raises: WD539.
create or replace function wedsql.read_task_file(p_wid integer, p_attribute text, p_sha256 text default null,
  p_person text default null) returns table (file jsonb, content bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_value jsonb;
begin
  select f.* into v_flow from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  if v_flow.id is not null and exists (select from wedsql.attr a
      where a.flow_id = v_flow.id and a.aname = p_attribute and a.type = 'jsonb') then
    execute format('select w.%I from %I.wed_flow w where w.wid = $1', p_attribute, v_flow.name)
      into v_value using p_wid;
  end if;
  v_value := case when jsonb_typeof(v_value) = 'object' then v_value end;
  return query
    select jsonb_build_object('name', wedsql._file_name(coalesce(v_value ->> 'name', 'file')), 'size', c.size,
                              'type', c.type, 'sha256', c.sha256), c.content
    from wedsql.task_file f join wedsql.file_content c on c.flow_id = f.flow_id and c.sha256 = f.sha256
    where f.wid = p_wid and f.sha256 = coalesce(p_sha256, v_value ->> 'sha256')
      and (f.sha256 = v_value ->> 'sha256' or f.person = p_person and f.attribute = p_attribute) limit 1;
  if not found then
    perform wedsql._raise('WD539', 'The attribute "{attribute}" of instance {instance} has no such file.',
      'It may have been replaced.',
      jsonb_build_object('attribute', left(p_attribute, 80), 'instance', p_wid));
  end if;
end $$;

-- Notes that files are in a state of their instance.
create or replace function wedsql._keep_files(p_task wedsql.task, p_data jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_path_exists(p_data, '$.* ? (exists (@.sha256))') then
    update wedsql.task_file f set kept = true
    where f.wid = p_task.wid and not f.kept and f.sha256 = any (array(
      select d.value ->> 'sha256' from jsonb_each(p_data) d where jsonb_typeof(d.value) = 'object'));
  end if;
end $$;

-- Deletes the files of instances, and contents that no instance has any more.
create or replace function wedsql._delete_files(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
with gone as (delete from wedsql.task_file f where f.wid = any (p_wids) returning f.flow_id, f.sha256)
delete from wedsql.file_content c using gone g
where c.flow_id = g.flow_id and c.sha256 = g.sha256
  and not exists (select from wedsql.task_file o where o.flow_id = c.flow_id and o.sha256 = c.sha256
                  and o.wid <> all (p_wids))
$$;

-- Deletes files that were sent a month ago and are in no state: of a task that is open, of a late result, and
-- of the history they stay.
create or replace function wedsql._delete_unsent_files() returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_one record;
  v_count integer := 0;
begin
  for v_one in
    select f.* from wedsql.task_file f
    where not f.kept and f.added_at < (select wedsql.now()) - interval '30 days'
      and not exists (select from wedsql.task t where t.job_id = f.job_id and t.ended_at is null)
    order by f.added_at limit 1000
  loop
    if exists (select from wedsql.wed_trace h where h.wid = v_one.wid
               and (strpos(h.state::text, v_one.sha256) > 0 or strpos(h.before::text, v_one.sha256) > 0))
       or exists (select from wedsql.late_result l where l.wid = v_one.wid
                  and strpos(l.changes::text, v_one.sha256) > 0) then
      update wedsql.task_file f set kept = true
      where f.wid = v_one.wid and f.sha256 = v_one.sha256 and f.attribute = v_one.attribute;
    else
      delete from wedsql.task_file f
      where f.wid = v_one.wid and f.sha256 = v_one.sha256 and f.attribute = v_one.attribute;
      delete from wedsql.file_content c where c.flow_id = v_one.flow_id and c.sha256 = v_one.sha256
        and not exists (select from wedsql.task_file o
                        where o.flow_id = c.flow_id and o.sha256 = c.sha256);
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end $$;

grant execute on function wedsql.attach_task_file(bigint, text, text, text, bytea, jsonb),
  wedsql.read_task_file(integer, text, text, text) to wed_web;
