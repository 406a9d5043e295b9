-- What signals do at the hooks of the engine: the reaper delivers those that are kept, or ends them.

-- Returns the part of a round of the reaper in which signals take part.
create or replace function wedsql._on_reap_parts_signals() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"old_signals": true}'::jsonb $$;

-- Returns the kind of due items that signals have.
create or replace function wedsql._on_reap_kinds_signals() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"signals": 0}'::jsonb $$;

-- Deletes signals that are no longer needed.
create or replace function wedsql._on_reap_part_signals(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_part = 'old_signals' then
    perform wedsql._forget_signals(p_now);
  end if;
end $$;

-- Returns whether a flow has a kept signal.
create or replace function wedsql._on_may_be_due_signals(p_flow integer, p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select 1 from wedsql.signal s where s.flow_id = p_flow and s.state = 'K')
$$;

-- Returns the kept signals of a flow that are due.
create or replace function wedsql._on_due_items_signals(p_flow integer, p_kind text, p_now timestamptz)
  returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return case when p_kind = 'signals' then wedsql._due_signals(p_flow, p_now) end;
end $$;

-- Delivers or ends a kept signal.
-- Locks, raises: as _reap_signal.
create or replace function wedsql._on_reap_item_signals(p_flow wedsql.flow, p_kind text, p_item bigint,
  p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return case when p_kind = 'signals' then wedsql._reap_signal(p_flow, p_item, p_now) end;
end $$;
