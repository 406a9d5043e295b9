-- Runs one bounded round of everything that depends on time: ends overdue transactions, gives expired leases
-- back, fires due timers, starts instances, and makes exceptions of jobs that no worker takes. Returns
-- counts. Any number of reapers may run; each flow is handled by one of them at a time. Work that fails is
-- rolled back by itself, kept in wedsql.trouble, and stops nothing else.
-- Locks: its beat and the flow's row of wedsql.care, skipping what another reaper has; one instance at a
-- time, skipping what is locked; then its jobs and trace.
create or replace function wedsql.reap(p_max integer default 200) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_report jsonb := '{"ended": 0, "expired": 0, "timers": 0, "late": 0, "starts": 0}'::jsonb
    || wedsql._call_reap_kinds();
  v_more boolean := false;
  v_alone boolean;
  v_clock jsonb;
  v_flow wedsql.flow;
begin
  perform set_config('wedsql.round_over', '', true);
  perform from wedsql.beat b where b.name = 'reaper' for update skip locked;
  v_alone := found or not exists (select 1 from wedsql.beat b where b.name = 'reaper');
  if v_alone then
    v_clock := wedsql._reap_part('clock', p_max, v_now);
    v_report := v_report || wedsql._reap_parts('{care,workers,troubles,locks,sessions,conditions,refused}'
      || array(select jsonb_object_keys(wedsql._call_reap_parts())), p_max, v_now);
  end if;
  for v_flow in
    select f.* from wedsql.flow f order by random()
  loop
    exit when wedsql._round_over();
    continue when not wedsql._may_be_due_or_note(v_flow, v_now);
    perform from wedsql.care c where c.flow_id = v_flow.id for update skip locked;
    if found then
      v_report := wedsql._add_counts(v_report, wedsql._reap_flow_or_note(v_flow, p_max, v_now));
      v_more := v_more or (select max(c.value::integer) from jsonb_each_text(v_report) c) >= p_max;
    end if;
  end loop;
  if v_alone then
    perform wedsql._reap_parts('{skipped}', p_max, v_now);
    insert into wedsql.beat as b (name, seen_at, detail)
    values ('reaper', v_now,
            v_report || v_clock || jsonb_build_object('more', v_more or wedsql._round_over()))
    on conflict (name) do update set seen_at = excluded.seen_at, detail = excluded.detail;
  end if;
  return v_report;
end $$;

-- Does what is due in one flow, at most p_max of a kind, and returns counts. A flow whose table is locked is
-- left to a later round; one that was dropped meanwhile is left out.
-- Locks: the flow's wed_flow table in the mode of a writer, or nothing.
create or replace function wedsql._reap_flow(p_flow wedsql.flow, p_max integer, p_now timestamptz)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_counts jsonb := '{}';
  v_kind text;
begin
  begin
    execute format('lock table %I.wed_flow in row exclusive mode nowait', p_flow.name);
  exception when others then
    perform wedsql._note_trouble(f.id, 'locked', 0, 0, sqlstate,
      case sqlstate when '55P03' then wedsql._lock_holders(f.name) else sqlerrm end, p_now)
    from wedsql.flow f where f.id = p_flow.id;
    return v_counts;
  end;
  perform wedsql._no_trouble(p_flow.id, 'locked', 0, 0);
  foreach v_kind in array array['expired', 'timers', 'late']
    || array(select jsonb_object_keys(wedsql._call_reap_kinds())) || '{starts}'
    || case when p_flow.automatic then '{automatic}' else '{}' end::text[] loop
    exit when wedsql._round_over();
    begin
      v_counts := v_counts || jsonb_build_object(v_kind, wedsql._reap_kind(p_flow, v_kind, p_max, p_now));
      perform wedsql._no_trouble(p_flow.id, v_kind, 0, 0);
    exception when query_canceled or others then
      perform wedsql._note_part_failure(p_flow.id, v_kind, sqlstate, sqlerrm, p_now);
    end;
  end loop;
  return v_counts;
end $$;

