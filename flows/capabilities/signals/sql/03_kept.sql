-- The order of kept signals: of those with one name for one instance, the oldest is delivered first, by
-- whatever call. A signal is kept for an instance by its number, or by a key where no instance had it.

-- Returns the keys by which a signal can name an instance: that of its start and the values of its
-- business key.
create or replace function wedsql._keys_of(p_flow wedsql.flow, p_wid integer) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_values text := (select string_agg(format('w.%I::text', a.aname), ', ') from wedsql.attr a
                    where a.flow_id = p_flow.id and a.business_key);
  v_keys text[];
begin
  if v_values is not null then
    execute format('select array[%s] from %I.wed_flow w where w.wid = $1', v_values, p_flow.name)
      into v_keys using p_wid;
  end if;
  return array_remove(v_keys || (select i.key from wedsql.instance i where i.wid = p_wid), null);
end $$;

-- Returns the oldest kept signal of a name for an instance, after the one numbered p_after; null where
-- there is none. What failed a moment ago holds up nothing.
create or replace function wedsql._oldest_kept(p_flow wedsql.flow, p_wid integer, p_name text, p_after bigint,
  p_now timestamptz) returns wedsql.signal
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select s.* from wedsql.signal s join (
  select n.id from wedsql.signal n where n.wid = p_wid and n.state = 'K'
  union all
  select n.id from unnest(wedsql._keys_of(p_flow, p_wid)) k (key) join wedsql.signal n on n.key = k.key
  where n.flow_id = p_flow.id and n.state = 'K' and n.wid is null and n.name = p_name
    and wedsql._named_by(p_flow, n.key) = array[p_wid]) c on c.id = s.id
where s.name = p_name and s.id > p_after and s.keep_until > p_now
  and wedsql._may_try(p_flow.id, 'signals', coalesce(s.wid, 0), s.id, p_now)
order by s.id limit 1
$$;

-- Delivers kept signals to the jobs of an instance that wait for them, as long as there are both. One that is
-- rejected is tried again later by the reaper, like one that the reaper failed to deliver.
-- Locks: the kept signals; the caller holds the instance.
create or replace function wedsql._deliver_kept(p_flow wedsql.flow, p_wid integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_kept wedsql.signal;
  v_last bigint := 0;
begin
  loop
    v_kept := wedsql._oldest_kept(p_flow, p_wid, p_name, v_last, v_now);
    exit when v_kept.id is null;
    v_last := v_kept.id;
    begin
      exit when not wedsql._deliver_one_kept(p_flow, p_wid, v_last, v_now);
    exception
      when others then
        if wedsql._passes(sqlstate) then
          raise;
        end if;
        perform wedsql._note_trouble(p_flow.id, 'signals', coalesce(v_kept.wid, 0), v_last, sqlstate, sqlerrm,
                                     v_now);
    end;
  end loop;
end $$;

-- Delivers a kept signal and returns true; false where no job waits for it. One that another session has
-- delivered or ended counts as delivered.
-- Locks: the signal; the caller holds the instance.
-- Raises: as _deliver.
create or replace function wedsql._deliver_one_kept(p_flow wedsql.flow, p_wid integer, p_id bigint,
  p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_signal wedsql.signal;
  v_job wedsql.job_pool;
begin
  select * into v_signal from wedsql.signal s where s.id = p_id and s.state = 'K' for update;
  if not found then
    return true;
  end if;
  v_job := wedsql._signalled_job(p_wid, v_signal.name);
  if v_job.id is null then
    return false;
  end if;
  update wedsql.signal s
  set state = 'D', wid = p_wid, job_id = v_job.id, settled_at = p_now,
      seq = wedsql._deliver(p_flow, v_job, v_signal.data, v_signal.actor)
  where s.id = p_id;
  return true;
end $$;
