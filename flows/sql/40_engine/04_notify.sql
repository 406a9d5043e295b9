-- Notifies, after the commit, as many sleeping workers as there are new jobs, the watchers about the
-- instances that changed (numbers only), and the paper's channels about the jobs where a client may be
-- listening. Notifications are hints. NOTIFY makes commits queue for one lock, so nothing is sent that no
-- session waits for.
create or replace function wedsql._notify(
  p_flow wedsql.flow, p_wids integer[], p_seqs integer[], p_names text[], p_jobs integer)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
begin
  if p_names <> '{}' and p_flow.followed then  -- no session waits for what people perform
    p_names := array(select n from unnest(p_names) n where not exists (
      select from wedsql.trig t where t.flow_id = p_flow.id and t.trname = n and t.performer = 'person'));
  end if;
  if p_names <> '{}' then
    perform pg_notify('wedsql_w' || w.id, '') from wedsql._sleepers(p_flow.name, p_names, p_jobs, v_now) w;
    perform wedsql._notify_paper(p_flow, p_wids, p_names, v_now);
  end if;
  if p_flow.notify_trace
     and exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') then
    if cardinality(p_wids) > 50 then
      perform pg_notify('wedsql_trace', p_flow.id || ':0:0');
    else
      perform pg_notify('wedsql_trace', p_flow.id || ':' || u.wid || ':' || u.seq)
      from unnest(p_wids, p_seqs) u (wid, seq);
    end if;
  end if;
end $$;

