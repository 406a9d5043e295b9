-- What a worker may do in flows that require keys (option worker_keys); only the functions of such flows call
-- these. The keys are a capability: without it, no worker of such a flow has one.

-- Checks that this session is logged in with a key for these transitions of the flow, and returns the name of
-- the worker. p_said: what the worker calls itself, else the setting wedsql.actor.
-- Locks: the row of the last use, at most once a minute.
-- Raises: WD570, WD571, WD572, WD573.
create or replace function wedsql._check_worker(p_flow integer, p_transitions text[], p_said text)
  returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_worker text := wedsql._call_keyed_worker(p_flow, p_transitions, p_said);
begin
  if v_worker is null then
    perform wedsql._raise('WD570', 'Workers of flow "{flow}" need a key, and this session is not logged in.',
      'Log in with log_in_worker(key); through a pooler, for each transaction.',
      jsonb_build_object('flow', (select f.name from wedsql.flow f where f.id = p_flow)));
  end if;
  return v_worker;
end $$;

-- Checks that this session may finish these jobs with its key, and returns the name of the worker. Of a job
-- that is gone only the flow counts.
-- Raises: as _check_worker; WD573 for a lease of another key.
create or replace function wedsql._check_results(
  p_flow integer, p_wids integer[], p_jobs bigint[], p_said text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_worker text;
  v_names text[];
  v_holder text;
begin
  select array_agg(distinct j.trname) into v_names
  from unnest(p_wids, p_jobs) u (wid, id)
  join wedsql.job_pool j on j.wid = u.wid and j.id = u.id and j.flow_id = p_flow;
  v_worker := wedsql._check_worker(p_flow, v_names, p_said);
  select min(j.lckid) into v_holder
  from unnest(p_wids, p_jobs) u (wid, id)
  join wedsql.job_pool j on j.wid = u.wid and j.id = u.id and j.flow_id = p_flow and j.state = 'L'
  where split_part(j.lckid, '/', 1) <> split_part(v_worker, '/', 1);
  if v_holder is not null then
    perform wedsql._raise('WD573', 'The lease belongs to "{holder}", which has another worker key.',
      'Finish a job with the key with which it was leased.', jsonb_build_object('holder', v_holder));
  end if;
  return v_worker;
end $$;

-- Returns whether this session may work on jobs of a transition: in a flow that requires keys, with its key.
create or replace function wedsql.may_work(p_flow text, p_transition text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select not f.worker_keys or wedsql._call_may_work(f.id, p_transition) from wedsql.flow f where f.name = p_flow
$$;
