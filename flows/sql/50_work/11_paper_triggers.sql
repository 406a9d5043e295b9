-- The paper's own protocol: a plain INSERT or UPDATE on wed_flow by any client. These triggers fire for every
-- role but wed_owner, whose functions settle by themselves and as which no client can log in.

-- Numbers a new instance; a number is never reused and never chosen by the client. A state that fires nothing
-- uses none: its row gets a random negative number, so that the table checks it, and settling rejects it.
-- Raises: WD003, WD107.
create or replace function wedsql._paper_wid() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer;
  v_defining bigint;
  v_guarded boolean;
  v_violates boolean := false;
  v_matched integer[];
  v_named jsonb;
begin
  new.wid := 0;
  perform wedsql._check_size(to_jsonb(new) - 'wid', null);
  select f.id, f.defining_xid, f.guarded into v_flow, v_defining, v_guarded
  from wedsql.flow f where f.name = tg_table_schema;
  if v_defining is not null then
    perform wedsql._follow_definition(v_flow);
  end if;
  v_named := wedsql._numbered_names(v_flow, to_jsonb(new));
  if v_named is not null then
    new := jsonb_populate_record(new, v_named);
  end if;
  execute format('select wed_match.f_%s($1)', v_flow) into v_matched using new;
  if v_guarded then
    execute format('select false%s from (select $1 as r, $2 as holds) n', wedsql._guard_start(v_flow))
      into v_violates using new, v_matched;
  end if;
  new.wid := case when 0 >= all (v_matched) or v_violates then - ceil(random() * 1000000000)::integer
                  else nextval('wedsql.wid_seq') end;
  return new;
end $$;

-- Makes an inserted row a new instance, settled in the statement that inserted it (Algorithm 1).
create or replace function wedsql._paper_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow;
  v_matched integer[];
begin
  select * into v_flow from wedsql.flow f where f.name = tg_table_schema;
  execute format('select wed_match.f_%s($1)', v_flow.id) into v_matched using new;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor)
  values (new.wid, v_flow.id, v_flow.version, wedsql.now(), wedsql.now(), wedsql._actor());
  perform wedsql._note_numbers(v_flow.id, to_jsonb(new), new.wid);
  perform wedsql._settle(v_flow.id, array[row(new.wid, true, null, null, '_INIT', null, wedsql._actor(), null,
    to_jsonb(new) - 'wid', null, v_matched, null, null)::wedsql.step], true);
  return null;
end $$;

-- Makes an updated row the result of the one job whose advisory lock this session holds (Algorithm 2).
-- Raises: WD102, WD105, WD202, WD201, WD204, WD205, WD206, WD207, WD208, WD209, WD210, WD213; in a flow
-- that requires keys, as _check_worker.
create or replace function wedsql._paper_update() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow integer;
  v_defining bigint;
  v_keys boolean;
  v_exclusive boolean;
  v_actor text;
  v_job wedsql.job_pool;
  v_matched integer[];
  v_before jsonb;
  v_state jsonb;
