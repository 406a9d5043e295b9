-- A client of the paper whose UPDATE is rejected cannot report it: the rollback undoes everything that it
-- wrote. What is set in a sequence stays, so sixteen of them keep the latest rejections until the reaper's
-- next round. A rejection that another one overwrote comes again with the client's next try.

-- Handles each rejection once; one whose instance is locked now, or whose job a session holds, waits for a
-- later round.
-- Locks: as _act_on_refusal.
create or replace function wedsql._reap_refused(p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_refusal record;
  v_flow integer;
begin
  for v_refusal in
    select s.seq, r.value, (r.value >> 32)::integer as wid, (r.value >> 1) & 2147483647 as id,
           r.value & 1 = 1 as stale
    from generate_series(0, 15) n
    cross join lateral (select format('wedsql.refused_%s', n)::regclass as seq) s
    cross join lateral (select pg_sequence_last_value(s.seq) as value) r where r.value > 1
  loop
    begin
      select i.flow_id into v_flow from wedsql.instance i where i.wid = v_refusal.wid;
      if wedsql._act_on_refusal(v_refusal.wid, v_refusal.id, v_refusal.stale, p_now)
         and pg_sequence_last_value(v_refusal.seq) = v_refusal.value then
        perform setval(v_refusal.seq, 1, false);
      end if;
    exception when query_canceled or others then
      perform wedsql._note_trouble(coalesce(v_flow, 0), 'refused', v_refusal.wid, v_refusal.id, sqlstate,
                                   sqlerrm, p_now);
      perform setval(v_refusal.seq, 1, false);
      if sqlstate = '57014' then
        perform set_config('wedsql.round_over', 'yes', true);
        return;
      end if;
    end;
  end loop;
end $$;

-- Drops a job that was rejected as stale if its condition still does not hold (K-26); marks one that would
-- have made its state final, and when all of the instance are marked, makes it an exception (K-55). Returns
-- false when it must wait.
-- Locks: the instance, skipping a locked one; the stale job's advisory lock, not waited for; jobs and trace.
create or replace function wedsql._act_on_refusal(
  p_wid integer, p_id bigint, p_stale boolean, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_flow wedsql.flow;
begin
  select j.* into v_job from wedsql.job_pool j
  where j.wid = p_wid and j.id & 2147483647 = p_id and j.state = 'P';
  if not found then
    return true;
  end if;
  select f.* into v_flow from wedsql.flow f where f.id = v_job.flow_id;
  if not wedsql._hold(v_flow.name, p_wid) or p_stale and not pg_try_advisory_xact_lock(p_wid, v_job.tgid) then
    return false;
  end if;
  if p_stale then
    perform wedsql._drop_stale(v_flow.id, v_flow.name, array[p_wid], array[v_job.id]);
  elsif v_flow.final_when_pending = 'reject' then
    update wedsql.job_pool j
    set last_state = 'WD103', last_error = 'The state would be final while other transitions are pending.'
    where j.wid = p_wid and j.id = v_job.id and j.state = 'P';
    perform wedsql._final_blocked(v_flow, p_wid, 'reaper', p_now);
  end if;
  return true;
end $$;
