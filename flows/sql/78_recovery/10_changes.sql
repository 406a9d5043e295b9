-- The values that a person writes into an instance, checked as a worker's result is.

-- Writes changes into the row of the instance of a step and returns the step with the new state, the previous
-- values and the conditions that hold.
-- Locks: none; the caller holds the instance.
-- Raises: WD002, WD003, WD009, WD107.
create or replace function wedsql._changed_step(p_flow wedsql.flow, p_step wedsql.step, p_changes jsonb)
  returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_why wedsql.why;
begin
  perform wedsql._check_states(wedsql._attribute_names(p_flow.id)::text[], array[p_changes]);
  begin
    execute wedsql._fill($q$
      update {flow:I}.wed_flow w set {assignments}
      from (select $1 as wid, $2 as state) c join {flow:I}.wed_flow o on o.wid = c.wid
      where w.wid = c.wid
      returning to_jsonb(w.*) - 'wid', wed_match.f_{id}(w.*),
        (select coalesce(jsonb_object_agg(k, to_jsonb(o.*) -> k), '{}')
         from jsonb_object_keys(c.state) k) $q$,
      jsonb_build_object('flow', p_flow.name, 'id', p_flow.id,
        'assignments', wedsql._changed_columns(p_flow.id)))
    into p_step.state, p_step.matched, p_step.before using p_step.wid, p_changes;
  exception when data_exception or check_violation then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    perform wedsql._raise(wedsql._explain_type_error(p_flow.name, p_changes, v_why));
  end;
  perform wedsql._check_size(p_step.state, p_step.before);
  return p_step;
end $$;

-- Applies one step of a person: what follows from its state follows as after any other step.
-- Locks: the instance's row, its jobs and timers, the trace; the caller holds the instance.
-- Raises: WD103, WD106.
create or replace function wedsql._settle_step(p_flow wedsql.flow, p_step wedsql.step) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._settle(p_flow.id, array[p_step], coalesce(0 > any (p_step.matched), false))
$$;

-- Returns a step of a person: of a transition if it stands for the result of a job, else with the name of the
-- operation.
create or replace function wedsql._person_step(p_job wedsql.job_pool, p_name text, p_actor text,
  p_reason text) returns wedsql.step
language sql immutable set search_path = pg_catalog, pg_temp as $$
select row((p_job).wid, false, (p_job).id, (p_job).tgid, p_name, (p_job).cause_seq, p_actor, p_reason, null,
           null, null, null, null)::wedsql.step
$$;