begin
  if new.wid <> old.wid then
    perform wedsql._raise('WD202', 'The number of an instance cannot be changed.');
  end if;
  perform wedsql._one_instance(tg_table_schema, new.wid);
  select f.id, f.defining_xid, f.worker_keys, f.exclusive into v_flow, v_defining, v_keys, v_exclusive
  from wedsql.flow f where f.name = tg_table_schema;
  if v_defining is not null then
    perform wedsql._follow_definition(v_flow);
  end if;
  v_job := wedsql._paper_job(v_flow, new.wid);
  v_actor := wedsql._actor(case when v_keys then wedsql._check_worker(v_flow, array[v_job.trname], null) end);
  if v_exclusive then
    perform wedsql._lock_for_paper(v_job);
  end if;
  if exists (select 1 from wedsql.trig t where t.tgid = v_job.tgid and t.revalidate = 'at_take') then
    execute format('select wed_match.f_%s($1)', v_flow) into v_matched using old;
    perform wedsql._check_not_stale(v_job, v_matched);
  end if;
  select coalesce(jsonb_object_agg(o.key, o.value), '{}') into v_before
  from jsonb_each(to_jsonb(old)) o where o.value is distinct from to_jsonb(new) -> o.key;
  perform wedsql._check_writes(v_job, v_before);
  if exists (select 1 from wedsql.flow f where f.id = v_flow and f.automatic) then
    select p.state, p.before into v_state, v_before from wedsql._paper_sets(v_flow, v_job, to_jsonb(old)) p;
    new := jsonb_populate_record(new, v_state);
  end if;
  perform wedsql._seen_paper(v_flow, v_job.trname, wedsql.now());
  perform wedsql._check_size(to_jsonb(new) - 'wid', v_before);
  execute format('select wed_match.f_%s($1)', v_flow) into v_matched using new;
  perform wedsql._settle(v_flow,
                         array[row(new.wid, false, v_job.id, v_job.tgid, v_job.trname, v_job.cause_seq,
                                   v_actor, null,
    to_jsonb(new) - 'wid', v_before, v_matched, null, null)::wedsql.step], true);
  insert into wedsql.commit_by (until, wid, job_id) select v_job.lease_until, v_job.wid, v_job.id
  where v_job.lease_until is not null;
  return null;
end $$;

