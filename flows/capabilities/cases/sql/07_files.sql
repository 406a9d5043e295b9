-- Files of cases, such as a photo or a letter of a customer. p_flows: the flows whose cases the caller may
-- see (to read) or handle (to attach and remove), which the caller has checked; null for all.

-- Returns a name that is safe on every system: without folders, without characters that control a terminal,
-- the direction of text or a shell of Windows, without dots at its ends, and short; its ending is kept.
create or replace function wedsql._file_name(p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when c.name = '' then 'file' when length(c.name) <= 120 then c.name
  else left(c.name, 120 - length(c.ending)) || c.ending end
from (select b.name, coalesce(substring(b.name from '[.][^. ]{1,10}$'), '') as ending
      from (select btrim(regexp_replace(regexp_replace(coalesce(p_name, ''), E'^.*[/\\\\]', ''),
              E'[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e'
              || E'\\u2060-\\u206f\\ufeff<>:"|?*]', '', 'g'), '. ') as name) b) c
$$;

-- Returns a file for clients, without its content.
create or replace function wedsql._shown_file(p_file wedsql.case_file) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('id', p_file.id, 'case', p_file.number, 'name', p_file.name, 'size', p_file.size,
  'sha256', p_file.sha256, 'added_by', p_file.added_by, 'added_at', p_file.added_at)
$$;

-- Rejects one more file of a flow or a case that has as much as p_limits ("size", "of_case" and "of_flow")
-- allow. The caller has locked the row of the flow, so that two callers at once do not exceed them.
-- Raises: WD540.
create or replace function wedsql._check_file_limits(p_case wedsql.repair_case, p_size bigint, p_limits jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_size > least((p_limits ->> 'size')::bigint, 16777216) then
    perform wedsql._raise('WD540', 'A file has at most {limit} bytes.', 'Attach a smaller file.',
      jsonb_build_object('limit', least((p_limits ->> 'size')::bigint, 16777216)));
  elsif (select count(*) from wedsql.case_file f where f.number = p_case.number)
        >= (p_limits ->> 'of_case')::bigint then
    perform wedsql._raise('WD540', 'A case has at most {limit} files.', 'Remove one that is not needed.',
      jsonb_build_object('limit', (p_limits ->> 'of_case')::bigint));
  elsif (select coalesce(sum(f.size), 0) from wedsql.case_file f where f.flow_id = p_case.flow_id) + p_size
        > (p_limits ->> 'of_flow')::bigint then
    perform wedsql._raise('WD540', 'The files of all cases of a flow have at most {limit} bytes.',
      'Remove files that are not needed.', jsonb_build_object('limit', (p_limits ->> 'of_flow')::bigint));
  end if;
end $$;

-- Attaches a file to a case, open or closed, with an entry in its history, and returns the file.
-- Locks: the row of the flow, then the case.
-- Raises: WD515; WD540 where a limit is exceeded; WD541 for an empty file.
create or replace function wedsql.attach_case_file(p_number bigint, p_name text, p_content bytea,
  p_limits jsonb, p_actor text, p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case;
  v_file wedsql.case_file;
begin
  perform from wedsql.flow f
  where f.id = (select c.flow_id from wedsql.repair_case c where c.number = p_number) for no key update;
  v_case := wedsql._locked_case(p_number, p_flows);
  if coalesce(length(p_content), 0) = 0 then
    perform wedsql._raise('WD541', 'The file is empty.', 'Choose a file that has something in it.');
  end if;
  perform wedsql._check_file_limits(v_case, length(p_content), p_limits);
  insert into wedsql.case_file as f (number, flow_id, name, size, sha256, content, added_by, added_at)
  values (p_number, v_case.flow_id, wedsql._file_name(p_name), length(p_content),
    encode(sha256(p_content), 'hex'), p_content, wedsql._actor(p_actor), wedsql.now())
  returning f.* into v_file;
  perform wedsql._note_case(p_number, 'attached', p_actor, v_file.name,
    jsonb_build_object('file', v_file.id, 'size', v_file.size, 'sha256', v_file.sha256));
  return wedsql._shown_file(v_file);
end $$;

-- Returns the files of the cases of an instance, those of the newest case first, in the order in which they
-- were attached.
create or replace function wedsql.list_case_files(p_wid integer, p_flows text[] default null)
  returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._shown_file(f)
from wedsql.repair_case c join wedsql.flow w on w.id = c.flow_id
join wedsql.case_file f on f.number = c.number
where c.wid = p_wid and (p_flows is null or w.name = any (p_flows))
order by c.number desc, f.id
$$;

-- Returns a file of a case: what list_case_files has of it, and its content.
-- Raises: WD539.
create or replace function wedsql.read_case_file(p_number bigint, p_file bigint, p_flows text[] default null)
  returns table (file jsonb, content bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select wedsql._shown_file(f), f.content
    from wedsql.case_file f join wedsql.flow w on w.id = f.flow_id
    where f.id = p_file and f.number = p_number and (p_flows is null or w.name = any (p_flows));
  if not found then
    perform wedsql._raise('WD539', 'Case {case} has no file {file}.', 'It may have been removed.',
      jsonb_build_object('case', p_number, 'file', p_file));
  end if;
end $$;

-- Removes a file of a case, with an entry in its history, which keeps its name. p_any: the caller may also
-- remove files that other users attached.
-- Locks: the case.
-- Raises: WD515, WD539; WD541 for a file of another user.
create or replace function wedsql.remove_case_file(p_number bigint, p_file bigint, p_actor text,
  p_any boolean, p_flows text[] default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_file wedsql.case_file;
begin
  perform wedsql._locked_case(p_number, p_flows);
  select f.* into v_file from wedsql.case_file f where f.id = p_file and f.number = p_number;
  if not found then
    perform wedsql._raise('WD539', 'Case {case} has no file {file}.', 'It may have been removed.',
      jsonb_build_object('case', p_number, 'file', p_file));
  elsif not coalesce(p_any, false) and v_file.added_by <> wedsql._actor(p_actor) then
    perform wedsql._raise('WD541', 'Another user, "{user}", attached the file.',
      'Ask that user, or a user who may do all repairs.', jsonb_build_object('user', v_file.added_by));
  end if;
  delete from wedsql.case_file f where f.id = p_file;
  perform wedsql._note_case(p_number, 'file_removed', p_actor, v_file.name,
    jsonb_build_object('file', p_file, 'size', v_file.size, 'sha256', v_file.sha256,
                       'added_by', v_file.added_by));
end $$;

grant execute on function wedsql.attach_case_file(bigint, text, bytea, jsonb, text, text[]),
  wedsql.list_case_files(integer, text[]), wedsql.read_case_file(bigint, bigint, text[]),
  wedsql.remove_case_file(bigint, bigint, text, boolean, text[]) to wed_web;
