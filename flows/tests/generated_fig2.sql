CREATE OR REPLACE FUNCTION fig2._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean DEFAULT false)
 RETURNS TABLE(job_id bigint, seq integer, status "char", fired text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "DateStyle" TO 'ISO, YMD'
 SET "TimeZone" TO 'UTC'
 SET "IntervalStyle" TO 'postgres'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET join_collapse_limit TO '1'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
<<_b>>
declare
  v_steps wedsql.step[];
  v_failed boolean;
  v_large boolean;
begin
  perform 1 from fig2.wed_flow w where w.wid = any (_commit.p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs(<flow>, '{a1,a2,a3}'::text[], p_wids, p_jobs, p_claims, p_changes, p_actor,
                                p_held, 'f');
  with done as (
    update fig2.wed_flow w set "a1" = case when c.state ? 'a1' then (c.state ->> 'a1')::text else w."a1" end, "a2" = case when c.state ? 'a2' then (c.state ->> 'a2')::text else w."a2" end, "a3" = case when c.state ? 'a3' then (c.state ->> 'a3')::text else w."a3" end
    from unnest(_b.v_steps) c join fig2.wed_flow o on o.wid = c.wid
    where w.wid = c.wid
    returning c.*, (select coalesce(jsonb_object_agg(k, case when k <= 'a2' collate "C" then case when k <= 'a1' collate "C" then to_jsonb(o."a1") else to_jsonb(o."a2") end else to_jsonb(o."a3") end), '{}') from jsonb_object_keys(c.state) k) as old, to_jsonb(w.*) - 'wid' as now, wed_match.f_<flow>(w.*) as holds,
              false as long)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now, d.old,
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds)),
         bool_or(d.long or pg_column_size(d.now) > 100000)
  into v_steps, v_failed, v_large from done d;
  if v_large then
    perform wedsql._check_sizes(v_steps);
  end if;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle(<flow>, v_steps, v_failed) r;
end $function$;

CREATE OR REPLACE FUNCTION fig2._retest(p_wids integer[])
 RETURNS TABLE(wid integer, state jsonb, matched integer[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
AS $function$
begin
  return query select w.wid, to_jsonb(w.*) - 'wid', wed_match.f_<flow>(w.*)
    from fig2.wed_flow w where w.wid = any (_retest.p_wids) order by w.wid for no key update;
end $function$;

CREATE OR REPLACE FUNCTION fig2._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$

declare
  v_now timestamptz;
  v_row fig2.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  <<fast_path>> begin
  -- As one value: each column of a query is looked up when it begins. An attribute may be called w.
  v_row := (select (w.*)::fig2.wed_flow from fig2.wed_flow w
            where w.wid = _single.p_wid for no key update);
  v_now := wedsql.now();
  -- Not eligible: a job that is finished, late or not held here, an instance that is not running (a running
  -- one has no parked work), a change that is rejected.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, x.parent_wid, f.version, f.final_tgid,
         f.final_when_pending as policy, wedsql._may_exceed_limit(x.seq + 1, f.fuse) as limited,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p
               where p.wid = p_wid and p.id <> p_job_id) as pending,
         case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
         else j.state = 'P'
              and strpos(coalesce(current_setting('wedsql.took_jobs', true), ''), ',' || p_job_id || ',') > 0
              and coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.took_at')
              and coalesce(j.not_before <= v_now, true) end
         and p_changes @> '{}' and p_changes - '{a1,a2,a3}'::text[] = '{}' as eligible,
         case when p_claim is not null then j.lease_until
              when current_setting('wedsql.took_jobs', true) <> ''
                then wedsql._moment('wedsql.took_at') + j.timeout end as until
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R'
    and f.id = <flow> and f.plain;
  exit fast_path when v_job.eligible is not true;
  if p_changes ? 'a1' then
    v_before := v_before || jsonb_build_object('a1', v_row."a1");
    v_row."a1" := (p_changes ->> 'a1')::text;
  end if;
  if p_changes ? 'a2' then
    v_before := v_before || jsonb_build_object('a2', v_row."a2");
    v_row."a2" := (p_changes ->> 'a2')::text;
  end if;
  if p_changes ? 'a3' then
    v_before := v_before || jsonb_build_object('a3', v_row."a3");
    v_row."a3" := (p_changes ->> 'a3')::text;
  end if;
  v_state := to_jsonb(v_row) - 'wid';
  exit fast_path when pg_column_size(v_state) > 100000;
  v_matched := wed_match.f_<flow>(v_row);
  exit fast_path when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if wedsql._is_final(v_job.final_tgid, v_matched) then
    exit fast_path when v_others or v_job.parent_wid is not null;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := wedsql._suppressed(v_job.final_tgid, v_matched);
  else
    foreach v_tgid in array v_matched loop
      if wedsql._fires(v_tgid, v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit fast_path when v_job.limited and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit fast_path when v_status = 'E';
  end if;
  exit fast_path when not (p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at,
                                   fired_xid, cause_seq, version)
      select p_wid, t.tgid, <flow>, t.trname, t.timeout, wedsql._own_payload(v_state), t.priority, v_now,
             txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update fig2.wed_flow w set "a1" = v_row."a1", "a2" = v_row."a2", "a3" = v_row."a3" where w.wid = _single.p_wid),
       life as (update wedsql.instance x
                set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = wedsql._finished_at(v_status, v_now) where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired,
                                before, cause_seq, actor, version, tx_at, suppressed)
  values (<flow>, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, p_claim,
          v_job.tgid, coalesce(v_new, '{}'), v_before, v_job.cause_seq, p_actor, v_job.version, now(),
          v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (
        select 1 from wedsql.worker w
        where w.serves @> string_to_array('fig2:' || array_to_string(v_fired, ' fig2:'), ' ')
          and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = <flow>);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired))
    from wedsql.flow f where f.id = <flow>;
  end if;
  if v_job.until is not null then
    insert into wedsql.commit_by (until, wid, job_id) values (v_job.until, p_wid, p_job_id);
  end if;
  seq := v_job.seq; status := v_status; fired := v_fired; return;
  end fast_path;
