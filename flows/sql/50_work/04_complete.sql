-- Calls <flow>.complete_many for a caller that has the flow's name in a variable.
-- Raises: WD001, and as <flow>.complete_many.
create or replace function wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[],
                                                p_claims bigint[], p_changes jsonb[],
                                                p_actor text default null, p_sets text[] default null)
returns table (job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text,
               hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query execute format('select * from %I.complete_many($1, $2, $3, $4, $5, $6)',
                              (wedsql._flow(p_flow)).name)
    using p_wids, p_job_ids, p_claims, p_changes, p_actor, p_sets;
end $$;

-- Returns the source of <flow>.complete_many.
create or replace function wedsql._gen_complete(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
-- Applies the results of jobs: all at once when all are acceptable. Where one is rejected, or two are of one
-- instance, each is applied on its own, so that it affects no other. A repeated result gets the first answer;
-- a different one is rejected.
-- Locks: instances in wid order, jobs, trace.
-- Raises: what passes by itself (wedsql._passes) and 57014; every other error is a row with ok = false.
{create}
language plpgsql security definer set search_path = pg_catalog, pg_temp
set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
declare
  v_actor text := case when session_user = {flow:L} or coalesce(p_actor, '') = ''
                       then wedsql._actor(p_actor) else p_actor end;
  v_one record;
  i integer;
begin{key}
  if cardinality(p_job_ids) = 1
     or p_sets is null
        and cardinality(p_job_ids) = (select count(distinct u.wid) from unnest(p_wids) u (wid)) then
    begin
      if cardinality(p_job_ids) = 1 then
        if p_sets[1] is not null then
          p_changes[1] := wedsql._set_changes({flow:L}, p_wids[1], p_sets[1]);
        end if;
        v_one := {flow:I}._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
        if v_one.seq is not null then
          job_id := p_job_ids[1];
          ok := true;
          seq := v_one.seq;
          status := v_one.status;
          fired := v_one.fired;
          return next;
          return;
        end if;
      end if;
      return query
        select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text
        from {flow:I}._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
      return;
    exception
      when others then
        if wedsql._passes(sqlstate) then
          raise;
        end if;  -- one of them is rejected: each is tried on its own below
    end;
  end if;
  -- All at once, not each with its result: a rejected one stays locked, so that counting the failure in this
  -- transaction waits for nothing.
  perform 1 from {flow:I}.wed_flow w where w.wid = any (complete_many.p_wids) order by w.wid
  for no key update;
  for i in select u.i from generate_subscripts(p_job_ids, 1) u (i) order by p_wids[u.i], u.i loop
    return query select * from wedsql._complete_one({flow:L}, p_wids[i], p_job_ids[i], p_claims[i],
                                                    p_changes[i], v_actor, p_sets[i]);
  end loop;
end $f$ $t$, jsonb_build_object('flow', p_schema,
    'create', wedsql._create_work_function(p_schema, 'complete_many'), 'key',
    case when wedsql._needs_keys(p_flow) then wedsql._fill($q$
  v_actor := wedsql._actor(wedsql._check_results({id}, p_wids, p_job_ids, p_actor));$q$,
      jsonb_build_object('id', p_flow)) else '' end));
end $g$;

-- Applies or rejects one result, as one row; a rejected one has no effect.
create or replace function wedsql._complete_one(
  p_flow text, p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_set text)
returns table (job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text,
               hint text, detail text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_changes jsonb := coalesce(p_changes, '{}');
  v_why wedsql.why;
  v_late bigint;
begin
  if p_set is not null then
    v_changes := wedsql._set_changes(p_flow, p_wid, p_set);
  end if;
  return query execute format('select c.job_id, true, c.seq, c.status::text, c.fired, null::text, '
                              'null::text, null::text, null::text from %I._commit(array[$1], array[$2], '
                              'array[$3], array[$4], $5) c', p_flow)
    using p_wid, p_job, p_claim, v_changes, p_actor;
exception
  when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    perform wedsql._check_replaced(p_flow, sqlstate, sqlerrm);
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    if v_why.code in ('WD102', 'WD105', 'WD205', 'WD211') then
      return query select p_job, true, t.seq, t.status::text, t.trf, null::text, null::text, null::text,
        null::text from wedsql.wed_trace t
        where t.wid = p_wid and t.job_id = p_job and t.claim is not distinct from p_claim
          and t.actor = p_actor
          and wedsql._same_result(p_flow, p_changes, p_set, t);
      if found then
        return;
      end if;
    end if;
    v_late := wedsql._call_rejected(p_flow, p_wid, p_job, p_claim, p_changes, p_set, p_actor, v_why.code);
    if v_late is not null then
      v_why.detail := (v_why.detail::jsonb || jsonb_build_object('late', v_late))::text;
    end if;
    return query select p_job, false, null::integer, null::text, '{}'::text[], b.*
      from wedsql._explain_type_error(p_flow, v_changes, v_why) b;
end $$;

-- Returns whether a result equals what the step wrote: the same attributes with the same values, computed by
-- a SET string on the state before the step. Values are compared in the attributes' types; one that cannot be
-- read now is a different result.
create or replace function wedsql._same_result(
  p_flow text, p_changes jsonb, p_set text, p_step wedsql.wed_trace)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_changes jsonb := coalesce(p_changes, '{}');
  v_typed jsonb;
begin
  if p_set is not null then
    v_changes := wedsql._set_on(p_flow, p_set, p_step.state || p_step.before);
  end if;
  execute format('select to_jsonb(r.*) from jsonb_populate_record(null::%I.wed_flow, $1) r', p_flow)
    into v_typed using v_changes;
  v_changes := v_changes - wedsql._set_names(p_step.tgid);
  return (select coalesce(bool_and(p_step.before ? k and v_typed -> k = p_step.state -> k), true)
          from jsonb_object_keys(v_changes) k)
    and (select coalesce(bool_and(v_changes ? k), true)
         from jsonb_object_keys(p_step.before - wedsql._set_names(p_step.tgid)) k);
exception when others then
  return false;
end $$;

-- Returns the source of <flow>.complete_held.
create or replace function wedsql._gen_complete_held(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
-- Applies the result of one job that this session holds (<flow>.hold), as a transaction of its own, and
-- returns its place in the history. The session lock on the job is released here. p_set: a SET string of the
-- paper instead of the changes. p_wid null: does nothing but prepare what can be prepared beforehand.
-- Locks: the instance, its job, its trace.
-- Raises: as <flow>._commit; nothing is written then.
{create}
language plpgsql security definer set search_path = pg_catalog, pg_temp {settings}
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $f$
{body}
  if p_wid is not null then
    return (select c.seq from {flow:I}._commit(array[p_wid], array[p_job_id], array[null::bigint],
                                               array[p_changes], p_actor, true) c);
  end if;
  return null;
end $f$ $t$, jsonb_build_object('flow', p_schema, 'settings', wedsql._time_settings(p_flow),
    'create', wedsql._create_work_function(p_schema, 'complete_held'),
    'body', wedsql._gen_fast_path(p_flow, p_schema,
    p_name => 'complete_held',
    p_first => case when wedsql._needs_keys(p_flow) then wedsql._fill($q$
  if p_wid is not null then
    p_actor := wedsql._check_results({id}, array[p_wid], array[p_job_id], p_actor);
  end if;$q$, jsonb_build_object('id', p_flow)) else '' end || wedsql._fill($q$
  if p_actor is null or session_user = {flow:L} then
    p_actor := wedsql._actor(p_actor);
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes({flow:L}, p_wid, p_set);
  end if;$q$, jsonb_build_object('flow', p_schema)),
    p_held => $q$j.state = 'P' and coalesce(current_setting('wedsql.held', true), '') = 'on'
         and coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.held_at')$q$,
    p_ours => 'pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid)',
    p_claim => 'null',
    p_until => '',
    p_answer => 'return v_job.seq;')));
end $g$;
