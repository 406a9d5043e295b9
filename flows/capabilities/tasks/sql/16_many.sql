-- Taking and completing many tasks in one transaction. Those about which nothing more is asked are taken or
-- completed by a few statements for all; the others, and all where one of them is rejected, each as alone, so
-- that a rejected one affects no other.

-- Returns the tasks of these jobs, found by their numbers, whatever the statistics say of open tasks.
create or replace function wedsql._tasks_numbered(p_jobs bigint[]) returns setof wedsql.task
language sql stable as $$
select t.* from wedsql.task t where t.job_id = any (p_jobs) offset 0
$$;

-- Locks what many tasks need, in one order for all who need several. Jobs are looked up by their instances:
-- with the statistics of an emptied pool PostgreSQL would read the whole pool instead.
-- Locks: the tables of the flows against definitions that are being changed, the instances by flow and
-- number, the jobs, the tasks.
-- Raises: WD009 for more than 500 tasks.
create or replace function wedsql._hold_tasks(p_jobs bigint[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow record;
begin
  if cardinality(p_jobs) > 500 then
    perform wedsql._raise('WD009', 'At most 500 tasks can be taken or completed at once.');
  end if;
  for v_flow in select f.name from wedsql.flow f
                where f.id in (select t.flow_id from wedsql.task t where t.job_id = any (p_jobs))
                order by f.id loop
    execute format('lock table %I.wed_flow in row exclusive mode', v_flow.name);
  end loop;
  for v_flow in select f.name, array_agg(t.wid) as wids
                from wedsql.task t join wedsql.flow f on f.id = t.flow_id
                where t.job_id = any (p_jobs) group by f.id, f.name order by f.id loop
    execute format('select 1 from %I.wed_flow w where w.wid = any ($1) order by w.wid for no key update',
                   v_flow.name) using v_flow.wids;
  end loop;
  perform 1 from wedsql.job_pool j
  where j.wid = any (array(select t.wid from wedsql._tasks_numbered(p_jobs) t)) and j.id = any (p_jobs)
  order by j.id for update;
  perform 1 from wedsql.task t where t.job_id = any (p_jobs) order by t.job_id for update;
end $$;

-- Gives these tasks to a person, each as take_task does, and returns a row for each: what take_task returns,
-- or ok = false with the error.
-- Locks: as _hold_tasks; as take_task.
-- Raises: WD009; what passes by itself (wedsql._passes) and 57014.
create or replace function wedsql.take_tasks(p_jobs bigint[], p_person text, p_keys text[])
returns table (job_id bigint, ok boolean, held wedsql.held_task, sqlstate text, message text, hint text,
               detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_all bigint[] := array(select distinct u from unnest(p_jobs) u where u is not null order by u);
  v_held wedsql.held_task[];
begin
  perform wedsql._need_person(p_person);
  perform wedsql._hold_tasks(v_all);
  v_held := wedsql._take_at_once(v_all, p_person, p_keys);
  return query select h.job_id, true, h, null::text, null::text, null::text, null::text
               from unnest(v_held) h;
  return query select u.id, (o.why).code is null, o.held, (o.why).* from unnest(v_all) u (id)
    cross join lateral wedsql._one_of_tasks('take', u.id, p_person, p_keys) o
    where u.id not in (select h.job_id from unnest(v_held) h);
end $$;

-- Takes those of these tasks that are free, that the person may take, and whose rule asks nothing at taking.
-- Locks: none; the caller has them all.
create or replace function wedsql._take_at_once(p_jobs bigint[], p_person text, p_keys text[])
  returns wedsql.held_task[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_free bigint[] := array(
    select t.job_id from wedsql._tasks_numbered(p_jobs) t join wedsql.trig g on g.tgid = t.tgid
    where t.state = 'R' and t.owner is null and t.ended_at is null
      and g.revalidate is distinct from 'at_take' and g.sets_when_taken is null
      and coalesce(g.mutex, g.lock) is null
      and wedsql._may_take(t, p_person, p_keys));
  v_tasks wedsql.task[];
  v_held wedsql.held_task[];
begin
  with held as (
    update wedsql.job_pool j
    set state = 'L', claim = wedsql._new_claim(), lckid = p_person, lease_until = '9999-01-01 UTC'
    where j.wid = any (array(select t.wid from wedsql._tasks_numbered(v_free) t)) and j.id = any (v_free)
    returning j.id, j.claim),
  taken as (
    update wedsql.task t
    set state = 'S', owner = p_person, owned_at = coalesce(t.owned_at, wedsql.now()), hidden_until = null
    from held h where t.job_id = h.id
    returning t as task, h.claim)
  select array_agg(t.task), array_agg(row((t.task).job_id, (t.task).wid, f.name, g.trname, (t.task).state,
      p_person, t.claim, nullif((t.task).due_at, 'infinity'))::wedsql.held_task)
  into v_tasks, v_held
  from taken t join wedsql.flow f on f.id = (t.task).flow_id join wedsql.trig g on g.tgid = (t.task).tgid;
  perform wedsql._notify_tasks(v_tasks);
  return coalesce(v_held, '{}');
end $$;

-- Notifies the pages that watch instances of these tasks, which changed hands.
create or replace function wedsql._notify_tasks(p_tasks wedsql.task[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._notify(f, t.wids, t.seqs, '{}', 0)
from (select u.flow_id, array_agg(u.wid) as wids, array_agg(i.seq) as seqs
      from unnest(p_tasks) u join wedsql.instance i on i.wid = u.wid group by u.flow_id) t
join wedsql.flow f on f.id = t.flow_id
$$;

-- Takes or completes one of many tasks, or returns why it is rejected; then nothing of it is done.
-- Locks: as take_task; as complete_task.
-- Raises: what passes by itself (wedsql._passes) and 57014.
create or replace function wedsql._one_of_tasks(p_verb text, p_job bigint, p_person text,
  p_keys text[] default null, p_data jsonb default null, p_outcome text default null,
  p_claim bigint default null,
  out held wedsql.held_task, out seq integer, out status "char", out fired text[], out repeated boolean,
  out why wedsql.why)
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_verb = 'take' then
    held := wedsql.take_task(p_job, p_person, p_keys);
  else
    if p_keys is not null and (wedsql._known_task(p_job)).state = 'R' then
      held := wedsql.take_task(p_job, p_person, p_keys);
    end if;
    select c.seq, c.status, c.fired, c.repeated into seq, status, fired, repeated
    from wedsql.complete_task(p_job, p_person, p_data, p_outcome, p_claim) c;
  end if;
exception
  when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    get stacked diagnostics why.code = returned_sqlstate, why.message = message_text,
      why.hint = pg_exception_hint, why.detail = pg_exception_detail;
end $$;

-- A task that was completed among many.
do $$
begin
  if to_regtype('wedsql.completed_task') is null then
    create type wedsql.completed_task as (job_id bigint, seq integer, status "char", fired text[]);
  end if;
end $$;

-- Completes these tasks, which the person holds, each as complete_task does: with its values of p_data, the
-- outcome that is the same for all, and its claim of p_claims, if any. Returns a row for each: what
-- complete_task returns, or ok = false with the error. p_keys: tasks that are open to a person with these
-- keys are taken first.
-- Locks: as _hold_tasks; as take_task; as complete_task.
-- Raises: WD009; what passes by itself (wedsql._passes) and 57014.
create or replace function wedsql.complete_tasks(p_jobs bigint[], p_person text, p_data jsonb[],
  p_outcome text default null, p_claims bigint[] default '{}', p_keys text[] default null)
returns table (job_id bigint, ok boolean, seq integer, status "char", fired text[], repeated boolean,
               sqlstate text, message text, hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow;
  v_done wedsql.completed_task[] := '{}';
  v_free bigint[];
begin
  if cardinality(p_jobs) is distinct from cardinality(p_data)
     or cardinality(p_jobs) <> (select count(distinct u) from unnest(p_jobs) u) then
    perform wedsql._raise('WD009', 'Each of the tasks has one object of values.');
  end if;
  perform wedsql._hold_tasks(p_jobs);
  for v_flow in select f.* from wedsql.flow f
                where f.id in (select t.flow_id from wedsql.task t where t.job_id = any (p_jobs))
                order by f.id loop
    begin
      v_free := case when p_keys is not null
                  then wedsql._free_at_once(v_flow, p_jobs, p_person, p_claims, p_keys) end;
      v_done := v_done || wedsql._complete_at_once(v_flow, p_jobs, p_person, p_data, p_outcome, p_claims,
                                                   v_free);
    exception
      when others then
        if wedsql._passes(sqlstate) then
          raise;
        end if;  -- one of them is rejected: each is tried on its own below
    end;
  end loop;
  return query select d.job_id, true, d.seq, d.status, d.fired, false, null::text, null::text, null::text,
                      null::text from unnest(v_done) d;
  return query
    select u.id, (o.why).code is null, o.seq, o.status, o.fired, o.repeated, (o.why).*
    from unnest(p_jobs, p_data, p_claims) with ordinality u (id, data, claim, place)
    cross join lateral
      wedsql._one_of_tasks('complete', u.id, p_person, p_keys, u.data, p_outcome, u.claim) o
    where u.place <= cardinality(p_jobs) and u.id not in (select d.job_id from unnest(v_done) d);
end $$;

-- Returns true, if the form of a task takes the values of a result, and keeps their files.
-- Raises: as _check_form_values.
create or replace function wedsql._form_holds(p_flow text, p_task wedsql.task, p_data jsonb, p_outcome text)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_form_values(p_flow, p_task, p_data, p_outcome);
  perform wedsql._keep_files(p_task, p_data);
  return true;
end $$;

-- Returns those of these tasks of a flow that are free, that a person with these keys may take, and whose
-- rule asks nothing at taking. Their jobs are recorded as taken by this transaction, which completes them, so
-- that no row need say in between that they are held. Left out are those of which a claim is given, and those
-- that are several of an instance.
-- Locks: none; the caller has them all.
create or replace function wedsql._free_at_once(p_flow wedsql.flow, p_jobs bigint[], p_person text,
  p_claims bigint[], p_keys text[]) returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_free bigint[] := array(
    select min(t.job_id) from unnest(p_jobs, p_claims) u (id, claim)
    join wedsql._tasks_numbered(p_jobs) t on t.job_id = u.id join wedsql.trig g on g.tgid = t.tgid
    where t.flow_id = p_flow.id and t.ended_at is null
    group by t.wid
    having count(*) = 1 and bool_and(u.claim is null and t.state = 'R' and g.sets_when_taken is null
      and coalesce(g.mutex, g.lock) is null
      and g.revalidate is distinct from 'at_take' and wedsql._may_take(t, p_person, p_keys)));
begin
  if v_free <> '{}' then
    perform wedsql._need_person(p_person);
    perform wedsql._record_taken(p_flow.id, v_free);
  end if;
  return v_free;
end $$;

-- Completes those of these tasks of a flow that the person holds, one of each instance; and those of p_free,
-- which _free_at_once has found.
-- Locks: none; the caller has them all.
-- Raises: as complete_task.
create or replace function wedsql._complete_at_once(p_flow wedsql.flow, p_jobs bigint[], p_person text,
  p_data jsonb[], p_outcome text, p_claims bigint[], p_free bigint[]) returns wedsql.completed_task[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_tasks wedsql.task[];
  v_data jsonb[];
  v_claims bigint[];
  v_done wedsql.completed_task[];
  v_checked bigint;
begin
  select array_agg(o.task), array_agg(case when o.is_plain then o.data
           else wedsql._with_outcome(p_flow.name, o.task, o.data, p_outcome) end),
         array_agg(o.claim),
         count(*) filter (where not o.is_plain
                            and wedsql._form_holds(p_flow.name, o.task, o.data, p_outcome))
  into v_tasks, v_data, v_claims, v_checked
  from (select distinct on (t.wid) t::wedsql.task as task, s.data, j.claim,
          -- no form to check, and no outcome that could set anything
          p_outcome is null and g.form is null and g.outcomes is null
            and jsonb_typeof(s.data) = 'object' as is_plain
        from unnest(p_jobs, p_data, p_claims) u (id, sent, claim)
        cross join lateral (select coalesce(u.sent, '{}') as data) s
        cross join lateral (select * from wedsql.task o where o.job_id = u.id offset 0) t
        cross join lateral (select * from wedsql.job_pool o
                            where o.wid = t.wid and o.id = t.job_id offset 0) j
        join wedsql.trig g on g.tgid = t.tgid
        where t.flow_id = p_flow.id and t.ended_at is null
          and (t.state in ('S', 'L', 'X') and t.owner = p_person
               or t.state = 'R' and j.state = 'P' and t.job_id = any (p_free))
          and coalesce(u.claim = j.claim, true)
        order by t.wid, t.job_id) o;
  perform wedsql._end_tasks(v_tasks, p_person, coalesce(p_outcome, 'SUCCEEDED'));
  execute format('select array_agg(row(c.job_id, c.seq, c.status, c.fired)::wedsql.completed_task) '
                 'from %I._commit($1, $2, $3, $4, $5) c', p_flow.name)
    into v_done
    using array(select u.wid from unnest(v_tasks) u), array(select u.job_id from unnest(v_tasks) u), v_claims,
          v_data, p_person;
  return coalesce(v_done, '{}');
end $$;

-- Notes that these tasks have ended, as _end_task does of one, with the number that the step of each gets:
-- the next of its instance.
create or replace function wedsql._end_tasks(p_tasks wedsql.task[], p_person text, p_outcome text)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := wedsql.now();
  v_jobs bigint[] := array(select u.job_id from unnest(p_tasks) u);
begin
  delete from wedsql.task_draft d where d.job_id = any (v_jobs);
  update wedsql.task t set state = 'D', ended_at = v_now, ended_by = p_person, outcome = p_outcome,
    owner = p_person, owned_at = coalesce(t.owned_at, v_now), hidden_until = null,
    seq = (select i.seq + 1 from wedsql.instance i where i.wid = t.wid)
  where t.job_id = any (v_jobs);
  perform wedsql._note_application(u.t, p_person)
  from (select distinct on (t.app) t from unnest(p_tasks) t where t.app <> 0) u;
end $$;

grant execute on function wedsql.take_tasks(bigint[], text, text[]),
  wedsql.complete_tasks(bigint[], text, jsonb[], text, bigint[], text[]) to wed_web;
