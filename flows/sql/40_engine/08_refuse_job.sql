-- Returns those of the attributes in a result that only the database writes: the translation of the flow's
-- source made them, such as counters of tokens, and the trigger names them neither in its write-set nor in
-- its outcomes or what its children return. It reads the source only for a result that changes something.
create or replace function wedsql._internal_written(p_tgid integer, p_changes jsonb) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_names text[];
begin
  if p_changes = '{}' then
    return '{}';
  end if;
  select array_agg(k order by k) into v_names
  from wedsql.trig t
  join wedsql.flow f on f.id = t.flow_id
  join wedsql.flow_source s on s.flow_id = f.id and s.version = f.version
  cross join lateral (select s.map -> 'internal' as names offset 0) i
  cross join lateral jsonb_object_keys(p_changes) k
  where t.tgid = p_tgid and t.writes is null and i.names ? k;
  if v_names is null then
    return '{}';
  end if;
  return array(
    select n from unnest(v_names) n
    where n <> all (array(
      select s from wedsql.trig t
      cross join lateral wedsql._outcome_lines(t.outcomes) l
      cross join lateral unnest(wedsql._outcome_names(l.sets, wedsql._attr_types(t.flow_id))) s
      where t.tgid = p_tgid
      union all
      select lower(btrim(split_part(c, '=', 1)))
      from wedsql.trig t cross join lateral unnest(t.child_result) c
      where t.tgid = p_tgid)));
end $$;

-- Raises the error for a rejected result. With several jobs in the call only the code is raised: the caller
-- then tries each on its own.
-- Raises: p_code.
create or replace function wedsql._refuse_job(
  p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[])
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_facts jsonb := jsonb_build_object('job', p_jobs[1], 'instance', p_wids[1]);
  v_internal text[];
begin
  if cardinality(p_wids) > 1 then
    perform wedsql._raise(p_code, 'One of the results was rejected.');
  end if;
  select * into v_job from wedsql.job_pool j where j.wid = p_wids[1] and j.id = p_jobs[1];
  if p_code = 'WD210' and v_job.tgid = 0 then
    perform wedsql._check_repair(p_changes[1], wedsql._not_repairable(v_job.flow_id));
  end if;
  v_internal := case when p_code = 'WD210' then wedsql._internal_written(v_job.tgid, p_changes[1]) end;
  if v_internal <> '{}' then
    perform wedsql._raise(p_code,
      'The result of job {job} of instance {instance} writes {attributes}, which only the database writes.',
      'Leave them out of the result.',
      v_facts || jsonb_build_object('attributes', array_to_string(v_internal, ', ')));
  end if;
  case p_code
    when 'WD102' then perform wedsql._raise(p_code, 'Instance {instance} is final and cannot be changed.',
      'Publish a changed definition with reopen_final to open final instances again.', v_facts);
    when 'WD107' then perform wedsql._refuse_size();
    when 'WD104' then perform wedsql._raise(p_code, 'This flow has no instance {instance}.',
                                            'Check the number and the flow.', v_facts);
    when 'WD105' then perform wedsql._raise(p_code, 'Instance {instance} is not running.',
                                            'It was cancelled or suspended.', v_facts);
    when 'WD205' then perform wedsql._raise(p_code,
                                            'The result of job {job} of instance {instance} was rejected: '
                                            'the job is no longer pending.',
      'It was finished, withdrawn or parked in the meantime; take another job.', v_facts);
    when 'WD203' then perform wedsql._raise(p_code,
                                            'The result of job {job} of instance {instance} was rejected: '
                                            'another worker holds the job.',
      'The claim is not the current one; take the job again.',
      v_facts || jsonb_build_object('holder', v_job.lckid));
    when 'WD201' then perform wedsql._raise(p_code,
                                            'The result of job {job} of instance {instance} was rejected: '
                                            'this transaction took no job.',
      'Take the job in the same transaction (wedsql.take), or lease it and pass the claim.', v_facts);
    when 'WD204' then perform wedsql._raise(p_code,
      case when v_job.timeout is null
        then 'The result of job {job} of instance {instance} came too late: its lease has expired.'
           else 'The result of job {job} of instance {instance} came too late (limit {timeout}).' end,
      'Nothing was changed; the job goes back to the pool. Use a longer timeout, or lease the job and '
      'extend the lease.',
      v_facts || jsonb_build_object('timeout', v_job.timeout::text));
    when 'WD210' then perform wedsql._raise(p_code,
      'The result of job {job} of instance {instance} writes {attributes}, which transition "{transition}" '
      'does not declare.',
      'Add the attribute to the write-set of the trigger, or do not write it.',
      v_facts || jsonb_build_object('transition', v_job.trname, 'attributes',
        (select string_agg(k, ', ') from jsonb_object_keys(p_changes[1]) k
         where k <> all ((select t.writes from wedsql.trig t where t.tgid = v_job.tgid)::text[]))));
  end case;
end $$;

-- Returns the attributes of a flow that the repair of an exception may not write.
create or replace function wedsql._not_repairable(p_flow integer) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select a.aname from wedsql.attr a where a.flow_id = p_flow and not a.repairable order by a.aid)
$$;

-- Checks that the repair of an exception writes none of the attributes that are not repairable.
-- Raises: WD210.
create or replace function wedsql._check_repair(p_changes jsonb, p_protected text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_changes ?| p_protected then
    perform wedsql._raise('WD210',
      'The repair writes {attributes}, which the definition marks as not repairable.',
      'Repair other attributes, or make these repairable in the definition.',
      jsonb_build_object('attributes', array(select n from unnest(p_protected) n where p_changes ? n)));
  end if;
end $$;

-- Records a rejection for the reaper, whatever becomes of this transaction. One job has one place for a
-- minute, so that a client that retries endlessly hides no other; which jobs share a place changes with the
-- minute.
create or replace function wedsql._note_refusal(p_wid integer, p_job bigint, p_stale boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_minute bigint := (extract(epoch from clock_timestamp()) / 60)::bigint;
begin
  if p_job is not null then
    perform setval(format('wedsql.refused_%s', (p_job + p_job / 16 * v_minute) % 16)::regclass,
                   (p_wid::bigint << 32) | ((p_job & 2147483647) << 1) | p_stale::integer);
  end if;
end $$;
