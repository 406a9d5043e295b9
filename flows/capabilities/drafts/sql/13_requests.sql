-- Publications as requests of persons (flows/sql/70_maintenance/12_requests.sql).

-- Returns those whose time has come.
create or replace function wedsql._on_standing_drafts(p_now timestamptz) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('publication', coalesce(jsonb_agg(jsonb_build_object(
  'number', p.id, 'person', p.requested_by, 'operation', 'publish',
  'flows', jsonb_build_array(p.flow))), '[]'))
from (select * from wedsql.publication o where o.status = 'approved' and o.publish_at <= p_now
      order by o.publish_at, o.id limit 500) p
$$;

-- Ends a publication that waits for its approval or its time; it fails with this reason.
-- Locks: the request.
create or replace function wedsql._on_end_standing_drafts(p_kind text, p_number bigint, p_why wedsql.why)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_request wedsql.publication;
begin
  if p_kind <> 'publication' then
    return false;
  end if;
  select * into v_request from wedsql.publication p
  where p.id = p_number and p.status in ('requested', 'approved') for update;
  if not found then
    return false;
  end if;
  perform wedsql._note_failure(v_request, (p_why).code, (p_why).message, wedsql.now());
  return true;
end $$;
