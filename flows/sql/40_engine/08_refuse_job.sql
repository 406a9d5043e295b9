-- Raises the error for a rejected result. With several jobs in the call only the code is raised: the caller
-- then tries each on its own.
-- Raises: p_code.
create or replace function wedsql._refuse_job(p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[])
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.job_pool;
  v_what text := format('job %s of instance %s', p_jobs[1], p_wids[1]);
begin
  if cardinality(p_wids) > 1 then
    perform wedsql._raise(p_code, 'One of the results was refused.');
  end if;
  select * into v_job from wedsql.job_pool j where j.wid = p_wids[1] and j.id = p_jobs[1];
  case p_code
    when 'WD102' then perform wedsql._raise(p_code, format('Instance %s is final and cannot be changed.', p_wids[1]),
      'Publish a changed definition with reopen_final to open final instances again.');
    when 'WD107' then perform wedsql._refuse_size();
    when 'WD104' then perform wedsql._raise(p_code, format('This flow has no instance %s.', p_wids[1]), 'Check the number and the flow.');
    when 'WD105' then perform wedsql._raise(p_code, format('Instance %s is not running.', p_wids[1]), 'It was cancelled or suspended.');
    when 'WD205' then perform wedsql._raise(p_code, format('The result of %s was refused: that job is no longer pending.', v_what),
      'It was finished, withdrawn or parked meanwhile; take a job anew.');
    when 'WD203' then perform wedsql._raise(p_code, format('The result of %s was refused: somebody else holds it.', v_what),
      'The claim is not the current one; take the job anew.', jsonb_build_object('holder', v_job.lckid)::text);
    when 'WD201' then perform wedsql._raise(p_code, format('The result of %s was refused: this transaction took no job.', v_what),
      'Take the job in the same transaction (wedsql.take), or lease it and pass the claim.');
    when 'WD204' then perform wedsql._raise(p_code, format('The result of %s came too late (limit %s).', v_what, coalesce(v_job.timeout::text, 'of the lease')),
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout or lease the job and extend it.');
    when 'WD210' then perform wedsql._raise(p_code, format('The result of %s writes %s, which transition %s does not declare.', v_what,
      (select string_agg(k, ', ') from jsonb_object_keys(p_changes[1]) k
       where k <> all ((select t.writes from wedsql.trig t where t.tgid = v_job.tgid)::text[])), v_job.trname),
      'Add the attribute to the write-set of the trigger, or leave it alone.');
  end case;
end $$;
