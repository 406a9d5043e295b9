-- Steps that the kernel writes for a job besides its result: what is set when a person takes a task, and the
-- outcome FAILED of a job whose attempts are used up.

-- Writes what a SET string sets as a step, and returns its number; what the state fires follows as after any
-- other step.
-- Locks: the instance's row, its jobs and timers, the trace; the caller holds the instance.
-- Raises: WD003, WD009, WD103, WD106, WD107, WD211, WD530.
create or replace function wedsql._write_step(p_flow wedsql.flow, p_step wedsql.step, p_set text)
  returns integer
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_changes jsonb := wedsql._changes_with_sets(p_flow, p_step,
                                               wedsql._set_changes(p_flow.name, p_step.wid, p_set));
  v_written record;
  v_why wedsql.why;
begin
  begin
    v_written := wedsql._write_changes(p_flow, p_step.wid, v_changes);
  exception when data_exception or check_violation then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    perform wedsql._raise(wedsql._explain_type_error(p_flow.name, v_changes, v_why));
  end;
  perform wedsql._check_size(v_written.state, v_written.before);
  p_step.state := v_written.state;
  p_step.before := v_written.before;
  execute format('select wed_match.f_%s(w.*) from %I.wed_flow w where w.wid = $1', p_flow.id, p_flow.name)
    into p_step.matched using p_step.wid;
  return (select s.seq from wedsql._settle(p_flow.id, array[p_step], 0 > any (p_step.matched)) s);
end $$;

-- Does what is done when the attempts of a job are used up: ends it with the outcome FAILED where its trigger
-- has one that can be written; else parks it, as _park_as_exception.
-- Locks: as _write_step.
create or replace function wedsql._use_up(p_flow wedsql.flow, p_wid integer, p_job bigint, p_reason text,
  p_actor text, p_why text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_job wedsql.job_pool;
  v_set text;
begin
  select j.* into v_job from wedsql.job_pool j where j.wid = p_wid and j.id = p_job;
  v_set := (select l.sets from wedsql.trig t cross join lateral wedsql._outcome_lines(t.outcomes) l
            where t.tgid = v_job.tgid and l.name = 'FAILED' and t.performer = 'worker');
  if v_set is not null and p_reason = 'ATTEMPTS' and not wedsql._call_compensates(p_wid, p_job) then
    begin
      perform wedsql._write_step(p_flow, wedsql._person_step(v_job, v_job.trname,
        coalesce(p_actor, 'kernel'), left('FAILED' || coalesce(': ' || p_why, ''), 2000)), v_set);
      return;
    exception when others then
      if wedsql._passes(sqlstate) then
        raise;
      end if;
      p_why := concat_ws('; ', p_why, sqlerrm);
    end;
  end if;
  perform wedsql._park_as_exception(p_flow, p_wid, array[v_job.tgid], p_reason, p_actor, p_why, p_now);
end $$;
