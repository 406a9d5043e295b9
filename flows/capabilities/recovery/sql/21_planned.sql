-- What an operation that undoes steps of an instance would do: which steps, and how each is compensated. The
-- present definition decides, so that a publication can add a compensation that is missing.

-- Returns the steps of an instance that were written by these, and those that depend on them: fired by one of
-- them, or by a condition that reads what one of them wrote before it fired.
create or replace function wedsql._dependents(p_wid integer, p_seq integer) returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_step record;
  v_found integer[] := '{}';
  v_writes jsonb := '{}';  -- {attribute: the first of these steps that wrote it}
begin
  for v_step in
    select h.seq, h.cause_seq, t.reads, array(select jsonb_object_keys(coalesce(h.before, '{}'))) as writes
    from wedsql.wed_trace h left join wedsql.trig t on t.tgid = h.tgid
    where h.wid = p_wid and h.seq >= p_seq and h.tgid is not null order by h.seq
  loop
    continue when not (v_step.seq = p_seq or v_step.cause_seq = any (v_found) or exists (
      select 1 from unnest(v_step.reads) a where (v_writes ->> a)::integer <= v_step.cause_seq));
    v_found := v_step.seq || v_found;
    select v_writes || coalesce(jsonb_object_agg(a, v_step.seq), '{}') into v_writes
    from unnest(v_step.writes) a where not v_writes ? a;
  end loop;
  return v_found;
end $$;

-- Returns the steps that an operation undoes, the last one first: all after p_seq, with abort all after the
-- first, with compensate p_seq and what depends on it.
create or replace function wedsql._undone(p_wid integer, p_operation text, p_seq integer) returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if p_operation = 'compensate' then
    return wedsql._dependents(p_wid, p_seq);
  end if;
  return array(select h.seq from wedsql.wed_trace h
               where h.wid = p_wid and h.seq > p_seq order by h.seq desc);
end $$;

-- Returns how each of these steps of an instance is compensated, the last one first, without those for which
-- no action is needed. compensated_by: the transition, '' for the kernel, null for nothing; problem: pivot or
-- missing.
create or replace function wedsql._planned(p_wid integer, p_seqs integer[])
returns table (seq integer, transition text, compensated_by text, problem text)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query select p.* from (
    select h.seq, h.trw,
           case when t.compensation = 'inverse' then ''
                when t.compensation = 'transition' then nullif(t.compensated_by, '') end as compensated_by,
           case when t.class = 'pivot' then 'pivot'
                when t.tgid is null or t.class = 'compensatable' and t.compensation = 'none'
                  or t.compensation = 'transition' and coalesce(t.compensated_by, '') = '' then 'missing' end
             as problem
    from wedsql.wed_trace h
    left join lateral (
      select t.* from wedsql.trig t
      where t.flow_id = h.flow_id and not t.cfinal and (t.tgid = h.tgid or t.trname = h.trw)
      order by t.tgid <> h.tgid limit 1) t on true
    where h.wid = p_wid and h.seq = any (p_seqs) and h.tgid > 0 and left(h.trw, 1) <> '_'
      and not exists (select 1 from wedsql.wed_trace c where c.wid = p_wid and c.compensates_seq = h.seq)) p
  where p.compensated_by is not null or p.problem is not null
  order by p.seq desc;
end $$;

-- Returns what rollback, compensate or abort would compensate now, in this order; p_seq is of no account for
-- abort.
-- Raises: WD104, WD109 for another operation.
create or replace function wedsql.compensations(p_wid integer, p_operation text, p_seq integer default 1)
returns table (seq integer, transition text, compensated_by text, problem text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select 1 from wedsql.instance i where i.wid = p_wid) then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
                          jsonb_build_object('instance', p_wid));
  elsif p_operation is null or p_operation not in ('rollback', 'compensate', 'abort') then
    perform wedsql._raise('WD109', 'There is no operation "{operation}".', 'Operations: {operations}.',
      jsonb_build_object('operation', left(p_operation, 80),
                         'operations', array['abort', 'compensate', 'rollback']));
  end if;
  return query select p.* from wedsql._planned(p_wid, wedsql._undone(p_wid, p_operation,
    case when p_operation = 'abort' then 1 else p_seq end)) p;
end $$;

-- Checks that every step can be compensated, unless p_override.
-- Raises: WD111.
create or replace function wedsql._check_planned(p_wid integer, p_seqs integer[], p_override boolean)
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_bad record;
begin
  select * into v_bad from wedsql._planned(p_wid, p_seqs) p where p.problem is not null limit 1;
  if not found or p_override then
    return;
  elsif v_bad.problem = 'pivot' then
    perform wedsql._raise('WD111',
      'Step {step} of instance {instance}, transition "{transition}", cannot be undone: it is a pivot.',
      'Go back to this step or a later one, or override this.',
      jsonb_build_object('step', v_bad.seq, 'instance', p_wid, 'transition', v_bad.transition));
  end if;
  perform wedsql._raise('WD111',
    'Step {step} of instance {instance}, transition "{transition}", has no compensation.',
    'Publish a definition that has one, or override this.',
    jsonb_build_object('step', v_bad.seq, 'instance', p_wid, 'transition', v_bad.transition));
end $$;
