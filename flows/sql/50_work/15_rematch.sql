-- Evaluates the present conditions on living instances (running and exception; final ones if p_final, K-17),
-- and returns counts of what followed. An instance for which nothing follows is left unchanged, unless p_all.
-- In any case a timer whose condition or due time no longer exists is deleted, and so is an _EXCPT job
-- without an exception, a timer of another moment is moved, and a trigger that was skipped may fire again
-- when its condition does not hold. p_chosen: what a publication does otherwise;
-- with it the report has what happened by trigger, too.
-- Locks: instances in wid order, jobs, trace; without p_all and p_final only the instances that _to_settle
-- returns.
create or replace function wedsql._rematch(
  p_flow integer, p_wids integer[], p_all boolean, p_final boolean, p_actor text, p_reason text,
  p_chosen wedsql.chosen default null)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
  v_ids integer[];
  v_after integer := 0;
  v_done integer := 0;
  v_todo integer[];
  v_report jsonb := '{"checked": 0, "changed": 0, "fired": {}, "left_exception": 0, "new_exception": 0, '
                    '"final": 0, "reopened": 0}';
begin
  perform wedsql._follow_definition(p_flow);
  select name into v_name from wedsql.flow where id = p_flow;
  if p_wids is null then
    perform wedsql._drop_stale_except_jobs(p_flow, v_name);
    if not p_all and not p_final and coalesce(p_chosen.withdraw, '{}') = '{}'
       and wedsql._can_look_ahead(p_flow) then
      v_todo := wedsql._to_settle(p_flow, v_name);
      v_report := v_report || jsonb_build_object('checked', (
        select count(*) from wedsql.instance i where i.flow_id = p_flow and i.status in ('R', 'E'))
        - cardinality(v_todo));
    end if;
  end if;
  loop
    if v_todo is not null then
      v_ids := nullif(v_todo[v_done + 1:v_done + 1000], '{}');
      v_done := v_done + 1000;
    else
      select array_agg(w.wid) into v_ids from (
        select i.wid from wedsql.instance i
        where i.flow_id = p_flow and i.wid > v_after and (p_wids is null or i.wid = any (p_wids))
          and (i.status in ('R', 'E') or p_final and i.status = 'F') order by i.wid limit 1000) w;
    end if;
    exit when v_ids is null;
    v_after := v_ids[cardinality(v_ids)];
    v_report := wedsql._add_counts(v_report,
                                   wedsql._rematch_some(p_flow, v_name, v_ids, p_all, p_actor, p_reason,
                                     wedsql._chosen_of(p_chosen, v_ids)));
  end loop;
  return v_report;
end $$;

