-- Repairs of many instances: their arguments, what they mean for one instance, and the preview of a page.

-- Checks that values and jobs are of one flow, and that the values are of attributes that may be written.
-- Raises: WD002, WD009, WD210, WD504.
create or replace function wedsql._check_bulk_flow(p_bulk wedsql.bulk) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (select f.id from wedsql.flow f where f.name = p_bulk.flows[1]);
  v_changes jsonb := coalesce(p_bulk.arguments -> 'changes', '{}');
begin
  if not wedsql._is_step_operation(p_bulk.operation) then
    return;
  elsif cardinality(p_bulk.flows) > 1 then
    perform wedsql._raise('WD504', 'Values and jobs are of one flow, but the instances are of {count} flows.',
      'Select the instances of one flow.', jsonb_build_object('count', cardinality(p_bulk.flows)));
  end if;
  perform wedsql._check_states(wedsql._attribute_names(v_flow)::text[], array[v_changes]);
  if p_bulk.operation <> 'complete' then
    perform wedsql._check_repair(v_changes, wedsql._not_repairable(v_flow));
  end if;
end $$;

-- Returns the step to which an instance rolls back if so many steps of transitions are undone; null where it
-- has fewer.
create or replace function wedsql._rollback_seq(p_wid integer, p_steps integer) returns integer
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select h.seq - 1 from wedsql.wed_trace h
where h.wid = p_wid and h.tgid > 0 and left(h.trw, 1) <> '_' and not exists (
  select 1 from wedsql.wed_trace c where c.wid = p_wid and c.compensates_seq = h.seq)
order by h.seq desc offset p_steps - 1 limit 1
$$;

-- Returns the arguments for one instance: the job of the transition, or the step to which it rolls back.
-- Raises: WD110 with fewer steps, WD212 where it has no such job, or several.
create or replace function wedsql._bulk_arguments(p_wid integer, p_operation text, p_transition text,
  p_arguments jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_jobs bigint[];
  v_seq integer;
begin
  if p_operation in ('complete', 'skip') then
    v_jobs := array(select j.id from wedsql.job_pool j
                    where j.wid = p_wid and j.trname = p_transition and j.tgid > 0);
    if cardinality(v_jobs) <> 1 then
      perform wedsql._raise('WD212', 'Instance {instance} has {count} jobs of "{transition}", not one.',
        'Look at its jobs on its own page.', jsonb_build_object('instance', p_wid, 'transition', p_transition,
          'count', cardinality(v_jobs)));
    end if;
    return p_arguments || jsonb_build_object('job', v_jobs[1]);
  elsif p_operation = 'rollback' then
    v_seq := wedsql._rollback_seq(p_wid, (p_arguments ->> 'steps')::integer);
    if v_seq is null then
      perform wedsql._raise('WD110', 'Instance {instance} has fewer than {steps} steps to undo.',
        'Undo fewer steps, or abort it.', jsonb_build_object('instance', p_wid, 'steps',
          p_arguments -> 'steps'));
    end if;
    return p_arguments - 'steps' || jsonb_build_object('seq', v_seq);
  end if;
  return p_arguments;
end $$;

-- Returns what a repair of many would do to one instance, as preview_repair does; of one for which it cannot
-- be said now, only {"wid", "refusal"}.
-- Locks: as preview_repair.
create or replace function wedsql._bulk_preview(p_wid integer, p_operation text, p_transition text,
  p_arguments jsonb, p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  return wedsql.preview_repair(p_wid, p_operation,
    wedsql._bulk_arguments(p_wid, p_operation, p_transition, p_arguments), null, p_actor);
exception
when insufficient_resources or operator_intervention or system_error or internal_error then raise;
when others then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  return jsonb_build_object('wid', p_wid, 'refusal', jsonb_build_object('sqlstate', v_why.code,
    'message', v_why.message, 'hint', nullif(v_why.hint, ''), 'detail', nullif(v_why.detail, '')));
end $$;

-- Returns what a repair of many would do to each of these instances, at most 100, in this order, by doing it
-- and rolling it back. After p_seconds the rest is left out. p_total: how many instances the operation is
-- about, by which rules decide on approvals; null for these.
-- Locks: as preview_repair, one instance at a time; one that is locked is not waited for long.
-- Raises: WD109, WD504.
create or replace function wedsql.preview_bulk(p_operation text, p_wids integer[],
  p_transition text default '', p_arguments jsonb default '{}', p_actor text default null,
  p_seconds double precision default 3, p_total integer default null) returns setof jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_until timestamptz := clock_timestamp() + make_interval(secs => p_seconds);
  v_wid integer;
begin
  perform set_config('wedsql.bulk_size', coalesce(p_total, cardinality(p_wids))::text, true);
  perform wedsql._check_bulk(p_operation, '-', null, p_transition, '', null, p_arguments);
  if not wedsql._is_bulk_repair(p_operation) then
    perform wedsql._raise('WD504', 'The operation "{operation}" has no preview.', 'Only repairs have one.',
      jsonb_build_object('operation', p_operation));
  end if;
  foreach v_wid in array p_wids[:100] loop
    exit when clock_timestamp() > v_until;
    return next wedsql._bulk_preview(v_wid, p_operation, p_transition, p_arguments, p_actor);
  end loop;
end $$;

-- Returns the instances of the open cases of a flow, each with its step, at most p_max; with p_cause,
-- p_signature (also several that commas separate) and p_queue those of which the cases have these.
create or replace function wedsql.group_instances(p_flow text, p_cause text, p_signature text,
  p_queue text, p_max integer) returns table (wid integer, seq integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select c.wid, i.seq from wedsql.flow f join wedsql.repair_case c on c.flow_id = f.id
join wedsql.instance i on i.wid = c.wid
where f.name = p_flow and c.closed_at is null and coalesce(p_cause, '') in ('', c.cause)
  and (coalesce(p_signature, '') = '' or c.signature = any (wedsql._signature_list(p_signature)))
  and coalesce(p_queue, '') in ('', c.queue)
order by c.wid limit least(p_max, 100000)
$$;

-- Returns the instances of a flow with this result in a bulk operation, each with its present step, at most
-- p_max; p_result as bulk_rows.
create or replace function wedsql.bulk_instances(p_id bigint, p_flow text, p_result text, p_max integer)
  returns table (wid integer, seq integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select r.wid, i.seq from wedsql.flow f join wedsql.bulk_row r on r.flow_id = f.id
join wedsql.instance i on i.wid = r.wid
where r.bulk_id = p_id and f.name = p_flow and p_result in ('', coalesce(r.result, 'left'))
order by r.wid limit least(p_max, 100000)
$$;
