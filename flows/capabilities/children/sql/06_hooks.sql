-- What children do at the hooks of the engine; those of instances that are undone, dropped or removed are in
-- 01_family.sql.

-- Counts the children of a changed trigger again.
-- Locks: as _recount_children.
create or replace function wedsql._on_trigger_changed_children(
  p_old wedsql.trig, p_new wedsql.trig, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_new.child is not null then
    perform wedsql._recount_children(p_old, p_new, p_now);
  end if;
end $$;

-- Notes children that have ended.
create or replace function wedsql._on_child_ended_children(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._note_ends(p_wids)
$$;

-- Has the reaper start and count the children of jobs.
create or replace function wedsql._on_stepped_children(p_wids integer[], p_now timestamptz)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._keep_children(p_wids, p_now)
$$;

-- Has the reaper end the children of jobs that were withdrawn.
create or replace function wedsql._on_withdrawn_children(p_wids integer[], p_ids bigint[],
  p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.child_job c set due_at = p_now
where c.parent_wid = any (p_wids) and c.job_id = any (p_ids) and c.ended_at is null
$$;

-- Returns when the reaper is needed next for children: now if one has ended.
create or replace function wedsql._on_next_due_children() returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
select least((select min(c.due_at) from wedsql.child_job c),
             (select wedsql.now() from wedsql.child c where c.state = 'E' limit 1))
$$;

-- Notes what became of instances otherwise than by a step. An instance of a trial has no family.
-- Locks: as _keep_family.
create or replace function wedsql._on_excepted_children(p_flow wedsql.flow, p_wids integer[],
  p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._keep_family(p_wids, p_now) where p_flow.id > 0
$$;

-- Returns that a job waits for its children, with their numbers; null for one that starts none.
create or replace function wedsql._on_waits_for_children(p_job wedsql.job_pool) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('for', 'children', 'total', c.total, 'started', c.started,
                          'ended', c.done + c.failed)
from wedsql.child_job c
where p_job.assigned_to = '' and c.parent_wid = p_job.wid and c.job_id = p_job.id
$$;