-- Returns whether _to_settle finds every instance for which something follows: in a flow with the paper's
-- options only, and where the transaction sees what was committed before it had the flow's lock.
create or replace function wedsql._can_look_ahead(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select f.plain and current_setting('transaction_isolation') = 'read committed'
from wedsql.flow f where f.id = p_flow
$$;

-- Returns the living instances of a flow for which something may follow from the present conditions: those
-- without a job, those with a condition that holds or fails and has no job, and exceptions. Nothing is locked
-- or written: the caller has the flow's lock, so no instance changes meanwhile.
create or replace function wedsql._to_settle(p_flow integer, p_name text) returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set work_mem = '64MB' set jit = off as $$
declare
  v_found integer[];
begin
  execute wedsql._fill($q$
    select coalesce(array_agg(i.wid order by i.wid), '{}')
    from wedsql.instance i
    join {flow:I}.wed_flow w on w.wid = i.wid
    left join (select j.wid, array_agg(j.tgid) as tgids from wedsql.job_pool j
               where j.flow_id = {id} and j.tgid > 0 group by j.wid) p on p.wid = i.wid
    where i.flow_id = {id} and case i.status
      when 'E' then true
      when 'R' then p.tgids is null or not wed_match.f_{id}(w.*) <@ p.tgids end $q$,
    jsonb_build_object('flow', p_name, 'id', p_flow))
  into v_found;
  return v_found;
end $$;

-- Does what _rematch does for at most a thousand instances. A final condition with a due time is one of those
-- that fire, until its timer is due.
create or replace function wedsql._rematch_some(
  p_flow integer, p_name text, p_wids integer[], p_all boolean, p_actor text, p_reason text,
  p_chosen wedsql.chosen)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_material = off set join_collapse_limit = 1 as $$
declare
  v_flow wedsql.flow;
  v_due boolean;
  v_steps wedsql.step[];
  v_jobs wedsql.job[];
  v_report jsonb;
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow;
  if p_chosen.settled then
    v_jobs := wedsql._jobs_of(p_wids);
    perform wedsql._withdraw_chosen(p_name, p_wids, p_chosen, p_actor);
  end if;
  v_due := exists (select 1 from wedsql.trig t where t.tgid = v_flow.final_tgid
    and wedsql._has_due_time(t.due_attr, t.due_after));
  execute wedsql._fill($q$
    with t as materialized (
      select r.*, i.status, case when $8 is null then r.matched
                                 else wedsql._acting(r.wid, i.status, r.matched, $8) end as acting
      from {flow:I}._retest($1) r join wedsql.instance i on i.wid = r.wid),
    stale as (delete from wedsql.timer x using t where x.wid = t.wid and x.tgid <> all (t.matched)),
    unskipped as (delete from wedsql.skipped s using t where s.wid = t.wid and s.tgid <> all (t.matched)),
    idle as (
      delete from wedsql.timer x using t, wedsql.trig g
      where x.wid = t.wid and x.tgid = any (t.matched) and g.tgid = x.tgid
        and not wedsql._may_wait(g, t.wid, t.state)),
    moved as (
      update wedsql.timer x set due_at = wedsql._due_at(g, t.state, null) from t, wedsql.trig g
      where x.wid = t.wid and x.tgid = any (t.matched) and g.tgid = x.tgid and g.due_attr is not null
        and wedsql._may_wait(g, t.wid, t.state) and x.due_at <> wedsql._due_at(g, t.state, null)),
    due as (
      select t.*, x.* from t
      cross join lateral (select wedsql._is_final($2.final_tgid, t.matched) as holds,
                                 wedsql._is_final($2.final_tgid, t.acting) as ends) h
      cross join lateral (select h.ends and not ($6 and not exists (
        select 1 from wedsql.timer x
        where x.wid = t.wid and x.tgid = $2.final_tgid and x.due_at <= $7)) as final) n
      cross join lateral (
        select h.holds, n.final,
               exists (select 1 from unnest(t.acting) m
                       where m > 0 and (m <> coalesce($2.final_tgid, 0) or not n.final)
                       and not exists (select 1 from wedsql.job_pool j where j.wid = t.wid and j.tgid = m))
               and ($2.plain or wedsql._would_act(t.wid, t.state, t.acting)) as news,
               exists (select 1 from wedsql.job_pool j where j.wid = t.wid and j.tgid > 0) as live,
               exists (select 1 from wedsql.job_pool j where j.wid = t.wid and j.state = 'K') as parked,
               exists (select 1 from wedsql.timer x join wedsql.trig g on g.tgid = x.tgid
                       where x.wid = t.wid and wedsql._may_wait(g, t.wid, t.state)
                         and x.tgid = any (t.matched)) as timed) x
      where wedsql._is_rematched(t.status, $3, x.news, x.holds, x.final, x.live, x.parked, x.timed))
    select array_agg(row(d.wid, false, null, null, '_REMATCH', null, $4, $5, d.state,
                         case when $3 then wedsql._new_values(d.wid, d.state) else '{}' end,
                         d.acting, null, null)::wedsql.step)
    from due d $q$, jsonb_build_object('flow', p_name))
  into v_steps using p_wids, v_flow, p_all, p_actor, p_reason, v_due, wedsql.now(),
    case when p_chosen.keep_exceptions or p_chosen.held <> '{}' then p_chosen end;
  v_report := jsonb_build_object('checked', cardinality(p_wids));
  if v_steps is not null then
    v_report := v_report || wedsql._settle_counted(v_flow, v_steps, coalesce(p_chosen.settled, false));
  end if;
  return case when p_chosen.settled then wedsql._add_counts(v_report, wedsql._withdrawn_since(v_jobs))
         else v_report end;
end $$;

-- Returns the attributes that have a value now and did not exist at the last step, each with null as its
-- value before, so that the history shows where a default came from (K-51). An attribute that was only
-- renamed is not among them.
create or replace function wedsql._new_values(p_wid integer, p_state jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(n.key, null), '{}')
from (select t.state from wedsql.wed_trace t where t.wid = p_wid order by t.seq desc limit 1) o
cross join lateral jsonb_each(p_state - array(select jsonb_object_keys(o.state))) n
where n.value <> 'null' and not exists (
  select 1 from jsonb_each(o.state - array(select jsonb_object_keys(p_state))) g where g.value = n.value)
$$;

-- Appends the state that a change of attributes has given them to the history of the living instances that no
-- re-match reaches, because they are suspended or being compensated; nothing fires. Each later row of theirs
-- continues it, also one that only records something.
-- Locks: the trace; the caller holds the flow's table.
create or replace function wedsql._keep_states(p_flow wedsql.flow, p_actor text, p_reason text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_steps wedsql.step[];
  v_after integer := 0;
begin
  loop
    execute format($q$
      select array_agg(row(l.wid, false, null, null, '_REMATCH', null, $2, $3, l.state,
                           wedsql._new_values(l.wid, l.state), null, null, null)::wedsql.step order by l.wid)
      from (select w.wid, to_jsonb(w.*) - 'wid' as state
            from wedsql.instance i join %I.wed_flow w on w.wid = i.wid
            where i.flow_id = $1 and i.status in ('S', 'X') and i.wid > $4
            order by i.wid limit 1000) l$q$, p_flow.name)
    into v_steps using p_flow.id, p_actor, p_reason, v_after;
    exit when v_steps is null;
    perform wedsql._append_trace(p_flow, v_steps, null, wedsql.now());
    v_after := (v_steps[cardinality(v_steps)]).wid;
  end loop;
end $$;

-- Deletes the _EXCPT jobs of instances of the flow that are no exception, and not suspended as one; an
-- instance that is being written now is left to its writer.
-- Locks: the instances that have one, skipping a locked one; then the job.
create or replace function wedsql._drop_stale_except_jobs(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_wid integer;
begin
  for v_wid in select j.wid from wedsql.job_pool j join wedsql.instance i on i.wid = j.wid
               where j.flow_id = p_flow and j.trname = '_EXCPT' and j.tgid = 0
                 and i.status not in ('E', 'S', 'X')
               order by j.wid loop
    if wedsql._hold(p_name, v_wid) then
      delete from wedsql.job_pool j using wedsql.instance i
      where j.wid = v_wid and j.tgid = 0 and i.wid = j.wid and i.status not in ('E', 'S', 'X');
    end if;
  end loop;
end $$;

-- Settles a re-match and returns counts of what followed, with p_detail also instances, and the firings by
-- trigger. The _EXCPT job of an exception is deleted before and created again if it is still one.
create or replace function wedsql._settle_counted(p_flow wedsql.flow, p_steps wedsql.step[], p_detail boolean)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_was jsonb;
  v_report jsonb;
begin
  select jsonb_object_agg(i.wid, i.status) into v_was from wedsql.instance i
  where i.wid in (select s.wid from unnest(p_steps) s);
  delete from wedsql.job_pool j using unnest(p_steps) s where j.wid = s.wid and j.tgid = 0
    and not exists (select 1 from wedsql.job_pool k where k.wid = s.wid and k.state = 'K');
  with r as materialized (select * from wedsql._settle(p_flow.id, p_steps, true, true)),
       fired as (select f.name, count(*) as n from r cross join lateral unnest(r.fired) f (name)
                 group by f.name)
  select jsonb_build_object(
    'changed', count(*),
    'fired', coalesce((select jsonb_object_agg(name, n) from fired), '{}'),
    'left_exception', count(*) filter (where v_was ->> r.wid::text = 'E' and r.status <> 'E'),
    'new_exception', count(*) filter (where v_was ->> r.wid::text <> 'E' and r.status = 'E'),
    'final', count(*) filter (where v_was ->> r.wid::text <> 'F' and r.status = 'F'),
    'reopened', count(*) filter (where v_was ->> r.wid::text = 'F' and r.status <> 'F'))
  || case when p_detail then jsonb_build_object('samples', jsonb_build_object(
    'left_exception', wedsql._some(array_agg(r.wid) filter (
      where v_was ->> r.wid::text = 'E' and r.status <> 'E')),
    'new_exception', wedsql._some(array_agg(r.wid) filter (
      where v_was ->> r.wid::text <> 'E' and r.status = 'E')),
    'final', wedsql._some(array_agg(r.wid) filter (where v_was ->> r.wid::text <> 'F' and r.status = 'F')),
    'reopened', wedsql._some(array_agg(r.wid) filter (
      where v_was ->> r.wid::text = 'F' and r.status <> 'F'))),
    'by_rule', wedsql._fired_by_rule(array_agg(r.wid), array_agg(r.seq))) else '{}' end
  into v_report from r;
  return v_report;
end $$;

-- Returns the sum of two reports, number by number; of lists the first 20 members.
create or replace function wedsql._add_counts(p_one jsonb, p_two jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_one || (select coalesce(jsonb_object_agg(k, case
    when jsonb_typeof(p_two -> k) = 'object' then wedsql._add_counts(coalesce(p_one -> k, '{}'), p_two -> k)
    when jsonb_typeof(p_two -> k) = 'array' then
      jsonb_path_query_array(coalesce(p_one -> k, '[]') || (p_two -> k), '$[0 to 19]')
    else to_jsonb(coalesce((p_one ->> k)::bigint, 0) + (p_two ->> k)::bigint) end), '{}')
      from jsonb_object_keys(p_two) k)
$$;

-- Returns the choices of the publication for these instances; null where it has none.
create or replace function wedsql._chosen_in(p_run wedsql.rematch_run, p_wids integer[]) returns wedsql.chosen
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_chosen wedsql.chosen;
begin
  if not p_run.choices then
    return null;
  end if;
  v_chosen.settled := true;
  v_chosen.withdraw := p_run.withdraw;
  v_chosen.keep_exceptions := p_run.keep_exceptions;
  v_chosen.fired_before := p_run.version;
  select coalesce(jsonb_object_agg(h.wid, h.tgids), '{}') into v_chosen.held from (
    select o.wid, jsonb_agg(o.tgid) as tgids from wedsql.rematch_held o
    where o.flow_id = p_run.flow_id and o.wid = any (p_wids) group by o.wid) h;
  return v_chosen;
end $$;
