-- What the kernel writes for a trigger: `sets` is a SET string that it adds to each result of the transition,
-- computed on the state that the result gives; it wins over the same attribute there. What compensates a step
-- of the trigger, or repairs an exception, is no result of it. With performer = database
-- that is the whole result: the transition is automatic, and the kernel commits it in the transaction that
-- fires it.
--
-- Design. An automatic firing is a job as any other, and its step a step as any other (_settle): it has its
-- own row of the history with its cause, fires what holds then, may be final or an exception, counts for the
-- firing limit, and is undone by the same operations. The job is inserted and deleted in one transaction, so
-- no other session sees it. After the step of a worker (or a start, a timer, a re-match ...), _settle calls
-- _perform_automatic while the instance is running: it performs the pending automatic jobs one after the
-- other, by priority and number, until there are none. So a chain of them ends at a fix-point, which the
-- firing limit bounds: a loop ends as the exception LOOP or NO_PROGRESS with all its steps in the history. An
-- automatic job whose condition no longer holds, because another one has changed the state, is withdrawn,
-- whatever revalidate says: what is performed holds at that moment.
--
-- Errors. A SET string that cannot be computed, a state that is too large and a violated integrity condition
-- that holds always are no errors of the worker whose result led there: its step remains, the automatic job
-- is parked, and the instance is an exception (ATTEMPTS, INTEGRITY). They are found before anything is
-- written, so no subtransaction writes, and a chain uses one transaction number. A final state while other
-- work is pending under final_when_pending = reject, and a failing condition with on_error = abort, reject
-- the whole commit, as if the worker had written the state. After a re-match, which removes no work, such a
-- state does not end the instance before the other work is done.
--
-- A job that is left (a person retries a parked one, its trigger became automatic while it was pending, or a
-- chain is longer than a commit performs) is performed by the reaper. A transaction reads each version that
-- it wrote of a row before, so the cost of a chain in one grows with the square of its length.
--
-- Cost. Flows without such triggers have the same generated functions as before, and _settle tests one
-- boolean of the flow's row. In flows with one the fast path adds what is set, and <flow>._automatic performs
-- an automatic step by it (16_automatic_fast.sql). The SET strings are compiled once per definition, into
-- wed_match.a_<flow>, which runs without rights as the conditions do.

-- Returns the body of the function that computes what the triggers of a flow set; null for none.
-- Raises: WD211 for a SET string that is not valid.
create or replace function wedsql._gen_automatic(p_flow integer) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $f$
declare
  v_tgids integer[];
  v_sets text[];
  v_computed text[];
begin
  select array_agg(t.tgid order by t.tgid), array_agg(t.sets order by t.tgid) into v_tgids, v_sets
  from wedsql.trig t where t.flow_id = p_flow and t.enabled and t.sets is not null;
  v_computed := array(select c.computed from wedsql._check_sets(v_sets, wedsql._attr_types(p_flow)) c
                      order by c.n);
  return case when v_tgids is not null
    then format(E'begin\n%s\nend', wedsql._choice(v_tgids, v_computed, 1, cardinality(v_tgids))) end;
end $f$;

-- Returns statements that find the trigger among these, from one number to the other, by halves, and return
-- what it sets: PL/pgSQL compares a CASE with one after the other.
create or replace function wedsql._choice(p_tgids integer[], p_computed text[], p_from integer, p_to integer)
returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $f$
declare
  v_half integer := (p_from + p_to) / 2;
begin
  if p_from = p_to then
    return format(E'if p_tgid = %s then return %s; end if;\n'
                  'return ''{}'';', p_tgids[p_from], p_computed[p_from]);
  end if;
  return format(E'if p_tgid <= %s then\n%s\nelse\n%s\nend if;', p_tgids[v_half],
    wedsql._choice(p_tgids, p_computed, p_from, v_half),
    wedsql._choice(p_tgids, p_computed, v_half + 1, p_to));
end $f$;

-- Returns how many automatic transitions of an instance a commit performs; the reaper goes on with the rest.
create or replace function wedsql._automatic_at_once() returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 250 $$;