-- Returns waiting workers for these transitions, at most one for each new job, those that slept longest
-- first.
create or replace function wedsql._sleepers(p_flow text, p_names text[], p_jobs integer, p_now timestamptz)
returns table (id bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan as $$
begin
  return query select w.id from wedsql.worker w
    where w.waiting and w.seen_at > p_now - interval '30 seconds'
      and exists (select 1 from unnest(p_names) n where p_flow || ':' || n = any (w.serves))
    order by w.seen_at limit greatest(p_jobs, 1);
end $$;

-- Sends the paper's message (section 5.1): channel = transition, payload = the new job as JSON, so that a
-- client needs no query. The state in it is null where it is withheld, and where the message would have the
-- 8,000 bytes that PostgreSQL rejects (K-32): job_pool has it. A transition that only this product's own
-- workers serve needs no such message. A client of the paper's protocol cannot register, so the channel is
-- used while no own worker is alive or such a client was seen in the last day.
create or replace function wedsql._notify_paper(
  p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp set intervalstyle = 'postgres' as $$
declare
  v_names text[];
  v_open boolean;
begin
  select array_agg(distinct n) into v_names from unnest(p_names) n
  where not exists (select 1 from wedsql.worker w
                    where p_flow.name || ':' || n = any (w.serves)
                      and w.seen_at > p_now - interval '30 seconds')
     or exists (select 1 from wedsql.paper_client c
                where c.flow_id = p_flow.id and c.trname = n and c.seen_at > p_now - interval '1 day');
  if v_names is not null then
    v_open := not exists (select from wedsql._state_withheld(p_flow));
    perform pg_notify(j.trname, case when octet_length(m.whole) < 8000 then m.whole else m.brief end)
    from wedsql.job_pool j
    cross join lateral (
      values (wedsql._job_message(j, v_open), wedsql._job_message(j, false))) m (whole, brief)
    where j.wid = any (p_wids) and j.trname = any (v_names) and j.fired_xid = txid_current();
  end if;
end $$;

-- Returns a job as JSON, with the columns that the paper gives the pool, and its number.
create or replace function wedsql._job_message(p_job wedsql.job_pool, p_state boolean) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select json_build_object('id', p_job.id, 'wid', p_job.wid, 'tgid', p_job.tgid, 'trname', p_job.trname,
  'lckid', p_job.lckid, 'timeout', p_job.timeout::text,
  'payload', case when p_state then wedsql._payload(p_job) end)::text
$$;

-- Returns why messages about jobs of a flow do not contain the state, nothing if they do: any session of the
-- database may listen to any channel, so the state is withheld where a session may be that of a role which
-- may not read it, such as the role of another flow, and where the site shows values to some users only.
create or replace function wedsql._state_withheld(p_flow wedsql.flow)
returns table (reason text, names text[])
language sql stable set search_path = pg_catalog, pg_temp as $$
select 'option', '{}'::text[] where not p_flow.notify_state
union all
select 'attributes', array_agg(a.aname order by a.aid) from wedsql.attr a
where a.flow_id = p_flow.id and a.visibility <> 'everyone' having count(*) > 0
union all
select 'roles', array_agg(r.rolname::text order by r.rolname) from pg_roles r
where r.rolcanlogin and not r.rolsuper
  and r.rolname not in ('wed_web', 'wed_worker', 'wed_reaper', 'wed_monitor')
  and has_database_privilege(r.oid, current_database(), 'connect')
  and not has_table_privilege(r.oid, to_regclass(format('%I.job_pool', p_flow.name)), 'select')
having count(*) > 0
$$;

-- Returns the same for the flow of that name, for people.
create or replace function wedsql.state_withheld(p_flow text) returns table (reason text, names text[])
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select w.* from wedsql.flow f cross join lateral wedsql._state_withheld(f) w where f.name = p_flow
$$;

-- Returns the names by which jobs can be assigned to a worker: its own, and of wedworker#1@host:812 also
-- wedworker#1@host, which its successor has as well, and @host, which all workers of the machine have.
create or replace function wedsql._worker_names(p_name text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array[p_name] || case when p_name ~ '@[^@ ]+:[0-9]+$' then
  array[regexp_replace(p_name, ':[0-9]+$', ''), substring(p_name from '@[^@ ]+(?=:[0-9]+$)')] else '{}' end
$$;

-- Returns the names by which jobs can be assigned to a registered worker. The built-in ones write the flows
-- that they serve after their names; a cluster registers one process, and others of it take the jobs.
create or replace function wedsql._registered_names(p_kind text, p_name text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_kind
  when 'process' then wedsql._worker_names(split_part(p_name, ' ', 1))
  when 'cluster' then (wedsql._worker_names(split_part(p_name, ' ', 1)))[2:]
  else wedsql._worker_names(p_name) end
$$;

-- Returns the workers of a name that serve a transition.
create or replace function wedsql._assignees(p_flow integer, p_transition text, p_name text)
  returns setof wedsql.worker
language sql stable set search_path = pg_catalog, pg_temp as $$
select w.* from wedsql.flow f join wedsql.worker w on f.name || ':' || p_transition = any (w.serves)
where f.id = p_flow and p_name = any (wedsql._registered_names(w.kind, w.name))
$$;

-- Notifies a sleeping worker that work is ready again.
create or replace function wedsql._wake(p_flow integer, p_names text[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select pg_notify('wedsql_w' || w.id, '')
from wedsql.flow f cross join lateral wedsql._sleepers(f.name, p_names, 1, wedsql.now()) w where f.id = p_flow
$$;

-- Notifies the sleeping workers to which ready jobs of the instance are assigned.
create or replace function wedsql._wake_assigned(p_wid integer) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select pg_notify('wedsql_w' || w.id, '')
from wedsql.job_pool j cross join lateral wedsql._assignees(j.flow_id, j.trname, j.assigned_to) w
where j.wid = p_wid and j.state = 'P' and j.assigned_to is not null
  and w.waiting and w.seen_at > wedsql.now() - interval '30 seconds'
$$;

-- Notifies a sleeping worker that this job is ready again; if it is assigned, those of that name.
create or replace function wedsql._wake_job(p_job wedsql.job_pool) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_job.assigned_to is null then
    perform wedsql._wake(p_job.flow_id, array[p_job.trname]);
  else
    perform wedsql._wake_assigned(p_job.wid);
  end if;
end $$;

-- Notifies workers of the jobs that are next after some that have ended: p_locks, those that they needed;
-- p_wids, their instances.
create or replace function wedsql._wake_next(p_locks text[], p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._wake_job(j) from unnest(p_locks) l cross join lateral (
  select o.* from wedsql.job_pool o where o.lock = l and o.state = 'P'
    and o.assigned_to is distinct from ''
    and coalesce(o.not_before <= wedsql.now(), true) order by o.id limit 1) j;
select wedsql._wake_job(j) from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
where j.wid = any (p_wids) and j.state = 'P' and t.mutex is not null and wedsql._by_worker(t)
  and not exists (select 1 from wedsql._before(j.wid, j.id))
$$;

-- Registers a watcher of the history, so that commits notify wedsql_trace, and returns its number; to be
-- repeated within a minute.
create or replace function wedsql.watch(p_watch bigint, p_name text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id bigint;
begin
  update wedsql.watch w set seen_at = wedsql.now() where w.id = p_watch returning w.id into v_id;
  if v_id is null then
    delete from wedsql.watch w where w.seen_at < wedsql.now() - interval '10 minutes';
    insert into wedsql.watch (name, seen_at) values (p_name, wedsql.now()) returning id into v_id;
  end if;
  return v_id;
end $$;

-- Removes the watcher.
create or replace function wedsql.unwatch(p_watch bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
delete from wedsql.watch w where w.id = p_watch
$$;
