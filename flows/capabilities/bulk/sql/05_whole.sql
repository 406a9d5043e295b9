-- Bulk operations that are all or nothing: one transaction performs them, or none.

-- Performs the operation on these instances of one flow, and returns the errors of those of them for which
-- that failed: [{"wid", "code", "message", "hint", "detail"}].
create or replace function wedsql._bulk_failures(p_bulk wedsql.bulk, p_wids integer[]) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_wid integer;
  v_why wedsql.why;
  v_failed jsonb := '[]';
begin
  begin
    perform wedsql._bulk_together(p_bulk, p_wids);
    return v_failed;
  exception when others then null;
  end;
  foreach v_wid in array p_wids loop
    begin
      perform wedsql._bulk_together(p_bulk, array[v_wid]);
    exception when others then
      get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
        v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
      v_failed := v_failed || (to_jsonb(v_why) || jsonb_build_object('wid', v_wid));
    end;
  end loop;
  return v_failed;
end $$;

-- Performs the operation on all its instances, or rolls all back where one fails, and returns the errors.
-- Locks: as the operation on each; the caller holds them.
create or replace function wedsql._bulk_all(p_bulk wedsql.bulk) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_part record;
  v_failed jsonb := '[]';
begin
  perform set_config('wedsql.keeps_no_locks', 'yes', true);
  for v_part in
    select array_agg(o.wid order by o.wid) as wids, min(o.wid) as first
    from (select r.flow_id, r.wid, row_number() over (partition by r.flow_id order by r.wid) as n
          from wedsql.bulk_row r where r.bulk_id = p_bulk.id) o
    group by o.flow_id, (o.n - 1) / 100 order by o.flow_id, 2
  loop
    v_failed := v_failed || wedsql._bulk_failures(p_bulk, v_part.wids);
    exit when jsonb_array_length(v_failed) >= 500;
  end loop;
  perform set_config('wedsql.keeps_no_locks', '', true);
  if v_failed <> '[]' then
    raise exception using errcode = 'WD999';
  end if;
  return v_failed;
exception
when sqlstate 'WD999' then
  return v_failed;
when query_canceled then
  perform set_config('wedsql.round_over', 'yes', true);
  return jsonb_build_array(jsonb_build_object('wid', v_part.first, 'code', '57014', 'message', sqlerrm));
end $$;

-- Performs an operation that is all or nothing, and returns true when it has ended; null where locks prevent
-- it now. If it fails, the instances that cannot be performed have their errors, and no other has a result.
-- Locks: as _bulk_hold, all instances in the order of their numbers; the caller holds the operation.
create or replace function wedsql._bulk_whole(p_bulk wedsql.bulk) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_part record;
  v_got integer[];
  v_missed integer[] := '{}';
  v_failed jsonb := '[]';
begin
  for v_part in select r.flow_id, array_agg(r.wid order by r.wid) as wids from wedsql.bulk_row r
                where r.bulk_id = p_bulk.id group by r.flow_id order by r.flow_id
  loop
    v_got := wedsql._bulk_hold(p_bulk, v_part.flow_id, v_part.wids);
    if v_got is null then
      return null;
    end if;
    v_missed := v_missed || wedsql._without(v_part.wids, v_got);
  end loop;
  if v_missed <> '{}' then
    perform wedsql._bulk_missed(p_bulk, v_missed);
  else
    v_failed := wedsql._bulk_all(p_bulk);
    perform wedsql._bulk_refused(p_bulk, (f.value ->> 'wid')::integer,
                                 jsonb_populate_record(null::wedsql.why, f.value))
    from jsonb_array_elements(v_failed) f;
  end if;
  if (v_missed <> '{}' or v_failed <> '[]') and not exists (
      select 1 from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.result is not null) then
    return null;
  end if;
  perform wedsql._keep_bulk(p_bulk, array(select r.wid from wedsql.bulk_row r where r.bulk_id = p_bulk.id));
  return true;
end $$;
