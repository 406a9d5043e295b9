-- Returns the source of <flow>._single, which applies the one result of a transaction or of a lease by the
-- fast path, or else does nothing and returns seq null.
create or replace function wedsql._gen_single(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
-- Applies one result by the fast path, or does nothing and returns seq null.
-- Locks: the instance, its job, its trace.
create or replace function {flow:I}._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb,
  p_actor text, out seq integer, out status "char", out fired text[])
language plpgsql set search_path = pg_catalog, pg_temp as $f$
{body}
end $f$ $t$, jsonb_build_object('flow', p_schema, 'body', wedsql._gen_fast_path(p_flow, p_schema,
    p_name => '_single',
    p_first => '',
    p_held =>
      $q$case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
         else j.state = 'P'
              and strpos(coalesce(current_setting('wedsql.took_jobs', true), ''), ',' || p_job_id || ',') > 0
              and coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.took_at')
              and coalesce(j.not_before <= v_now, true)$q$
      || case when wedsql._take_checks_more(p_flow)
              then ' and p_job_id = any (wedsql._numbers_taken())' else '' end || ' end',
    p_ours => 'p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid)',
    p_claim => 'p_claim',
    p_until => $q$,
         case when p_claim is not null then j.lease_until
              when current_setting('wedsql.took_jobs', true) <> ''
                then wedsql._moment('wedsql.took_at') + j.timeout end as until$q$,
    p_answer => 'if v_job.until is not null then
    insert into wedsql.commit_by (until, wid, job_id) values (v_job.until, p_wid, p_job_id);
  end if;
  seq := v_job.seq; status := v_status; fired := v_fired; return;')));
end $g$;

-- Returns declarations and beginning of a function that applies one result by the fast path and returns, or
-- reaches its end with nothing done. It handles only what is certain (a job that is held and in time, a
-- running instance, predicates that do not fail, a state that is final or fires or has work pending);
-- <flow>._commit handles everything else. p_name: of the function; p_first: what is done before; p_held: a
-- condition on the job j; p_ours: whether its locks are or become those of this session; p_claim: of the
-- lease; p_until: a column of when its time is over; p_answer: the return. One statement per table costs a
-- third of the set-wise plan, and most of that is setting up its expressions again in each transaction: so
-- there are few of them, and what is rarely needed is in a branch of its own.
create or replace function wedsql._gen_fast_path(p_flow integer, p_schema text, p_name text, p_first text,
  p_held text, p_ours text, p_claim text, p_until text, p_answer text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
declare
  v_names text[] := case when p_name = '_automatic' then wedsql._named_in_sets(p_flow) end;
begin
  return wedsql._fill($t$
declare
  v_now timestamptz;
  v_row {flow:I}.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;{declare_changed}
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];{declare}
begin{first}
  <<fast_path>> begin
  -- As one value: each column of a query is looked up when it begins. An attribute may be called w.
  v_row := (select (w.*)::{flow:I}.wed_flow from {flow:I}.wed_flow w
            where w.wid = {name}.p_wid for no key update);
  v_now := wedsql.now();
  -- Not eligible: a job that is finished, late or not held here, an instance that is not running (a running
  -- one has no parked work), a change that is rejected.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, x.parent_wid, f.version, f.final_tgid,
         f.final_when_pending as policy, wedsql._may_exceed_limit(x.seq + 1, f.fuse) as limited,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p
               where p.wid = p_wid and p.id <> p_job_id) as pending{last},
         {held}
         and p_changes @> '{}' and p_changes - {attributes:L}::text[] = '{}'{within_writes} as eligible{until}
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R'
    and f.id = {id} and {plain};
  exit fast_path when v_job.eligible is not true;{sets}{apply_changes}
  v_state := {state};
  exit fast_path when pg_column_size(v_state) > 100000;
  v_matched := wed_match.f_{id}(v_row);
  exit fast_path when 0 > any (v_matched);{guard}{stale}
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
  exit fast_path when not ({ours});
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at,
                                   fired_xid, cause_seq, version)
      select p_wid, t.tgid, {id}, t.trname, t.timeout, wedsql._own_payload(v_state), t.priority, v_now,
             txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update {flow:I}.wed_flow w set {assignments} where w.wid = {name}.p_wid),
       life as (update wedsql.instance x
                set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = wedsql._finished_at(v_status, v_now) where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired,
                                before, cause_seq, actor, version, tx_at, suppressed)
  values ({id}, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, {claim},
          v_job.tgid, coalesce(v_new, '{}'), v_before, v_job.cause_seq, p_actor, v_job.version, now(),
          v_suppressed);
  if {is_offered} then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (
        select 1 from wedsql.worker w
        where w.serves @> string_to_array({served:L} || array_to_string({offered}, {and_served:L}), ' ')
          and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = {id});
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired))
    from wedsql.flow f where f.id = {id};
  end if;{perform}
  {answer}
  end fast_path;{restore}$t$, wedsql._automatic_parts(p_flow, p_name) || wedsql._state_parts(p_flow)
    || jsonb_build_object(
    'flow', p_schema, 'id', p_flow, 'name', p_name, 'first', p_first, 'held', p_held,
    'attributes', wedsql._attribute_names(p_flow), 'within_writes', wedsql._within_writes(p_flow),
    'apply_changes', wedsql._apply_changes(p_flow, v_names), 'guard', wedsql._guard_fast_path(p_flow),
    'ours', p_ours,
    'assignments', wedsql._row_columns(p_flow, v_names), 'claim', p_claim, 'until', p_until,
    'answer', p_answer,
    'served', p_schema || ':', 'and_served', ' ' || p_schema || ':'));
