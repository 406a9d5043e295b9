-- Starting instances at the times that their flows name (30_definition/05_start_times.sql).

-- Returns an open cursor over the times that have come (wid 0, item), the oldest first.
create or replace function wedsql._due_starts(p_flow integer, p_now timestamptz) returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_due refcursor;
begin
  open v_due for select 0 as wid, s.id as item from wedsql.start_time s
    where s.flow_id = p_flow and s.due_at <= p_now and wedsql._may_try(p_flow, 'starts', 0, s.id, p_now)
    order by s.due_at;
  return v_due;
end $$;

-- Starts one instance for a time that has come, and sets the next one after now: for the times that passed
-- while nothing was started, there is one instance in all. Returns false where another session did so.
-- Locks: the row, skipping a locked one; then as start.
-- Raises: as start.
create or replace function wedsql._start_in_time(p_flow wedsql.flow, p_id bigint, p_now timestamptz)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_time wedsql.start_time;
begin
  select s.* into v_time from wedsql.start_time s
  where s.id = p_id and s.due_at <= p_now for update skip locked;
  if not found then
    return false;
  end if;
  update wedsql.start_time s
  set last_at = s.due_at,
      last_wid = wedsql.start(p_flow.name, wedsql._start_source(p_flow.id, s.entry), 'reaper'),
      due_at = wedsql._next_start(wedsql._repetition(s.entry), s.base_at, p_now)
  where s.id = p_id;
  return true;
end $$;