end $function$;

CREATE OR REPLACE FUNCTION fig2._start(p_states jsonb[], p_actor text, p_keys text[])
 RETURNS TABLE(ord integer, wid integer, status "char")
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "DateStyle" TO 'ISO, YMD'
 SET "TimeZone" TO 'UTC'
 SET "IntervalStyle" TO 'postgres'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  v_wids integer[];
  v_rows fig2.wed_flow[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_none boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states('{a1,a2,a3}'::text[], p_states);
  p_keys := array_replace(p_keys, '', null);
  if octet_length(array_to_string(p_keys, '')) > 0 then
    perform wedsql._check_keys(<flow>, p_keys);
  end if;
  select array_agg(n.r order by n.ord),
         array_agg(row(0, true, null, null, '_INIT', null, p_actor, null,
                       to_jsonb(n.r) - 'wid', null, n.holds, null, null)::wedsql.step order by n.ord),
         bool_or(0 > any (n.holds)), bool_or(0 >= all (n.holds))
  into v_rows, v_steps, v_failed, v_none
  from (select b.ord, b.r, wed_match.f_<flow>(b.r) as holds
        from (select u.ord, row(0, case when u.s ? 'a1' then (u.s ->> 'a1')::text else 'ready'::text end, case when u.s ? 'a2' then (u.s ->> 'a2')::text else NULL::text end, case when u.s ? 'a3' then (u.s ->> 'a3')::text else NULL::text end)::fig2.wed_flow as r
              from unnest(p_states) with ordinality u (s, ord) offset 0) b offset 0) n;
  perform wedsql._check_sizes(v_steps);
  for v_ord in 1..cardinality(v_rows) loop
    v_wids[v_ord] := case when v_none then - v_ord else nextval('wedsql.wid_seq')::integer end;
    v_rows[v_ord].wid := v_wids[v_ord];
    v_steps[v_ord].wid := v_wids[v_ord];
  end loop;
  insert into fig2.wed_flow select u.* from unnest(v_rows) u;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, <flow>, f.version, v_now, v_now, p_actor, u.key
  from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = <flow> where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status
    from wedsql._settle(<flow>, v_steps, v_failed) r;
end $function$;

CREATE OR REPLACE FUNCTION fig2._taken(p_wids integer[], p_ids bigint[])
 RETURNS SETOF taken
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET join_collapse_limit TO '1'
 SET plan_cache_mode TO 'force_generic_plan'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
AS $function$
begin
  return query select j.id, j.wid, j.tgid, j.trname, j.claim, coalesce(j.payload, wedsql._state_of_step(j.wid, j.cause_seq)),
         to_jsonb(w.*) - 'wid', '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout),
         j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto'
              then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end
              else coalesce(t.mode, 'transaction') end
  from unnest(p_wids, p_ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join fig2.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid
  where true;
end $function$;

CREATE OR REPLACE FUNCTION fig2.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_set text DEFAULT NULL::text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$

declare
  v_now timestamptz;
  v_row fig2.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  if p_actor is null or session_user = 'fig2' then
    p_actor := wedsql._actor(p_actor);
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes('fig2', p_wid, p_set);
  end if;
  <<fast_path>> begin
  -- As one value: each column of a query is looked up when it begins. An attribute may be called w.
  v_row := (select (w.*)::fig2.wed_flow from fig2.wed_flow w
            where w.wid = complete_held.p_wid for no key update);
  v_now := wedsql.now();
  -- Not eligible: a job that is finished, late or not held here, an instance that is not running (a running
  -- one has no parked work), a change that is rejected.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, x.parent_wid, f.version, f.final_tgid,
         f.final_when_pending as policy, wedsql._may_exceed_limit(x.seq + 1, f.fuse) as limited,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p
               where p.wid = p_wid and p.id <> p_job_id) as pending,
         j.state = 'P' and coalesce(current_setting('wedsql.held', true), '') = 'on'
         and coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.held_at')
         and p_changes @> '{}' and p_changes - '{a1,a2,a3}'::text[] = '{}' as eligible
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R'
    and f.id = <flow> and f.plain;
  exit fast_path when v_job.eligible is not true;
  if p_changes ? 'a1' then
    v_before := v_before || jsonb_build_object('a1', v_row."a1");
    v_row."a1" := (p_changes ->> 'a1')::text;
  end if;
  if p_changes ? 'a2' then
    v_before := v_before || jsonb_build_object('a2', v_row."a2");
    v_row."a2" := (p_changes ->> 'a2')::text;
  end if;
  if p_changes ? 'a3' then
    v_before := v_before || jsonb_build_object('a3', v_row."a3");
    v_row."a3" := (p_changes ->> 'a3')::text;
  end if;
  v_state := to_jsonb(v_row) - 'wid';
  exit fast_path when pg_column_size(v_state) > 100000;
  v_matched := wed_match.f_<flow>(v_row);
  exit fast_path when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if wedsql._is_final(v_job.final_tgid, v_matched) then
    exit fast_path when v_others or v_job.parent_wid is not null;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := wedsql._suppressed(v_job.final_tgid, v_matched);
  else
    foreach v_tgid in array v_matched loop
      if wedsql._fires(v_tgid, v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit fast_path when v_job.limited and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit fast_path when v_status = 'E';
  end if;
  exit fast_path when not (pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at,
                                   fired_xid, cause_seq, version)
      select p_wid, t.tgid, <flow>, t.trname, t.timeout, wedsql._own_payload(v_state), t.priority, v_now,
             txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update fig2.wed_flow w set "a1" = v_row."a1", "a2" = v_row."a2", "a3" = v_row."a3" where w.wid = complete_held.p_wid),
       life as (update wedsql.instance x
                set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = wedsql._finished_at(v_status, v_now) where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired,
                                before, cause_seq, actor, version, tx_at, suppressed)
  values (<flow>, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, null,
          v_job.tgid, coalesce(v_new, '{}'), v_before, v_job.cause_seq, p_actor, v_job.version, now(),
          v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (
        select 1 from wedsql.worker w
        where w.serves @> string_to_array('fig2:' || array_to_string(v_fired, ' fig2:'), ' ')
          and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = <flow>);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired))
    from wedsql.flow f where f.id = <flow>;
  end if;
  return v_job.seq;
  end fast_path;
  if p_wid is not null then
    return (select c.seq from fig2._commit(array[p_wid], array[p_job_id], array[null::bigint],
                                               array[p_changes], p_actor, true) c);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION fig2.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text DEFAULT NULL::text, p_sets text[] DEFAULT NULL::text[])
 RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "DateStyle" TO 'ISO, YMD'
 SET "TimeZone" TO 'UTC'
 SET "IntervalStyle" TO 'postgres'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  v_actor text := case when session_user = 'fig2' or coalesce(p_actor, '') = ''
                       then wedsql._actor(p_actor) else p_actor end;
  v_one record;
  i integer;
