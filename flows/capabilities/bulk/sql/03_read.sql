-- Reads bulk operations, for pages and programs.

-- Returns a bulk operation for clients, with the number of its proposal.
create or replace function wedsql._shown_bulk(p_bulk wedsql.bulk) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_bulk) - '{approvals,approvers}'::text[] || jsonb_build_object(
  'proposal', wedsql._call_proposal_of(p_bulk.id))
$$;

-- Returns a bulk operation.
-- Raises: WD506.
create or replace function wedsql.read_bulk(p_id bigint) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_bulk wedsql.bulk;
begin
  select * into v_bulk from wedsql.bulk b where b.id = p_id;
  if not found then
    perform wedsql._raise('WD506', 'There is no bulk operation {bulk}.', 'Load the page again.',
      jsonb_build_object('bulk', p_id));
  end if;
  return wedsql._shown_bulk(v_bulk);
end $$;

-- Returns bulk operations, newest first, before p_before if that is given; with p_flows those whose instances
-- are of these flows only.
create or replace function wedsql.list_bulk(p_flows text[] default null, p_before bigint default null,
  p_max integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select wedsql._shown_bulk(b) from wedsql.bulk b
where (p_flows is null or b.flows <@ p_flows) and (p_before is null or b.id < p_before)
order by b.id desc limit least(p_max, 500)
$$;

-- Returns instances of a bulk operation with their results, in the order of their numbers, after p_after;
-- with p_result those that are done, refused, gone, or left.
create or replace function wedsql.bulk_rows(p_id bigint, p_result text default '', p_after integer default 0,
  p_max integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('wid', r.wid, 'flow', coalesce(f.name, ''), 'result', coalesce(r.result, 'left'),
  'tried_at', case when r.tried_at > '-infinity' then r.tried_at end, 'sqlstate', r.sqlstate,
  'message', r.message, 'hint', r.hint, 'detail', r.detail, 'status', i.status,
  'before', r.status)
from wedsql.bulk_row r
left join wedsql.flow f on f.id = r.flow_id
left join wedsql.instance i on i.wid = r.wid
where r.bulk_id = p_id and r.wid > p_after and p_result in ('', coalesce(r.result, 'left'))
order by r.wid limit least(p_max, 500)
$$;
