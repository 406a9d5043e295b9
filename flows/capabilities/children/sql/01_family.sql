-- Child instances (workflow patterns 12, 14, 15, 22, 26, 27, 34 to 36). A trigger with the option "child"
-- fires a job for which no worker is needed: it starts instances, and their ends complete it. The commit that
-- fires the job, and the commits of the children's ends, only write rows of their own; the reaper starts the
-- children, counts their ends and passes on what happens to the parent (continue_children), in slices.
--
-- A child belongs to the job that started it. While the job is pending, the parent's suspension, end and undo
-- apply to the child as well; with the job's completion child_rest decides about the children that are open.

-- Begins what follows from a step of these instances: new jobs with children are offered to no worker, and
-- the reaper looks at those that ended, and at those whose number of ends is computed. A job that was parked
-- by the firing limit as soon as it was fired counts as new.
-- Locks: the jobs; the caller holds the instances.
create or replace function wedsql._keep_children(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  if not exists (select from wedsql.instance i join wedsql.trig t on t.flow_id = i.flow_id
                 where i.wid = p_wids[1] and t.child is not null)  -- they are of one flow
     and not exists (select from wedsql.child_job c where c.parent_wid = any (p_wids)) then
    return;
  end if;
  with fired as (
    update wedsql.job_pool j set assigned_to = ''  -- the name of no worker
    from wedsql.trig t
    where j.wid = any (p_wids) and t.tgid = j.tgid and t.child is not null and j.state in ('P', 'K')
      and j.assigned_to is distinct from '' and not wedsql._call_compensates(j.wid, j.id)
    returning j.*)
  insert into wedsql.child_job (parent_wid, job_id, flow_id, tgid, due_at)
  select f.wid, f.id, f.flow_id, f.tgid, p_now from fired f
  on conflict (parent_wid, job_id) do update set due_at = p_now;
  update wedsql.child_job c set due_at = p_now
  where c.parent_wid = any (p_wids) and c.ended_at is null
    and (exists (select 1 from wedsql.trig t where t.tgid = c.tgid and t.child_wait is not null)
         or not exists (select 1 from wedsql.job_pool j where j.wid = c.parent_wid and j.id = c.job_id));
end $$;

-- Notes that children have ended or are exceptions, for the reaper. It writes each row even if it is noted
-- already, so that it waits for a reaper that is just counting it (04_continue.sql).
-- Locks: their rows of wedsql.child; the caller holds the instances.
create or replace function wedsql._note_ends(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
update wedsql.child c set state = case c.state when 'X' then 'C' else 'E' end
from wedsql.instance i
where c.wid = any (p_wids) and i.wid = c.wid and c.state <> 'C'
  and (i.status in ('F', 'C', 'A') or i.status = 'E' and c.state <> 'X')
$$;

-- Notes what became of these instances otherwise than by a step: for the parents of those that are children,
-- and for the children of those that are parents. A job that is back is open again.
-- Locks: rows of wedsql.child and wedsql.child_job; the caller holds the instances.
create or replace function wedsql._keep_family(p_wids integer[], p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._note_ends(p_wids);
update wedsql.child_job c
set due_at = p_now, ended_at = case when j.id is null then c.ended_at end,
    rest = case when j.id is null then c.rest end
from wedsql.child_job o left join wedsql.job_pool j on j.wid = o.parent_wid and j.id = o.job_id
where o.parent_wid = any (p_wids) and c.parent_wid = o.parent_wid and c.job_id = o.job_id
  and (c.ended_at is null or c.rest is not null or j.id is not null)
$$;

-- Returns whether an instance waits for children of which one is an exception, or waits for such children.
-- An instance that is an exception itself is none of them.
create or replace function wedsql._exception_below(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with recursive below (wid) as (
  select p_wid
  union all
  select c.wid from below b
  join wedsql.child_job j on j.parent_wid = b.wid and j.ended_at is null
  join wedsql.child c on c.parent_wid = j.parent_wid and c.job_id = j.job_id and c.state in ('O', 'E'))
select exists (select from below b join wedsql.instance i on i.wid = b.wid
               where b.wid <> p_wid and i.status = 'E')
$$;

-- Returns the error with which an instance ended, or that of the nearest one below for which it waits: the
-- attribute ended_by of an exception; null for none.
create or replace function wedsql._error_below(p_wid integer) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_level record;
  v_error text;
begin
  for v_level in
    with recursive below (wid, depth) as (
      select p_wid, 0
      union all
      select c.wid, b.depth + 1 from below b
      join wedsql.child_job j on j.parent_wid = b.wid and j.ended_at is null
      join wedsql.child c on c.parent_wid = j.parent_wid and c.job_id = j.job_id
        and c.state in ('O', 'E'))
    select f.name, b.depth, array_agg(b.wid order by b.wid) as wids
    from below b
    join wedsql.instance i on i.wid = b.wid and i.status = 'E'
    join wedsql.flow f on f.id = i.flow_id
    join wedsql.attr a on a.flow_id = f.id and a.aname = 'ended_by'
    group by f.name, b.depth order by b.depth, f.name
  loop
    execute format('select w.ended_by::text from %I.wed_flow w '
                   'where w.wid = any ($1) and w.ended_by is not null order by w.wid limit 1', v_level.name)
      into v_error using v_level.wids;
    if v_error is not null then
      return v_error;
    end if;
  end loop;
  return null;
end $$;

-- Returns whether a child that has not ended counts as failed for a trigger: as an exception, or because it
-- ended with one of the errors that the trigger names, or waits for such a child.
create or replace function wedsql._child_fails(p_wid integer, p_status "char", p_trig wedsql.trig)
  returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when p_trig.child_exception = 'fail' then p_status = 'E' or wedsql._exception_below(p_wid)
            when p_trig.child_errors is not null
              then coalesce(wedsql._error_below(p_wid) = any (p_trig.child_errors), false)
            else false end
$$;

-- Has the reaper count an instance, or the nearest one above it whose parent counts it as failed: it
-- waits for a child that is an exception. Whoever changes that instance locks the child before its jobs, and
-- the caller the job first, so that this does not wait.
-- Locks: a row of wedsql.child; the caller holds that of wedsql.child_job.
-- Raises: 55P03 where another session has the row.
create or replace function wedsql._note_exception(p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_above record;
  v_error text := wedsql._error_below(p_wid);
begin
  for v_level in 1 .. wedsql.child_depth_limit() loop
    select c.parent_wid, t.child_exception, t.child_errors into v_above
    from wedsql.child c
    join wedsql.child_job j on j.parent_wid = c.parent_wid and j.job_id = c.job_id and j.ended_at is null
    join wedsql.trig t on t.tgid = j.tgid
    where c.wid = p_wid;
    if v_above.parent_wid is null then
      return;
    elsif v_above.child_exception = 'fail' or v_error = any (v_above.child_errors) then
      perform 1 from wedsql.child c where c.wid = p_wid for update nowait;
      update wedsql.child c set state = 'E' where c.wid = p_wid and c.state = 'O';
      return;
    end if;
    p_wid := v_above.parent_wid;
  end loop;
end $$;

-- Has the reaper look again at the children of a trigger's jobs when the trigger changes how many ends it
-- waits for, or how exceptions count. A child that is locked is noted by the commit that locks it.
-- Locks: rows of wedsql.child_job and wedsql.child, skipping locked children; the caller holds the flow.
create or replace function wedsql._recount_children(p_old wedsql.trig, p_new wedsql.trig, p_now timestamptz)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if (p_new.child_wait, p_new.child_exception, p_new.child_errors)
     is not distinct from (p_old.child_wait, p_old.child_exception, p_old.child_errors) then
    return;
  end if;
  update wedsql.child_job c set due_at = p_now
  from wedsql.job_pool j
  where j.flow_id = p_new.flow_id and j.tgid = p_new.tgid and c.parent_wid = j.wid and c.job_id = j.id
    and c.ended_at is null;
  update wedsql.child c set state = 'E'
  from (select o.wid
        from wedsql.job_pool j join wedsql.child o on o.parent_wid = j.wid and o.job_id = j.id
        join wedsql.instance i on i.wid = o.wid
        where j.flow_id = p_new.flow_id and j.tgid = p_new.tgid and o.state = 'O'
          and wedsql._child_fails(i.wid, i.status, p_new)
        order by o.wid for update of o skip locked) n
  where c.wid = n.wid;
end $$;

-- Has the children of the jobs that were withdrawn from an instance undone, because its steps are.
-- Locks: rows of wedsql.child_job; the caller holds the instance.
create or replace function wedsql._on_undoing_children(p_wid integer, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
update wedsql.child_job c set ended_at = p_now, rest = 'abort', due_at = p_now
where c.parent_wid = p_wid and c.ended_at is null
  and not exists (select 1 from wedsql.job_pool j where j.wid = p_wid and j.id = c.job_id)
  and exists (select 1 from wedsql.child o
              where o.parent_wid = p_wid and o.job_id = c.job_id and o.state <> 'C')
$$;

-- Returns whether children of an instance are being undone, which comes before its own steps.
create or replace function wedsql._on_undone_before_children(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.child_job c where c.parent_wid = p_wid and c.rest = 'abort')
$$;

-- Returns whether an instance has children, or will have some, of jobs that are not over.
create or replace function wedsql._on_has_started_children(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select 1 from wedsql.child_job c where c.parent_wid = p_wid and c.ended_at is null)
$$;

-- Prepares the removal of a flow with its instances: children of other flows' instances count as failed.
create or replace function wedsql._on_dropping_children(p_flow integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.child_job c where c.flow_id = p_flow;
delete from wedsql.child c using wedsql.instance i where i.flow_id = p_flow and i.wid = c.parent_wid;
update wedsql.child c set state = case c.state when 'X' then 'C' else 'E' end
from wedsql.instance i where i.flow_id = p_flow and i.wid = c.wid and c.state <> 'C'
$$;

-- Returns whether an instance is read as a child: its end is not counted yet, or the result of its parent may
-- read its values while that has not ended. Or as a parent: the reaper goes on with its children, or they are
-- open and belong to its tree.
create or replace function wedsql._on_reads_children(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.child c left join wedsql.instance p on p.wid = c.parent_wid
               where c.wid = p_wid and (c.state <> 'C' or p.status not in ('F', 'C', 'A')))
  or exists (select from wedsql.child_job j
             where j.parent_wid = p_wid and (j.ended_at is null or j.rest is not null))
  or exists (select from wedsql.child c where c.parent_wid = p_wid and c.state <> 'C')
$$;

create or replace function wedsql._on_retired_children(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.child c where c.wid = any (p_wids) or c.parent_wid = any (p_wids);
delete from wedsql.child_job c where c.parent_wid = any (p_wids);
$$;
