-- Locks up to p_limit ready jobs of different instances, by priority and age, without waiting for any lock.
-- It tries a few candidates first and more only when other sessions hold those. Instances on which another
-- worker is busy come last: two branches of one instance would only wait for each other at the commit. A
-- session that met contention starts a little further down next time, so that many workers do not try the
-- same few jobs. Jobs that are assigned to another worker than p_actor are left out. With p_rows, the flow's
-- name, instances on which another transaction works are skipped, and the rows of the others locked as well.
-- Locks: an advisory lock (wid, tgid) per job, as the paper's workers take, and one (wid, -1) as the sign of
-- being busy; all end with the transaction, or with p_session are the session's.
create or replace function wedsql._pick(p_flow integer, p_shared boolean, p_transitions text[],
                                        p_limit integer, p_ids bigint[], p_session boolean,
                                        p_rows text, p_actor text, out wids integer[], out ids bigint[])
language plpgsql set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := wedsql.now();
  v_crowd integer := coalesce(nullif(current_setting('wedsql.crowd', true), '')::integer, 0);
  v_skip integer := case when p_ids is null then floor(random() * v_crowd)::integer else 0 end;
  v_look integer := p_limit + 4;
  v_shy boolean := true;
  v_held integer := 0;
  v_found integer;
  v_job record;
begin
  wids := '{}';
  ids := '{}';
  loop
    v_found := 0;
    for v_job in
      select c.id, c.wid, c.tgid
      from unnest(p_transitions) n
      cross join lateral (
        select j.id, j.wid, j.tgid, j.priority from wedsql.job_pool j
        where j.flow_id = p_flow and j.trname = n and j.state = 'P'
          and (j.not_before is null or j.not_before <= v_now)
          and (p_ids is null or j.id = any (p_ids))
          and (j.assigned_to is null or j.assigned_to = any ((select wedsql._own_names(p_actor))::text[]))
        order by j.priority desc, j.id limit v_look offset v_skip) c
      order by c.priority desc, c.id
    loop
      v_found := v_found + 1;
      continue when v_job.wid = any (wids);
      continue when p_shared and v_job.tgid > 0 and wedsql._waits(v_job.wid, v_job.id);
      if (case when p_rows is not null then wedsql._pick_row(p_rows, v_job.wid, v_job.tgid, v_shy, p_session)
               when p_session then (pg_try_advisory_lock(v_job.wid, -1) or not v_shy)
                 and pg_try_advisory_lock(v_job.wid, v_job.tgid)
               else (pg_try_advisory_xact_lock(v_job.wid, -1) or not v_shy)
                 and pg_try_advisory_xact_lock(v_job.wid, v_job.tgid) end) then
        wids := wids || v_job.wid;
        ids := ids || v_job.id;
        exit when cardinality(ids) >= p_limit;
      else
        v_held := v_held + 1;
      end if;
    end loop;
    exit when cardinality(ids) >= p_limit;
    if v_skip > 0 then
      v_skip := 0;
    elsif v_found >= v_look then
      v_look := v_look * 8;
    elsif v_shy and v_held > 0 then
      v_shy := false;
    else
      exit;
    end if;
  end loop;
  if v_held > 2 and v_crowd < 256 then
    perform set_config('wedsql.crowd', (v_crowd * 2 + p_limit + 3)::text, false);
  elsif v_held = 0 and v_crowd > 0 then
    perform set_config('wedsql.crowd', (v_crowd * 3 / 4)::text, false);
  end if;
end $$;

-- Locks a job and the row of its instance, or neither where another session has one of them.
-- Locks: the job as _pick does; the row, without waiting.
create or replace function wedsql._pick_row(p_flow text, p_wid integer, p_tgid integer, p_avoid_busy boolean,
                                            p_session boolean) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_locked integer;
begin
  if (pg_try_advisory_xact_lock(p_wid, -1) or not p_avoid_busy)
     and pg_try_advisory_xact_lock(p_wid, p_tgid) then
    execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked', p_flow)
      into v_locked using p_wid;
  end if;
  if v_locked is null then
    raise lock_not_available;  -- releases the locks of this block
  end if;
  return not p_session
    or (pg_try_advisory_lock(p_wid, -1) or not p_avoid_busy) and pg_try_advisory_lock(p_wid, p_tgid);