begin
  if cardinality(p_job_ids) = 1
     or p_sets is null
        and cardinality(p_job_ids) = (select count(distinct u.wid) from unnest(p_wids) u (wid)) then
    begin
      if cardinality(p_job_ids) = 1 then
        if p_sets[1] is not null then
          p_changes[1] := wedsql._set_changes('fig2', p_wids[1], p_sets[1]);
        end if;
        v_one := fig2._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
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
        from fig2._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
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
  perform 1 from fig2.wed_flow w where w.wid = any (complete_many.p_wids) order by w.wid
  for no key update;
  for i in select u.i from generate_subscripts(p_job_ids, 1) u (i) order by p_wids[u.i], u.i loop
    return query select * from wedsql._complete_one('fig2', p_wids[i], p_job_ids[i], p_claims[i],
                                                    p_changes[i], v_actor, p_sets[i]);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION fig2.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval)
 RETURNS timestamp with time zone
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql._own(<flow>, 'fig2', p_wid);
select wedsql.extend(p_wid, p_job_id, p_claim, p_duration)
$function$;

CREATE OR REPLACE FUNCTION wed_match.f_<flow>(r fig2.wed_flow)
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$declare
  v integer[] := '{}';
begin
  return array_remove(array[case when (r."a1" = 'ready' and (r."a2" is null)) then <tr_a2> end,
    case when (r."a1" = 'ready' and (r."a3" is null)) then <tr_a3> end,
    case when (r."a1" = 'ready' and (r."a2" is not null) and (r."a3" is not null)) then <tr_final> end,
    case when (r."a1" <> 'ready') then <_FINAL> end]::integer[], null);
