-- The order of a person's own, and how a person has tasks listed. Both are kept here, so that they are the
-- same wherever the person logs in.

-- Returns where a task is in the order of a person: where the person has put it, else at its arrival; null
-- for no task.
create or replace function wedsql._place_of(p_person text, p_task wedsql.task) returns wedsql.task_place
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_place wedsql.task_place;
begin
  select p.* into v_place from wedsql.task_place p where p.person = p_person and p.job_id = p_task.job_id;
  if not found and p_task.job_id is not null then
    v_place := row(p_person, p_task.job_id, p_task.arrived_at, p_task.job_id);
  end if;
  return v_place;
end $$;

-- Puts a task in the order of a person between two others: behind p_after, and before p_before; null for the
-- beginning or the end of what is listed. It is a task that the person holds or may take, and so are these.
-- Locks: the place.
-- Raises: WD009 without a neighbour, for one that is the task itself, or where they are in another order;
-- WD590, WD591, WD593.
create or replace function wedsql.place_task(p_person text, p_keys text[], p_job bigint,
  p_after bigint default null, p_before bigint default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_low wedsql.task_place;
  v_high wedsql.task_place;
  v_place wedsql.task_place;
begin
  perform wedsql._need_person(p_person);
  perform wedsql._check_listed(p_person, p_keys, n) from unnest(array[p_job, p_after, p_before]) n
  where n is not null;
  if num_nulls(p_after, p_before) = 2 or p_job in (p_after, p_before) then
    perform wedsql._raise('WD009', 'A task is put behind another task, or before one.', 'Name a neighbour.');
  end if;
  v_low := wedsql._place_of(p_person, t) from wedsql.task t where t.job_id = p_after;
  v_high := wedsql._place_of(p_person, t) from wedsql.task t where t.job_id = p_before;
  if (v_low.at, v_low.number) >= (v_high.at, v_high.number) then
    perform wedsql._raise('WD009', 'These two tasks are in another order now.', 'Load the list again.');
  end if;
  v_place := wedsql._between(v_low, v_high);
  perform wedsql._make_room(p_person);
  insert into wedsql.task_place as p (person, job_id, at, number)
  values (p_person, p_job, v_place.at, v_place.number)
  on conflict (person, job_id) do update set at = excluded.at, number = excluded.number;
end $$;

-- Returns a place between two, of which one may be null, where the person has put no other task.
-- Raises: WD009 where there is none left.
create or replace function wedsql._between(p_low wedsql.task_place, p_high wedsql.task_place)
  returns wedsql.task_place
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_place wedsql.task_place := coalesce(p_low, p_high);
  v_other numeric;
begin
  if p_low.at is not null then
    v_other := least(floor(p_low.number) + 1, case when p_high.at = p_low.at then p_high.number end,
      (select min(p.number) from wedsql.task_place p
       where p.person = p_low.person and p.at = p_low.at and p.number > p_low.number));
  else
    v_other := greatest(ceil(p_high.number) - 1,
      (select max(p.number) from wedsql.task_place p
       where p.person = p_high.person and p.at = p_high.at and p.number < p_high.number));
  end if;
  v_place.number := (v_place.number + v_other) * 0.5;
  if scale(v_place.number) > 1000 then
    perform wedsql._raise('WD009', 'There is no place left between these two tasks.',
      'Begin the order again.');
  end if;
  return v_place;
end $$;

-- Raises: WD590; WD593 for a task that has ended; WD591 for one that the person neither holds nor may take.
create or replace function wedsql._check_listed(p_person text, p_keys text[], p_job bigint) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  if v_task.ended_at is not null then
    perform wedsql._raise('WD593', 'Task {task} is no longer to be done.', 'Load the list again.',
                          wedsql._task_facts(v_task));
  elsif v_task.owner is distinct from p_person then
    perform wedsql._check_may_take(v_task, p_person, p_keys);
  end if;
end $$;

-- Deletes places of tasks that have ended where a person has many.
-- Locks: the places.
-- Raises: WD009 for a person with 500 that are of use.
create or replace function wedsql._make_room(p_person text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if (select count(*) from wedsql.task_place p where p.person = p_person) < 500 then
    return;
  end if;
  delete from wedsql.task_place p where p.person = p_person and not exists (
    select from wedsql.task t where t.job_id = p.job_id and t.ended_at is null);
  if not found then
    perform wedsql._raise('WD009',
      'You have put {limit} tasks in an order of your own; there can be no more.',
      'Complete some, or begin the order again.', jsonb_build_object('limit', 500));
  end if;
end $$;

-- Begins the order of a person again: it is that of the arrival.
create or replace function wedsql.clear_task_places(p_person text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
delete from wedsql.task_place p where p.person = p_person
$$;

-- Returns how a person has tasks listed: {"sorting", "columns"}; null columns are the usual ones.
create or replace function wedsql.task_list(p_person text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return coalesce((select jsonb_build_object('sorting', l.sorting, 'columns', to_jsonb(l.columns))
                   from wedsql.task_list l where l.person = p_person),
                  '{"sorting": "arrival", "columns": null}');
end $$;

-- Saves how a person has tasks listed: an order and columns, of which null ones stay, and empty columns are
-- the usual ones.
-- Raises: WD009.
create or replace function wedsql.set_task_list(p_person text, p_sorting text default null,
  p_columns text[] default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._need_person(p_person);
  perform wedsql._check_order(coalesce(p_sorting, 'arrival'));
  if cardinality(p_columns) > 20 or exists (select from unnest(p_columns) c
                                            where c is null or length(c) not between 1 and 80) then
    perform wedsql._raise('WD009', 'A list of tasks has at most {limit} columns, each with a name.',
                          'Choose fewer.', jsonb_build_object('limit', 20));
  end if;
  insert into wedsql.task_list as l (person, sorting, columns, changed_at)
  values (p_person, coalesce(p_sorting, 'arrival'), nullif(p_columns, '{}'), wedsql.now())
  on conflict (person) do update
  set sorting = coalesce(p_sorting, l.sorting),
      columns = case when p_columns is null then l.columns else excluded.columns end,
      changed_at = excluded.changed_at;
end $$;

grant execute on function wedsql.place_task(text, text[], bigint, bigint, bigint),
  wedsql.clear_task_places(text), wedsql.set_task_list(text, text, text[]) to wed_web;
grant execute on function wedsql.task_list(text) to wed_web, wed_monitor;
grant select on wedsql.task, wedsql.task_place to wed_web, wed_monitor;
-- To count the instances of alerts.
grant select on wedsql.task to wed_reaper;