end $g$;

-- Returns the parts of the fast path that make the new state: in a wide flow of the last one (_new_state).
create or replace function wedsql._state_parts(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select case when wedsql._is_wide(p_flow) then jsonb_build_object(
    'declare_changed', $t$
  v_after jsonb := '{}'::jsonb;
  v_changed text[] := '{}'::text[];$t$,
    'last', $t$,
         (select t.state from wedsql.wed_trace t
          where t.wid = x.wid and t.seq = x.seq and t.tstmp = x.changed_at and t.job_id is not null
            and t.version = f.version) as last$t$,
    'state', $t$coalesce(v_after || (v_job.last - v_changed), to_jsonb(v_row) - 'wid')$t$)
  else jsonb_build_object('declare_changed', '', 'last', '', 'state', $t$to_jsonb(v_row) - 'wid'$t$) end
$g$;

-- Returns the statement by which the fast path leaves a state that violates an integrity condition to the
-- general path; empty for a flow without integrity conditions.
create or replace function wedsql._guard_fast_path(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select coalesce((select wedsql._fill($t$
  exit fast_path when wed_match.i_{id}(v_row, wedsql._is_final(v_job.final_tgid, v_matched)) <> '{}';$t$,
  jsonb_build_object('id', f.id)) from wedsql.flow f where f.id = p_flow and f.guarded), '')
$g$;

-- Returns the condition that the changes are within the write-sets of the flow's triggers, and without what
-- only the database writes, with "and" before it; empty where nothing is to be tested.
create or replace function wedsql._within_writes(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select coalesce((select wedsql._fill($t$
         and (p_changes - (case j.tgid {sets} end) <> '{}') is not true$t$,
  jsonb_build_object('sets', string_agg(format('when %s then %L::text[]', t.tgid, t.writes), ' ')))
from wedsql.trig t where t.flow_id = p_flow and t.writes is not null having count(*) > 0), '')
|| case when exists (select 1 from wedsql.trig t where t.flow_id = p_flow and t.sets is not null
                     and t.writes is null and t.performer is distinct from 'database') then $t$
         and (p_changes = '{}' or wedsql._internal_written(j.tgid, p_changes) = '{}')$t$ else '' end
$g$;

-- Returns the assignments that write v_row into the row of the instance. p_names: only these attributes; null
-- for all.
create or replace function wedsql._row_columns(p_flow integer, p_names text[] default null) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select coalesce(string_agg(format('%1$s = v_row.%1$s', c.quoted), ', ' order by c.n), 'wid = w.wid')
from wedsql._columns(p_flow) c where p_names is null or c.name = any (p_names)
$g$;

-- Returns the condition that a value may be long as text although it has few bytes, so that the size of the
-- state must be checked; null for a type that has no such values. p_row: the name of the row.
create or replace function wedsql._may_be_long(p_row text, p_name text, p_type text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select case p_type
  when 'jsonb' then wedsql._fill(
    $t$octet_length({row}."{name}"::text) > 100000 or jsonb_typeof({row}."{name}") = 'number'$t$,
    jsonb_build_object('row', p_row, 'name', p_name))
  when 'numeric' then wedsql._fill($t$octet_length({row}."{name}"::text) > 1000$t$,
    jsonb_build_object('row', p_row, 'name', p_name)) end
$g$;

-- Returns the condition that a value of the row may be long as text although it has few bytes.
create or replace function wedsql._any_long(p_row text, p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select coalesce(string_agg(wedsql._may_be_long(p_row, a.aname, a.type), ' or ' order by a.aid), 'false')
from wedsql.attr a where a.flow_id = p_flow
$g$;

-- Returns the statement that writes the change of one attribute. p_wide: whether its flow is wide.
create or replace function wedsql._apply_change(p_name text, p_type text, p_wide boolean) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select format($t$
  if p_changes ? %1$L then
    v_before := v_before || jsonb_build_object(%1$L, v_row."%1$s");
    v_row."%1$s" := %2$s;%3$s%4$s
  end if;$t$, p_name, wedsql._value_in('p_changes', p_name, p_type), '
    exit fast_path when ' || wedsql._may_be_long('v_row', p_name, p_type) || ';',
  case when p_wide then format($t$
    v_after := v_after || jsonb_build_object(%1$L, v_row."%1$s");
    v_changed := v_changed || %1$L::text;$t$, p_name) end)
$g$;

-- Returns statements that write the changes into v_row and the previous values into v_before; in a wide
-- flow also the new ones into v_after, and their names into v_changed. Attributes are looked up in groups
-- of eight, so that a wide row does not pay for each attribute that does not change. p_names: only these
-- attributes; null for all.
create or replace function wedsql._apply_changes(p_flow integer, p_names text[] default null) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select coalesce(string_agg(case when g.n = 1 then g.each else wedsql._fill($t$
  if p_changes ?| {names:L}::text[] then{each}
  end if;$t$, jsonb_build_object('names', g.names::text, 'each', g.each)) end, '' order by g.k), '')
from (select k, count(*) over () as n, array_agg(a.aname order by a.aid) as names,
             string_agg(wedsql._apply_change(a.aname, a.type, (select wedsql._is_wide(p_flow))), ''
                        order by a.aid) as each
      from (select a.*, (row_number() over (order by a.aid) - 1) / 8 as k
            from wedsql.attr a where a.flow_id = p_flow and (p_names is null or a.aname = any (p_names))) a
      group by k) g
$g$;

-- Returns the settings on which reading and writing dates and times depend, for the functions of a flow that
-- uses dates or times; empty for other flows, because a setting costs each call.
create or replace function wedsql._time_settings(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select case when exists (select 1 from wedsql.attr a
                         where a.flow_id = p_flow and a.type in ('date', 'timestamptz', 'interval'))
              or exists (select 1 from wedsql.trig t
                         where t.flow_id = p_flow and t.canonical ~ '(date|time|interval|to_|make_|age)')
            then 'set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres'''
              else '' end
$g$;
