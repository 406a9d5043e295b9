-- What auditors read of the changes of controls.

-- Returns the changes that {"flow", "control", "actor", "since", "until"} select, the newest first, those
-- before number p_before; at most p_limit, and 1,000. Whoever may see every flow reads them; that is checked
-- by the caller.
-- Raises: WD551.
create or replace function wedsql.list_control_changes(p_where jsonb default '{}',
  p_before bigint default null, p_limit integer default 50) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
declare
  v_unknown text := (select k from jsonb_object_keys(p_where) k
                     where k not in ('flow', 'control', 'actor', 'since', 'until') limit 1);
begin
  if v_unknown is not null then
    perform wedsql._raise('WD551', 'Changes of controls are not selected by "{name}".',
      'Use flow, control, actor, since or until.', jsonb_build_object('name', left(v_unknown, 80)));
  end if;
  return query
    select to_jsonb(c) - '{flow_id,xid,began_at}'::text[] from wedsql.control_change c
    where (p_before is null or c.id < p_before)
      and (not p_where ? 'flow' or c.flow = p_where ->> 'flow')
      and (not p_where ? 'control' or c.control = p_where ->> 'control')
      and (not p_where ? 'actor' or c.actor = p_where ->> 'actor')
      and (not p_where ? 'since' or c.at >= (p_where ->> 'since')::timestamptz)
      and (not p_where ? 'until' or c.at < (p_where ->> 'until')::timestamptz)
    order by c.id desc limit least(greatest(p_limit, 0), 1000);
end $$;

-- Returns the names of the tables whose changes are recorded.
create or replace function wedsql.list_controls() returns table (name text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select c.name from wedsql._controls() c order by c.name
$$;

grant execute on function wedsql.list_controls(), wedsql.list_control_changes(jsonb, bigint, integer)
to wed_web;
