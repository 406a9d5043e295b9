-- The re-match that a person asks for, and the continuation of one in batches.

-- Matches living instances again (final ones too if p_reopen_final), and returns counts of what followed.
-- Locks: the flow's definition, instances in wid order, jobs, trace.
-- Raises: WD001, WD010; WD520 if it needs approvals for one of them.
create or replace function wedsql.rematch(p_flow text, p_wids integer[] default null,
                                          p_reopen_final boolean default false,
                                          p_actor text default null, p_reason text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_before jsonb;
  v_counts jsonb;
begin
  perform wedsql._lock_definition(v_flow.id);
  v_flow := wedsql._flow(p_flow);  -- behind the lock
  v_before := wedsql._call_before_rematch(v_flow, p_wids);
  v_counts := wedsql._rematch(v_flow.id, p_wids, false, p_reopen_final, wedsql._actor(p_actor), p_reason);
  perform wedsql._call_rematched(v_flow, v_before);
  return v_counts;
end $$;

-- Continues the re-match of a published version by one batch, and returns the report of the publication so
-- far; "left" is the number of instances that are still to be looked at. Returns null when there is none: it
-- was done at once, or another version was published meanwhile. To be called in a transaction of its own,
-- again and again; any number of sessions may.
-- Locks: as _rematch_batch.
-- Raises: WD001; 55P03 while a definition changes.
create or replace function wedsql.continue_rematch(p_flow text, p_version integer) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  if exists (select 1 from wedsql.rematch_run r
             where r.flow_id = v_flow.id and r.version = p_version and r.finished_at is null) then
    perform wedsql._rematch_batch(v_flow.id, v_flow.name);
  end if;
  return (select r.report from wedsql.rematch_run r where r.flow_id = v_flow.id and r.version = p_version);
end $$;

-- Continues one re-match that is on its way by a batch, and returns its flow; null when there is none that
-- this session can continue now. For the reaper. A failure is kept in wedsql.trouble and tried again later.
-- Locks: as _rematch_batch.
create or replace function wedsql.rematch_due() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow record;
begin
  for v_flow in
    select f.id, f.name from wedsql.rematch_run r join wedsql.flow f on f.id = r.flow_id
    where r.finished_at is null and wedsql._may_try(f.id, 'rematch', 0, 0, v_now) order by random()
  loop
    begin
      if wedsql._rematch_batch(v_flow.id, v_flow.name) then
        perform wedsql._no_trouble(v_flow.id, 'rematch', 0, 0);
        return v_flow.name;
      end if;
    exception when query_canceled or others then
      perform wedsql._note_trouble(v_flow.id, 'rematch', 0, 0, sqlstate, sqlerrm, v_now);
      return null;
    end;
  end loop;
  return null;
end $$;

-- Returns how many living instances of each flow are still to be re-matched, of how many, for pages.
create or replace function wedsql.rematches() returns table (flow text, version integer, remaining bigint,
  living bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select f.name, r.version, (r.report ->> 'left')::bigint, r.living
from wedsql.rematch_run r join wedsql.flow f on f.id = r.flow_id where r.finished_at is null
$$;