exception
when insufficient_resources or operator_intervention or system_error or internal_error then raise;
when others then
  v := '{}';
  begin if (r."a1" = 'ready' and (r."a2" is null)) then v := v || <tr_a2>; end if;
  exception when insufficient_resources or operator_intervention or system_error or internal_error then raise; when others then v := v || -<tr_a2>; end;
  begin if (r."a1" = 'ready' and (r."a3" is null)) then v := v || <tr_a3>; end if;
  exception when insufficient_resources or operator_intervention or system_error or internal_error then raise; when others then v := v || -<tr_a3>; end;
  begin if (r."a1" = 'ready' and (r."a2" is not null) and (r."a3" is not null)) then v := v || <tr_final>; end if;
  exception when insufficient_resources or operator_intervention or system_error or internal_error then raise; when others then v := v || -<tr_final>; end;
  begin if (r."a1" <> 'ready') then v := v || <_FINAL>; end if;
  exception when insufficient_resources or operator_intervention or system_error or internal_error then raise; when others then v := v || -<_FINAL>; end;
  return v;
end$function$;

CREATE OR REPLACE FUNCTION fig2.fail_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[] DEFAULT NULL::text[], p_outcome text DEFAULT 'failed'::text, p_actor text DEFAULT NULL::text)
 RETURNS TABLE(job_id bigint, attempts integer, parked boolean, not_before timestamp with time zone)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql._own(<flow>, 'fig2', w) from unnest(p_wids) w;
select * from wedsql.fail_many('fig2', p_wids, p_job_ids, p_claims, p_messages, p_sqlstates, p_outcome,
                               p_actor)
$function$;

