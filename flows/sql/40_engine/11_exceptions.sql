-- Jobs whose attempts are counted, and that are parked: their instance becomes an exception.

-- Returns one attempt more. The _EXCPT job is never used up, so the count may reach its maximum and stays
-- there.
create or replace function wedsql._one_more(p_attempts smallint) returns smallint
language sql immutable set search_path = pg_catalog, pg_temp as $$
select least(p_attempts + 1, 32767)::smallint
$$;

-- Keeps the jobs without offering them, and makes the instance an exception with its reason and an _EXCPT
-- job.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._park(
  p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with parked as (
    update wedsql.job_pool j set state = 'K', claim = null, lckid = null, lease_until = null
    where j.wid = p_wid and j.tgid = any (p_tgids) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                              attempt)
  select k.id, k.wid, k.tgid, k.flow_id, k.trname, p_now, 'parked', coalesce(p_actor, 'kernel'), k.last_state,
         p_reason, k.attempts from parked k;
  update wedsql.instance i set status = 'E', reason = p_reason, changed_at = p_now where i.wid = p_wid;
  perform wedsql._except_job(p_flow, p_wid, p_now);
  perform wedsql._call_excepted(p_flow, array[p_wid], p_now);
end $$;

-- Does what _park does, with a row in the history that records it and causes the _EXCPT job; of an instance
-- that is being compensated it parks the compensation.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._park_as_exception(
  p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_why text,
  p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_seqs integer[];
begin
  if (select i.status from wedsql.instance i where i.wid = p_wid) = 'X' then
    perform wedsql._call_compensation_failed(p_flow, p_wid, p_actor, p_why, p_now);
    return;
  end if;
  v_seqs := wedsql._append_trace(
    p_flow, array[wedsql._note_step(p_wid, '_EXCPT', coalesce(p_actor, 'kernel'),
                                    p_reason || coalesce(': ' || p_why, ''))], 'E', p_now);
  -- After the row, which causes its job.
  perform wedsql._park(p_flow, p_wid, p_tgids, p_reason, p_actor, p_now);
  perform wedsql._notify(p_flow, array[p_wid], v_seqs, array['_EXCPT'], 1);
end $$;
