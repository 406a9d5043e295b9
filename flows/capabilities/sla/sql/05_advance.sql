-- Keeps the clocks of SLAs: by what was committed since the last round, and for the past of SLAs that are new
-- or were changed, the newest instances first. As in figures, a snapshot says what was read; but reading a
-- step twice changes nothing, so it is enough that no step is left out.

-- Returns the instances after wedsql.sla_state.after_wid, in order, with steps that are visible in p_upto and
-- were not in p_state.counted, of flows that have an SLA. All steps of an instance that are visible and not
-- in p_state.counted come after all others.
create or replace function wedsql._changed_instances(p_state wedsql.sla_state, p_max integer)
returns table (wid integer, flow_id integer, after integer)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
with changed as (
  select t.wid, t.flow_id from wedsql.wed_trace t
  where t.xid >= pg_snapshot_xmax(p_state.counted)::text::bigint
    and t.xid < pg_snapshot_xmax(p_state.upto)::text::bigint and t.tx_at >= p_state.restored_at
  union
  select t.wid, t.flow_id from wedsql.wed_trace t
  where t.xid = any (array(select x::text::bigint from pg_snapshot_xip(p_state.counted) x))
    and t.tx_at >= p_state.restored_at)
select c.wid, c.flow_id, (
  select coalesce(max(t.seq), -1) from wedsql.wed_trace t
  where t.wid = c.wid and (t.xid is null or t.tx_at < p_state.restored_at
                           or pg_visible_in_snapshot(t.xid::text::xid8, p_state.counted)))
from changed c
where c.wid > p_state.after_wid
  and exists (select from wedsql.sla s where s.flow_id = c.flow_id and s.enabled)
order by c.wid limit p_max
$$;

-- Returns the snapshot up to which a round reads, so that it has about p_max steps.
create or replace function wedsql._sla_upto(p_counted pg_snapshot, p_max integer) returns pg_snapshot
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
select wedsql._snapshot_until(pg_current_snapshot(), coalesce((
  select t.xid + 1 from wedsql.wed_trace t
  where t.xid >= pg_snapshot_xmax(p_counted)::text::bigint order by t.xid offset p_max limit 1),
  9223372036854775807))
$$;

-- Compiles the predicates of an SLA again, as attributes may have changed since. If that changes how they are
-- evaluated, its clocks are computed again; if it fails, they are not computed. Returns whether they can be
-- advanced.
create or replace function wedsql._check_compiled(p_sla wedsql.sla) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_compiled text[];
  v_error text;
begin
  begin
    v_compiled := wedsql._compiled_sla((select f.name from wedsql.flow f where f.id = p_sla.flow_id), p_sla);
  exception when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    v_error := sqlerrm;
  end;
  if v_error is null and p_sla.error is null and v_compiled = p_sla.compiled then
    return true;
  end if;
  update wedsql.sla s
  set error = v_error, compiled = coalesce(v_compiled, s.compiled), below = 2147483647
  where s.id = p_sla.id and s.revision = p_sla.revision and (s.error, s.compiled, s.below)
    is distinct from (v_error, coalesce(v_compiled, s.compiled), 2147483647);
  return false;
end $$;