CREATE OR REPLACE FUNCTION fig2.hold(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text)
 RETURNS SETOF taken
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET join_collapse_limit TO '1'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_pick record;
begin
  perform pg_advisory_unlock_all();
  perform pg_try_advisory_lock_shared(wedsql._hold_key());
  perform setval('wedsql.held_at', wedsql._microseconds(wedsql.now())),
          set_config('wedsql.held', 'on', false);
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(<flow>, 'f', p_transitions, p_limit, null, 't', null,
                           p_actor);
    if v_pick.ids = '{}' then
      perform wedsql._note_never_offered('fig2', p_transitions);
      exit;
    end if;
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, coalesce(j.payload, wedsql._state_of_step(j.wid, j.cause_seq)),
         to_jsonb(w.*) - 'wid', '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout),
         j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto'
              then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end
              else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join fig2.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid
  where j.state = 'P'
      and (j.assigned_to is null or j.assigned_to = any (wedsql._own_names(hold.p_actor)));
    exit when found;  -- else other workers finished all of them before they were locked here
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION fig2.lease(p_transitions text[], p_limit integer, p_holder text, p_duration interval DEFAULT NULL::interval, p_job_ids bigint[] DEFAULT NULL::bigint[])
 RETURNS SETOF taken
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select * from wedsql.lease('fig2', p_transitions, p_limit, p_holder, p_duration, p_job_ids)
$function$;

CREATE OR REPLACE FUNCTION fig2.log_in_worker(p_key text, p_for text DEFAULT 'session'::text)
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql.log_in_worker(p_key, p_for)
$function$;

CREATE OR REPLACE FUNCTION fig2.log_out_worker()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql.log_out_worker()
$function$;

CREATE OR REPLACE FUNCTION fig2.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql._own(<flow>, 'fig2', p_wid);
select wedsql.release(p_wid, p_job_id, p_claim, p_actor)
$function$;

CREATE OR REPLACE FUNCTION fig2.start(p_state jsonb DEFAULT '{}'::jsonb, p_actor text DEFAULT NULL::text, p_key text DEFAULT NULL::text)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select wedsql.start('fig2', p_state, p_actor, p_key)
$function$;

CREATE OR REPLACE FUNCTION fig2.start_many(p_states jsonb[], p_actor text DEFAULT NULL::text, p_keys text[] DEFAULT NULL::text[])
 RETURNS TABLE(ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    lock table fig2.wed_flow in row exclusive mode;  -- waits for a definition that is being published
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text
      from fig2._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when others then
      if wedsql._passes(sqlstate) then
        raise;
      end if;
      if cardinality(p_states) = 1 then
        perform wedsql._check_replaced('fig2', sqlstate, sqlerrm);
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
                                v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused('fig2', p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from fig2.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION fig2.take(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text, p_job_ids bigint[] DEFAULT NULL::bigint[])
 RETURNS SETOF taken
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET join_collapse_limit TO '1'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_pick record;
  v_known boolean := case when current_setting('wedsql.takes', true) = 'on'
                          then currval('wedsql.took_in') = wedsql._microseconds(now()) end;
  v_held boolean;
begin
  if v_known is null then
    v_held := wedsql._holds_any();
  end if;
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(<flow>, 'f', p_transitions, p_limit, p_job_ids, 'f', null,
                           p_actor);
    if v_pick.ids = '{}' then
      perform wedsql._note_never_offered('fig2', p_transitions);
      exit;
    end if;
    if v_known is null then
      perform wedsql._first_take(v_held);
    end if;
    if v_known is not false then
      perform set_config('wedsql.took_jobs', concat(current_setting('wedsql.took_jobs', true), ',',
                                                    array_to_string(v_pick.ids, ','), ','), true);
    else
      perform setval('wedsql.took_in', wedsql._microseconds(now())),
              setval('wedsql.took_at', wedsql._microseconds(wedsql.now())),
              set_config('wedsql.took_jobs', concat(',', array_to_string(v_pick.ids, ','), ','), true);
    end if;
    v_known := true;
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, coalesce(j.payload, wedsql._state_of_step(j.wid, j.cause_seq)),
         to_jsonb(w.*) - 'wid', '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout),
         j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto'
              then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end
              else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join fig2.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid
  where j.state = 'P'
      and (j.assigned_to is null or j.assigned_to = any (wedsql._own_names(take.p_actor)));
    exit when found;  -- else other workers finished all of them before they were locked here
  end loop;
end $function$;
