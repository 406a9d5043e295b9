-- Cases that are put aside until the state is as a person awaits it. The reaper looks at those whose instance
-- has made a step since the condition was evaluated last; a commit pays nothing for them.

-- Returns for each of these conditions, which belong to one flow, whether it holds on the last state of its
-- instance: t, f, u for unknown, e for failed; null where it is not a condition over the attributes any more,
-- because one was removed or has another type.
create or replace function wedsql._awaited(p_flow integer, p_cases wedsql.repair_case[])
  returns table (number bigint, seq integer, letter text)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
#variable_conflict use_column
declare
  v_types jsonb := wedsql._attr_types(p_flow);
  v_case wedsql.repair_case;
  v_state jsonb;
begin
  foreach v_case in array p_cases loop
    number := v_case.number;
    letter := null;
    select h.seq, coalesce(h.state, '{}') into seq, v_state
    from wedsql.wed_trace h where h.wid = v_case.wid order by h.seq desc limit 1;
    begin
      if v_types ?& v_case.waits_reads then
        letter := (wedsql._values(array[row(1, null, v_case.waits_compiled, v_case.waits_reads, null)
          ::wedsql.condition], v_types, jsonb_build_array(v_state)))[1];
      end if;
    exception
    when transaction_rollback or lock_not_available then
      raise;
    when others then
      null;
    end;
    return next;
  end loop;
end $$;

-- Ends the wait of cases whose condition holds now, or is no condition any more, and notes for the
-- others at which step they were examined. Examines at most p_max of a flow, and returns how many. A case
-- whose condition cannot be examined is recorded (wedsql.trouble) and stops no other.
-- Locks: the cases, skipping locked ones.
create or replace function wedsql.end_waits(p_max integer default 200) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow integer;
  v_cases wedsql.repair_case[];
  v_done integer := 0;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_flow in
    select f.id from wedsql.flow f
    where wedsql._may_try(f.id, 'waits', 0, 0, v_now) and exists (
      select from wedsql.repair_case c where c.flow_id = f.id and c.state = 'waiting' and c.waits_for <> ''
        and c.waits_seq is distinct from c.seq)
  loop
    exit when wedsql._round_over();
    v_cases := array(select c from wedsql.repair_case c
                     where c.flow_id = v_flow and c.state = 'waiting' and c.waits_for <> ''
                       and c.waits_seq is distinct from c.seq
                       and wedsql._may_try(v_flow, 'waits', c.wid, c.number, v_now)
                     limit p_max for no key update skip locked);
    v_done := v_done + wedsql._look_at_cases('waits', v_flow, v_cases, v_now);
  end loop;
  return v_done;
end $$;

-- Ends the waits of those of these cases, which the caller has locked, whose condition holds or cannot hold
-- any more.
create or replace function wedsql._end_waits(p_flow integer, p_cases wedsql.repair_case[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
with found as materialized (
  select a.number, a.letter, coalesce(a.letter, 't') = 't' as ends from wedsql._awaited(p_flow, p_cases) a),
noted as (
  insert into wedsql.case_event (number, at, kind, actor, text, detail)
  select c.number, wedsql.now(), 'awaited', 'kernel', '',
         jsonb_build_object('condition', c.waits_for, 'holds', f.letter is not null)
  from found f join unnest(p_cases) c on c.number = f.number where f.ends)
update wedsql.repair_case c
set waits_seq = c.seq,
    state = case when not f.ends then c.state when c.reopened > 0 then 'reopened' else 'new' end,
    owner = case when f.ends then '' else c.owner end,
    waits_until = case when not f.ends then c.waits_until end
from found f where c.number = f.number
$$;

grant execute on function wedsql.end_waits(integer) to wed_reaper;
