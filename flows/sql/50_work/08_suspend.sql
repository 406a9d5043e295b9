-- What an operator does to one living instance: suspends it and resumes it. While it is suspended (status S)
-- no job of it is offered or committed, and its clocks stand still.

-- Checks that a person gives a reason.
-- Raises: WD009.
create or replace function wedsql._check_reason(p_reason text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(btrim(p_reason), '') = '' then
    perform wedsql._raise('WD009', 'The operation needs a reason.');
  end if;
end $$;

-- Locks the instance for an operation and returns its flow; p_compensating: it may be performed while the
-- instance is being compensated.
-- Locks: the flow's table against a definition that is being changed, then the instance.
-- Raises: WD104, WD105; WD009 without a reason.
create or replace function wedsql._operate(p_wid integer, p_reason text, p_compensating boolean default false)
  returns wedsql.flow
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                  where i.wid = p_wid);
begin
  perform wedsql._check_reason(p_reason);
  if v_flow is not null then
    execute format('lock table %I.wed_flow in row exclusive mode', v_flow);
  end if;
  return wedsql._hold_instance(p_wid, p_compensating);
end $$;

-- Raises: WD105 while the instance is suspended.
create or replace function wedsql._check_not_suspended(p_wid integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (select i.status from wedsql.instance i where i.wid = p_wid) = 'S' then
    perform wedsql._raise('WD105', 'Instance {instance} is suspended.', 'Resume it first.',
      jsonb_build_object('instance', p_wid));
  end if;
end $$;

-- Records an operation in the history and notifies workers of jobs that are ready again: of those that are
-- assigned the workers of that name, of the others as many as there are jobs.
-- Locks: the trace; the caller holds the instance.
-- Raises: WD520 if the operation needs approvals.
create or replace function wedsql._operated(p_flow wedsql.flow, p_wid integer, p_step text, p_actor text,
  p_reason text, p_ready text[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_seqs integer[];
  v_free text[] := array(select j.trname from wedsql.job_pool j
    where j.wid = p_wid and j.trname = any (p_ready) and j.assigned_to is null);
begin
  v_seqs := wedsql._append_trace(p_flow, array[wedsql._note_step(p_wid, p_step, wedsql._actor(p_actor),
                                                                 p_reason)], null, p_now);
  perform wedsql._call_operated(p_flow, p_wid, lower(regexp_replace(p_step, '^_(RECOVER:)?', '')));
  perform wedsql._call_excepted(p_flow, array[p_wid], p_now);
  perform wedsql._notify(p_flow, array[p_wid], v_seqs, v_free,
                         least(cardinality(v_free), cardinality(p_ready)));
  if p_ready <> '{}' then
    perform wedsql._wake_assigned(p_wid);
  end if;
end $$;

-- Suspends a running instance or an exception: its jobs are not offered, leases end, results are rejected
-- (WD105), and timers, back-off and pickup deadlines stop. A handler that runs now runs to its end in vain.
-- Locks: as _operate; its jobs, timers, trace.
-- Raises: WD009, WD104, WD105.
create or replace function wedsql.suspend(p_wid integer, p_reason text, p_actor text default null)
  returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_now timestamptz := wedsql.now();
begin
  update wedsql.instance i set status = 'S' where i.wid = p_wid and i.status <> 'S';
  if not found then
    perform wedsql._raise('WD105', 'Instance {instance} is suspended already.', 'Resume it first.',
      jsonb_build_object('instance', p_wid));
  end if;
  update wedsql.job_pool j set state = 'S', claim = null, lckid = null, lease_until = null
  where j.wid = p_wid and j.state in ('P', 'L');
  update wedsql.timer x set remaining = x.due_at - v_now, due_at = 'infinity' where x.wid = p_wid;
  perform wedsql._operated(v_flow, p_wid, '_SUSPEND', p_actor, p_reason, '{}', v_now);
end $$;

-- Resumes a suspended instance where it was. Clocks go on with the time that was left; a timer of a due
-- attribute is due at the time in the attribute, which may have passed. Conditions are evaluated only if
-- the definition was published again meanwhile, or steps were undone and nothing has been fired since.
-- Locks: as _operate; its jobs, timers, trace.
-- Raises: WD009, WD104, WD105, WD520.
create or replace function wedsql.resume(p_wid integer, p_reason text, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_now timestamptz := wedsql.now();
  v_since timestamptz;
  v_version integer;
  v_undone boolean;
  v_ready text[];
begin
  update wedsql.instance i
  set status = case when exists (select 1 from wedsql.job_pool j where j.wid = p_wid and j.tgid = 0)
                    then 'E' else 'R' end::"char"
  where i.wid = p_wid and i.status = 'S';
  if not found then
    perform wedsql._raise('WD105', 'Instance {instance} is not suspended.', 'It has been resumed already.',
      jsonb_build_object('instance', p_wid));
  end if;
  select least(t.tstmp, v_now), t.version, exists (
    select 1 from wedsql.wed_trace u where u.wid = p_wid and u.seq = t.seq - 1 and u.status = 'S')
  into v_since, v_version, v_undone from wedsql.wed_trace t
  where t.wid = p_wid and t.trw = '_SUSPEND' order by t.seq desc limit 1;
  with ready as (
    update wedsql.job_pool j
    set state = 'P', not_before = greatest(j.fired_at, j.not_before) + (v_now - v_since)
    where j.wid = p_wid and j.state = 'S' returning j.trname)
  select coalesce(array_agg(r.trname), '{}') into v_ready from ready r;
  update wedsql.timer x set remaining = null,
    due_at = case when t.due_attr is null then v_now else v_since end + x.remaining
  from wedsql.trig t where x.wid = p_wid and t.tgid = x.tgid and x.remaining is not null;
  perform wedsql._operated(v_flow, p_wid, '_RESUME', p_actor, p_reason, v_ready, v_now);
  if v_version is distinct from v_flow.version or v_undone then
    perform wedsql._rematch(v_flow.id, array[p_wid], false, false, wedsql._actor(p_actor), p_reason);
  else
    -- A re-match in batches that was on its way then has left it out.
    perform wedsql._rematch_some(r.flow_id, v_flow.name, array[p_wid], false, r.actor, r.reason,
                                 wedsql._chosen_in(r, array[p_wid]))
    from wedsql.rematch_run r
    where r.flow_id = v_flow.id and r.version = v_version and (r.finished_at >= v_since) is not false;
  end if;
  perform wedsql._call_operated(v_flow, p_wid, 'resume');  -- with what automatic transitions wrote
end $$;
