-- Taking the next task: the first one in an order that a person gets.

-- Returns the first open task of some audiences in an order, of these flows (null: of all), besides p_besides;
-- null for none. One look into the index of the order for each audience, or each pair of audience and flow.
create or replace function wedsql._next_open(p_order text, p_person text, p_keys text[], p_flows integer[],
  p_besides bigint[]) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  v_column text := case p_order when 'arrival' then 'arrived_at' when 'priority' then 'rank' else 'due_at' end;
  v_pairs text := case when p_flows is not null then 'cross join unnest($3) f (id)' else '' end;
  v_of_flow text := case when p_flows is not null then 'and t.flow_id = f.id' else '' end;
  v_found bigint;
begin
  execute format($q$
    select c.job_id from unnest($2) k (name) %1$s cross join lateral (
      select t.%3$I, t.job_id from wedsql.task t
      where t.audience = k.name %2$s and t.state = 'R' and $1 <> all (t.excluded) and t.job_id <> all ($4)
      order by t.%3$I, t.job_id limit 1) c
    order by c.%3$I, c.job_id limit 1$q$, v_pairs, v_of_flow, v_column)
  into v_found using p_person, p_keys, p_flows, p_besides;
  return v_found;
end $$;

-- Gives the person the first open task in an order, of these flows (null: of all), and returns it; null if
-- none is open to the person. A task that cannot be had, because another person is first or its condition no
-- longer holds, is passed over.
-- Locks: as take_task, one task after the other.
-- Raises: WD009 for another order, or without a person.
create or replace function wedsql.next_task(p_person text, p_keys text[], p_order text default 'arrival',
  p_flows text[] default null) returns wedsql.held_task
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_keys text[];
  v_flows integer[];
  v_besides bigint[] := '{}';
  v_job bigint;
  v_held wedsql.held_task;
begin
  perform wedsql._need_person(p_person);
  if p_order not in ('arrival', 'priority', 'deadline') or p_order is null then
    perform wedsql._raise('WD009', 'Tasks are listed by arrival, priority or deadline.');
  end if;
  v_keys := array(select distinct k from unnest(p_keys || wedsql.person_keys(p_person)) k);
  if p_flows is not null then
    v_flows := array(select f.id from wedsql.flow f where f.name = any (p_flows));
  end if;
  loop
    v_job := wedsql._next_open(p_order, p_person, v_keys, v_flows, v_besides);
    exit when v_job is null;
    begin
      perform wedsql._lock_flow_of(v_job);
      perform wedsql._check_condition_of(v_job);  -- in a block of its own: what it withdraws stays so
    exception when sqlstate 'WD590' then
      null;  -- it was removed
    end;
    begin
      v_held := wedsql.take_task(v_job, p_person, p_keys);
      return v_held;
    exception when sqlstate 'WD590' or sqlstate 'WD591' or sqlstate 'WD592' or sqlstate 'WD593' then
      v_besides := v_besides || v_job;
    end;
  end loop;
  return null;
end $$;

grant execute on function wedsql.next_task(text, text[], text, text[]) to wed_web;