-- Raises why the SET string of a trigger cannot be computed on a state.
-- Raises: WD211.
create or replace function wedsql._raise_sets(p_trigger text, p_code text, p_problem text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._raise('WD211',
  'The SET string of trigger "{trigger}" cannot be computed on this state: {problem}.',
  'Change the attributes that it reads.',
  jsonb_build_object('trigger', p_trigger, 'sqlstate', p_code, 'problem', p_problem))
$$;

-- Performs the pending automatic transitions of a running instance until there are none, or as many as a
-- commit performs, and returns its status then. p_rematch: a re-match fired them.
-- Locks: the caller holds the wed_flow row.
-- Raises: WD103, WD106, as wedsql._settle.
create or replace function wedsql._perform_automatic(p_flow wedsql.flow, p_wid integer, p_status "char",
  p_rematch boolean) returns "char"
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_job wedsql.job_pool;
  v_status "char";
begin
  for v_step in 1..wedsql._automatic_at_once() loop
    exit when p_status <> 'R';
    select j.* into v_job
    from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
    where j.wid = p_wid and j.state = 'P' and t.performer = 'database' and t.enabled
    order by j.priority desc, j.tgid limit 1;
    exit when not found;
    execute format('select %I._automatic($1, $2, ''{}'', ''kernel'')', p_flow.name)
      into v_status using p_wid, v_job.id;
    p_status := coalesce(v_status, wedsql._automatic_step(p_flow, v_job, p_rematch));
  end loop;
  return p_status;
end $$;

-- Performs one automatic transition: writes what it computes and settles the step, or parks its job. Returns
-- the status of the instance.
-- Locks, raises: as _perform_automatic.
create or replace function wedsql._automatic_step(p_flow wedsql.flow, p_job wedsql.job_pool,
  p_rematch boolean) returns "char"
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_changes jsonb;
  v_written record;
  v_matched integer[];
  v_status "char";
begin
  begin
    v_changes := wedsql._automatic_changes(p_flow, p_job);
  exception
    when others then
      if wedsql._passes(sqlstate) then
        raise;
      end if;
      perform wedsql._park_automatic(p_flow, p_job, sqlstate, sqlerrm);
      return 'E';
  end;
  v_written := wedsql._write_changes(p_flow, p_job.wid, v_changes);
  execute format('select wed_match.f_%s(w.*) from %I.wed_flow w where w.wid = $1', p_flow.id, p_flow.name)
    into v_matched using p_job.wid;
  select s.status into v_status
  from wedsql._settle(p_flow.id, array[row(p_job.wid, false, p_job.id, p_job.tgid, p_job.trname,
    p_job.cause_seq, 'kernel', null, v_written.state, v_written.before, v_matched, null,
    null)::wedsql.step], 0 > any (v_matched), p_rematch, true) s;
  return v_status;
end $$;

-- Returns what an automatic transition writes on the present state.
-- Raises: WD003, WD107; WD211 where the SET string cannot be computed; WD530 for a state that violates an
-- integrity condition that holds always.
create or replace function wedsql._automatic_changes(p_flow wedsql.flow, p_job wedsql.job_pool) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_changes jsonb;
  v_state jsonb;
  v_violated integer[];
begin
  begin
    execute format('select wed_match.a_%s(w.*, $2), to_jsonb(w.*) - ''wid'' from %I.wed_flow w '
                   'where w.wid = $1', p_flow.id, p_flow.name)
      into v_changes, v_state using p_job.wid, p_job.tgid;
  exception when data_exception or feature_not_supported or program_limit_exceeded then
    perform wedsql._raise_sets(coalesce(nullif(t.tgname, ''), t.trname), sqlstate, sqlerrm)
    from wedsql.trig t where t.tgid = p_job.tgid;
  end;
  perform wedsql._check_size(v_state || v_changes, v_state);
  if p_flow.guarded then
    v_violated := wedsql._violated(p_flow, v_state || v_changes, false);
    if v_violated <> '{}' then
      perform wedsql._raise('WD530', 'The state violates the integrity condition: {conditions}.',
        'Nothing was changed. Write values for which the condition holds.',
        wedsql._integrity_facts(p_job.wid, v_violated));
    end if;
  end if;
  return v_changes;
end $$;

-- Parks the job of an automatic transition that cannot be performed, and makes its instance an exception.
-- Locks: as _perform_automatic.
create or replace function wedsql._park_automatic(
  p_flow wedsql.flow, p_job wedsql.job_pool, p_sqlstate text, p_message text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with failed as (
    update wedsql.job_pool j
    set attempts = wedsql._one_more(j.attempts), last_error = left(p_message, 2000), last_state = p_sqlstate
    where j.wid = p_job.wid and j.id = p_job.id returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                              attempt)
  select f.id, f.wid, f.tgid, f.flow_id, f.trname, wedsql.now(), 'failed', 'kernel', f.last_state,
         f.last_error, f.attempts from failed f;
  perform wedsql._park_as_exception(p_flow, p_job.wid, array[p_job.tgid],
    case p_sqlstate when 'WD530' then 'INTEGRITY' else 'ATTEMPTS' end, 'kernel', p_message, wedsql.now());
end $$;

-- Performs the automatic transitions of a running instance with such a job that no commit performed: one that
-- a person retries, or whose trigger became automatic while it was pending. Returns false where the instance
-- is locked, or has none.
-- Locks: the instance, skipping a locked one; its jobs and trace.
create or replace function wedsql._perform_pending(p_flow wedsql.flow, p_wid integer, p_job bigint)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not wedsql._hold(p_flow.name, p_wid) then
    return false;
  end if;
  perform from wedsql.job_pool j join wedsql.instance i on i.wid = j.wid
  where j.wid = p_wid and j.id = p_job and j.state = 'P' and i.status = 'R';
  if not found then
    return false;
  end if;
  perform wedsql._perform_automatic(p_flow, p_wid, 'R', false);
  return true;
end $$;

-- Returns the steps of results, whose state is what they change, with what the kernel adds to them.
-- Locks: none; the caller has locked the rows.
-- Raises: WD211 where a SET string cannot be computed; what PostgreSQL raises for a value of another type
-- than its attribute's.
create or replace function wedsql._with_sets(p_flow integer, p_name text, p_steps wedsql.step[])
returns wedsql.step[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_sets jsonb;
  v_code text;
  v_problem text;
  v_all jsonb[];
begin
  if cardinality(p_steps) > 1 then
    begin
      execute format('select array_agg(case when u.tgid > 0 and not starts_with(u.trw, ''_'') then '
                     'wed_match.a_%1$s(jsonb_populate_record(r.w, u.state), u.tgid) else ''{}'' end '
                     'order by u.ordinality) '
                     'from unnest($1) with ordinality u left join lateral '
                     '(select (w.*)::%2$I.wed_flow as w from %2$I.wed_flow w where w.wid = u.wid offset 0) r '
                     'on true', p_flow, p_name)
        into v_all using p_steps;
    exception when data_exception or feature_not_supported or program_limit_exceeded then
      v_all := null;  -- each is computed by itself, to say which cannot be
    end;
  end if;
  for i in 1..cardinality(p_steps) loop
    if v_all[i] is not null then
      p_steps[i].state := p_steps[i].state || v_all[i];
      continue;
    end if;
    continue when p_steps[i].tgid is null or p_steps[i].tgid <= 0 or starts_with(p_steps[i].trw, '_');
    begin
      execute format('select wed_match.a_%s(jsonb_populate_record(w.*, $3), $2) from %I.wed_flow w '
                     'where w.wid = $1', p_flow, p_name)
        into v_sets using p_steps[i].wid, p_steps[i].tgid, p_steps[i].state;
    exception when data_exception or feature_not_supported or program_limit_exceeded then
      v_code := sqlstate;
      v_problem := sqlerrm;
      execute format('select jsonb_populate_record(null::%I.wed_flow, $1)', p_name) using p_steps[i].state;
      perform wedsql._raise_sets(coalesce(nullif(t.tgname, ''), t.trname), v_code, v_problem)
      from wedsql.trig t where t.tgid = p_steps[i].tgid;
    end;
    p_steps[i].state := p_steps[i].state || v_sets;
  end loop;
  return p_steps;
end $$;

-- Returns what one step changes, with what the kernel adds to it.
-- Raises: as _with_sets.
create or replace function wedsql._changes_with_sets(p_flow wedsql.flow, p_step wedsql.step, p_changes jsonb)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  p_step.state := p_changes;
  return case when p_flow.automatic
              then (wedsql._with_sets(p_flow.id, p_flow.name, array[p_step]))[1].state else p_changes end;
end $$;

-- Returns the attributes that the kernel sets with the results of a trigger.
create or replace function wedsql._set_names(p_tgid integer) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(a.attribute), '{}')
from wedsql.trig t
cross join lateral wedsql.assignments(wedsql.parse(t.sets, wedsql._attr_types(t.flow_id), true)) a
where t.tgid = p_tgid and t.sets is not null
$$;

-- Returns the attributes that the kernel sets with the results of each trigger that sets any.
-- Raises: WD001.
create or replace function wedsql.attributes_set(p_flow text) returns table (trigger integer, names text[])
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select t.tgid, wedsql._set_names(t.tgid) from wedsql._flow(p_flow) f
cross join lateral (select g.tgid from wedsql.trig g where g.flow_id = f.id and g.sets is not null offset 0) t
order by t.tgid
$$;

-- Adds what the kernel sets to a result that a client of the paper's protocol has written, and returns the
-- state then and the values that the step replaced. p_old: the row before the client's update.
-- Locks: the caller holds the wed_flow row.
create or replace function wedsql._paper_sets(p_flow integer, p_job wedsql.job_pool, p_old jsonb,
  out state jsonb, out before jsonb)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := (select f from wedsql.flow f where f.id = p_flow);
begin
  state := (wedsql._write_changes(v_flow, p_job.wid, wedsql._changes_with_sets(v_flow, wedsql._person_step(
    p_job, p_job.trname, null, null), '{}'))).state;
  select coalesce(jsonb_object_agg(o.key, o.value), '{}') into before
  from jsonb_each(p_old - 'wid') o where o.value is distinct from state -> o.key;
end $$;
