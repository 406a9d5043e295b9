-- What is written besides the steps of Algorithm 1: rows of the history without a new state, _EXCPT jobs,
-- withdrawn jobs.

-- Appends a row to the history of each instance, with its next number; nothing fires. A step without a state
-- keeps the last one. p_status: of these rows; null for the present status of the instance. Returns the
-- numbers, by instance.
-- Locks: instances, the trace; the caller holds the wed_flow rows or their table.
create or replace function wedsql._append_trace(
  p_flow wedsql.flow, p_steps wedsql.step[], p_status "char", p_now timestamptz) returns integer[]
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with numbered as (
  update wedsql.instance i set seq = i.seq + 1, changed_at = p_now
  from unnest(p_steps) u where i.wid = u.wid
  returning i.wid, i.seq, i.status, u.trw, u.state, u.before, u.actor, u.reason, u.cause_seq),
written as (
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, before, cause_seq, actor,
                                reason, version, tx_at)
  select p_flow.id, n.wid, n.seq, p_now, n.trw,
         coalesce(n.state,
                  (select t.state from wedsql.wed_trace t where t.wid = n.wid order by t.seq desc limit 1)),
         coalesce(p_status, n.status), coalesce(n.before, '{}'), n.cause_seq, n.actor, n.reason,
         p_flow.version, now()
  from numbered n)
select array_agg(n.seq order by n.wid) from numbered n
$$;

-- Returns the step of an instance that only records something in the history.
create or replace function wedsql._note_step(p_wid integer, p_name text, p_actor text, p_reason text)
returns wedsql.step
language sql immutable set search_path = pg_catalog, pg_temp as $$
select row(p_wid, false, null, null, p_name, null, p_actor, p_reason, null, null, null, null,
           null)::wedsql.step
$$;

-- Keeps the values of a removed attribute in the history of the living instances (K-21).
create or replace function wedsql._archive(p_flow text, p_attr wedsql.attr) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_steps wedsql.step[];
  v_after integer := 0;
begin
  select f.* into v_flow from wedsql.flow f where f.id = p_attr.flow_id;
  loop
    execute wedsql._fill($q$
      select array_agg(row(l.wid, false, null, null, '_REMATCH', null, $2, 'An attribute was removed.',
                           l.state - $3, jsonb_build_object($3, l.state -> $3), null, null, null)::wedsql.step
                       order by l.wid)
      from (select w.wid, to_jsonb(w.*) - 'wid' as state
            from wedsql.instance i join {flow:I}.wed_flow w on w.wid = i.wid
            where i.flow_id = $1 and i.status in ('R', 'E', 'S', 'X') and i.wid > $4
            order by i.wid limit 1000) l $q$, jsonb_build_object('flow', p_flow))
    into v_steps using v_flow.id, wedsql._actor(), p_attr.aname, v_after;
    exit when v_steps is null;
    perform wedsql._append_trace(v_flow, v_steps, null, wedsql.now());
    v_after := (v_steps[cardinality(v_steps)]).wid;
  end loop;
end $$;

-- Gives instances another status, with its reason and, of one that has ended, the time of its end; the caller
-- writes the step.
-- Locks: none; the caller holds the instances.
create or replace function wedsql._set_status(p_wids integer[], p_status "char", p_reason text default null,
  p_finished timestamptz default null) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.instance i set status = p_status, reason = p_reason, finished_at = p_finished
where i.wid = any (p_wids)
$$;

-- Returns the state that a step of an instance wrote.
create or replace function wedsql._state_of_step(p_wid integer, p_seq integer) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select t.state from wedsql.wed_trace t where t.wid = p_wid and t.seq = p_seq);
end $$;

-- Returns the state that fired a job: its payload, or where that is null, that of the step that fired it.
create or replace function wedsql._payload(p_job wedsql.job_pool) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((p_job).payload, wedsql._state_of_step((p_job).wid, (p_job).cause_seq))
$$;

-- Puts the special record _EXCPT into the pool for an instance that is an exception (Algorithm 1, line 19),
-- with the state and the number of its last step.
create or replace function wedsql._except_job(p_flow wedsql.flow, p_wid integer, p_now timestamptz)
returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, cause_seq, version)
select p_wid, 0, p_flow.id, '_EXCPT', t.state, p_now, txid_current(), t.seq, p_flow.version
from wedsql.wed_trace t where t.wid = p_wid order by t.seq desc limit 1
on conflict on constraint job_pool_pkey do nothing
$$;

-- Removes jobs from the pool and logs why; the reaper ends the children of one.
-- Locks: the jobs; the caller holds their instances or the definition of their flow.
create or replace function wedsql._withdraw_jobs(
  p_wids integer[], p_ids bigint[], p_outcome text, p_actor text, p_why text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with gone as (delete from wedsql.job_pool j where j.wid = any (p_wids) and j.id = any (p_ids) returning j.*)
insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message)
select g.id, g.wid, g.tgid, g.flow_id, g.trname, p_now, p_outcome, p_actor, p_why from gone g;
select wedsql._call_withdrawn(p_wids, p_ids, p_now)
$$;

-- Withdraws all jobs of an instance that ends (final_when_pending = cancel, K-06; wedsql.cancel).
create or replace function wedsql._withdraw_rest(p_wid integer, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._withdraw_jobs(array[p_wid], array(select j.id from wedsql.job_pool j where j.wid = p_wid),
  'withdrawn', '', 'The instance became final.', p_now)
$$;

-- Returns a step of a person: of a transition if it stands for the result of a job, else with the name of the
-- operation.
create or replace function wedsql._person_step(p_job wedsql.job_pool, p_name text, p_actor text,
  p_reason text) returns wedsql.step
language sql immutable set search_path = pg_catalog, pg_temp as $$
select row((p_job).wid, false, (p_job).id, (p_job).tgid, p_name, (p_job).cause_seq, p_actor, p_reason, null,
           null, null, null, null)::wedsql.step
$$;

-- Adds rows of the history, and jobs, as another installation has written them.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._copy_steps(p_steps wedsql.wed_trace[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.wed_trace select u.* from unnest(p_steps) u
$$;

create or replace function wedsql._copy_jobs(p_jobs wedsql.job_pool[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.job_pool select u.* from unnest(p_jobs) u
$$;

-- Takes the jobs of an instance out of the pool without a trace in its log, and returns their numbers.
-- Locks: the jobs; the caller holds the instance.
create or replace function wedsql._take_out_jobs(p_wid integer) returns bigint[]
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with gone as (delete from wedsql.job_pool j where j.wid = p_wid returning j.id)
select coalesce(array_agg(g.id), '{}') from gone g
$$;

-- Has an instance run whose history has p_seq steps.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._run_from(p_wid integer, p_seq integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.instance i set status = 'R', reason = null, seq = p_seq where i.wid = p_wid
$$;
