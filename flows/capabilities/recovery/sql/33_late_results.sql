-- Late results as people see them and decide on them.

-- Returns the late results of an instance, the last ones first, at most 100: {"id", "job", "transition",
-- "trigger", "seq", "actor", "code", "state", "problem", "received_at", "decided_at", "decided_by", "reason",
-- "values": [{"attribute", "before", "present", "late", "changed"}]}. "values" of decided ones have no
-- "present".
create or replace function wedsql.late_results(p_wid integer, p_open boolean default false) returns jsonb
language sql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'job', greatest(l.job_id, 0),
    'transition', l.transition, 'trigger', l.tgid, 'seq', l.base_seq, 'actor', l.actor, 'code', l.code,
    'state', l.state,
    'problem', l.problem, 'received_at', l.received_at, 'decided_at', l.decided_at,
    'decided_by', l.decided_by, 'reason', l.reason,
    'values', (select coalesce(jsonb_agg(jsonb_build_object('attribute', v.attribute, 'before', v.before,
                 'present', v.present, 'late', v.late, 'changed', v.changed)), '[]')
               from wedsql._late_values(l) v)) order by l.id desc), '[]')
from (select * from wedsql.late_result o
      where o.wid = p_wid and (not p_open or o.state = 'conflict') order by o.id desc limit 100) l
$$;

-- Returns a late result of an instance that waits for a decision, locked.
-- Raises: WD543.
create or replace function wedsql._open_late(p_wid integer, p_arguments jsonb) returns wedsql.late_result
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_late wedsql.late_result;
begin
  select * into v_late from wedsql.late_result l
  where l.id = (p_arguments ->> 'late')::bigint and l.wid = p_wid and l.state in ('kept', 'conflict')
  for update;
  if not found then
    perform wedsql._raise('WD543', 'No late result {late} of instance {instance} waits for a decision.',
      'It was merged or discarded in the meantime.',
      jsonb_build_object('late', (p_arguments ->> 'late')::bigint, 'instance', p_wid));
  end if;
  return v_late;
end $$;

-- Takes a late result over, or only the given attributes of it, which may have other values.
-- Locks: the late result; as _merge_late.
-- Raises: WD543; as _merge_late.
create or replace function wedsql._repair_merge_late(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_late wedsql.late_result := wedsql._open_late(p_wid, p_arguments);
begin
  perform wedsql._merge_late(v_late, coalesce(p_arguments -> 'changes', v_late.changes), p_reason, p_actor);
  perform wedsql._end_late(v_late, 'merged', p_actor, p_reason);
  return null;
end $$;

-- Discards a late result; the instance stays as it is, whatever its status.
-- Locks: the late result, the cases.
-- Raises: WD543.
create or replace function wedsql._repair_discard_late(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._end_late(wedsql._open_late(p_wid, p_arguments), 'discarded', p_actor, p_reason);
  return null;
end $$;

grant execute on function wedsql.late_results(integer, boolean) to wed_web;
