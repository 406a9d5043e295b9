-- Tasks follow their jobs: the pool of jobs is the truth, and a row of wedsql.task is what people need of
-- one.

-- Has the tasks of these instances follow their jobs: begins one for each new job that people perform, gives
-- back those whose job is no longer held, holds back those whose job is suspended or parked, or held by a
-- worker that took it before people performed it, and ends those whose job is gone.
-- Locks: the jobs, the tasks; the caller holds the instances.
create or replace function wedsql._follow_tasks(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_new wedsql.job_pool[];
  v_unmarked boolean;
  v_performers boolean;
  v_watched boolean;
  v_follow boolean;
  v_due boolean;
begin
  select array_agg(j::wedsql.job_pool) filter (where j.assigned_to = '' and j.state = 'P' and not exists (
      -- by its number, not by an index of open tasks
      select from (select o.ended_at from wedsql.task o where o.job_id = j.id offset 0) o
      where o.ended_at is null)), bool_or(j.assigned_to is distinct from ''),
    bool_or(t.not_by is not null or t.same_as is not null)
  into v_new, v_unmarked, v_performers
  from (select * from wedsql.job_pool o where o.wid = any (p_wids) offset 0) j  -- by its instance
  left join wedsql.trig t on t.tgid = j.tgid
  where j.flow_id > 0;
  if v_unmarked then
    v_new := v_new || wedsql._mark_tasks(p_wids);
  end if;
  perform wedsql._begin_settings(p_wids, p_now);
  v_watched := exists (select from wedsql.task_setting s where s.wid = any (p_wids))
               or exists (select from wedsql.task_watch w where w.wid = any (p_wids));
  if v_new is not null then
    if v_performers then
      perform wedsql._keep_performers(v_new);
    end if;
    v_due := wedsql._begin_tasks(v_new);
    if v_due or v_watched then
      perform wedsql._begin_watch(array(select j.id from unnest(v_new) j), p_now);
    end if;
  end if;
  select bool_or(case when j.id is null then true when j.state = 'P' then o.state <> 'R'
                      when j.state = 'L' and o.owner is not null then false else o.state <> 'H' end
                 or o.rank <> - j.priority or g.refresh_payload), bool_or(o.due_at < 'infinity')
  into v_follow, v_due
  from wedsql._open_tasks_of(p_wids) o
  left join lateral (select * from wedsql.job_pool p
                     where p.wid = o.wid and p.id = o.job_id offset 0) j on true
  left join wedsql.trig g on g.tgid = j.tgid;
  if v_follow then
    perform wedsql._follow_jobs(p_wids, p_now);
  end if;
  if v_watched or v_due then
    perform wedsql._keep_watch(p_wids, p_now, coalesce(v_due, false));
  end if;
end $$;

-- Begins a task for each of these jobs, and returns whether one has a deadline.
-- Locks: none; the caller holds the instances.
create or replace function wedsql._begin_tasks(p_jobs wedsql.job_pool[]) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_due boolean;
begin
  with begun as (
    insert into wedsql.task (job_id, wid, tgid, flow_id, audience, excluded, rank, arrived_at, due_at,
                             size, app)
    select j.id, j.wid, j.tgid, j.flow_id, wedsql._audience(t, j.wid, p.state),
      case when t.not_by is null then '{}' else wedsql._performers(j.wid, t.not_by) end, - j.priority,
      j.fired_at, case when t.deadline is null then 'infinity' else wedsql._task_deadline(t, j.fired_at) end,
      z.size,
      case when t.application is null then 0 else wedsql._application_number(t.application) end
    from unnest(p_jobs) j join wedsql.trig t on t.tgid = j.tgid
    cross join lateral (select coalesce(j.payload, wedsql._state_of_step(j.wid, j.cause_seq)) as state
                        offset 0) p
    cross join lateral wedsql._data_sizes(p.state) z
    on conflict (job_id) do update
    set state = 'R', owner = null, owned_at = null, ended_at = null, ended_by = null, outcome = null,
        seq = null
    returning due_at)
  select bool_or(b.due_at < 'infinity') into v_due from begun b;
  return v_due;
end $$;

-- Marks the jobs of these instances that people perform, so that no worker gets them, and returns those that
-- were not marked.
-- Locks: the jobs; the caller holds the instances.
create or replace function wedsql._mark_tasks(p_wids integer[]) returns wedsql.job_pool[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_marked wedsql.job_pool[];
begin
  with marked as (
    update wedsql.job_pool j set assigned_to = ''  -- the name of no worker
    from wedsql.trig t
    where j.wid = any (p_wids) and j.flow_id > 0 and t.tgid = j.tgid and t.performer = 'person'
      and j.assigned_to is distinct from '' and not wedsql._call_compensates(j.wid, j.id)
    returning j as job)
  select array_agg(m.job) into v_marked from marked m;
  return v_marked;
end $$;

-- Returns the open tasks of these instances, whatever they had before, and whatever else is open.
create or replace function wedsql._open_tasks_of(p_wids integer[]) returns setof wedsql.task
language sql stable as $$
select t.* from wedsql.task t
where t.wid = any (p_wids) and coalesce(t.ended_at, 'infinity') = 'infinity' offset 0
$$;

-- Has the open tasks of these instances follow their jobs: most have nothing to follow.
-- Locks: as _follow_tasks.
create or replace function wedsql._follow_jobs(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  with followed as (
  update wedsql.task t
  set state = n.state, rank = coalesce(- n.priority, t.rank), size = n.size,
      owner = case when n.state in ('S', 'L', 'X') then t.owner end,
      owned_at = case when n.state in ('S', 'L', 'X') then t.owned_at end,
      hidden_until = case when n.state in ('S', 'L', 'X') then t.hidden_until end,
      ended_at = case when n.state in ('D', 'W') then p_now end, ended_by = n.actor, seq = n.seq,
      outcome = case when n.state = 'D' then 'SUCCEEDED' end
  from (select o.job_id, j.priority, h.actor, h.seq, o.owner as held_by, o.owned_at as held_since,
          case when g.refresh_payload then wedsql._data_size(j.payload) else o.size end as size,
          case when h.seq is not null then 'D' when j.id is null then 'W' when j.state = 'P' then 'R'
               when j.state = 'L' and o.owner is not null then o.state else 'H' end::"char" as state
        from wedsql._open_tasks_of(p_wids) o
        left join lateral (select * from wedsql.job_pool p
                           where p.wid = o.wid and p.id = o.job_id offset 0) j on true
        left join wedsql.trig g on g.tgid = j.tgid
        left join lateral (select s.actor, s.seq
                           from (select h.* from wedsql.wed_trace h where h.wid = o.wid and j.id is null
                                 order by h.seq desc limit 20) s
                           where s.job_id = o.job_id) h on true) n
  where t.job_id = n.job_id and (t.state, t.rank, t.size) is distinct from
                                (n.state, coalesce(- n.priority, t.rank), n.size)
  returning t.job_id, t.state, t.wid, t.flow_id, t.tgid, n.held_by, n.held_since),
  lost as (
    select wedsql._message_loss(f.flow_id, f.wid, f.job_id, f.tgid, f.held_by, f.held_since, p_now)
    from followed f where f.held_by is not null and f.state not in ('S', 'L', 'X') offset 0),
  noted as (select count(*) from lost)
  delete from wedsql.task_draft d using followed f
  where d.job_id = f.job_id and f.state = 'W' and (select count from noted) >= 0;
end $$;

-- Returns the last steps of an instance, of which one may be the result of a task that ended otherwise than
-- by the person who held it: by a signal, or at the repair desk.
create or replace function wedsql._last_steps(p_wid integer) returns setof wedsql.wed_trace
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select h.* from wedsql.wed_trace h where h.wid = p_wid order by h.seq desc limit 20
$$;

-- What the tasks of a trigger have of it, and what becomes of that when the trigger changes: the rank
-- follows the priority of the job (50_work/10_follow.sql); audience, excluded persons and deadline follow
-- the options, as long as no person has given the task to a person, or it another deadline. A task that is
-- offered to some of a role is offered again. All other options are read when they are needed.

-- Returns what a change of a trigger makes of its open tasks: the new values of those that change. p_changed:
-- whether the trigger has the new options, and the jobs their priority, already.
create or replace function wedsql._following_tasks(p_old wedsql.trig, p_new wedsql.trig,
  p_changed boolean default true)
  returns table (job_id bigint, wid integer, audience text, excluded text[], due_at timestamptz,
                 rank smallint, offers boolean)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select t.job_id, t.wid, n.audience, n.excluded, n.due_at, n.rank,
  n.audience <> t.audience or n.excluded <> t.excluded
from wedsql.task t join wedsql.job_pool j on j.wid = t.wid and j.id = t.job_id
cross join lateral (select
  case when t.given_by is not null or (p_old.role, p_old.candidate, p_old.same_as)
            is not distinct from (p_new.role, p_new.candidate, p_new.same_as) then t.audience
       else wedsql._audience(p_new, t.wid, wedsql._payload(j)) end as audience,
  case when p_old.not_by is not distinct from p_new.not_by then t.excluded when p_new.not_by is null then '{}'
       else wedsql._performers(t.wid, p_new.not_by) end as excluded,
  case when p_old.deadline is not distinct from p_new.deadline
            or t.due_at <> wedsql._task_deadline(p_old, t.arrived_at) then t.due_at
       else wedsql._task_deadline(p_new, t.arrived_at) end as due_at,
  case when p_changed then - j.priority else t.rank end::smallint as rank) n
where t.flow_id = p_old.flow_id and t.ended_at is null and t.tgid = p_old.tgid
  and (n.audience, n.excluded, n.due_at, n.rank) is distinct from (t.audience, t.excluded, t.due_at, t.rank)
$$;

-- Has the tasks of a trigger follow its options, and begins or ends tasks where people begin or cease to
-- perform its jobs.
-- Locks: the jobs, the tasks; the caller holds the definition of the flow.
create or replace function wedsql._on_trigger_changed_tasks(
  p_old wedsql.trig, p_new wedsql.trig, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wids integer[];
  v_offers bigint[];
begin
  if (p_old.performer = 'person') <> (p_new.performer = 'person') then
    perform wedsql._change_performer(p_new, p_now);
  elsif p_new.performer = 'person' then
    with changed as (
      update wedsql.task t
      set audience = n.audience, excluded = n.excluded, due_at = n.due_at, rank = n.rank
      from wedsql._following_tasks(p_old, p_new) n where t.job_id = n.job_id
      returning t.wid, t.job_id, n.offers)
    select array_agg(distinct c.wid), array_agg(c.job_id) filter (where c.offers) into v_wids, v_offers
    from changed c;
    perform wedsql._offer_again(v_offers, p_now);
    perform wedsql._keep_watch(v_wids, p_now);
    if p_old.application is distinct from p_new.application then
      update wedsql.task t set app = wedsql._application_number(p_new.application)
      where t.flow_id = p_new.flow_id and t.ended_at is null and t.tgid = p_new.tgid;
    end if;
  end if;
end $$;

-- Returns the instances in which a change of a trigger changes tasks, or makes jobs tasks or tasks jobs of
-- workers.
create or replace function wedsql._on_following_tasks(p_old wedsql.trig, p_new wedsql.trig) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return jsonb_build_object('tasks', case
    when (p_old.performer = 'person') <> (p_new.performer = 'person') then array(
      select j.wid from wedsql.job_pool j where j.flow_id = p_old.flow_id and j.tgid = p_old.tgid
        and not wedsql._call_compensates(j.wid, j.id))
    when p_new.performer = 'person' then array(
      select n.wid from wedsql._following_tasks(p_old, p_new, false) n) end);
end $$;

-- Makes the pending jobs of a trigger tasks, or offers them to workers.
-- Locks: the jobs, the tasks; the caller holds the definition of the flow.
create or replace function wedsql._change_performer(p_trig wedsql.trig, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wids integer[] := array(select j.wid from wedsql.job_pool j
                            where j.flow_id = p_trig.flow_id and j.tgid = p_trig.tgid
                              and not wedsql._call_compensates(j.wid, j.id));
begin
  if p_trig.performer <> 'person' then
    update wedsql.job_pool j
    set assigned_to = null, state = case when t.owner is null then j.state else 'P' end,
        claim = case when t.owner is null then j.claim end,
        lckid = case when t.owner is null then j.lckid end,
        lease_until = case when t.owner is null then j.lease_until end
    from wedsql.task t
    where j.wid = any (v_wids) and j.tgid = p_trig.tgid and j.assigned_to = '' and t.job_id = j.id
      and t.ended_at is null;
    perform wedsql._message_loss(t.flow_id, t.wid, t.job_id, t.tgid, t.owner, t.owned_at, p_now)
    from wedsql._open_tasks_of(v_wids) t
    where t.tgid = p_trig.tgid and t.owner is not null;
    delete from wedsql.task t
    where t.wid = any (v_wids) and t.tgid = p_trig.tgid and t.ended_at is null;
    delete from wedsql.task_watch w
    where w.wid = any (v_wids) and not exists (select from wedsql.task t where t.job_id = w.job_id);
  else
    perform wedsql._follow_tasks(v_wids, p_now);
  end if;
end $$;

-- The hooks of the engine at which tasks follow their jobs.
create or replace function wedsql._on_freed_tasks(p_wids integer[], p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._follow_tasks(p_wids, p_now)
where exists (select from wedsql._open_tasks_of(p_wids) t)
$$;

create or replace function wedsql._on_stepped_tasks(p_wids integer[], p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._follow_tasks(p_wids, p_now)
$$;

create or replace function wedsql._on_withdrawn_tasks(p_wids integer[], p_ids bigint[], p_now timestamptz)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._follow_tasks(p_wids, p_now)
where exists (select from wedsql._open_tasks_of(p_wids) t)
$$;

create or replace function wedsql._on_excepted_tasks(
  p_flow wedsql.flow, p_wids integer[], p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._follow_tasks(p_wids, p_now) where p_flow.followed
$$;

create or replace function wedsql._on_operated_tasks(p_flow wedsql.flow, p_wid integer, p_operation text)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._follow_tasks(array[p_wid], wedsql.now()) where p_flow.followed;
select wedsql._name_actor(p_wid) where p_flow.followed;
select wedsql._message_claim(p_wid) where p_operation = 'suspend'
$$;

create or replace function wedsql._on_retired_tasks(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._delete_files(p_wids);
delete from wedsql.task t where t.wid = any (p_wids);
delete from wedsql.task_watch w where w.wid = any (p_wids);
delete from wedsql.task_performers p where p.wid = any (p_wids);
delete from wedsql.task_setting s where s.wid = any (p_wids)
$$;

-- Returns that a job waits for a person who takes the task, or for the one who has it.
create or replace function wedsql._on_waits_for_tasks(p_job wedsql.job_pool) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('for', case when t.owner is null then 'task' else 'task_held' end,
                          'to', substr(t.audience, 3), 'audience', t.audience, 'holder', t.owner,
                          'since', coalesce(t.owned_at, t.arrived_at))
from wedsql.task t where t.job_id = p_job.id and t.ended_at is null
$$;

-- Returns the invariant that open tasks and the jobs that people perform are the same.
create or replace function wedsql._on_invariants_tasks() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I11', jsonb_build_object(
  'sentence', 'Each job that people perform is one open task, which has an owner if the job is held.',
  'query', $q$
  select jsonb_build_object('wid', i.wid, 'job', j.id, 'state', j.state, 'task', t.state) as found
  from {i} i join wedsql.job_pool j on j.wid = i.wid join wedsql.trig g on g.tgid = j.tgid
  left join wedsql.task t on t.job_id = j.id and t.ended_at is null
  where g.performer = 'person' and not wedsql._call_compensates(j.wid, j.id)
    and (t.job_id is null or j.assigned_to is distinct from ''
         or (t.state in ('S', 'L', 'X')) <> (j.state = 'L' and t.owner is not null)
         or (t.state = 'R') <> (j.state = 'P'))
  union all
  select jsonb_build_object('wid', i.wid, 'job', t.job_id)
  from {i} i join wedsql.task t on t.wid = i.wid and t.ended_at is null
  where not exists (select from wedsql.job_pool j where j.wid = i.wid and j.id = t.job_id)$q$))
$$;
