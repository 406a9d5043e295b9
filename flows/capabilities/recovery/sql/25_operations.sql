-- The operations that undo steps, as operations of the repair desk. Each returns what it compensates:
-- {"compensations": [{"seq", "transition", "compensated_by", "problem"}]}, as wedsql.compensations has it.

-- Returns what an operation would compensate, the first one first.
create or replace function wedsql._compensations_of(p_wid integer, p_operation text, p_seq integer)
  returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('compensations', coalesce(jsonb_agg(to_jsonb(c) order by c.seq desc), '[]'))
from wedsql.compensations(p_wid, p_operation, p_seq) c
$$;

-- Locks, raises: as roll_back.
create or replace function wedsql._repair_rollback(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_seq integer := (p_arguments ->> 'seq')::integer;
  v_facts jsonb := wedsql._compensations_of(p_wid, 'rollback', v_seq);
begin
  perform wedsql.roll_back(p_wid, v_seq, p_reason, p_actor,
                           coalesce((p_arguments ->> 'override')::boolean, false),
                           coalesce((p_arguments ->> 'hold')::boolean, false));
  return v_facts;
end $$;

-- Locks, raises: as compensate.
create or replace function wedsql._repair_compensate(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_seq integer := (p_arguments ->> 'seq')::integer;
  v_facts jsonb := wedsql._compensations_of(p_wid, 'compensate', v_seq);
begin
  perform wedsql.compensate(p_wid, v_seq, p_reason, p_actor,
                            coalesce((p_arguments ->> 'override')::boolean, false),
                            coalesce((p_arguments ->> 'hold')::boolean, false));
  return v_facts;
end $$;

-- Locks, raises: as abort.
create or replace function wedsql._repair_abort(p_wid integer, p_arguments jsonb, p_reason text, p_actor text)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb := wedsql._compensations_of(p_wid, 'abort', 1);
begin
  perform wedsql.abort(p_wid, p_reason, p_actor, coalesce((p_arguments ->> 'override')::boolean, false));
  return v_facts;
end $$;

-- Locks, raises: as skip_compensation.
create or replace function wedsql._repair_skip_compensation(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql.skip_compensation(p_wid, p_reason, p_actor);
select null::jsonb
$$;
