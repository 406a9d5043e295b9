-- Returns whether a flow has so many attributes that a state is read rather than made: a row becomes JSON
-- at ten times the cost at which the history has it.
create or replace function wedsql._is_wide(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select count(*) > 64 from wedsql.attr a where a.flow_id = p_flow
$$;

-- Returns the join to the last step h of an instance, with its state, if that was the result of a job
-- under the present definition, for then it is the row as JSON. The number of the step is read first,
-- whatever the statistics say, so that one row of the history is read. p_wid: an expression for the instance.
create or replace function wedsql._last_state(p_flow integer, p_wid text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $g$
select wedsql._fill($q$
  left join lateral (
    select t.seq, t.state
    from (select i.wid, i.seq, i.changed_at from wedsql.instance i where i.wid = {wid} offset 0) i
    cross join lateral (
      select t.seq, t.state from wedsql.wed_trace t
      where t.wid = i.wid and t.seq = i.seq and t.tstmp = i.changed_at and t.job_id is not null
        and t.version = (select f.version from wedsql.flow f where f.id = {id}) offset 0) t
    offset 0) h on true$q$,
  jsonb_build_object('id', p_flow, 'wid', p_wid))
$g$;

-- Returns the assignments by which a commit writes the changes c.state into the row w.
create or replace function wedsql._changed_columns(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(wedsql._fill(
    '{column} = case when c.state ? {name:L} then {value} else w.{column} end',
    jsonb_build_object('column', c.quoted, 'name', c.name,
      'value', wedsql._value_in('c.state', c.name, c.type))), ', ' order by c.n), 'wid = w.wid')
from wedsql._columns(p_flow) c
$$;

-- Returns the source of the value that a row has, as JSON, in the attribute whose name is k, one of these
-- from one number to the other. It is found by halves. p_row: the name of the row.
create or replace function wedsql._value_by_name(p_row text, p_names text[], p_from integer, p_to integer)
returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_half integer := (p_from + p_to) / 2;
begin
  if p_from = p_to then
    return format('to_jsonb(%s."%s")', p_row, p_names[p_from]);
  end if;
  return format('case when k <= %L collate "C" then %s else %s end', p_names[v_half],
    wedsql._value_by_name(p_row, p_names, p_from, v_half),
    wedsql._value_by_name(p_row, p_names, v_half + 1, p_to));
end $$;

-- Returns the source of the values, as JSON, that a row has in the attributes that c.state changes. The
-- row as JSON would have all of them, of which a step changes few. p_row: the name of the row.
create or replace function wedsql._changed_values(p_flow integer, p_row text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when count(*) = 0 then '''{}''::jsonb' else wedsql._fill(
  $t$(select coalesce(jsonb_object_agg(k, {value}), '{}') from jsonb_object_keys(c.state) k)$t$,
  jsonb_build_object('value',
    wedsql._value_by_name(p_row, array_agg(a.aname order by a.aname collate "C"), 1, count(*)::integer))) end
from wedsql.attr a where a.flow_id = p_flow
$$;

-- Returns the source of the state that a commit of the changes c.state gives to the row w, and what it
-- needs in the FROM list. In a wide flow it is the last state with what changes in it, if the history has
-- that: a row becomes JSON at several times that cost, which grows with the square of its width if a text
-- or a null comes first in it.
create or replace function wedsql._new_state(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select case when wedsql._is_wide(p_flow) then jsonb_build_object(
    'now', wedsql._fill($q$coalesce(
                {values} || (h.state - array(select k from jsonb_object_keys(c.state) k)),
                to_jsonb(w.*) - 'wid')$q$,
      jsonb_build_object('values', wedsql._changed_values(p_flow, 'w'))),
    'history', wedsql._last_state(p_flow, 'c.wid'))
  else jsonb_build_object('now', $q$to_jsonb(w.*) - 'wid'$q$, 'history', '') end
$g$;

-- Returns the source of <flow>._commit, which applies the results of several jobs of different instances at
-- once: rows locked in wid order, jobs checked, columns written typed, conditions matched, everything
-- settled.
create or replace function wedsql._gen_commit(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
create or replace function {flow:I}._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[],
  p_changes jsonb[], p_actor text, p_held boolean default false)
returns table (job_id bigint, seq integer, status "char", fired text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp
set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set jit = off set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
<<_b>>
declare
  v_steps wedsql.step[];
  v_failed boolean;
  v_large boolean;
begin
  perform 1 from {flow:I}.wed_flow w where w.wid = any (_commit.p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs({id}, {attributes:L}::text[], p_wids, p_jobs, p_claims, p_changes, p_actor,
                                p_held, {checked:L});{keep}{sets}
  with done as (
    update {flow:I}.wed_flow w set {assignments}
    from unnest(_b.v_steps) c join {flow:I}.wed_flow o on o.wid = c.wid{history}
    where w.wid = c.wid
    returning c.*, {old} as old, {now} as now, wed_match.f_{id}(w.*) as holds,
              {long} as long)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now, d.old,
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds)),
         bool_or(d.long or pg_column_size(d.now) > 100000)
  into v_steps, v_failed, v_large from done d;
  if v_large then
    perform wedsql._check_sizes(v_steps);
  end if;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle({id}, v_steps, v_failed) r;
end $f$ $t$, wedsql._new_state(p_flow) || jsonb_build_object('flow', p_schema, 'id', p_flow,
    'attributes', wedsql._attribute_names(p_flow), 'assignments', wedsql._changed_columns(p_flow),
    'long', wedsql._any_long('w', p_flow), 'old', wedsql._changed_values(p_flow, 'o'),
    'sets', coalesce((
      select wedsql._fill(E'\n  v_steps := wedsql._with_sets({id}, {flow:L}, v_steps);',
        jsonb_build_object('id', f.id, 'flow', f.name))
      from wedsql.flow f where f.id = p_flow and f.automatic), ''),
    'keep', case when (select f.exclusive from wedsql.flow f where f.id = p_flow) then $q$
  if p_held then
    perform wedsql._keep_until_commit(p_wids, p_jobs);
  end if;$q$ else '' end,
    'checked', case when wedsql._take_checks_more(p_flow) then 't' else 'f' end));
end $g$;

-- Returns one step per job, with its changes in the place of the state, if each instance is open and each job
-- still pending, held by the caller and in time. The time of a transaction counts from its first take, that
-- of a session's hold from the hold, that of a lease from the lease. p_held: the session's own lock on the
-- job is released here, and the transaction's lock replaces it. p_checked: take does more than to lock, so
-- the lock on the job must come from take (40_engine/04_session.sql). Without p_held the transaction must
-- commit before the time of the first of these jobs is over, or not at all.
-- Locks: the advisory lock of every job taken in transaction mode (a caller that took it by take holds it
-- already).
-- Raises: WD002, WD102, WD104, WD107, WD105, WD203, WD204, WD205, WD210; WD201 when this transaction did not
-- take the job (K-07).
create or replace function wedsql._check_jobs(
  p_flow integer, p_attrs text[], p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[],
  p_actor text, p_held boolean, p_checked boolean)
returns wedsql.step[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_material = off set join_collapse_limit = 1
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := wedsql.now();
  v_took timestamptz;
  v_ids text := coalesce(current_setting('wedsql.took_jobs', true), '');
  v_taken bigint[];
  v_steps wedsql.step[];
  v_bad text;
  v_untils timestamptz[];
  v_until timestamptz;
  v_first wedsql.step;
begin
  if p_held then
    v_took := case when current_setting('wedsql.held', true) = 'on' then wedsql._moment('wedsql.held_at') end;
  elsif v_ids <> '' then
    v_took := wedsql._moment('wedsql.took_at');
    v_taken := case when p_checked then wedsql._numbers_taken() end;
  end if;
  select array_agg(row(c.wid, false, j.id, j.tgid, case when i.status = 'X' then '_COMP' else j.trname end,
                       j.cause_seq, p_actor, null, c.s, null, null, null, j.claim)::wedsql.step),
         min(p.problem), array_agg(u.until), min(u.until)
  into v_steps, v_bad, v_untils, v_until
  from unnest(p_wids, p_jobs, p_claims, p_changes) c (wid, id, claim, s)
  left join wedsql.instance i on i.wid = c.wid
  left join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j on true
  left join wedsql.trig t on t.tgid = j.tgid
  cross join lateral (select case
    when i.wid is null or i.flow_id <> p_flow then 'WD104'
    when i.status = 'F' then 'WD102'
    when i.status = 'X' and (cardinality(p_wids) > 1 or not wedsql._call_compensates(c.wid, c.id)) then
      'WD105'
    when i.status not in ('R', 'E', 'X') then 'WD105'
    when j.id is null or j.state = 'K' then 'WD205'
    when c.claim is not null and j.claim is distinct from c.claim then 'WD203'
    when c.claim is not null and j.lease_until <= v_now then 'WD204'
    when c.claim is null and (j.state = 'L' or not pg_try_advisory_xact_lock(c.wid, j.tgid)) then 'WD203'
    when c.claim is null and (v_took is null or not p_held and strpos(v_ids, ',' || c.id || ',') = 0) then
      'WD201'
    when c.claim is null and not p_held
      and (c.id <> all (v_taken) or j.not_before > greatest(v_now, v_took)) then 'WD201'
    when c.claim is null and p_held and not pg_advisory_unlock(c.wid, j.tgid) then 'WD203'
    when c.claim is null and j.timeout is not null and v_now - v_took > j.timeout then 'WD204'
    when jsonb_typeof(c.s) is distinct from 'object' or c.s - p_attrs <> '{}' then 'WD002'
    when octet_length(c.s::text) > wedsql.state_limit() then 'WD107'
    when t.writes is not null and c.s - t.writes <> '{}'
      or j.tgid = 0 and c.s ?| wedsql._not_repairable(p_flow)
      or t.sets is not null and c.s <> '{}' and wedsql._internal_written(j.tgid, c.s) <> '{}' then 'WD210'
    end as problem) p
  cross join lateral (
    select case when c.claim is not null then j.lease_until else v_took + j.timeout end as until) u;
  if v_bad is not null then
    if v_bad = 'WD002' then
      perform wedsql._check_states(p_attrs, p_changes);
    end if;
    perform wedsql._refuse_job(v_bad, p_wids, p_jobs, p_changes);
  elsif v_until is not null and not p_held then
    v_first := v_steps[array_position(v_untils, v_until)];
    insert into wedsql.commit_by (until, wid, job_id) values (v_until, v_first.wid, v_first.job_id);
  end if;
  return v_steps;
end $$;

-- Writes changes into the row of an instance and returns the state before and after; null for attributes
-- that no longer exist.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._write_changes(
  p_flow wedsql.flow, p_wid integer, p_changes jsonb, out before jsonb, out state jsonb)
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_old jsonb;
begin
  execute wedsql._fill($q$
    update {flow:I}.wed_flow w set {assignments} from (select $2 as state) c cross join {flow:I}.wed_flow o
    where w.wid = $1 and o.wid = $1
    returning to_jsonb(w.*) - 'wid', to_jsonb(o.*) - 'wid' $q$, jsonb_build_object('flow', p_flow.name,
      'assignments', wedsql._changed_columns(p_flow.id)))
  into state, v_old using p_wid, p_changes;
  select coalesce(jsonb_object_agg(o.key, o.value), '{}') into before
  from jsonb_each(v_old) o where o.value is distinct from state -> o.key;
end $$;
