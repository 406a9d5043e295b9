-- Returns whether each webhook that is read has read all steps of an instance. One that is paused, or whose
-- filter fails, keeps no instance from its removal.
create or replace function wedsql._webhooks_have_read(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select not exists (
  select from wedsql.webhook w
  where w.flow_id = p_flow and w.enabled and w.paused_at is null and w.problem is null
    and w.restored_at = (select s.restored_at from wedsql.figure_state s)
    and exists (select from wedsql.wed_trace t
                where t.wid = p_wid and t.xid is not null
                  and not pg_visible_in_snapshot(t.xid::text::xid8, w.seen)))
$$;

-- Returns whether something still reads an instance that has ended. It is a child: its end is not counted
-- yet, or the result of its parent may read its values while that has not ended. It is a parent: the reaper
-- goes on with its children, or they are open and belong to its tree. A late result of it waits for a
-- decision, its case is open, or a repair of it waits for approvals.
create or replace function wedsql._is_still_read(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.child c left join wedsql.instance p on p.wid = c.parent_wid
               where c.wid = p_wid and (c.state <> 'C' or p.status not in ('F', 'C', 'A')))
  or exists (select from wedsql.child_job j
             where j.parent_wid = p_wid and (j.ended_at is null or j.rest is not null))
  or exists (select from wedsql.child c where c.parent_wid = p_wid and c.state <> 'C')
  or exists (select from wedsql.late_result l where l.wid = p_wid and l.state in ('kept', 'conflict'))
  or exists (select from wedsql.repair_case c where c.wid = p_wid and c.closed_at is null)
  or exists (select from wedsql.proposal p where p.wid = p_wid and p.closed_at is null)
$$;

-- Returns finished instances whose retention is over, oldest first. One that was ever an exception stays,
-- because its repair is evidence. One that could not be removed a moment ago waits for its next try, one with
-- a step that a webhook has not read waits for that, and one that something else still reads for the end of
-- it.
create or replace function wedsql._retirable(
  p_flow wedsql.flow, p_now timestamptz, p_max integer, p_wids integer[] default null)
returns integer[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array_agg(w.wid) from (
  select i.wid from wedsql.instance i
  where i.flow_id = p_flow.id and i.finished_at < p_now - least(p_flow.retention, wedsql._longest())
    and i.status in ('F', 'C', 'A')
    and (p_wids is null or i.wid = any (p_wids)) and wedsql._may_try(p_flow.id, 'retired', i.wid, 0, p_now)
    and wedsql._webhooks_have_read(p_flow.id, i.wid)
    and not wedsql._is_still_read(i.wid)
    and not exists (select 1 from wedsql.wed_trace t
                    where t.wid = i.wid
                      and (t.status = 'E' or t.trw like E'\\_RECOVER%' or t.trw like E'\\_COMP%'))
  order by i.finished_at limit p_max) w
$$;

-- Returns up to p_max instances that the flow's retention releases, each with its whole history as one
-- document. One whose history cannot be read or is too large for a document stays, is recorded
-- (wedsql.trouble) and stops no other.
-- Raises: WD001.
create or replace function wedsql.retirable(p_flow text, p_max integer default 500)
returns table (wid integer, document jsonb)
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_now timestamptz := wedsql.now();
  v_wids integer[];
  v_any boolean := false;
begin
  while not v_any loop
    v_wids := wedsql._retirable(v_flow, v_now, p_max);
    exit when v_wids is null;
    foreach wid in array v_wids loop
      begin
        document := wedsql._document(v_flow.name, wid);
        return next;
        v_any := true;
      exception when others then
        perform wedsql._note_trouble(v_flow.id, 'retired', wid, 0, sqlstate, sqlerrm, v_now);
      end;
    end loop;
  end loop;
end $$;

-- Returns an instance with its whole history.
create or replace function wedsql._document(p_flow text, p_wid integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('flow', p_flow, 'instance', to_jsonb(i),
  'trace', (select jsonb_agg(to_jsonb(t) order by t.seq) from wedsql.wed_trace t where t.wid = i.wid),
  'job_log', coalesce((select jsonb_agg(to_jsonb(l) order by l.id) from wedsql.job_log l where l.wid = i.wid),
                      '[]'))
from wedsql.instance i where i.wid = p_wid
$$;

-- Removes these instances and their history, if the flow's retention releases them, and returns how many were
-- removed. Numbers are never used again. One that cannot be removed stays complete, is recorded
-- (wedsql.trouble) and stops no other.
-- Locks: the instances, skipping locked ones.
-- Raises: WD001.
create or replace function wedsql.retire(p_flow text, p_wids integer[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_now timestamptz := wedsql.now();
  v_wids integer[];
  v_wid integer;
  v_left integer := 0;
begin
  execute format('select array_agg(l.wid) from (select w.wid from %I.wed_flow w where w.wid = any ($1) '
                 'order by w.wid for update skip locked) l', v_flow.name)
    into v_wids using p_wids;
  v_wids := wedsql._retirable(v_flow, v_now, cardinality(v_wids), v_wids);
  begin
    return wedsql._retire(v_flow, coalesce(v_wids, '{}'));
  exception when others then
    null;  -- then one at a time
  end;
  foreach v_wid in array v_wids loop
    begin
      v_left := v_left + wedsql._retire(v_flow, array[v_wid]);
    exception when others then
      perform wedsql._note_trouble(v_flow.id, 'retired', v_wid, 0, sqlstate, sqlerrm, v_now);
    end;
  end loop;
  return v_left;
end $$;

-- Removes these instances, which the caller has locked, with their history, and returns how many. What they
-- did stays in the figures.
-- Locks: the row of wedsql.figure_state.
create or replace function wedsql._retire(p_flow wedsql.flow, p_wids integer[]) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._count_removed(p_wids);
  delete from wedsql.wed_trace t where t.wid = any (p_wids);
  delete from wedsql.job_log l where l.wid = any (p_wids);
  delete from wedsql.sla_clock c where c.wid = any (p_wids);
  delete from wedsql.skipped s where s.wid = any (p_wids);
  delete from wedsql.child c where c.wid = any (p_wids) or c.parent_wid = any (p_wids);
  delete from wedsql.child_job c where c.parent_wid = any (p_wids);
  delete from wedsql.late_result l where l.wid = any (p_wids);
  delete from wedsql.instance i where i.wid = any (p_wids);
  execute format('delete from %I.wed_flow w where w.wid = any ($1)', p_flow.name) using p_wids;
  delete from wedsql.trouble x where x.flow_id = p_flow.id and x.kind = 'retired' and x.wid = any (p_wids);
  return cardinality(p_wids);
end $$;

-- Drops monthly partitions that end before p_before and are empty, and returns their names.
-- Locks: wed_trace briefly per partition, or not at all when that is busy.
create or replace function wedsql.drop_empty_partitions(p_before timestamptz) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  v_name text;
  v_empty boolean;
  v_gone text[] := '{}';
begin
  for v_name in
    select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'wedsql.wed_trace'::regclass and c.relname ~ E'^wed_trace_\\d{4}_\\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= p_before order by c.relname
  loop
    execute format('select not exists (select 1 from wedsql.%I)', v_name) into v_empty;
    if v_empty then
      execute format('drop table wedsql.%I', v_name);
      v_gone := v_gone || v_name;
    end if;
  end loop;
  return v_gone;
exception when lock_not_available then
  return v_gone;
end $$;

grant execute on function wedsql.retirable(text, integer), wedsql.retire(text, integer[]),
  wedsql.drop_empty_partitions(timestamptz) to wed_reaper;
