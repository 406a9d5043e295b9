-- What people and programs ask of children: more of them, and which there are.

-- Adds children to a job that waits for its children, with a row in the history, and returns how many it has
-- then.
-- Locks: as _operate; the row of wedsql.child_job, the trace.
-- Raises: WD009, WD104, WD105; WD580 for too many; WD581 where the job waits for no children.
create or replace function wedsql.add_children(p_wid integer, p_job_id bigint, p_count integer,
  p_actor text default null) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, 'Children are added.');
  v_now timestamptz := wedsql.now();
  v_job wedsql.child_job;
  v_pending wedsql.job_pool;
  v_trig wedsql.trig;
begin
  if p_count is null or p_count < 1 then
    perform wedsql._raise('WD009', 'The number of children to add is a whole number from 1.');
  end if;
  select * into v_job from wedsql.child_job c where c.parent_wid = p_wid and c.job_id = p_job_id for update;
  select * into v_pending from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id;
  select * into v_trig from wedsql.trig t where t.tgid = v_job.tgid;
  if v_job.ended_at is not null or v_pending.id is null or v_trig.child is null then
    perform wedsql._raise('WD581', 'Job {job} of instance {instance} does not wait for children.',
      'Children are added while the job that starts them is pending.',
      jsonb_build_object('job', p_job_id, 'instance', p_wid));
  end if;
  v_job := wedsql._with_total(v_job, v_pending, v_trig);
  if v_job.total::bigint + p_count > wedsql.child_limit() then
    perform wedsql._raise('WD580', 'Job {job} would have {number} children; {limit} are the limit.', null,
      jsonb_build_object('job', p_job_id, 'number', v_job.total::bigint + p_count,
                         'limit', wedsql.child_limit()));
  end if;
  update wedsql.child_job c set total = v_job.total + p_count, due_at = v_now
  where c.parent_wid = p_wid and c.job_id = p_job_id;
  perform wedsql._notify(v_flow, array[p_wid], wedsql._append_trace(v_flow,
    array[wedsql._note_step(p_wid, '_CHILDREN', wedsql._actor(p_actor), v_pending.trname || ' +' || p_count)],
    null, v_now), '{}', 0);
  return v_job.total + p_count;
end $$;

-- Returns the jobs of an instance that start or started children, the newest first, with counts.
create or replace function wedsql.child_jobs(p_wid integer)
returns table (job_id bigint, flow text, transition text, total integer, started integer, done integer,
  failed integer, open boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select c.job_id, t.child, t.trname, c.total, c.started, c.done, c.failed, c.ended_at is null
from wedsql.child_job c left join wedsql.trig t on t.tgid = c.tgid
where c.parent_wid = p_wid order by c.job_id desc limit 100
$$;

-- Returns children of an instance in the order of their numbers, up to p_limit after p_after: the job that
-- started them, the newest job first unless p_job names one.
create or replace function wedsql.children(p_wid integer, p_job bigint default null,
  p_after integer default 0, p_limit integer default 50)
returns table (number integer, wid integer, flow text, status "char", key text, started_at timestamptz,
  finished_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select c.number, c.wid, f.name, i.status, i.key, i.started_at, i.finished_at
from wedsql.child c join wedsql.instance i on i.wid = c.wid join wedsql.flow f on f.id = i.flow_id
where c.parent_wid = p_wid and c.number > p_after
  and c.job_id = coalesce(p_job, (select max(o.job_id) from wedsql.child_job o where o.parent_wid = p_wid))
order by c.number limit least(greatest(p_limit, 1), 501)
$$;

-- Returns why children of a job that are not final are where they are, in the order of their numbers as
-- wedsql.children: who cancelled or aborted one, and the reason given; of an exception its kind.
create or replace function wedsql.child_ends(p_wid integer, p_job bigint, p_after integer default 0,
  p_limit integer default 50)
returns table (number integer, actor text, reason text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select c.number, case when i.status in ('C', 'A') then t.actor else '' end,
  case when i.status = 'E' then coalesce(i.reason, 'STUCK') else coalesce(t.reason, '') end
from (select * from wedsql.child o
      where o.parent_wid = p_wid and o.job_id = p_job and o.number > p_after
      order by o.number limit least(greatest(p_limit, 1), 501)) c
join wedsql.instance i on i.wid = c.wid and i.status in ('C', 'A', 'E')
left join lateral (select h.actor, h.reason from wedsql.wed_trace h where h.wid = c.wid
                   order by h.seq desc limit 1) t on true
order by c.number
$$;

-- Returns how many children of a job counted as failed and are final by now, because they were repaired.
create or replace function wedsql.children_repaired(p_wid integer, p_job bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select case when j.failed = 0 then 0 else greatest(
  (select count(*) from wedsql.child c join wedsql.instance i on i.wid = c.wid
   where c.parent_wid = p_wid and c.job_id = p_job and c.state = 'C' and i.status = 'F') - j.done, 0) end
from wedsql.child_job j where j.parent_wid = p_wid and j.job_id = p_job
$$;

-- Returns the instances that jobs of these have started, and those that jobs of these have started in turn.
create or replace function wedsql.descendants(p_wids integer[]) returns table (wid integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
with recursive below as (
  select c.wid from wedsql.child c where c.parent_wid = any (p_wids)
  union all
  select c.wid from below b join wedsql.child c on c.parent_wid = b.wid)
select b.wid from below b
$$;

grant execute on function wedsql.add_children(integer, bigint, integer, text) to wed_web, wed_worker;
grant execute on function wedsql.child_jobs(integer), wedsql.children(integer, bigint, integer, integer),
  wedsql.child_ends(integer, bigint, integer, integer), wedsql.children_repaired(integer, bigint),
  wedsql.descendants(integer[])
to wed_web, wed_worker, wed_monitor;
