-- Operations on many instances as requests of persons (flows/sql/70_maintenance/12_requests.sql).

-- Returns those that are being performed.
create or replace function wedsql._on_standing_bulk(p_now timestamptz) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('bulk', coalesce(jsonb_agg(jsonb_build_object(
  'number', b.id, 'person', b.actor, 'operation', b.operation, 'flows', to_jsonb(b.flows))), '[]'))
from (select * from wedsql.bulk o where o.state = 'running' order by o.changed_at limit 500) b
$$;

-- Refuses what is left of one with this reason. What is done stays.
-- Locks: the operation, after the slice of it that is being performed.
create or replace function wedsql._on_end_standing_bulk(p_kind text, p_number bigint, p_why wedsql.why)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_left integer;
begin
  if p_kind <> 'bulk' then
    return false;
  end if;
  perform from wedsql.bulk b where b.id = p_number and b.state = 'running' for update;
  if not found then
    return false;
  end if;
  update wedsql.bulk_row r
  set result = 'refused', tried_at = v_now, sqlstate = (p_why).code, message = (p_why).message,
      hint = (p_why).hint, detail = (p_why).detail
  where r.bulk_id = p_number and r.result is null;
  get diagnostics v_left = row_count;
  update wedsql.bulk b
  set refused = b.refused + v_left, state = 'finished', changed_at = v_now, finished_at = v_now,
      changed_by = 'kernel'
  where b.id = p_number;
  return true;
end $$;