exception when lock_not_available then
  return false;
end $$;

-- Returns whether an older job of the same transition of the instance goes first (K-23, concurrent = false).
create or replace function wedsql._waits(p_wid integer, p_id bigint) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (
  select 1 from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
  join wedsql.job_pool o on o.wid = j.wid and o.trname = j.trname and o.id < j.id
  where j.wid = p_wid and j.id = p_id and not t.concurrent)
$$;

-- Calls <flow>.take for a caller that has the flow's name in a variable.
-- Raises: WD001.
create or replace function wedsql.take(
  p_flow text, p_transitions text[], p_limit integer default 1, p_actor text default null,
  p_job_ids bigint[] default null)
returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query execute format('select * from %I.take($1, $2, $3, $4)', (wedsql._flow(p_flow)).name)
  using p_transitions, p_limit, p_actor, p_job_ids;
end $$;

-- Returns whether a trigger of the flow has its condition evaluated when its job is taken.
create or replace function wedsql._revalidates(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.trig t where t.flow_id = p_flow and t.revalidate = 'at_take')
$$;

-- Returns what <flow>.hold has and <flow>.take has not: it releases what the session held before, and notes
-- the time from which the time of each job counts.
create or replace function wedsql._parts_of_hold() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $g$
select jsonb_build_object(
  'declarations', '',
  'first', $q$
  perform pg_advisory_unlock_all();
  perform pg_try_advisory_lock_shared(wedsql._hold_key());
  perform setval('wedsql.held_at', wedsql._microseconds(wedsql.now())),
          set_config('wedsql.held', 'on', false);$q$,
  'job_ids', 'null', 'session', 't', 'note', '')
$g$;

-- Returns what <flow>.take has and <flow>.hold has not: it notes for this transaction which jobs it took and
-- when it took the first.
create or replace function wedsql._parts_of_take(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $g$
select jsonb_build_object(
  'declarations', $q$
  v_known boolean := case when current_setting('wedsql.takes', true) = 'on'
                          then currval('wedsql.took_in') = wedsql._microseconds(now()) end;
  v_held boolean;$q$,
  'first', $q$
  if v_known is null then
    v_held := wedsql._holds_any();
  end if;$q$,
  'job_ids', 'p_job_ids', 'session', 'f',
  'note', $q$
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
    v_known := true;$q$
    || case when wedsql._take_checks_more(p_flow) then $q$
    perform pg_try_advisory_xact_lock(- u.id) from unnest(v_pick.ids) u (id);$q$ else '' end)
$g$;

-- Returns the source of <flow>.take and, with p_session, of <flow>.hold. It contains only what the triggers
-- need.
create or replace function wedsql._gen_take(p_flow integer, p_schema text, p_session boolean) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
declare
  v_stale boolean := wedsql._revalidates(p_flow);
begin
  return wedsql._fill($t$
-- Returns up to p_limit ready jobs of different instances, held until the transaction ends; nothing is
-- written. <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, one commit
-- each), the session calls hold again, or it ends. Each job is read again under its lock, so that one that
-- another worker finished meanwhile does not run a second time.
-- Locks: an advisory lock per job.
{create}
language plpgsql security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set join_collapse_limit = 1 set jit = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_pick record;{declarations}
begin{first}
  if p_limit < 1 then
    return;
  end if;{key}
  for v_try in 1..20 loop
    v_pick := wedsql.{pick}({id}, {shared:L}, p_transitions, p_limit, {job_ids}, {session:L}, {lock_rows},
                           p_actor);
    if v_pick.ids = '{}' then
      perform wedsql._note_never_offered({flow:L}, p_transitions);
      exit;
    end if;{drop_stale}{note}
    return query {query};
    exit when found;  -- else other workers finished all of them before they were locked here
  end loop;
end $f$ $t$, jsonb_build_object('id', p_flow, 'flow', p_schema,
    'create', wedsql._create_work_function(p_schema, case when p_session then 'hold' else 'take' end),
    'shared', (select case when f.shared then 't' else 'f' end from wedsql.flow f where f.id = p_flow),
    'pick', case when (select f.exclusive from wedsql.flow f where f.id = p_flow) then '_pick_exclusive'
                 else '_pick' end,
    'lock_rows', case when v_stale then quote_literal(p_schema) else 'null' end,
    'drop_stale', case when v_stale then wedsql._fill($q$
    v_pick := wedsql._drop_stale({id}, {flow:L}, v_pick.wids, v_pick.ids);$q$,
      jsonb_build_object('id', p_flow, 'flow', p_schema)) else '' end,
    'key', case when wedsql._needs_keys(p_flow) then wedsql._fill($q$
  p_actor := wedsql._check_worker({id}, p_transitions, p_actor);$q$,
      jsonb_build_object('id', p_flow)) else '' end,
    'query', wedsql._taken_query(p_flow, p_schema, 'v_pick.wids', 'v_pick.ids',
      format($q$j.state = 'P'
      and (j.assigned_to is null or j.assigned_to = any (wedsql._own_names(%s.p_actor)))$q$,
             case when p_session then 'hold' else 'take' end)))
    || case when p_session then wedsql._parts_of_hold() else wedsql._parts_of_take(p_flow) end);