-- Records that a client of the paper's protocol was seen with this transition, to within ten minutes; one
-- commit at a time writes that, and no other waits for it.
-- Locks: an advisory lock that is not waited for, (negative, -1), which no instance has; then the row.
create or replace function wedsql._seen_paper(p_flow integer, p_name text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform from wedsql.paper_client p where p.flow_id = p_flow and p.trname = p_name
    and p.seen_at between p_now - interval '10 minutes' and p_now;
  if not found and pg_try_advisory_xact_lock(hashtext(p_flow || ' ' || p_name) | -2147483648, -1) then
    insert into wedsql.paper_client (flow_id, trname, seen_at) values (p_flow, p_name, p_now)
    on conflict (flow_id, trname) do update set seen_at = excluded.seen_at;
  end if;
end $$;

-- Checks that one statement writes one instance (K-28): the first one written is remembered by transaction
-- and command.
-- Raises: WD202.
create or replace function wedsql._one_instance(p_flow text, p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_command text;
  v_last text := coalesce(current_setting('wedsql.wrote', true), '');
begin
  execute format('select concat(txid_current(), '':'', w.cmin, '':'') from %I.wed_flow w where w.wid = $1',
                 p_flow) into v_command using p_wid;
  if starts_with(v_last, v_command) and v_last <> (v_command || p_wid) then
    perform wedsql._raise('WD202', 'One statement wrote several instances, among them {instance}.',
      'Select one instance with WHERE wid = ..., and write each one in another transaction.',
      jsonb_build_object('instance', p_wid));
  end if;
  perform set_config('wedsql.wrote', v_command || p_wid, true);
end $$;

-- Returns the one pending job of the instance that this session's transaction holds, in time; lease_until is
-- when its time is over.
-- Raises: WD102, WD105, WD201, WD202, WD206, WD208; as _paper_in_time.
create or replace function wedsql._paper_job(p_flow integer, p_wid integer) returns wedsql.job_pool
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_status "char";
  v_jobs wedsql.job_pool[];
  v_shared boolean;
  v_other boolean;
  v_held boolean;
  v_named bigint := nullif(current_setting('wedsql.job', true), '')::bigint;
begin
  select i.status into v_status from wedsql.instance i where i.wid = p_wid;
  if v_status = 'F' then
    perform wedsql._raise('WD102', 'Instance {instance} is final and cannot be changed.',
      'Publish a changed definition with reopen_final to open final instances again.',
      jsonb_build_object('instance', p_wid));
  elsif v_status not in ('R', 'E') then
    perform wedsql._raise('WD105', 'Instance {instance} is not running.', 'It was cancelled or suspended.',
      jsonb_build_object('instance', p_wid));
  end if;
  select array_agg(j) filter (where l.mode = 'ExclusiveLock'),
         bool_or(l.mode <> 'ExclusiveLock') filter (where l.objsubid = 2),
         bool_or(l.classid <> p_wid::oid) filter (where l.objsubid = 2),
         bool_or(l.objsubid = 1 and wedsql._key_locked(l.classid, l.objid) = wedsql._hold_key())
  into v_jobs, v_shared, v_other, v_held
  from pg_locks l
  left join wedsql.job_pool j on l.objsubid = 2 and j.wid = l.classid::integer and j.tgid = l.objid::integer
    and j.wid = p_wid and (v_named is null or j.id = v_named)
  where l.locktype = 'advisory' and l.pid = pg_backend_pid() and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  v_jobs := array_remove(v_jobs, null::wedsql.job_pool);
  if coalesce(cardinality(v_jobs), 0) = 0 then
    perform wedsql._raise(
      case when v_shared then 'WD208' when v_other then 'WD202' else 'WD201' end,
      case when v_shared then 'The lock on a job of instance {instance} is shared; it must be exclusive.'
           when v_other then 'This transaction holds a lock, but on no pending job of instance {instance}.'
           else 'This transaction holds no lock on a pending job of instance {instance}.' end,
      'First: select pg_try_advisory_xact_lock(wid, tgid) for a row of job_pool, in the same transaction.',
      jsonb_build_object('instance', p_wid));
  elsif cardinality(v_jobs) > 1 then
    perform wedsql._raise('WD206', 'This transaction holds {jobs} jobs of instance {instance}.',
      'Name the job that is done: set local wedsql.job = ''<job id>''.',
      jsonb_build_object('jobs', cardinality(v_jobs), 'instance', p_wid));
  end if;
  v_job := v_jobs[1];
  v_job.lease_until := wedsql._paper_in_time(v_job, v_held);
  return v_job;
end $$;

-- Checks that the job's transition wrote only what its trigger declares (K-48), nothing that only the
-- database writes, and a repair only what is repairable.
-- Raises: WD210.
create or replace function wedsql._check_writes(p_job wedsql.job_pool, p_before jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from wedsql.trig t
             where t.tgid = p_job.tgid and t.writes is not null and p_before - t.writes <> '{}') then
    perform wedsql._raise('WD210',
                          'Transition "{transition}" wrote an attribute that its write-set does not declare.',
      'Add the attribute to the write-set of the trigger, or do not write it.',
      jsonb_build_object('transition', p_job.trname));
  end if;
  if exists (select 1 from wedsql.trig t where t.tgid = p_job.tgid and t.sets is not null)
     and wedsql._internal_written(p_job.tgid, p_before) <> '{}' then
    perform wedsql._refuse_job('WD210', array[p_job.wid], array[p_job.id], array[p_before]);
  end if;
  if p_job.tgid = 0 then
    perform wedsql._check_repair(p_before, wedsql._not_repairable(p_job.flow_id));
  end if;
end $$;

-- Checks that the job's condition is one of those that hold before the result (revalidate = at_take, K-26). A
-- job that is rejected is dropped by the reaper, as take drops it.
-- Raises: WD205.
create or replace function wedsql._check_not_stale(p_job wedsql.job_pool, p_matched integer[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not p_job.tgid = any (p_matched) then
    perform wedsql._note_refusal(p_job.wid, p_job.id, true);
    perform wedsql._raise('WD205',
                          'The condition of job {job} ("{transition}") of instance {instance} no longer '
                          'holds.',
      'Nothing was changed. Roll back and take another job; the reaper drops this one.',
      jsonb_build_object('job', p_job.id, 'transition', p_job.trname, 'instance', p_job.wid));
  end if;
end $$;
