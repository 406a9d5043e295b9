-- Returns finished instances whose retention is over, oldest first. One that was ever an exception stays,
-- because its repair is evidence. One that could not be removed a moment ago waits for its next try, and one
-- that a capability still reads for the end of it.
create or replace function wedsql._retirable(
  p_flow wedsql.flow, p_now timestamptz, p_max integer, p_wids integer[] default null)
returns integer[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array_agg(w.wid) from (
  select i.wid from wedsql.instance i
  where i.flow_id = p_flow.id and i.finished_at < p_now - least(p_flow.retention, wedsql._longest())
    and i.status in ('F', 'C', 'A')
    and (p_wids is null or i.wid = any (p_wids)) and wedsql._may_try(p_flow.id, 'retired', i.wid, 0, p_now)
    and not wedsql._call_reads(p_flow.id, i.wid)
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
      exception when query_canceled or others then
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
-- Locks: the flow's table against a definition that is being changed; the instances, skipping locked ones.
-- Raises: WD001.
create or replace function wedsql.retire(p_flow text, p_wids integer[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._locked_flow(p_flow, 'row share');
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
  exception when query_canceled or others then
    null;  -- then one at a time
  end;
  foreach v_wid in array v_wids loop
    begin
      v_left := v_left + wedsql._retire(v_flow, array[v_wid]);
    exception when query_canceled or others then
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
  perform wedsql._call_retired(p_wids);
  delete from wedsql.wed_trace t where t.wid = any (p_wids);
  delete from wedsql.job_log l where l.wid = any (p_wids);
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

-- Forgets skipped jobs of instances that have ended, and has the steps of flows without skipped jobs take the
-- fast path again.
-- Locks: these rows and the rows of these flows, skipping locked ones.
create or replace function wedsql._forget_skipped() returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  v_flow integer;
  v_wids integer[] := array(select o.wid from wedsql.skipped o
    where o.wid > wedsql._look_after('skipped') order by o.wid limit 500);
begin
  perform wedsql._looked('skipped', case when cardinality(v_wids) = 500 then v_wids[500] end);
  delete from wedsql.skipped s where s.ctid = any (array(
    select o.ctid from unnest(v_wids) u (wid) join wedsql.skipped o on o.wid = u.wid
    where not exists (select 1 from wedsql.instance i
                      where i.wid = o.wid and i.status in ('R', 'E', 'S', 'X')) for update of o skip locked));
  for v_flow in
    select f.id from wedsql.flow f
    where not f.plain and not exists (select 1 from wedsql.skipped s where s.flow_id = f.id)
      and not exists (select 1 from wedsql.trig t where t.flow_id = f.id and not wedsql._is_plain(t))
  loop
    perform 1 from wedsql.flow f where f.id = v_flow for no key update skip locked;
    if found then  -- whoever skips a job locks the flow's row first
      update wedsql.flow f set plain = true
      where f.id = v_flow and not exists (select 1 from wedsql.skipped s where s.flow_id = f.id);
    end if;
  end loop;
end $$;
