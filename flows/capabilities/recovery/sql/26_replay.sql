-- Replay: a roll back after which recorded results are used again. A rule that fires again with the values
-- that its condition read before gets the result that was recorded then, without a worker, if it allows that
-- (replay = reuse). What a worker compensated is called again, because its effect is gone.

-- Returns the steps of transitions among the undone ones, without those that were undone before step p_began
-- and those that the kernel performs again, and why each may not be used again: compensated, call, or null.
create or replace function wedsql._recorded(p_wid integer, p_undone integer[], p_compensated integer[],
  p_began integer) returns table (seq integer, transition text, why text)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select h.seq, h.trw, case when h.seq = any (p_compensated) then 'compensated'
                          when t.tgid is null or t.replay <> 'reuse' or h.before is null then 'call' end
from wedsql.wed_trace h left join wedsql.trig t on t.tgid = h.tgid and t.trname = h.trw and t.enabled
where h.wid = p_wid and h.seq = any (p_undone) and h.tgid > 0 and left(h.trw, 1) <> '_'
  and t.performer is distinct from 'database'
  and not exists (select 1 from wedsql.wed_trace c
                  where c.wid = p_wid and c.compensates_seq = h.seq and c.seq < p_began)
  and not exists (select 1 from wedsql.wed_trace r
                  where r.wid = p_wid and r.seq > h.seq and r.seq < p_began and (
                    wedsql._goes_back(r.trw) and r.cause_seq < h.seq
                    or r.trw = '_RECOVER:compensate' and r.cause_seq <= h.seq))
order by h.seq
$$;

-- Returns the values that the result of a step wrote, null where the result may not be written now.
create or replace function wedsql._recorded_values(p_flow integer, p_step wedsql.wed_trace) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when wedsql._attr_types(p_flow) ?& w.names and w.names <@ coalesce(t.writes::text[], w.names)
            then (select coalesce(jsonb_object_agg(a, (p_step).state -> a), '{}') from unnest(w.names) a) end
from wedsql.trig t
cross join (select array(select jsonb_object_keys((p_step).before - wedsql._set_names((p_step).tgid)))
            as names) w
where t.tgid = (p_step).tgid
$$;