-- Handles up to p_max due items of one kind, the oldest first, and returns how many. Those whose instance is
-- locked are skipped. It ends after a second, so that slow conditions of one flow delay no other.
create or replace function wedsql._reap_kind(
  p_flow wedsql.flow, p_kind text, p_max integer, p_now timestamptz)
returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_due refcursor := wedsql._due_items(p_flow.id, p_kind, p_now);
  v_item record;
  v_done integer := 0;
begin
  for v_look in 1..p_max * 50 loop
    fetch v_due into v_item;
    exit when not found;
    if wedsql._reap_item(p_flow, p_kind, v_item.wid, v_item.item, p_now) then
      v_done := v_done + 1;
    end if;
    exit when v_done >= p_max or clock_timestamp() > v_until or wedsql._round_over();
  end loop;
  close v_due;
  return v_done;
end $$;

-- Returns an open cursor over what is due (wid, item), the oldest first: leases, timers, starts, jobs that no
-- worker took, automatic ones, or what capabilities have. What failed a moment ago waits for its next try.
create or replace function wedsql._due_items(p_flow integer, p_kind text, p_now timestamptz) returns refcursor
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_due refcursor;
begin
  if p_kind = 'expired' then
    open v_due for select j.wid, j.id as item from wedsql.job_pool j
      where j.flow_id = p_flow and j.state = 'L' and j.lease_until <= p_now
        and wedsql._may_try(p_flow, p_kind, j.wid, j.id, p_now)
      order by j.lease_until;
  elsif p_kind = 'timers' then
    open v_due for select x.wid, x.tgid::bigint as item from wedsql.timer x
      where x.flow_id = p_flow and x.due_at <= p_now and wedsql._may_try(p_flow, p_kind, x.wid, x.tgid, p_now)
      order by x.due_at;
  elsif p_kind = 'starts' then
    v_due := wedsql._due_starts(p_flow, p_now);
  elsif p_kind = 'automatic' then
    v_due := wedsql._due_automatic(p_flow, p_now);
  elsif p_kind = 'late' then
    v_due := wedsql._due_late(p_flow, p_now);
  else
    v_due := wedsql._call_due_items(p_flow, p_kind, p_now);
  end if;
  if v_due is null then
    open v_due for select 0 as wid, 0::bigint as item where false;
  end if;
  return v_due;
end $$;

-- Handles one due item. Returns false when it is locked or no longer due, or when it failed: then only the
-- reason remains of it.
-- Locks: the instance, skipping a locked one; its jobs and trace.
create or replace function wedsql._reap_item(
  p_flow wedsql.flow, p_kind text, p_wid integer, p_item bigint, p_now timestamptz)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_done boolean;
begin
  v_done := case p_kind when 'expired' then wedsql._expire(p_wid, p_item, p_now)
                        when 'timers' then wedsql._fire_timer(p_flow, p_wid, p_item::integer, p_now)
                        when 'starts' then wedsql._start_in_time(p_flow, p_item, p_now)
                        when 'automatic' then wedsql._perform_pending(p_flow, p_wid, p_item)
                        when 'late' then wedsql._not_picked_up(p_flow, p_wid, p_item, p_now)
                        else wedsql._call_reap_item(p_flow, p_kind, p_item, p_now) end;
  if v_done then
    perform wedsql._no_trouble(p_flow.id, p_kind, p_wid, p_item);
  end if;
  return v_done;
exception when query_canceled or others then
  perform wedsql._note_trouble(p_flow.id, p_kind, p_wid, p_item, sqlstate, sqlerrm, p_now);
  if sqlstate = '57014' then  -- the next round would begin with it again and lose all its time, too
    perform set_config('wedsql.round_over', 'yes', true);
    update wedsql.trouble t set retry_at = p_now + interval '5 minutes'
    where t.flow_id = p_flow.id and t.kind = p_kind and t.wid = p_wid and t.item = p_item;
  end if;
  return false;
end $$;

-- Returns whether an item of this round was ended by statement_timeout. PostgreSQL ends a statement once, so
-- anything after it would have no limit: the next round does it.
create or replace function wedsql._round_over() returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(current_setting('wedsql.round_over', true), '') <> ''
$$;