-- Advances the clocks of an SLA in one instance, from the beginning of its history if p_after is -1 or if
-- that failed before. Returns how many steps it read; null where it failed, of which only the reason
-- remains: then the instance is tried again by itself.
create or replace function wedsql._try_clock(p_sla wedsql.sla, p_wid integer, p_after integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (select f.name from wedsql.flow f where f.id = p_sla.flow_id);
begin
  if p_after <> -1 and exists (select from wedsql.trouble t where t.flow_id = p_sla.flow_id
                               and t.kind = 'clocks' and t.wid = p_wid and t.item = p_sla.id) then
    p_after := -1;
  end if;
  if p_after = -1 then
    delete from wedsql.sla_clock c where c.sla_id = p_sla.id and c.wid = p_wid;
  end if;
  return wedsql._advance_clock(p_sla, v_flow, p_wid, p_after);
exception when query_canceled or others then
  perform wedsql._note_item_failure(p_sla.flow_id, 'clocks', p_wid, p_sla.id, sqlstate, sqlerrm,
                                    wedsql.now());
  return null;
end $$;

-- Tries up to p_max clocks that failed again, those that have waited longest first, and forgets those of
-- which the instance or the SLA is gone.
create or replace function wedsql._retry_clocks(p_max integer) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_failed wedsql.trouble;
  v_sla wedsql.sla;
begin
  for v_failed in
    select t.* from wedsql.trouble t
    where t.kind = 'clocks' and wedsql._may_try(t.flow_id, t.kind, t.wid, t.item, v_now)
    order by t.retry_at limit p_max
  loop
    exit when wedsql._round_over();
    select * into v_sla from wedsql.sla s where s.id = v_failed.item and s.enabled;
    if not found or not exists (select from wedsql.instance i where i.wid = v_failed.wid) then
      perform wedsql._no_trouble(v_failed.flow_id, 'clocks', v_failed.wid, v_failed.item);
    elsif v_sla.error is null and wedsql._check_compiled(v_sla)
          and wedsql._try_clock(v_sla, v_failed.wid, -1) is not null then
      perform wedsql._no_trouble(v_failed.flow_id, 'clocks', v_failed.wid, v_failed.item);
    end if;
  end loop;
end $$;

-- Advances the clocks of up to p_max instances that have changed. Returns how many steps it read.
create or replace function wedsql._advance_changed(p_state wedsql.sla_state, p_max integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_slas wedsql.sla[] := array(select s from wedsql.sla s where s.enabled and s.error is null);
  v_sla wedsql.sla;
  v_changed record;
  v_last integer;
  v_found integer := 0;
  v_steps integer := 0;
begin
  v_slas := array(select s from unnest(v_slas) s where wedsql._check_compiled(s));
  if p_state.upto is null then
    p_state.upto := wedsql._sla_upto(p_state.counted, p_max);
    p_state.after_wid := 0;
  end if;
  for v_changed in select * from wedsql._changed_instances(p_state, p_max) loop
    v_found := v_found + 1;
    v_last := v_changed.wid;
    foreach v_sla in array v_slas loop
      if v_sla.flow_id = v_changed.flow_id and v_changed.wid >= coalesce(v_sla.below, 0) then
        v_steps := v_steps + coalesce(wedsql._try_clock(v_sla, v_changed.wid, v_changed.after), 0);
      end if;
    end loop;
    if wedsql._round_over() then
      v_found := p_max;  -- the rest is done by the next round
      exit;
    end if;
  end loop;
  update wedsql.sla_state s
  set counted = case when v_found < p_max then p_state.upto else s.counted end,
      upto = case when v_found < p_max then null else p_state.upto end,
      after_wid = case when v_found < p_max then 0 else v_last end;
  return v_steps;
end $$;

-- Computes the clocks of an SLA in up to p_max instances from their whole history. Returns how many.
-- Locks: the row of the SLA, unless it was changed meanwhile.
create or replace function wedsql._compute_past(p_sla wedsql.sla, p_max integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_wids integer[] := array(
    select i.wid from wedsql.instance i where i.flow_id = p_sla.flow_id and i.wid < p_sla.below
    order by i.wid desc limit p_max);
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_wid integer;
  v_done integer := 0;
begin
  foreach v_wid in array v_wids loop
    perform wedsql._try_clock(p_sla, v_wid, -1);
    v_done := v_done + 1;
    exit when clock_timestamp() > v_until or wedsql._round_over();
  end loop;
  update wedsql.sla s
  set below = case when v_done = cardinality(v_wids) and v_done < p_max then null else v_wid end
  where s.id = p_sla.id and s.revision = p_sla.revision and s.below = p_sla.below;
  return v_done;
end $$;

-- Returns whether the row of the state was written by another transaction than it says: the database was
-- restored from a dump.
create or replace function wedsql._slas_restored() returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select s.xmin::text::bigint <> s.own_xid % 4294967296 from wedsql.sla_state s
$$;

-- Starts from the beginning: all clocks are computed from the whole history, which includes all that is
-- visible now.
create or replace function wedsql._restart_slas(p_restored boolean) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.sla s set below = 2147483647 where s.below is distinct from 2147483647;
update wedsql.sla_state s
set counted = pg_current_snapshot(), upto = null, after_wid = 0,
    restored_at = case when p_restored then wedsql._oldest_transaction() else s.restored_at end
$$;

-- Advances the clocks of SLAs by one slice of about p_max steps, and computes one of the past. Returns how
-- many steps and instances it read, and whether there is more to do; null while another session does it. An
-- instance whose clock cannot be advanced is recorded (wedsql.trouble), is tried again, and stops no other.
-- Locks: the row of wedsql.sla_state, or nothing; clocks; SLAs.
create or replace function wedsql.advance_slas(p_max integer default 2000) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_state wedsql.sla_state;
  v_sla wedsql.sla;
  v_last bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  v_steps integer := 0;
  v_past integer := 0;
begin
  if not exists (select from wedsql.sla s where s.enabled) then
    return '{"steps": 0, "instances": 0, "more": false}';
  end if;
  perform from wedsql.sla_state s for update skip locked;
  if not found then
    return null;
  end if;
  perform set_config('wedsql.round_over', '', true);
  if wedsql._slas_restored() then
    perform wedsql._restart_slas(true);
  elsif not exists (select from wedsql.sla s
                    where s.enabled and s.error is null and s.below is distinct from 2147483647) then
    perform wedsql._restart_slas(false);
  else
    select * into v_state from wedsql.sla_state s;
    v_steps := wedsql._advance_changed(v_state, p_max);
  end if;
  perform wedsql._check_compiled(s) from wedsql.sla s where s.enabled and s.error is not null;
  select * into v_sla from wedsql.sla s
  where s.enabled and s.error is null and s.below is not null order by s.below desc, s.id limit 1;
  if found and not wedsql._round_over() and wedsql._check_compiled(v_sla) then
    v_past := wedsql._compute_past(v_sla, greatest(1, p_max / 10));
  end if;
  perform wedsql._retry_clocks(greatest(1, p_max / 100));
  update wedsql.sla_state s set after_wid = s.after_wid;  -- makes its xmin that of this transaction
  update wedsql.sla_state s set own_xid = s.xmin::text::bigint;
  return jsonb_build_object('steps', v_steps, 'instances', v_past, 'more', exists (
    select from wedsql.sla s where s.enabled and s.error is null and s.below is not null)
    or exists (select from wedsql.sla_state s
               where s.upto is not null or pg_snapshot_xmax(s.counted)::text::bigint < v_last));
end $$;

grant execute on function wedsql.advance_slas(integer) to wed_reaper;
