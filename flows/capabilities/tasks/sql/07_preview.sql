-- What completing a task would do: the completion itself, in a block that is rolled back.

-- Returns what completing a task would do, as preview_repair says what a repair would: _situation_change with
-- {"wid", "flow", "seq", "refusal"}. Nothing is written and no session is notified.
-- Locks: as complete_task, until it returns.
-- Raises: WD590; what passes by itself (wedsql._passes), 57014, and what is no refusal.
create or replace function wedsql.preview_task(p_job bigint, p_person text, p_data jsonb, p_outcome text,
  p_claim bigint default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
  v_before jsonb;
  v_answer jsonb;
  v_why wedsql.why;
begin
  begin
    perform wedsql._hold_instance_of(p_job);
    v_before := wedsql._situation(v_task.wid);
    perform wedsql.complete_task(p_job, p_person, p_data, p_outcome, p_claim);
    v_answer := wedsql._situation_change(v_task.wid, v_before, wedsql._situation(v_task.wid),
                                         (v_before ->> 'seq')::integer);
    raise exception using errcode = 'WD999';
  exception when others then
    if sqlstate <> 'WD999' then
      get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
        v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
      if v_before is null or v_why.code !~ '^WD' then
        raise;
      end if;
    end if;
  end;
  return wedsql._preview_answer(v_task.wid, 'complete_task', v_before, v_answer, v_why);
end $$;

grant execute on function wedsql.preview_task(bigint, text, jsonb, text, bigint) to wed_web;
