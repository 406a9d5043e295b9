-- Results that are rejected because they come too late: the time of their job was over, another worker had
-- it, or it was pending no longer. They are kept (here), and merged or shown to people (32_decide_late.sql).

-- Returns the step whose state a job was about, with its trigger, whether the job is pending or not; null for
-- a job that this instance never had.
create or replace function wedsql._job_origin(p_wid integer, p_job bigint, out seq integer, out tgid integer,
                                              out transition text)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  select j.cause_seq, j.tgid, j.trname into seq, tgid, transition
  from wedsql.job_pool j where j.wid = p_wid and j.id = p_job;
  if not found then
    select t.cause_seq, t.tgid, t.trw into seq, tgid, transition
    from wedsql.wed_trace t where t.wid = p_wid and t.job_id = p_job order by t.seq limit 1;
  end if;
  if tgid is null then
    select l.tgid, l.trname, (select max(t.seq) from wedsql.wed_trace t
                              where t.wid = p_wid and l.tgid = any (t.fired) and t.tstmp <= l.at)
    into tgid, transition, seq
    from wedsql.job_log l where l.wid = p_wid and l.job_id = p_job order by l.id desc limit 1;
  end if;
end $$;

-- Keeps a result that was rejected with this code, and returns its number; null where it is not kept: the
-- rejection has another cause, the caller never held the job, the result is no set of attributes, or a
-- hundred wait for a decision on this instance. A result that is kept already keeps its number.
create or replace function wedsql._keep_late(p_flow text, p_wid integer, p_job bigint, p_claim bigint,
  p_changes jsonb, p_set text, p_actor text, p_code text) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_origin record := wedsql._job_origin(p_wid, p_job);
  v_changes jsonb := coalesce(p_changes, '{}');
  v_id bigint;
begin
  if p_code not in ('WD102', 'WD105', 'WD203', 'WD204', 'WD205', 'WD591', 'WD592', 'WD593', 'WD598', 'WD614',
                    'WD616', 'WD618')
     or p_code = 'WD203' and p_claim is null
     or v_origin.seq is null or v_origin.tgid <= 0
     or not exists (select 1 from wedsql.instance i where i.wid = p_wid and i.flow_id = v_flow.id) then
    return null;
  end if;
  if p_set is not null then
    v_changes := wedsql._set_on(p_flow, p_set, (select t.state from wedsql.wed_trace t
                                                where t.wid = p_wid and t.seq = v_origin.seq));
  end if;
  perform wedsql._check_states(wedsql._attribute_names(v_flow.id)::text[], array[v_changes]);
  if (select count(*) from wedsql.late_result l
      where l.wid = p_wid and l.state in ('kept', 'conflict')) < 100 then
    insert into wedsql.late_result (flow_id, wid, job_id, tgid, transition, base_seq, changes, code, actor,
                                    received_at, look_at)
    values (v_flow.id, p_wid, p_job, v_origin.tgid, v_origin.transition, v_origin.seq, v_changes, p_code,
            p_actor, wedsql.now(), wedsql.now())
    on conflict (wid, job_id, md5(changes::text)) do nothing;
  end if;
  select l.id into v_id from wedsql.late_result l
  where l.wid = p_wid and l.job_id = p_job and l.changes = v_changes;
  return v_id;
exception
  when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    return null;  -- what is no state of this flow cannot be kept; the rejection says why
end $$;
