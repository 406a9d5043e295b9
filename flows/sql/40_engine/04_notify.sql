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

-- Sends the paper's message (section 5.1): channel = transition, payload = which job is new, as JSON. Any
-- session may listen to any channel, another flow's included, so the message does not contain the state,
-- which stays in job_pool (K-32); its key in the paper's message is null, as it is for a state that no
-- message can hold. A transition that only this product's own workers serve needs no such message. A client
-- of the paper's protocol cannot register, so the channel is used while no own worker is alive or such a
-- client was seen in the last day.
create or replace function wedsql._notify_paper(
  p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_names text[];
begin
  select array_agg(distinct n) into v_names from unnest(p_names) n
  where not exists (select 1 from wedsql.worker w
                    where p_flow.name || ':' || n = any (w.serves)
                      and w.seen_at > p_now - interval '30 seconds')
     or exists (select 1 from wedsql.paper_client c
                where c.flow_id = p_flow.id and c.trname = n and c.seen_at > p_now - interval '1 day');
  if v_names is not null then
    perform pg_notify(j.trname,
                      json_build_object('id', j.id, 'wid', j.wid, 'tgid', j.tgid, 'trname', j.trname,
                                        'payload', null)::text)
    from wedsql.job_pool j
    where j.wid = any (p_wids) and j.trname = any (v_names) and j.fired_xid = txid_current();
  end if;
end $$;
