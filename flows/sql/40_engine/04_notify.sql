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
language sql stable set search_path = pg_catalog, pg_temp as $$
select w.id from wedsql.worker w
where w.waiting and w.seen_at > p_now - interval '30 seconds'
  and exists (select 1 from unnest(p_names) n where p_flow || ':' || n = any (w.serves))
order by w.seen_at limit greatest(p_jobs, 1)
$$;

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
  'payload', case when p_state then p_job.payload end)::text
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