end $g$;

-- Withdraws jobs whose condition no longer holds as they are taken (revalidate = at_take, K-26), and returns
-- the rest.
-- Locks: the jobs; the caller has locked the instances.
create or replace function wedsql._drop_stale(
  p_flow integer, p_schema text, p_wids integer[], p_ids bigint[], out wids integer[], out ids bigint[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_stale integer[];
begin
  execute format($q$ select array_agg(r.wid)
                 from %I._retest($1) r join wedsql.job_pool j on j.wid = r.wid and j.id = any ($2)
                     join wedsql.trig t on t.tgid = j.tgid
                     where t.revalidate = 'at_take' and not j.tgid = any (r.matched)
                       and not wedsql._call_compensates(j.wid, j.id) $q$, p_schema)
    into v_stale using p_wids, p_ids;
  v_stale := coalesce(v_stale, '{}');
  if v_stale <> '{}' then
    perform wedsql._withdraw_jobs(v_stale, p_ids, 'withdrawn', '',
                                  'The condition no longer held when the job was taken.', wedsql.now());
    perform wedsql._rematch(p_flow, v_stale, true, false, 'kernel', 'The condition of a job no longer held.');
  end if;
  select coalesce(array_agg(u.wid order by u.o), '{}'), coalesce(array_agg(u.id order by u.o), '{}')
  into wids, ids
  from unnest(p_wids, p_ids) with ordinality u (wid, id, o) where not u.wid = any (v_stale);
end $$;

-- Returns jobs that are ready, by priority and age, without locking them: they may be held by other workers.
-- Those that are assigned to another worker than p_actor are left out.
create or replace function wedsql.offer(
  p_flow text, p_transitions text[], p_limit integer default 100, p_exclude bigint[] default '{}',
  p_actor text default null)
returns table (job_id bigint, wid integer, tgid integer, trname text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query
  select c.id, c.wid, c.tgid, c.trname
  from unnest(p_transitions) n
  cross join lateral (
    select j.id, j.wid, j.tgid, j.trname, j.priority from wedsql.job_pool j
    where j.flow_id = (select f.id from wedsql.flow f where f.name = p_flow) and j.trname = n
      and j.state = 'P' and (j.not_before is null or j.not_before <= wedsql.now())
      and not j.id = any (p_exclude)
      and (j.assigned_to is null or j.assigned_to = any ((select wedsql._own_names(p_actor))::text[]))
      and not ((select f.exclusive from wedsql.flow f where f.name = p_flow)
               and exists (select 1 from wedsql._before(j.wid, j.id)))
    order by j.priority desc, j.id limit p_limit) c
  order by c.priority desc, c.id limit p_limit;
  if not found and p_exclude = '{}' then
    perform wedsql._note_never_offered(p_flow, p_transitions);
  end if;
end $$;
