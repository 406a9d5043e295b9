create or replace function wedsql._next_status(p_final boolean, p_live bigint, p_parked bigint, p_fires boolean, p_timer boolean, p_fresh boolean, p_policy text)
returns "char" language sql immutable as $$
-- Promise: what an instance is after a commit (Algorithm 1): final, running, an exception, or "!" and "?" for a refusal.
-- policy: final_when_pending of the flow, null in a re-match, where a final state never takes work away.
-- One expression without settings, so that the planner puts it in place of the call.
select case when p_final and (p_live = 0 or p_policy = 'cancel') then 'F'
            when p_final and p_policy = 'reject' then '!'
            when p_parked > 0 then 'E'
            when p_fires or p_live > 0 or p_timer then 'R'
            when p_fresh then '?'
            else 'E' end::"char"
$$;

create or replace function wedsql._gen_single(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
-- Promise: the source of <flow>._single: one result applied by the shortest way, or nothing done and null. It knows only
-- what is beyond doubt (a job that is held and in time, a running instance, predicates that do not fail, a state that is
-- final or fires or has work pending); everything else is for <flow>._commit to judge.
-- A statement for each table costs a third of the set-wise plan: what is dear in a plan is to set it up.
begin
  return format($t$
create or replace function %1$I._single(p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_held boolean,
                                        out seq integer, out status "char", out fired text[])
language plpgsql set search_path = pg_catalog, pg_temp as $f$
-- Locks: the instance, its job, its trace.
declare
  v_now timestamptz;
  v_took timestamptz := to_timestamp(nullif(current_setting(case when p_held then 'wedsql.held' else 'wedsql.took' end, true), '')::float8);
  v_row %1$I.wed_flow;
  v_before jsonb := '{}';
  v_state jsonb;
  v_matched integer[];
  v_new integer[] := '{}';
  v_job record;
  v_flow record;
  v_final boolean;
  v_tgid integer;
  v_name text;
begin
  select * into v_row from %1$I.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  select f.version, f.final_tgid, f.final_when_pending as policy, x.seq, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched into v_flow
  from wedsql.flow f, wedsql.instance x where f.id = %2$s and f.plain and x.wid = p_wid and x.flow_id = f.id and x.status = 'R';
  select j.tgid, j.trname, j.cause_seq, j.state, j.claim, j.timeout, j.lease_until,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job) as pending into v_job
  from wedsql.job_pool j where j.wid = p_wid and j.id = p_job;
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  if v_flow.seq is null or v_job.tgid is null or v_job.tgid = 0
     or p_claim is null and (v_job.state <> 'P' or v_took is null or v_now - v_took > v_job.timeout)
     or p_claim is null and not p_held and strpos(coalesce(current_setting('wedsql.took_jobs', true), ''), ',' || p_job || ',') = 0
     or p_claim is not null and (v_job.state <> 'L' or v_job.claim is distinct from p_claim or v_job.lease_until <= v_now)
     or jsonb_typeof(p_changes) is distinct from 'object' or p_changes - %3$L::text[] <> '{}'%5$s then
    return;
  end if;%4$s
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_%2$s(v_row);
  v_final := coalesce(v_flow.final_tgid = any (v_matched), false);
  if not v_final then
    foreach v_tgid in array v_matched loop
      if v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
  end if;
  status := wedsql._next_status(v_final, cardinality(v_job.pending), 0, v_new <> '{}', false, false, v_flow.policy);
  -- A predicate that failed, a cycle to be counted, an exception, a refusal, pending work to be withdrawn; somebody else's job.
  if 0 > any (v_matched) or v_flow.fuse and v_new <> '{}' or status not in ('R', 'F') or v_final and v_job.pending <> '{}'
     or p_claim is null and not (pg_try_advisory_xact_lock(p_wid, v_job.tgid) and (not p_held or pg_advisory_unlock(p_wid, v_job.tgid))) then
    return;
  end if;
  seq := v_flow.seq + 1;
  fired := '{}';
  delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
  update %1$I.wed_flow w set %6$s where w.wid = p_wid;
  update wedsql.instance x set seq = _single.seq, status = _single.status, changed_at = v_now, reason = null,
         finished_at = case when _single.status = 'F' then v_now end where x.wid = p_wid;
  foreach v_tgid in array v_new loop
    insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
    select p_wid, t.tgid, %2$s, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), _single.seq, v_flow.version
    from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
    fired := fired || v_name;
  end loop;
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (%2$s, p_wid, seq, v_now, v_job.trname, fired, v_state, status, p_job, p_claim, v_job.tgid, v_new, v_before,
          v_job.cause_seq, p_actor, v_flow.version, now(), case when v_final then nullif(array_remove(v_matched, v_flow.final_tgid), '{}') end);
  if v_flow.watched or fired <> '{}' and not wedsql._nobody_hears(%2$s, string_to_array(%7$L || array_to_string(fired, %8$L), ' '), v_now) then
    perform wedsql._notify(f, array[p_wid], array[seq], fired, cardinality(fired)) from wedsql.flow f where f.id = %2$s;
  end if;
end $f$ $t$, p_schema, p_flow,
    coalesce((select array_agg(a.aname) from wedsql.attr a where a.flow_id = p_flow), '{}'),
    coalesce(wedsql._column_list(p_flow, E'\n  if p_changes ? %2$s then v_before := v_before || jsonb_build_object(%2$s, v_row.%1$s); v_row.%1$s := (p_changes %5$s %2$s)::%3$s; end if;', ''), ''),
    coalesce((select format(E'\n     or p_changes - (case v_job.tgid %s end) <> ''{}''', string_agg(format('when %s then %L::text[]', t.tgid, t.writes), ' '))
              from wedsql.trig t where t.flow_id = p_flow and t.writes is not null having count(*) > 0), ''),
    coalesce(wedsql._column_list(p_flow, '%1$s = v_row.%1$s'), 'wid = w.wid'), p_schema || ':', ' ' || p_schema || ':');
end $g$;
