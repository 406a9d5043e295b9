-- Creates in the flow's schema, for this flow alone, what a worker needs besides take, hold and their
-- completion: a role that may call these functions needs no right on the kernel's own schema.
create or replace function wedsql._make_worker_functions(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off
set client_min_messages = warning as $$
begin
  execute wedsql._fill($q$
create or replace function {flow:I}.lease(p_transitions text[], p_limit integer, p_holder text,
                                           p_duration interval default null, p_job_ids bigint[] default null)
returns setof wedsql.taken language sql security definer set search_path = pg_catalog, pg_temp as $f$
select * from wedsql.lease({flow:L}, p_transitions, p_limit, p_holder, p_duration, p_job_ids)
$f$;
create or replace function {flow:I}.extend(p_wid integer, p_job_id bigint, p_claim bigint,
                                           p_duration interval)
returns timestamptz language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql._own({id}, {flow:L}, p_wid);
select wedsql.extend(p_wid, p_job_id, p_claim, p_duration)
$f$;
create or replace function {flow:I}.release(p_wid integer, p_job_id bigint, p_claim bigint,
                                            p_actor text default null)
returns void language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql._own({id}, {flow:L}, p_wid);
select wedsql.release(p_wid, p_job_id, p_claim, p_actor)
$f$;
create or replace function {flow:I}.fail_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[],
  p_messages text[], p_sqlstates text[] default null, p_outcome text default 'failed',
  p_actor text default null)
returns table (job_id bigint, attempts integer, parked boolean, not_before timestamptz)
language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql._own({id}, {flow:L}, w) from unnest(p_wids) w;
select * from wedsql.fail_many({flow:L}, p_wids, p_job_ids, p_claims, p_messages, p_sqlstates, p_outcome,
                               p_actor)
$f$;
create or replace function {flow:I}.start(p_state jsonb default '{}', p_actor text default null,
                                          p_key text default null)
returns integer language sql security definer set search_path = pg_catalog, pg_temp as $f$
select wedsql.start({flow:L}, p_state, p_actor, p_key)
$f$ $q$, jsonb_build_object('flow', p_name, 'id', p_flow));
  perform wedsql._call_worker_functions(p_name);
end $$;

-- Checks that the instance is one of the flow.
-- Raises: WD104.
create or replace function wedsql._own(p_flow integer, p_name text, p_wid integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select 1 from wedsql.instance i where i.wid = p_wid and i.flow_id = p_flow) then
    perform wedsql._raise('WD104', 'Flow "{flow}" has no instance {instance}.',
                          'Check the number and the flow.',
      jsonb_build_object('flow', p_name, 'instance', p_wid));
  end if;
end $$;
