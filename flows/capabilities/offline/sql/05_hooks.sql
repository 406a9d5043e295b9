-- What work without a connection does at the hooks of the engine.

-- Returns the part of a round of the reaper that applies results whose web process ended before it had.
create or replace function wedsql._on_reap_parts_offline() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"offline": true}'::jsonb $$;

-- Applies results of devices that wait for nothing, up to 100.
-- Locks: devices, skipping locked ones; as complete_task.
create or replace function wedsql._on_reap_part_offline(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_next record;
begin
  if p_part <> 'offline' then
    return;
  end if;
  for v_next in
    select d.id, w.number, w.wid, t.flow_id
    from wedsql.device_result w join wedsql.device d on d.id = w.device_id
    left join wedsql.task t on t.job_id = w.job_id
    where w.state = 'W' and w.number = d.settled + 1
      and wedsql._may_try(coalesce(t.flow_id, 0), 'offline', coalesce(w.wid, 0), 0, p_now)
    order by w.arrived_at limit 100
  loop
    begin
      perform from wedsql.device d where d.id = v_next.id for update skip locked;
      if found then
        perform wedsql.continue_offline(v_next.id);
      end if;
    exception when query_canceled or others then
      perform wedsql._note_item_failure(coalesce(v_next.flow_id, 0), 'offline', coalesce(v_next.wid, 0), 0,
        sqlstate, sqlerrm, p_now);
    end;
    exit when wedsql._round_over();
  end loop;
end $$;

-- Removes what devices have of instances that are removed with their history.
create or replace function wedsql._on_retired_offline(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.device_package g where g.wid = any (p_wids);
delete from wedsql.device_result r where r.wid = any (p_wids) and r.state <> 'W'
$$;

-- Returns the invariant that each device waits for the first result that has not been decided on.
create or replace function wedsql._on_invariants_offline() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I12', jsonb_build_object(
  'sentence', 'No result of a device waits behind one that was decided on later.',
  'query', $q$
  select jsonb_build_object('wid', i.wid, 'device', r.device_id, 'number', r.number) as found
  from {i} i join wedsql.device_result r on r.wid = i.wid join wedsql.device d on d.id = r.device_id
  where (r.state = 'W') <> (r.number > d.settled)$q$))
$$;
