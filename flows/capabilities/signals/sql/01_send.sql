-- Signals (workflow patterns 23 and 24). A trigger with the option "signal" fires a job for which no worker
-- is needed: a signal with the name of its transition is its result. A signal that comes before its job is
-- kept for the time in the option "keep" of such a trigger, and without that has no effect. A signal that a
-- flow names in "start_by" starts an instance where its key names none.

-- Returns the triggers of a flow that wait for a signal, the one that keeps it longest first.
create or replace function wedsql._waiting_for(p_flow integer, p_name text) returns setof wedsql.trig
language sql stable set search_path = pg_catalog, pg_temp as $$
select t.* from wedsql.trig t
where t.flow_id = p_flow and t.signal and t.enabled and t.trname = p_name
order by t.keep desc nulls last
$$;

-- Returns the names of the signals that a flow takes.
create or replace function wedsql._signals_of(p_flow wedsql.flow) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select t.trname from wedsql.trig t where t.flow_id = (p_flow).id and t.signal and t.enabled
             union select unnest((p_flow).start_by) order by 1)
$$;

-- Checks name, data, key and token of a signal.
-- Raises: WD002, WD009, WD560.
create or replace function wedsql._check_signal(p_flow wedsql.flow, p_name text, p_data jsonb, p_key text,
  p_token text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_names text[] := wedsql._signals_of(p_flow);
begin
  if p_name is null or p_name <> all (v_names) then
    perform wedsql._raise('WD560', 'Flow "{flow}" takes no signal "{signal}".',
      case when v_names = '{}' then 'No rule of it waits for a signal.' else 'Signals: {signals}.' end,
      jsonb_build_object('flow', (p_flow).name, 'signal', coalesce(left(p_name, 80), ''),
                         'signals', v_names));
  elsif octet_length(p_key) > 400 or octet_length(p_token) > 400 then
    perform wedsql._raise('WD009', 'The key and the token of a signal have at most 400 bytes each.');
  end if;
  perform wedsql._check_states(wedsql._attribute_names((p_flow).id)::text[], array[p_data]);
end $$;

-- Returns the number of the instance that a key names; null if there is none.
-- Raises: WD562 where several living ones have it as the value of a business key.
create or replace function wedsql._signal_target(p_flow wedsql.flow, p_key text) returns integer
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_found integer[] := wedsql._named_by(p_flow, p_key);
begin
  if cardinality(v_found) > 1 then
    perform wedsql._raise('WD562', 'More than one instance of flow "{flow}" has the key "{key}".',
      'Name the instance by its number.',
      jsonb_build_object('flow', (p_flow).name, 'key', left(p_key, 80)));
  end if;
  return v_found[1];
end $$;

-- Returns the numbers of the instances that a key names, at most two: the one that was started with the key,
-- else the living ones of whose business key a value equals it.
create or replace function wedsql._named_by(p_flow wedsql.flow, p_key text) returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wid integer := (select i.wid from wedsql.instance i
                    where i.flow_id = (p_flow).id and i.key = p_key);
  v_tests text;
  v_found integer[];
begin
  if v_wid is not null or p_key is null then
    return array_remove(array[v_wid], null);
  end if;
  select string_agg(format('%s = lower("left"($1, 100)) and w.%I::text = $1',
                           wedsql._key_expression(a.aname), a.aname), ' or ')
  into v_tests from wedsql.attr a where a.flow_id = (p_flow).id and a.business_key;
  if v_tests is not null then
    -- The expressions of the indexes do not qualify attributes, so there is no other table beside w.
    execute format('select array(select w.wid from %I.wed_flow w where (%s) and exists '
                   '(select from wedsql.instance i where i.wid = w.wid and i.status <> all (''{F,C,A}'')) '
                   'limit 2)', (p_flow).name, v_tests)
      into v_found using p_key;
  end if;
  return v_found;
end $$;

-- Returns the pending job of an instance that waits for a signal, locked; null where none does, as while the
-- instance is suspended, or where it is being compensated.
-- Locks: the job; the caller holds the instance.
create or replace function wedsql._signalled_job(p_wid integer, p_name text) returns wedsql.job_pool
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
begin
  select j.* into v_job from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
  where j.wid = p_wid and t.signal and j.trname = p_name and j.state = 'P'
    and not wedsql._call_awaits_compensation(j.wid, j.id) and not wedsql._call_compensates(j.wid, j.id)
    and not wedsql._is_held_elsewhere(j.wid, j.tgid)
  order by j.id limit 1 for update of j;
  return v_job;
end $$;

-- Checks that nothing but the conditions of an instance decides that it does not wait for a signal, which
-- would be lost otherwise.
-- Locks: the job's lock, or nothing; the caller holds the instance.
-- Raises: WD105 while the instance is suspended, being compensated or at another installation, WD203 where
-- another session holds the job that waits, WD212 where that job is parked.
create or replace function wedsql._check_takes_signal(p_wid integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_status "char" := (select i.status from wedsql.instance i where i.wid = p_wid);
  v_job wedsql.job_pool;
begin
  perform wedsql._check_here(p_wid, v_status);
  if v_status in ('S', 'X') then
    perform wedsql._raise('WD105', case v_status when 'S' then 'Instance {instance} is suspended.'
                                                 else 'Instance {instance} is being compensated.' end,
      'Send the signal again when that is over.', jsonb_build_object('instance', p_wid));
  end if;
  for v_job in select j.* from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
               where j.wid = p_wid and t.signal and j.trname = p_name loop
    if v_job.state = 'K' then
      perform wedsql._raise('WD212', 'Job {job} of instance {instance}, which takes the signal, is parked.',
        'Retry the job, and send the signal again.',
        jsonb_build_object('job', v_job.id, 'instance', p_wid));
    end if;
    perform wedsql._check_not_held(v_job);
  end loop;
end $$;

-- Writes the data of a signal as the result of a job, and returns the number of the step.
-- Locks: the instance's row, its jobs and timers, the trace; the caller holds the instance and the job.
-- Raises: WD210 for an attribute that the transition may not write; as _apply_steps.
create or replace function wedsql._deliver(p_flow wedsql.flow, p_job wedsql.job_pool, p_data jsonb,
  p_actor text) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_data - (select t.writes from wedsql.trig t where t.tgid = (p_job).tgid) <> '{}'
     or wedsql._internal_written((p_job).tgid, p_data) <> '{}' then
    perform wedsql._refuse_job('WD210', array[(p_job).wid], array[(p_job).id], array[p_data]);
  end if;
  perform wedsql._apply_steps(p_flow, array[wedsql._person_step(p_job, (p_job).trname, p_actor, null)],
                              p_data);
  return (select max(h.seq) from wedsql.wed_trace h where h.wid = (p_job).wid and h.job_id = (p_job).id);
end $$;

-- Returns the signal that was sent with this token before; null if none was.
-- Raises: WD561 where it was another signal.
create or replace function wedsql._sent_before(p_flow integer, p_token text, p_name text, p_data jsonb,
  p_key text, p_wid integer) returns wedsql.signal
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_sent wedsql.signal;
begin
  select * into v_sent from wedsql.signal s where s.flow_id = p_flow and s.token = p_token;
  if found and (v_sent.name <> p_name or v_sent.data <> p_data or v_sent.key is distinct from p_key
                or p_wid is not null and v_sent.wid is distinct from p_wid) then
    perform wedsql._raise('WD561', 'Another signal was sent with the token "{token}" before.',
      'Give each signal a token of its own.', jsonb_build_object('token', left(p_token, 80)));
  end if;
  return v_sent;
end $$;

-- Locks the instance of a signal.
-- Locks: the flow's table against a definition that is being changed, then the instance.
-- Raises: WD102 for an instance that has ended, WD104.
create or replace function wedsql._lock_signalled(p_flow wedsql.flow, p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_instance wedsql.instance;
begin
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', (p_flow).name)
    using p_wid;
  select * into v_instance from wedsql.instance i where i.wid = p_wid and i.flow_id = (p_flow).id;
  if not found then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
                          jsonb_build_object('instance', p_wid));
  elsif v_instance.status in ('F', 'C', 'A') then
    perform wedsql._raise('WD105', 'Instance {instance} has ended, so it takes no signal.', null,
                          jsonb_build_object('instance', p_wid));
  end if;
end $$;
