-- Claims up to p_limit ready jobs durably, each with a token that cannot be guessed and an expiry:
-- p_duration, else the trigger's timeout, else five minutes. Commit at once, then work outside any
-- transaction.
-- Locks: the flow's table against a definition that is being changed; advisory locks while jobs are selected,
-- then the job rows.
-- Raises: WD001, WD009; in a flow that requires keys, WD570, WD571, WD572, WD573.
create or replace function wedsql.lease(
  p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval default null,
  p_job_ids bigint[] default null)
returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_pick record;
  v_tried boolean;
  v_mine bigint[];
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_span('The duration of a lease', p_duration, '1 microsecond');
  v_flow := wedsql._locked_flow(p_flow, 'row share');
  if v_flow.defining_xid is not null then
    perform wedsql._follow_definition(v_flow.id);
    v_flow := wedsql._flow(p_flow);
  end if;
  if v_flow.worker_keys then
    p_holder := wedsql._check_worker(v_flow.id, p_transitions, p_holder);
  end if;
  v_tried := wedsql._revalidates(v_flow.id);
  if v_flow.exclusive then
    v_pick := wedsql._pick_exclusive(v_flow.id, v_flow.shared, p_transitions, p_limit, p_job_ids, false,
      case when v_tried then v_flow.name end, p_holder);
  else
    v_pick := wedsql._pick(v_flow.id, v_flow.shared, p_transitions, p_limit, p_job_ids, false,
      case when v_tried then v_flow.name end, p_holder);
  end if;
  if v_pick.ids = '{}' then
    perform wedsql._note_never_offered(v_flow.name, p_transitions);
    return;
  elsif v_tried then
    v_pick := wedsql._drop_stale(v_flow.id, v_flow.name, v_pick.wids, v_pick.ids);
  end if;
  with leased as (
    update wedsql.job_pool j
    set state = 'L', claim = wedsql._new_claim(), lckid = p_holder,
        lease_until = v_now + coalesce(p_duration, j.timeout, interval '5 minutes')
    from unnest(v_pick.wids, v_pick.ids) u (wid, id)
    where j.wid = u.wid and j.id = u.id and j.state = 'P'
      and (j.assigned_to is null or j.assigned_to = any (wedsql._own_names(p_holder)))
    returning j.claim)
  select array_agg(l.claim) into v_mine from leased l;
  -- Another session may have leased one just before it was locked here.
  return query execute format('select * from %I._taken($1, $2) t where t.claim = any ($3)', p_flow)
  using v_pick.wids, v_pick.ids, v_mine;
end $$;

-- Returns a token of 59 random bits, greater than 0. Only the session that got it has it, and those to which
-- that session passes it.
create or replace function wedsql._new_claim() returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
select ('x' || left(translate(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 9223372036854775807
$$;

-- Returns the job, locked, if this claim holds it now.
-- Locks: the flow's table against a definition that is being changed, then the job.
-- Raises: WD105 while the instance is suspended, WD203, WD204, WD205; as _check_results.
create or replace function wedsql._leased(p_wid integer, p_job bigint, p_claim bigint) returns wedsql.job_pool
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_flow record;
begin
  select f.id, f.name, f.worker_keys into v_flow
  from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  if found then  -- before the job, as publishing locks first the table and then jobs
    execute format('lock table %I.wed_flow in row share mode', v_flow.name);
    if v_flow.worker_keys then
      perform wedsql._check_results(v_flow.id, array[p_wid], array[p_job], null);
    end if;
  end if;
  select * into v_job from wedsql.job_pool j where j.wid = p_wid and j.id = p_job for update;
  if not found then
    perform wedsql._refuse_job('WD205', array[p_wid], array[p_job], array['{}'::jsonb]);
  elsif v_job.state = 'S' then
    perform wedsql._refuse_job('WD105', array[p_wid], array[p_job], array['{}'::jsonb]);
  elsif v_job.claim is distinct from p_claim or p_claim is null then
    perform wedsql._refuse_job('WD203', array[p_wid], array[p_job], array['{}'::jsonb]);
  elsif v_job.lease_until <= wedsql.now() then
    perform wedsql._refuse_job('WD204', array[p_wid], array[p_job], array['{}'::jsonb]);
  end if;
  return v_job;
end $$;

-- Sets the lease to last p_duration from now, and returns the new expiry.
-- Locks: the job.
-- Raises: WD009, WD105, WD203, WD204, WD205.
create or replace function wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_until timestamptz;
begin
  perform wedsql._check_span('The duration of a lease', coalesce(p_duration, '0'), '1 microsecond');
  v_until := wedsql.now() + p_duration;
  perform wedsql._leased(p_wid, p_job_id, p_claim);
  update wedsql.job_pool j set lease_until = v_until where j.wid = p_wid and j.id = p_job_id;
  return v_until;
end $$;

-- Offers the job to all workers again; giving it back is no failed attempt (K-57).
-- Locks: the job.
-- Raises: WD105, WD203, WD204, WD205.
create or replace function wedsql.release(
  p_wid integer, p_job_id bigint, p_claim bigint, p_actor text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool := wedsql._leased(p_wid, p_job_id, p_claim);
begin
  update wedsql.job_pool j set state = 'P', claim = null, lckid = null, lease_until = null
  where j.wid = p_wid and j.id = p_job_id;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, wedsql.now(), 'released',
          wedsql._worker_in(v_job.flow_id, p_actor), v_job.attempts);
  perform wedsql._call_freed(array[p_wid], wedsql.now()) from wedsql.flow f
  where f.id = v_job.flow_id and f.followed;
  perform wedsql._wake_job(v_job);
end $$;

-- Returns the name of a worker in the history: in a flow that requires keys, the checked one.
-- Raises: as _check_worker.
create or replace function wedsql._worker_in(p_flow integer, p_said text) returns text
language sql volatile set search_path = pg_catalog, pg_temp as $$
select wedsql._actor(case when f.worker_keys then wedsql._check_worker(f.id, null, p_said) else p_said end)
from wedsql.flow f where f.id = p_flow
$$;
