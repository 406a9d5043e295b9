-- Performs bulk operations in slices. A slice is one transaction: the effect on an instance and its result
-- are committed together, so a reaper that is killed leaves neither half of it, and the next one continues.

-- Locks those of these instances that no other session has locked, and returns them in order. Null while a
-- definition changes.
-- Locks: for skip, which changes it, the flow's row; the flow's table in the mode of a writer, or nothing;
-- the instances.
create or replace function wedsql._bulk_hold(p_bulk wedsql.bulk, p_flow integer, p_wids integer[])
  returns integer[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := (select f.name from wedsql.flow f where f.id = p_flow);
  v_got integer[];
begin
  if v_name is null then
    return '{}';
  elsif p_bulk.operation = 'skip' then
    perform wedsql._begin_change(p_flow);
  end if;
  execute format('lock table %I.wed_flow in row exclusive mode nowait', v_name);
  execute format('select coalesce(array_agg(l.wid), ''{}'') from (select w.wid from %I.wed_flow w '
                 'where w.wid = any ($1) order by w.wid for no key update skip locked) l', v_name)
  into v_got using p_wids;
  return v_got;
exception when lock_not_available or undefined_table or sqlstate 'WD010' then
  return null;
end $$;

-- Performs at most p_max instances of one flow, for about a second, and returns whether any was performed;
-- null when there is none that was not tried since p_since. Those that another session has locked wait for
-- the other ones. Steps are tried together, and one by one if that fails. An operation of which nothing is
-- left, as when its rows were removed, ends here.
-- Locks: as _bulk_hold, in the order of their numbers; the caller holds the operation.
create or replace function wedsql._bulk_slice(p_bulk wedsql.bulk, p_max integer, p_since timestamptz)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_flow integer;
  v_wids integer[];
  v_got integer[];
  v_wid integer;
  v_done integer[] := '{}';
begin
  if not exists (select 1 from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.result is null) then
    perform wedsql._keep_bulk(p_bulk, '{}');
    return true;
  elsif p_bulk.atomic then
    return wedsql._bulk_whole(p_bulk);
  end if;
  select r.flow_id into v_flow from wedsql.bulk_row r
  where r.bulk_id = p_bulk.id and r.result is null
    and not r.tried_at between p_since and p_since + interval '5 minutes'  -- or the clock was set back
  order by r.tried_at, r.wid limit 1;
  if not found then
    return null;
  end if;
  v_wids := array(select r.wid from wedsql.bulk_row r
    where r.bulk_id = p_bulk.id and r.result is null and r.flow_id = v_flow
      and not r.tried_at between p_since and p_since + interval '5 minutes'
    order by r.tried_at, r.wid limit p_max);
  v_got := wedsql._bulk_hold(p_bulk, v_flow, v_wids);
  if v_got is null then
    update wedsql.bulk_row r set tried_at = wedsql.now()
    where r.bulk_id = p_bulk.id and r.wid = any (v_wids);
    return false;
  end if;
  perform wedsql._bulk_missed(p_bulk, wedsql._without(v_wids, v_got));
  if wedsql._is_bulk_repair(p_bulk.operation) and v_got <> '{}' and not exists (
       select 1 from wedsql.bulk_row r
       where r.bulk_id = p_bulk.id and r.wid = any (v_got) and r.blocked_at is not null)
     and wedsql._bulk_try(p_bulk, v_got) then
    v_done := v_got;
  end if;
  foreach v_wid in array wedsql._without(v_got, v_done) loop
    exit when wedsql._round_over() or v_done <> '{}' and clock_timestamp() > v_until;
    perform wedsql._bulk_one(p_bulk, v_wid);
    v_done := v_done || v_wid;
  end loop;
  return wedsql._keep_bulk(p_bulk, v_done || wedsql._without(v_wids, v_got));
end $$;

-- Adds the results of these instances to the operation, which ends when nothing is left, or if it is all or
-- nothing, and returns whether there were any.
create or replace function wedsql._keep_bulk(p_bulk wedsql.bulk, p_wids integer[]) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_new record;
  v_ended boolean := p_bulk.atomic or not exists (
    select 1 from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.result is null);
begin
  select count(*) filter (where r.result = 'done') as done,
         count(*) filter (where r.result = 'refused') as refused,
         count(*) filter (where r.result = 'gone') as gone, count(r.result) as n into v_new
  from wedsql.bulk_row r where r.bulk_id = p_bulk.id and r.wid = any (p_wids);
  update wedsql.bulk b
  set done = b.done + v_new.done, refused = b.refused + v_new.refused, gone = b.gone + v_new.gone,
      changed_at = v_now, state = case when v_ended then 'finished' else b.state end,
      finished_at = case when v_ended then v_now end
  where b.id = p_bulk.id;
  return v_new.n > 0;
end $$;

-- Performs a slice of one bulk operation, the one that has waited longest, and returns its number; null when
-- there is none that this session can continue now. For the reaper, in a transaction of its own.
-- Locks: the operation, skipping a locked one; as _bulk_slice.
create or replace function wedsql.continue_bulk(p_max integer default 100) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_bulk wedsql.bulk;
  v_id bigint;
  v_performed boolean;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_id in select b.id from wedsql.bulk b
    where b.state = 'running' and wedsql._may_try(0, 'bulk', 0, b.id, v_now) order by b.changed_at, b.id
  loop
    begin
      select * into v_bulk from wedsql.bulk b where b.id = v_id and b.state = 'running'
      for update skip locked;
      v_performed := case when found then false end;
      while not v_performed and not wedsql._round_over() loop
        v_performed := wedsql._bulk_slice(v_bulk, greatest(p_max, 1), v_now);
      end loop;
      if v_performed then
        perform wedsql._no_trouble(0, 'bulk', 0, v_id);
        return v_id;
      end if;
    exception when query_canceled or others then
      perform wedsql._note_trouble(0, 'bulk', 0, v_id, sqlstate, sqlerrm, v_now);
      return null;
    end;
    exit when wedsql._round_over();
  end loop;
  return null;
end $$;

-- Removes bulk operations that ended 90 days ago, at most p_max of their instances at once, and returns how
-- many instances. What was done stays in the history of the instances.
create or replace function wedsql._forget_bulk(p_max integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := wedsql.now() - interval '90 days';
  v_rows integer;
begin
  delete from wedsql.bulk_row r where r.ctid = any (array(
    select o.ctid from wedsql.bulk b join wedsql.bulk_row o on o.bulk_id = b.id
    where b.finished_at < v_before limit p_max));
  get diagnostics v_rows = row_count;
  delete from wedsql.bulk b where b.finished_at < v_before
    and not exists (select 1 from wedsql.bulk_row r where r.bulk_id = b.id);
  return v_rows;
end $$;

create or replace function wedsql._on_maintain_bulk() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('bulk_rows_removed', wedsql._forget_bulk(100000))
$$;

grant execute on function
  wedsql.request_bulk(text, integer[], integer, text, text, integer, text, text, text[], text,
                      text, jsonb, boolean, integer),
  wedsql.group_instances(text, text, text, text, integer),
  wedsql.bulk_instances(bigint, text, text, integer),
  wedsql.preview_bulk(text, integer[], text, jsonb, text, double precision, integer),
  wedsql.change_bulk(bigint, text, text), wedsql.read_bulk(bigint), wedsql.list_bulk(text[], bigint, integer),
  wedsql.bulk_rows(bigint, text, integer, integer)
to wed_web;
grant execute on function wedsql.continue_bulk(integer) to wed_reaper;