-- Returns whether the attributes that the condition of a job reads have the values that they had when a step
-- was fired, and those that they had when it was committed.
create or replace function wedsql._reads_unchanged(p_job wedsql.job_pool, p_step wedsql.wed_trace,
  p_present jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select not exists (
  select 1 from wedsql.trig t cross join lateral unnest(t.reads) a
  where t.tgid = (p_job).tgid and (
    wedsql._payload(p_job) -> a is distinct from (
      select c.state -> a from wedsql.wed_trace c
      where c.wid = (p_step).wid and c.seq = (p_step).cause_seq)
    or p_present -> a is distinct from
       case when (p_step).before ? a then (p_step).before -> a else (p_step).state -> a end))
$$;

-- Returns the next job that gets a recorded result, with the step of the result; the first recorded one
-- first. p_tried: jobs that do not get one.
create or replace function wedsql._next_replay(p_flow wedsql.flow, p_recovery wedsql.recovery,
  p_tried bigint[]) returns table (job wedsql.job_pool, step wedsql.wed_trace)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with recorded as materialized (
  select o.seq from wedsql._recorded(p_recovery.wid, p_recovery.undone, array(
    select u.seq from unnest(p_recovery.seqs, p_recovery.transitions) u (seq, name)
    where u.name <> ''), p_recovery.began_seq) o
  where o.why is null and not exists (
    select 1 from wedsql.wed_trace r
    where r.wid = p_recovery.wid and r.seq > p_recovery.began_seq and r.replays_seq = o.seq))
select j, h
from recorded o
join wedsql.wed_trace h on h.wid = p_recovery.wid and h.seq = o.seq
join wedsql.job_pool j on j.wid = h.wid and j.tgid = h.tgid and j.trname = h.trw
where j.state = 'P' and j.id <> all (p_tried)
  and wedsql._recorded_values(p_flow.id, h) is not null
  and wedsql._reads_unchanged(j, h, wedsql._present_state(p_flow.name, p_recovery.wid))
order by h.seq limit 1
$$;

-- Commits the recorded result of a step as that of a job. What is rejected now is left to a worker.
-- Locks: the caller holds the instance.
create or replace function wedsql._replay_step(p_flow wedsql.flow, p_recovery wedsql.recovery,
  p_job wedsql.job_pool, p_step wedsql.wed_trace) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform wedsql._settle_step(p_flow, wedsql._changed_step(p_flow,
    wedsql._person_step(p_job, p_job.trname, p_recovery.actor, p_recovery.reason),
    wedsql._recorded_values(p_flow.id, p_step)));
  update wedsql.wed_trace h set replays_seq = p_step.seq
  where h.wid = p_job.wid and h.job_id = p_job.id and h.seq > p_recovery.began_seq;
exception when others then
  if sqlstate !~ '^WD' then
    raise;
  end if;
end $$;

-- Gives the jobs of an instance that was rolled back their recorded results, as long as one fits.
-- Locks: the caller holds the instance.
create or replace function wedsql._replay_steps(p_flow wedsql.flow, p_recovery wedsql.recovery) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_tried bigint[] := '{}';
  v_next record;
begin
  loop
    select n.job, n.step into v_next from wedsql._next_replay(p_flow, p_recovery, v_tried) n;
    exit when not found;
    v_tried := v_tried || (v_next.job).id;
    perform wedsql._replay_step(p_flow, p_recovery, v_next.job, v_next.step);
  end loop;
end $$;

-- Checks that a person may write these values, by writing them in a block that is rolled back.
-- Raises: WD002, WD003, WD107, WD210.
create or replace function wedsql._check_changes(p_flow wedsql.flow, p_wid integer, p_changes jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_repair(p_changes, wedsql._not_repairable(p_flow.id));
  perform wedsql._changed_step(p_flow, wedsql._note_step(p_wid, '', '', null), p_changes);
  raise exception using errcode = 'WD999';
exception when sqlstate 'WD999' then
  null;
end $$;

-- Returns what a replay did after step p_seq: {"reused": [{"seq", "transition"}]}, the steps whose results
-- were used again, and {"called": [{"seq", "transition", "why"}]} the other ones of p_course, which workers
-- perform where their rules fire again; why: compensated, call or changed.
create or replace function wedsql._replayed(p_wid integer, p_seq integer, p_course jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with o as (
  select c -> 'seq' as seq, c -> 'transition' as transition, coalesce(c ->> 'why', 'changed') as why,
         exists (select 1 from wedsql.wed_trace h where h.wid = p_wid and h.seq > p_seq
                 and h.replays_seq = (c ->> 'seq')::integer) as reused, n
  from jsonb_array_elements(p_course) with ordinality u (c, n))
select jsonb_build_object(
  'reused', coalesce(jsonb_agg(jsonb_build_object('seq', o.seq, 'transition', o.transition) order by o.n)
                     filter (where o.reused), '[]'),
  'called', coalesce(jsonb_agg(jsonb_build_object('seq', o.seq, 'transition', o.transition, 'why', o.why)
                               order by o.n) filter (where not o.reused), '[]'))
from o
$$;

-- Returns the same for a replay whose compensations have not run yet, as if they wrote nothing.
create or replace function wedsql._foreseen_replay(p_wid integer, p_seq integer, p_course jsonb)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_found jsonb;
begin
  while (select i.status from wedsql.instance i where i.wid = p_wid) = 'X' loop
    perform wedsql.skip_compensation(p_wid, '-');
  end loop;
  v_found := wedsql._replayed(p_wid, p_seq, p_course);
  raise exception using errcode = 'WD999';
exception when sqlstate 'WD999' then
  return v_found;
end $$;

-- Undoes all steps after a step as roll_back does, gives the attributes new values if there are any, and uses
-- recorded results again. Returns the compensations, and what _replayed returns once they have run.
-- Locks: as _hold_all and _undo.
-- Raises: WD009, WD104, WD105, WD110, WD111, WD203; as _check_changes.
create or replace function wedsql._repair_replay(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._hold_all(p_wid, p_reason);
  v_seq integer := (p_arguments ->> 'seq')::integer;
  v_changes jsonb := coalesce(p_arguments -> 'changes', '{}');
  v_last integer := (select i.seq from wedsql.instance i where i.wid = p_wid);
  v_facts jsonb := wedsql._compensations_of(p_wid, 'rollback', v_seq);
  v_course jsonb;
  v_status text;
begin
  perform wedsql._check_step(p_wid, v_seq);
  perform wedsql._check_changes(v_flow, p_wid, v_changes);
  select coalesce(jsonb_agg(to_jsonb(o) order by o.seq), '[]') into v_course
  from wedsql._recorded(p_wid, wedsql._undone(p_wid, 'replay', v_seq), array(
    select (c ->> 'seq')::integer from jsonb_array_elements(v_facts -> 'compensations') c
    where c ->> 'compensated_by' <> ''), v_last + 1) o;
  v_status := wedsql._undo(v_flow, p_wid, 'replay', v_seq, p_reason, p_actor,
                           coalesce((p_arguments ->> 'override')::boolean, false), false, v_changes);
  if p_arguments ? 'preview' then
    return v_facts || wedsql._foreseen_replay(p_wid, v_last, v_course);
  end if;
  return v_facts || case when v_status = 'X' then '{}' else wedsql._replayed(p_wid, v_last, v_course) end;
end $$;
