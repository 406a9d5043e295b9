-- Counts each attempt, except one that a shortage of the server ended (wedsql._is_shortage), and keeps it
-- with its reason. The job is offered again after its back-off, or, when its attempts are used up, ends with
-- the outcome FAILED of its trigger, or is parked and makes its instance an exception (K-10). A job that
-- the caller does not hold, by a lock or a claim, is left unchanged.
-- Locks: the flow's table against a definition that is being changed; instances in wid order, jobs, trace.
-- Raises: WD001; in a flow that requires keys, as _check_results.
create or replace function wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[],
                                            p_claims bigint[], p_messages text[],
                                            p_sqlstates text[] default null, p_outcome text default 'failed',
                                            p_actor text default null)
returns table (job_id bigint, attempts integer, parked boolean, not_before timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_flow wedsql.flow := wedsql._locked_flow(p_flow, 'row share');
  v_now timestamptz := wedsql.now();
  v_actor text := wedsql._actor(p_actor);
  v_job record;
  v_freed integer[];
begin
  if v_flow.worker_keys then
    v_actor := wedsql._actor(wedsql._check_results(v_flow.id, p_wids, p_job_ids, p_actor));
  end if;
  execute format('select 1 from %I.wed_flow w where w.wid = any ($1) order by w.wid for no key update',
                 p_flow) using p_wids;
  for v_job in
    update wedsql.job_pool j
    set attempts = case when wedsql._is_shortage(u.code) then j.attempts
                        else wedsql._one_more(j.attempts) end,
        state = 'P', claim = null, lckid = null, lease_until = null,
        last_error = left(u.message, 2000), last_state = u.code,
        not_before = v_now + wedsql._backoff(coalesce(t.backoff, interval '1 second'),
                                           j.attempts - j.earlier_attempts)
    from unnest(p_wids, p_job_ids, p_claims, p_messages, p_sqlstates) u (wid, id, claim, message, code)
    left join wedsql.trig t
      on t.tgid = (select o.tgid from wedsql.job_pool o where o.wid = u.wid and o.id = u.id)
    where j.wid = any (p_wids) and j.flow_id = v_flow.id and j.wid = u.wid and j.id = u.id
      and j.state in ('P', 'L')
      and j.claim is not distinct from u.claim
      and (u.claim is not null or wedsql._holds(j.wid, j.tgid))
    returning j.*, j.tgid > 0 and not wedsql._is_shortage(u.code)
      and j.attempts - j.earlier_attempts >= coalesce(t.max_attempts, 5) as spent
  loop
    insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                                attempt)
    values (v_job.id, v_job.wid, v_job.tgid, v_flow.id, v_job.trname, v_now, p_outcome, v_actor,
            v_job.last_state, v_job.last_error, v_job.attempts);
    v_freed := v_freed || v_job.wid;
    if v_job.spent then
      perform wedsql._use_up(v_flow, v_job.wid, v_job.id,
                             case v_job.last_state when 'WD530' then 'INTEGRITY' else 'ATTEMPTS' end,
                             v_actor, v_job.last_error, v_now);
    elsif v_job.last_state = 'WD103' then
      perform wedsql._final_blocked(v_flow, v_job.wid, v_actor, v_now);
    end if;
    return query select v_job.id, v_job.attempts::integer, coalesce(j.state = 'K', false),
        coalesce(j.not_before, v_now)
      from (values (v_job.wid, v_job.id)) v (wid, id)
      left join wedsql.job_pool j on j.wid = v.wid and j.id = v.id;
  end loop;
  if v_flow.followed then
    perform wedsql._call_freed(v_freed, v_now);
  end if;
end $$;

-- Returns whether this session holds the job now, by a lock of its transaction or its own. Being able to take
-- it is not enough.
create or replace function wedsql._holds(p_wid integer, p_tgid integer) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.pid = pg_backend_pid() and l.granted
    and l.mode = 'ExclusiveLock' and l.classid = p_wid::oid and l.objid = p_tgid::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database()))
$$;

-- Returns the pause after an attempt: twice as long after each one, at most an hour, with a fifth of jitter
-- so that many jobs do not return at the same moment.
create or replace function wedsql._backoff(p_base interval, p_attempts integer) returns interval
language sql volatile set search_path = pg_catalog, pg_temp as $$
select least(least(p_base, interval '1 hour') * power(2, least(p_attempts, 20)), interval '1 hour')
       * (0.9 + random() * 0.2)
$$;

-- Makes an instance an exception when every one of its pending jobs last failed because the others were
-- pending, so that none can ever be committed (K-55).
create or replace function wedsql._final_blocked(
  p_flow wedsql.flow, p_wid integer, p_actor text, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_tgids integer[];
begin
  select array_agg(j.tgid) into v_tgids from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0
  having bool_and(j.last_state is not distinct from 'WD103') and count(*) > 1;
  if v_tgids is not null then
    perform wedsql._park_as_exception(p_flow, p_wid, v_tgids, 'FINAL_BLOCKED', p_actor,
                                      'Each pending job would make the state final while the others are '
                                      'pending.', p_now);
  end if;
end $$;
