-- The values that attributes have after steps were undone.

-- Returns the attributes that a step wrote with their values before it, except those that a step that stays
-- wrote after it.
create or replace function wedsql._restorable(p_wid integer, p_undone integer[], p_seq integer) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (
    select coalesce(jsonb_object_agg(b.key, b.value), '{}')
    from wedsql.wed_trace h cross join lateral jsonb_each(h.before) b
    where h.wid = p_wid and h.seq = p_seq and not exists (
      select 1 from wedsql.wed_trace o
      where o.wid = p_wid and o.seq > p_seq and o.before ? b.key and o.seq <> all (p_undone)
        and coalesce(o.compensates_seq <> all (p_undone), true)));
end $$;

-- Returns the values that attributes get at the end: those of the step to which the instance returns, or,
-- with compensate, those before the first of the undone steps after which only such wrote them. What
-- compensations wrote last stays; what a person changes is as the person says.
create or replace function wedsql._target_state(p_recovery wedsql.recovery) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_state jsonb;
begin
  if p_recovery.operation = 'compensate' then
    select jsonb_object_agg(v.key, v.value) into v_state from (
      select distinct on (b.key) b.key, b.value
      from unnest(p_recovery.undone) u (seq)
      cross join lateral jsonb_each(wedsql._restorable(p_recovery.wid, p_recovery.undone, u.seq)) b
      order by b.key, u.seq) v;
  else
    select t.state into v_state from wedsql.wed_trace t
    where t.wid = p_recovery.wid and t.seq = p_recovery.target_seq;
  end if;
  return coalesce(v_state, '{}') - p_recovery.restored || p_recovery.changes;
end $$;

-- Returns the attributes that undoing these steps writes, and the state after it, as rules for approvals see
-- them.
create or replace function wedsql._after_undo(p_flow wedsql.flow, p_recovery wedsql.recovery,
  out written text[], out state jsonb)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array(select distinct k from wedsql.wed_trace h cross join lateral jsonb_object_keys(h.before) k
             where h.wid = p_recovery.wid and h.seq = any (p_recovery.undone))
         || array(select jsonb_object_keys(p_recovery.changes)),
       wedsql._present_state(p_flow.name, p_recovery.wid) || wedsql._target_state(p_recovery)
$$;
