-- The parts of a round of the reaper. None stops another, whatever error it meets.

-- Does these parts of a round that are not of one flow, and returns the number of sessions that were ended.
-- Locks: as _do_part.
create or replace function wedsql._reap_parts(p_parts text[], p_max integer, p_now timestamptz) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_report jsonb := '{"ended": 0}';
  v_part text;
begin
  foreach v_part in array p_parts loop
    exit when wedsql._round_over();
    v_report := wedsql._add_counts(v_report, wedsql._reap_part(v_part, p_max, p_now));
  end loop;
  return v_report;
end $$;

-- Does a part of a round. When it fails only the reason remains of it, and the round goes on; the clock is
-- then as the last round left it.
-- Locks: as _do_part.
create or replace function wedsql._reap_part(p_part text, p_max integer, p_now timestamptz) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_found jsonb;
begin
  v_found := wedsql._do_part(p_part, p_max, p_now);
  perform wedsql._no_trouble(0, p_part, 0, 0);
  return v_found;
exception when query_canceled or others then
  perform wedsql._note_part_failure(0, p_part, sqlstate, sqlerrm, p_now);
  return case p_part when 'clock' then coalesce((
    select jsonb_strip_nulls(jsonb_build_object('latest', b.detail -> 'latest', 'sure', b.detail -> 'sure',
      'ahead_from', b.detail -> 'ahead_from', 'ahead_to', b.detail -> 'ahead_to'))
    from wedsql.beat b where b.name = 'reaper'), '{}') else '{}' end;
end $$;

-- Does a part of a round: compares the clock, prepares the locks of flows, deletes rows of workers and
-- failures that are over, ends sessions past their time, adds up failed conditions, handles rejections,
-- releases leases of ended worker keys, deletes what is no longer needed. Returns counts; for the clock,
-- what the next round reads.
-- Locks: rows that only the reaper writes; others it skips when they are locked.
create or replace function wedsql._do_part(p_part text, p_max integer, p_now timestamptz) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  case p_part
    when 'clock' then return wedsql._reap_clock(p_now);
    when 'care' then perform wedsql._reap_care();
    when 'workers' then perform wedsql._forget_workers(p_now);
    when 'troubles' then perform wedsql._forget_troubles(p_now);
    when 'locks' then return jsonb_build_object('ended', wedsql._reap_locks(p_max));
    when 'sessions' then return jsonb_build_object('ended', wedsql._reap_sessions(p_max, p_now));
    when 'conditions' then perform wedsql._fold_condition_errors(10000);
    when 'refused' then perform wedsql._reap_refused(p_now);
    when 'skipped' then perform wedsql._forget_skipped();
    else perform wedsql._call_reap_part(p_part, p_now);
  end case;
  return '{}';
end $$;

-- Adds the rows by which only one reaper at a time works on a flow.
create or replace function wedsql._reap_care() returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.care (flow_id) select f.id from wedsql.flow f
where not exists (select 1 from wedsql.care c where c.flow_id = f.id) on conflict do nothing
$$;

-- Deletes workers that were last seen an hour ago.
-- Locks: their rows, skipping locked ones.
create or replace function wedsql._forget_workers(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.worker w where w.id = any (array(
  select o.id from wedsql.worker o where o.seen_at < p_now - interval '1 hour' for update skip locked))
$$;

-- Deletes failures that did not come again for ten minutes, and those of flows that were dropped. Those of
-- retention and of clocks say what is still to be done.
-- Locks: their rows, skipping locked ones.
create or replace function wedsql._forget_troubles(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.trouble t where t.ctid = any (array(
  select o.ctid from wedsql.trouble o
  where o.kind not in ('retired', 'clocks') and not o.last_at between p_now - interval '10 minutes'
    and p_now + interval '10 minutes'
    or o.flow_id <> 0
    and not exists (select 1 from wedsql.flow f where f.id = o.flow_id) for update skip locked))
$$;

-- Does what is due in one flow, and returns counts. When it fails as a whole, only the reason remains of it,
-- and the round goes on with the next flow.
-- Locks: as _reap_flow.
create or replace function wedsql._reap_flow_or_note(p_flow wedsql.flow, p_max integer, p_now timestamptz)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return wedsql._reap_flow(p_flow, p_max, p_now);
exception when query_canceled or others then
  perform wedsql._note_part_failure(p_flow.id, 'flow', sqlstate, sqlerrm, p_now);
  return '{}';
end $$;

-- Returns what _may_be_due does; where that fails, the flow is left to the next round.
create or replace function wedsql._may_be_due_or_note(p_flow wedsql.flow, p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return wedsql._may_be_due(p_flow, p_now);
exception when query_canceled or others then
  perform wedsql._note_part_failure(p_flow.id, 'flow', sqlstate, sqlerrm, p_now);
  return false;
end $$;

-- Keeps the failure of a part of a round; after one by statement_timeout the round ends.
create or replace function wedsql._note_part_failure(p_flow integer, p_kind text, p_state text,
  p_message text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._note_item_failure(p_flow, p_kind, 0, 0, p_state, p_message, p_now)
$$;

-- Keeps the failure of an item; after one by statement_timeout the round ends.
create or replace function wedsql._note_item_failure(p_flow integer, p_kind text, p_wid integer,
  p_item bigint, p_state text, p_message text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._note_trouble(p_flow, p_kind, p_wid, p_item, p_state, p_message, p_now);
  if p_state = '57014' then
    perform set_config('wedsql.round_over', 'yes', true);
  end if;
end $$;
