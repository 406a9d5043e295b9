-- The values that a person writes into an instance, checked as a worker's result is.

-- Writes the same changes into the rows of the instances of these steps and returns the steps with the new
-- states, the previous values and the conditions that hold.
-- Locks: none; the caller holds the instances.
-- Raises: WD002, WD003, WD009, WD107.
create or replace function wedsql._changed_steps(p_flow wedsql.flow, p_steps wedsql.step[], p_changes jsonb)
  returns wedsql.step[]
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_wids integer[] := array(select s.wid from unnest(p_steps) s);
  v_new record;
  v_step wedsql.step;
  v_place integer;
  v_why wedsql.why;
begin
  perform wedsql._check_states(wedsql._attribute_names(p_flow.id)::text[], array[p_changes]);
  for v_new in execute wedsql._fill($q$
      update {flow:I}.wed_flow w set {assignments}
      from (select u.wid, u.state from unnest($1, $2) u (wid, state)) c
      join {flow:I}.wed_flow o on o.wid = c.wid
      where w.wid = c.wid
      returning w.wid, to_jsonb(w.*) - 'wid' as state, wed_match.f_{id}(w.*) as matched,
        (select coalesce(jsonb_object_agg(k, to_jsonb(o.*) -> k), '{}')
         from jsonb_object_keys(c.state) k) as before $q$,
      jsonb_build_object('flow', p_flow.name, 'id', p_flow.id,
        'assignments', wedsql._changed_columns(p_flow.id)))
    using v_wids, array(select wedsql._changes_with_sets(p_flow, p_steps[i], p_changes)
                          from generate_subscripts(p_steps, 1) i order by i)
  loop
    perform wedsql._check_size(v_new.state, v_new.before);
    v_place := array_position(v_wids, v_new.wid);
    v_step := p_steps[v_place];
    v_step.state := v_new.state;
    v_step.matched := v_new.matched;
    v_step.before := v_new.before;
    p_steps[v_place] := v_step;
  end loop;
  return p_steps;
exception when data_exception or check_violation then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  perform wedsql._raise(wedsql._explain_type_error(p_flow.name, p_changes, v_why));
end $$;

-- Writes changes into the row of the instance of one step, as _changed_steps does.
create or replace function wedsql._changed_step(p_flow wedsql.flow, p_step wedsql.step, p_changes jsonb)
  returns wedsql.step
language sql set search_path = pg_catalog, pg_temp as $$
select * from unnest(wedsql._changed_steps(p_flow, array[p_step], p_changes))
$$;

-- Applies steps of persons, one of an instance, with the same changes: what follows from the states follows
-- as after any other step.
-- Locks: the instances' rows, their jobs and timers, the trace; the caller holds the instances.
-- Raises: as _changed_steps; WD103, WD106.
create or replace function wedsql._apply_steps(p_flow wedsql.flow, p_steps wedsql.step[], p_changes jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._settle_steps(p_flow.id, wedsql._changed_steps(p_flow, p_steps, coalesce(p_changes, '{}')));
end $$;

-- Settles steps of persons.
-- Locks: as _settle.
-- Raises: WD103, WD106.
create or replace function wedsql._settle_steps(p_flow_id integer, p_steps wedsql.step[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._settle(p_flow_id, p_steps, exists (select 1 from unnest(p_steps) s where 0 > any (s.matched)))
$$;

-- Settles one step of a person, as _settle_steps does.
create or replace function wedsql._settle_step(p_flow wedsql.flow, p_step wedsql.step) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._settle_steps((p_flow).id, array[p_step])
$$;
