-- How tasks end: completed with an outcome, or failed.

-- Notifies the pages that watch instances of a task that changed hands.
create or replace function wedsql._notify_task(p_task wedsql.task) returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  if not exists (select from wedsql.watch w where w.seen_at > wedsql.now() - interval '1 minute') then
    return;
  end if;
  perform wedsql._notify(f, array[p_task.wid], array[i.seq], '{}', 0)
  from wedsql.flow f, wedsql.instance i where f.id = p_task.flow_id and i.wid = p_task.wid;
end $$;

-- Returns the SET string of an outcome of a trigger; null where it sets nothing.
-- Raises: WD594 naming the outcomes that there are.
create or replace function wedsql._outcome_set(p_tgid integer, p_outcome text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_lines text[] := (select t.outcomes from wedsql.trig t where t.tgid = p_tgid);
  v_line record;
begin
  if coalesce(p_outcome, 'SUCCEEDED') = 'SUCCEEDED' and (v_lines is null or not exists (
       select from wedsql._outcome_lines(v_lines) l where l.name <> 'FAILED')) then
    return null;
  end if;
  select l.* into v_line from wedsql._outcome_lines(v_lines) l where l.name = p_outcome;
  if v_line.name is null then
    perform wedsql._raise('WD594', case when p_outcome is null then 'The task needs an outcome.'
                                        else 'The task has no outcome "{outcome}".' end,
      'Its outcomes are: {outcomes}.', jsonb_build_object('outcome', left(p_outcome, 80), 'outcomes',
        coalesce((select string_agg(l.name, ', ' order by l.place) from wedsql._outcome_lines(v_lines) l),
                 'SUCCEEDED')));
  end if;
  return v_line.sets;
end $$;

-- Completes a task that this person holds: writes p_data and what the outcome sets as its result, and returns
-- the number of the step, the status of the instance, and the transitions that it fired. Sent again with the
-- same data it gets the same answer, and repeated is true. p_claim: the holding in which the data were made.
-- Locks: the flow's table, the instance, the job, the task, the trace.
-- Raises: WD590, WD592 to WD595, WD597, WD598; WD009 where the outcome sets an attribute that p_data has; as
-- a worker's result.
create or replace function wedsql.complete_task(p_job bigint, p_person text, p_data jsonb default '{}',
  p_outcome text default null, p_claim bigint default null)
returns table (seq integer, status "char", fired text[], repeated boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_place record := wedsql._held_place(p_job);
  v_locked record := wedsql._locked_task(v_place.wid, p_job);
  v_task wedsql.task := v_locked.task;
  v_rule record;
  v_data jsonb := coalesce(p_data, '{}');
begin
  if v_task.state = 'D' then
    return query select d.* from wedsql._done_before(p_job, p_person, v_data, p_outcome, v_place.flow) d;
    if found then
      return;
    end if;
  end if;
  perform wedsql._check_own(v_task, v_locked.claim, p_person, p_claim);
  select g.form is not null as has_form, g.outcomes is not null as has_outcomes into v_rule
  from wedsql.trig g where g.tgid = v_task.tgid;
  if v_rule.has_form then
    perform wedsql._check_form_values(v_place.flow, v_task, v_data, p_outcome);
  end if;
  perform wedsql._keep_files(v_task, v_data);
  if v_rule.has_outcomes or p_outcome is not null or jsonb_typeof(v_data) <> 'object' then
    v_data := wedsql._with_outcome(v_place.flow, v_task, v_data, p_outcome);
  end if;
  perform wedsql._end_task(p_job, 'D', p_person, coalesce(p_outcome, 'SUCCEEDED'));
  perform wedsql._note_application(v_task, p_person);
  execute format('select c.seq, c.status, c.fired '
                 'from %I._commit(array[$1], array[$2], array[$3], array[$4], $5) c', v_place.flow)
    into seq, status, fired using v_task.wid, p_job, v_locked.claim, v_data, p_person;
  repeated := false;
  return next;
end $$;

-- Locks the instance of a task, and returns its flow.
-- Locks: the flow's table against a definition that is being changed, the instance.
-- Raises: WD590.
create or replace function wedsql._hold_instance_of(p_job bigint) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return (wedsql._held_place(p_job)).flow;
end $$;

-- The same, with the number of the instance.
create or replace function wedsql._held_place(p_job bigint, out flow text, out wid integer)
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  select p.flow, p.wid into flow, wid from wedsql._place_of_task(p_job) p;
  execute format('lock table %I.wed_flow in row exclusive mode', flow);
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', flow) using wid;
end $$;

-- Locks the flow of a task against a definition that is being changed, and returns its name.
-- Locks: the flow's table.
-- Raises: WD590.
create or replace function wedsql._lock_flow_of(p_job bigint) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (wedsql._place_of_task(p_job)).flow;
begin
  execute format('lock table %I.wed_flow in row exclusive mode', v_flow);
  return v_flow;
end $$;

-- Returns the answer that a person got who completed the task with the same data and outcome before.
create or replace function wedsql._done_before(p_job bigint, p_person text, p_data jsonb, p_outcome text,
  p_flow text)
returns table (seq integer, status "char", fired text[], repeated boolean)
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select h.seq, h.status, h.trf, true
from wedsql.task t join wedsql.wed_trace h on h.wid = t.wid and h.job_id = t.job_id
where t.job_id = p_job and t.state = 'D' and t.ended_by = p_person
  and t.outcome = coalesce(p_outcome, 'SUCCEEDED')
  and wedsql._same_result(p_flow, p_data || (select coalesce(jsonb_object_agg(k, h.state -> k), '{}')
    from unnest(wedsql._outcome_names(wedsql._outcome_set(t.tgid, p_outcome),
                                      wedsql._attr_types(t.flow_id))) k), null, h)
$$;

-- Returns the data of a result with what its outcome sets.
-- Raises: WD594; WD009 where the data have an attribute that the outcome sets; WD211.
create or replace function wedsql._with_outcome(p_flow text, p_task wedsql.task, p_data jsonb,
  p_outcome text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_set text := wedsql._outcome_set(p_task.tgid, p_outcome);
  v_state jsonb;
  v_sets jsonb;
  v_twice text;
begin
  if jsonb_typeof(p_data) <> 'object' then
    perform wedsql._raise('WD009', 'The values of a task are an object by attribute.');
  elsif v_set is null then
    return p_data;
  end if;
  execute format('select to_jsonb(r.*) - ''wid'' from %1$I.wed_flow w cross join lateral '
                 'jsonb_populate_record(w.*, $2) r where w.wid = $1', p_flow)
    into v_state using p_task.wid, p_data;
  v_sets := wedsql._set_on(p_flow, v_set, v_state);
  select k into v_twice from jsonb_object_keys(p_data) k where v_sets ? k limit 1;
  if v_twice is not null then
    perform wedsql._raise('WD009', 'The outcome "{outcome}" sets {attribute}, so the form does not.',
      'Leave it out of the values.', jsonb_build_object('outcome', p_outcome, 'attribute', v_twice));
  end if;
  return p_data || v_sets;
end $$;

-- Notes that a task has ended, with the number that its step gets: the next of its instance; and deletes what
-- people have typed and not sent.
create or replace function wedsql._end_task(p_job bigint, p_state "char", p_person text, p_outcome text)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  delete from wedsql.task_draft d where d.job_id = p_job;
  update wedsql.task t set state = p_state, ended_at = wedsql.now(), ended_by = p_person, outcome = p_outcome,
    hidden_until = null, seq = (select i.seq + 1 from wedsql.instance i where i.wid = t.wid)
  where t.job_id = p_job;
end $$;

-- Ends a task that this person holds, and that could not be done: with the outcome FAILED where its trigger
-- has one; else the job is parked, and its instance an exception that people decide about.
-- Locks: as complete_task.
-- Raises: WD009 without a reason; WD590, WD592, WD593; as a worker's result.
create or replace function wedsql.fail_task(p_job bigint, p_person text, p_reason text,
  p_claim bigint default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text;
  v_task wedsql.task;
  v_job wedsql.job_pool;
  v_data jsonb;
begin
  perform wedsql._check_reason(p_reason);
  v_flow := wedsql._hold_instance_of(p_job);
  v_task := wedsql._own_task(p_job, p_person, p_claim);
  select j.* into v_job from wedsql.job_pool j where j.wid = v_task.wid and j.id = p_job;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
  values (p_job, v_task.wid, v_job.tgid, v_job.flow_id, v_job.trname, wedsql.now(), 'failed', p_person,
          left(p_reason, 2000), wedsql._one_more(v_job.attempts));
  perform wedsql._message_failure(v_task, p_person, p_reason);
  if exists (select from wedsql.trig t cross join lateral wedsql._outcome_lines(t.outcomes) l
             where t.tgid = v_task.tgid and l.name = 'FAILED') then
    v_data := wedsql._with_outcome(v_flow, v_task, '{}', 'FAILED');
    perform wedsql._end_task(p_job, 'F', p_person, 'FAILED');
    execute format('select c.seq from %I._commit(array[$1], array[$2], array[$3], array[$4], $5) c', v_flow)
      using v_task.wid, p_job, v_job.claim, v_data, p_person;
    return 'FAILED';
  end if;
  update wedsql.job_pool j
  set attempts = wedsql._one_more(j.attempts), last_error = left(p_reason, 2000), last_state = null
  where j.wid = v_task.wid and j.id = p_job;
  perform wedsql._park_as_exception(f, v_task.wid, array[v_job.tgid], 'ATTEMPTS', p_person, p_reason,
                                    wedsql.now())
  from wedsql.flow f where f.id = v_task.flow_id;
  return 'exception';
end $$;
