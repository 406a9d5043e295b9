-- What is watched of tasks: the moments at which messages about a deadline are due, and to whom a task is
-- offered. A row for each task with a deadline, or that is offered to some of a role; others cost nothing.

-- Returns the deadline of a task that is ready since p_from: by the working time of the calendar that the
-- flow names, where it has one of that name; infinity without a limit.
create or replace function wedsql._task_deadline(p_trig wedsql.trig, p_from timestamptz) returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan as $$
begin
  return coalesce(wedsql._after_working_time((
    select c.id from wedsql.flow f join wedsql.calendar c on c.flow_id = f.id and c.name = f.task_calendar
    where f.id = p_trig.flow_id), p_from, p_trig.deadline), 'infinity');
end $$;

-- Returns the hours of the warnings that come after p_from, the largest first, and 0 for the deadline.
create or replace function wedsql._hours_from(p_due timestamptz, p_warnings text[], p_from timestamptz)
  returns numeric[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when p_due < 'infinity' then array(
  select h from unnest(wedsql._warning_hours(p_warnings)) h
  where h > 0 and p_due - h * interval '1 hour' >= p_from order by h desc) || 0::numeric else '{}' end
$$;

-- Returns the hours that are left of a watched task when its instance gets other warnings: of the new ones
-- those that come, and those that are due and were to be sent before, too.
create or replace function wedsql._changed_hours(p_watch wedsql.task_watch, p_warnings text[],
  p_now timestamptz)
  returns numeric[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select h from unnest(wedsql._warning_hours(p_warnings)) h
             where h > 0 and (p_watch.due_at - h * interval '1 hour' >= p_now or h = any (p_watch.hours))
             order by h desc)
  || case when 0 = any (p_watch.hours) then array[0::numeric] else '{}' end
$$;

-- Returns when the next of these messages is due; infinity for none.
create or replace function wedsql._next_message(p_due timestamptz, p_hours numeric[]) returns timestamptz
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(p_due - p_hours[1] * interval '1 hour', 'infinity')
$$;

-- Begins to watch those of these new tasks that have a deadline, or that are offered to some of a role.
-- Locks: the persons' tasks; the caller holds the instances.
create or replace function wedsql._begin_watch(p_jobs bigint[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_watch wedsql.task_watch;
begin
  for v_watch in
    insert into wedsql.task_watch (job_id, wid, flow_id, due_at, hours, next_at, role, notified,
      notified_count)
    select t.job_id, t.wid, t.flow_id, t.due_at, h.hours, wedsql._next_message(t.due_at, h.hours),
      case when s.notified <> 'all' and left(t.audience, 2) = 'r:' then substr(t.audience, 3) end,
      coalesce(s.notified, 'all'), coalesce(s.notified_count, 1)
    from wedsql.task t left join wedsql.task_setting s on s.wid = t.wid
    cross join lateral (
      select wedsql._hours_from(t.due_at, coalesce(s.warnings, '{}'), t.arrived_at) as hours) h
    where t.job_id = any (p_jobs)
      and (t.due_at < 'infinity' or s.notified <> 'all' and left(t.audience, 2) = 'r:')
    order by t.job_id
    on conflict (job_id) do update
    set due_at = excluded.due_at, hours = excluded.hours, next_at = excluded.next_at
    returning *
  loop
    if v_watch.role is not null and v_watch.offered = '{}' then
      perform wedsql._offer_first(v_watch, p_now);
    end if;
  end loop;
end $$;

-- Has what is watched follow the tasks of these instances: it ends with a task, begins again where the
-- deadline is another one, and stands still while the task is held back. Sends the messages of ends.
-- p_due: whether an open task has a deadline; null: the caller does not know.
-- Locks: what is watched; the caller holds the instances.
create or replace function wedsql._keep_watch(p_wids integer[], p_now timestamptz, p_due boolean default null)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  perform wedsql._begin_settings(p_wids, p_now);
  if exists (select from wedsql.task_watch w where w.wid = any (p_wids)) then
    perform wedsql._follow_watched(p_wids, p_now);
  end if;
  if coalesce(p_due, exists (select from wedsql._open_tasks_of(p_wids) t
                             where t.due_at < 'infinity')) then
    perform wedsql._watch_missing(p_wids, p_now);
  end if;
  perform wedsql._message_ends(p_wids, p_now);
end $$;

-- Has what is watched of these instances follow its tasks.
-- Locks: as _keep_watch.
create or replace function wedsql._follow_watched(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  delete from wedsql.task_watch w using wedsql.task t
  where w.wid = any (p_wids) and t.job_id = w.job_id and t.ended_at is not null;
  update wedsql.task_watch w
  set due_at = n.due_at, hours = n.hours,
      next_at = case when n.state = 'H' then 'infinity' else wedsql._next_message(n.due_at, n.hours) end
  from (select o.job_id, t.due_at, t.state, case when t.due_at = o.due_at then o.hours
          else wedsql._hours_from(t.due_at, (wedsql._settings_of(t.wid)).warnings, p_now) end as hours
        from wedsql.task_watch o join wedsql.task t on t.job_id = o.job_id where o.wid = any (p_wids)) n
  where w.job_id = n.job_id
    and (w.due_at, w.next_at) is distinct from (n.due_at, case when n.state = 'H' then 'infinity'
          else wedsql._next_message(n.due_at, n.hours) end);
end $$;

-- Watches the tasks of these instances that have a deadline and are not watched.
-- Locks: as _keep_watch.
create or replace function wedsql._watch_missing(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  insert into wedsql.task_watch (job_id, wid, flow_id, due_at, hours, next_at)
  select t.job_id, t.wid, t.flow_id, t.due_at, h.hours, wedsql._next_message(t.due_at, h.hours)
  from wedsql._open_tasks_of(p_wids) t
  cross join lateral (select wedsql._hours_from(t.due_at, (wedsql._settings_of(t.wid)).warnings, p_now)
                      as hours) h
  where t.state <> 'H' and t.due_at < 'infinity'
    and not exists (select from wedsql.task_watch w where w.job_id = t.job_id);
end $$;
