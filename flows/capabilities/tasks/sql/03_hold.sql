-- Taking a task, and giving it back. A task that a person holds is a job that is leased without an end.

-- What taking a task returns: `claim` is the token of this holding, which its result may carry.
do $$
begin
  if to_regtype('wedsql.held_task') is null then
    create type wedsql.held_task as (job_id bigint, wid integer, flow text, transition text, state "char",
                                     owner text, claim bigint, due_at timestamptz);
  end if;
end $$;

-- Returns a task that has not ended, locked with its job.
-- Locks: the flow's table against a definition that is being changed, the job, the task.
-- Raises: WD590; WD593 for one that has ended or is held back.
create or replace function wedsql._open_task(p_job bigint) returns wedsql.task
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_place record := wedsql._place_of_task(p_job);
  v_locked record;
begin
  execute format('lock table %I.wed_flow in row share mode', v_place.flow);
  v_locked := wedsql._locked_task(v_place.wid, p_job);
  perform wedsql._check_open(v_locked.task);
  return v_locked.task;
end $$;

-- Returns of which instance a task is, and of which flow.
-- Raises: WD590.
create or replace function wedsql._place_of_task(p_job bigint, out flow text, out wid integer)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  select f.name, t.wid into flow, wid
  from wedsql.task t join wedsql.flow f on f.id = t.flow_id where t.job_id = p_job;
  if not found then
    perform wedsql._known_task(p_job);
  end if;
end $$;

-- Returns a task as it is now, with the token of its holding, null where no person holds it.
-- Locks: the job, the task; the caller has the flow.
create or replace function wedsql._locked_task(p_wid integer, p_job bigint, out task wedsql.task,
  out claim bigint)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_found record;
begin
  select t, j.claim into v_found from wedsql.job_pool j join wedsql.task t on t.job_id = j.id
  where j.wid = p_wid and j.id = p_job for update;
  if found then
    task := v_found.t;
    claim := v_found.claim;
  else  -- it has ended
    select t.* into task from wedsql.task t where t.job_id = p_job for update;
  end if;
end $$;

-- Raises: WD593 for a task that has ended or is held back.
create or replace function wedsql._check_open(p_task wedsql.task) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_task.ended_at is not null then
    perform wedsql._raise('WD593', case when p_task.state in ('D', 'F')
        then 'Task {task} has been completed by {owner}.' else 'Task {task} is no longer to be done.' end,
      'Go on with the next task.', wedsql._task_facts(p_task));
  elsif p_task.state = 'H' then
    perform wedsql._raise('WD593', 'Task {task} is held back, because its instance is suspended or an '
      'exception.', 'It comes back to the list when that is over.', wedsql._task_facts(p_task));
  end if;
end $$;

-- Returns a task.
-- Raises: WD590.
create or replace function wedsql._known_task(p_job bigint) returns wedsql.task
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task;
begin
  select t.* into v_task from wedsql.task t where t.job_id = p_job;
  if not found then
    perform wedsql._raise('WD590', 'There is no task {task}.', 'It may have been removed with its instance.',
                          jsonb_build_object('task', p_job));
  end if;
  return v_task;
end $$;

-- Returns the token of the holding of a task; null while no person holds it.
create or replace function wedsql._claim_of(p_task wedsql.task) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select j.claim from wedsql.job_pool j where j.wid = p_task.wid and j.id = p_task.job_id);
end $$;

-- Returns what errors about a task say of it.
create or replace function wedsql._task_facts(p_task wedsql.task) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('task', (p_task).job_id, 'instance', (p_task).wid, 'state', (p_task).state,
                          'owner', coalesce((p_task).owner, (p_task).ended_by),
                          'since', coalesce((p_task).ended_at, (p_task).owned_at))
$$;

-- Returns the task, locked, if this person holds it.
-- Locks: as _open_task.
-- Raises: WD590; as _check_own.
create or replace function wedsql._own_task(p_job bigint, p_person text, p_claim bigint)
  returns wedsql.task
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_place record := wedsql._place_of_task(p_job);
  v_locked record;
begin
  execute format('lock table %I.wed_flow in row share mode', v_place.flow);
  v_locked := wedsql._locked_task(v_place.wid, p_job);
  perform wedsql._check_own(v_locked.task, v_locked.claim, p_person, p_claim);
  return v_locked.task;
end $$;

-- Checks that a person holds a task; p_held: the token of the holding.
-- Raises: WD592 where another person holds it; WD593, also where p_claim is of an earlier holding; WD598.
create or replace function wedsql._check_own(p_task wedsql.task, p_held bigint, p_person text, p_claim bigint)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_task.owner is distinct from p_person then
    perform wedsql._refuse_transferred(p_task, p_person);
  end if;
  if p_task.ended_at is not null or p_task.state = 'H' then
    perform wedsql._check_open(p_task);
  elsif p_task.owner is null then
    perform wedsql._raise('WD593', 'You do not hold task {task}.', 'Take it first.',
                          wedsql._task_facts(p_task));
  elsif p_task.owner <> p_person then
    perform wedsql._refuse_taken(p_task);
  elsif p_claim <> p_held then
    perform wedsql._raise('WD593', 'You have given task {task} back, and taken it again.',
      'Look at it again before you complete it.', wedsql._task_facts(p_task));
  end if;
end $$;

-- Raises: WD592 naming who holds a task.
create or replace function wedsql._refuse_taken(p_task wedsql.task) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD592', '{owner} has task {task}.', 'Go on with the next task.',
                        wedsql._task_facts(p_task));
end $$;

-- Gives a task to the person who takes it, or with p_lock who locks it for work without a connection, and
-- returns it. A person who holds it already gets the same answer. Of many who take it at once one gets it.
-- Locks: as _open_task; with the condition checked, or anything set, at taking, the instance.
-- Raises: WD590; WD591 for who may not; WD592 where another has it; WD593; as _write_step.
create or replace function wedsql.take_task(p_job bigint, p_person text, p_keys text[],
  p_lock boolean default false) returns wedsql.held_task
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_place record := wedsql._place_of_task(p_job);
  v_rule record;
  v_locked record;
  v_task wedsql.task;
  v_how "char" := case when p_lock then 'L' else 'S' end;
begin
  perform wedsql._need_person(p_person);
  execute format('lock table %I.wed_flow in row exclusive mode', v_place.flow);  -- before its definition
  v_rule := wedsql._rule_at_taking(p_job);
  v_locked := wedsql._locked_task(v_place.wid, p_job);
  v_task := v_locked.task;
  perform wedsql._check_open(v_task);
  if v_task.owner <> p_person then
    perform wedsql._refuse_taken(v_task);
  elsif v_task.owner is null then
    perform wedsql._check_may_take(v_task, p_person, p_keys);
  end if;
  if p_lock then
    perform wedsql._check_offline(v_task, true);
  end if;
  if v_task.owner is null then
    if v_rule.exclusive then
      perform wedsql._check_exclusion(v_task);
    end if;
    v_locked.claim := wedsql._new_claim();
    update wedsql.job_pool j
    set state = 'L', claim = v_locked.claim, lckid = p_person, lease_until = '9999-01-01 UTC'
    where j.wid = v_task.wid and j.id = p_job;
  else
    v_rule.sets := null;
    v_how := case when v_task.state = 'X' and not p_lock then 'X' else v_how end;
  end if;
  update wedsql.task t
  set state = v_how, owner = p_person, owned_at = coalesce(t.owned_at, wedsql.now()), hidden_until = null
  where t.job_id = p_job returning t.* into v_task;
  if v_rule.sets is not null then
    perform wedsql._write_step(f, wedsql._note_step(v_task.wid, '_TAKE', p_person, null), v_rule.sets)
    from wedsql.flow f where f.id = v_task.flow_id;
  end if;
  perform wedsql._notify_task(v_task);
  return row(p_job, v_task.wid, v_place.flow, v_rule.name, v_how, p_person, v_locked.claim,
             nullif(v_task.due_at, 'infinity'))::wedsql.held_task;
end $$;

-- Gives the person the first of these tasks that can be had at once, as take_task does, and returns it; null
-- for none. One that another session is taking is left out, so that many who ask at the same time do not wait
-- for each other.
-- Locks: as take_task.
create or replace function wedsql.take_first_task(p_jobs bigint[], p_person text, p_keys text[])
  returns wedsql.held_task
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_job bigint;
  v_held wedsql.held_task;
begin
  perform wedsql._need_person(p_person);
  foreach v_job in array p_jobs[:501] loop
    continue when not wedsql._is_free(v_job);
    begin
      perform wedsql._lock_flow_of(v_job);
      perform wedsql._check_condition_of(v_job);  -- in a block of its own: what it withdraws stays so
    exception when sqlstate 'WD590' then
      continue;  -- it was removed
    end;
    begin
      v_held := wedsql.take_task(v_job, p_person, p_keys);
      return v_held;
    exception when sqlstate 'WD590' or sqlstate 'WD591' or sqlstate 'WD592' or sqlstate 'WD593' then
      continue;  -- it was ended, taken or held back since it was listed
    end;
  end loop;
  return null;
end $$;

-- Returns whether a task is open, and no other session is changing it. The lock is kept: the order is that of
-- _open_task. Where taking locks the instance first, nothing is locked here.
-- Locks: the flow's table against a definition that is being changed, the job.
create or replace function wedsql._is_free(p_job bigint) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_found record;
begin
  select t.wid, f.name, g.revalidate = 'at_take' or g.sets_when_taken is not null as by_instance into v_found
  from wedsql.task t join wedsql.flow f on f.id = t.flow_id join wedsql.trig g on g.tgid = t.tgid
  where t.job_id = p_job and t.state = 'R';
  if not found or v_found.by_instance then
    return found;
  end if;
  execute format('lock table %I.wed_flow in row share mode', v_found.name);
  perform 1 from wedsql.job_pool j where j.wid = v_found.wid and j.id = p_job and j.state = 'P'
  for update skip locked;
  return found;
end $$;

-- Returns what taking a task needs of its trigger: its name, and what is set then; with that, or with the
-- condition checked, its instance is locked.
-- Locks: as _hold_instance_of, of such a task; the caller has the flow.
create or replace function wedsql._rule_at_taking(p_job bigint, out name text, out sets text,
  out exclusive boolean)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_stale boolean;
begin
  select g.trname, g.sets_when_taken, coalesce(g.mutex, g.lock) is not null, g.revalidate = 'at_take'
  into name, sets, exclusive, v_stale
  from wedsql.task t join wedsql.trig g on g.tgid = t.tgid where t.job_id = p_job;
  if v_stale then
    perform wedsql._check_condition_of(p_job);
  end if;
  if sets is not null then
    perform wedsql._hold_instance_of(p_job);
  end if;
end $$;

-- Returns another job that has a lock or the exclusion group of a task, null for none; then no other session
-- gets them before this transaction ends, and with it the job of the task is leased.
-- Locks: the names by their keys, none of which is waited for.
create or replace function wedsql._excluding_job(p_task wedsql.task, out job bigint, out wid integer,
  out holder text)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_key bigint;
  v_free boolean := current_setting('transaction_isolation') = 'read committed';
begin
  foreach v_key in array wedsql._lock_keys(p_task.wid, p_task.job_id) loop
    v_free := v_free and pg_try_advisory_xact_lock(v_key);
  end loop;
  select o.id, o.wid, h.holder into job, wid, holder
  from wedsql.job_pool j cross join lateral wedsql._sharers(j) o
  cross join lateral (select case when o.state = 'L' then o.lckid
                             else wedsql._holder(o.wid, o.tgid) end as holder) h
  where j.wid = p_task.wid and j.id = p_task.job_id and h.holder is not null limit 1;
  if holder is null and not v_free then
    holder := '';  -- a session that is about to take one
  end if;
end $$;

-- Raises: WD593 naming who has what a task needs.
create or replace function wedsql._check_exclusion(p_task wedsql.task) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_other record := wedsql._excluding_job(p_task);
begin
  if v_other.holder is not null then
    perform wedsql._raise('WD593', case when v_other.holder = ''
        then 'Task {task} cannot be performed at the same time as another job.'
        else 'Task {task} cannot be performed at the same time as job {job}, which {owner} has.' end,
      'Take it when that job has ended.', wedsql._task_facts(p_task) || jsonb_build_object('owner',
        v_other.holder, 'job', v_other.job, 'other', v_other.wid));
  end if;
end $$;

-- Withdraws a task whose condition no longer holds, where its trigger has it checked at taking.
-- Locks: the instance and the job, of such a trigger.
create or replace function wedsql._check_condition_of(p_job bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_found record;
begin
  select t.wid, f.id, f.name into v_found
  from wedsql.task t join wedsql.trig g on g.tgid = t.tgid join wedsql.flow f on f.id = t.flow_id
  where t.job_id = p_job and t.state = 'R' and g.revalidate = 'at_take';
  if found then
    execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', v_found.name)
      using v_found.wid;
    perform wedsql._drop_stale(v_found.id, v_found.name, array[v_found.wid], array[p_job]);
  end if;
end $$;

-- Raises: WD009 where no person is named.
create or replace function wedsql._need_person(p_person text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(btrim(p_person), '') = '' or length(p_person) > 200 then
    perform wedsql._raise('WD009', 'A task is performed by a person who has a name.');
  end if;
end $$;

-- Raises: WD591 saying who may take the task.
create or replace function wedsql._check_may_take(p_task wedsql.task, p_person text, p_keys text[])
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb;
begin
  if wedsql._may_take(p_task, p_person, p_keys) then
    return;
  end if;
  v_facts := wedsql._task_facts(p_task)
    || jsonb_build_object('person', p_person, 'for', regexp_replace(p_task.audience, '^(n:[0-9]+|.):', ''));
  if p_person = any (p_task.excluded) then
    perform wedsql._raise('WD591',
      '{person} may not perform task {task}, having performed the transition that it checks.',
      'Another person performs it.', v_facts);
  end if;
  perform wedsql._raise('WD591', case left(p_task.audience, 1)
      when 'r' then 'Task {task} is for the role "{for}", which {person} does not have.'
      when 'p' then 'Task {task} is for {for}, not for {person}.'
      when 'n' then 'Task {task} is offered to others who have the role "{for}", not to {person}.'
      else 'Task {task} is for those who handle the cases of the flow "{for}", not for {person}.' end,
    'Ask an administrator for the role, or the person who has the task to give it to you.', v_facts);
end $$;

-- Raises: WD593 for a lock of a task that is not for work without a connection.
create or replace function wedsql._check_offline(p_task wedsql.task, p_lock boolean) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_lock and not (select t.offline from wedsql.trig t where t.tgid = p_task.tgid) then
    perform wedsql._raise('WD593', 'Task {task} is performed with a connection only.',
      'Take it instead of locking it, or have the designer allow it (offline).', wedsql._task_facts(p_task));
  end if;
end $$;

-- Notes that a person has begun a task.
-- Locks: as _open_task.
-- Raises: as _own_task.
create or replace function wedsql.start_task(p_job bigint, p_person text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._own_task(p_job, p_person, null);
  update wedsql.task t set state = 'X' where t.job_id = p_job;
end $$;

-- Checks that a task that is taken from a person is held by the one of whom the caller knows; null: the
-- caller does not say. Raises: WD592.
create or replace function wedsql._check_owner(p_task wedsql.task, p_person text, p_owner text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_task.owner <> p_person and p_task.owner <> p_owner then
    perform wedsql._refuse_taken(p_task);
  end if;
end $$;

-- Gives a task back to those who may take it. p_force: also one that another person holds, with p_owner only
-- if that is this person.
-- Locks: as _open_task.
-- Raises: as _own_task, but for p_force; WD592 where another person than p_owner holds it.
create or replace function wedsql.release_task(p_job bigint, p_person text, p_force boolean default false,
  p_owner text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task;
begin
  if p_force then
    v_task := wedsql._open_task(p_job);
    if v_task.owner is null then
      return;
    end if;
    perform wedsql._check_owner(v_task, p_person, p_owner);
  else
    v_task := wedsql._own_task(p_job, p_person, null);
  end if;
  perform wedsql._let_go(v_task, p_person, 'released', '');
end $$;

-- Frees a task that is held, with a row in the log of its job.
-- Locks: none; the caller has the job and the task.
create or replace function wedsql._let_go(p_task wedsql.task, p_actor text, p_outcome text, p_why text)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_owner text := p_task.owner;
begin
  update wedsql.job_pool j set state = 'P', claim = null, lckid = null, lease_until = null
  where j.wid = p_task.wid and j.id = p_task.job_id;
  update wedsql.task t set state = 'R', owner = null, owned_at = null, hidden_until = null
  where t.job_id = p_task.job_id returning t.* into p_task;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
  select j.id, j.wid, j.tgid, j.flow_id, j.trname, wedsql.now(), p_outcome, p_actor, p_why, j.attempts
  from wedsql.job_pool j where j.wid = p_task.wid and j.id = p_task.job_id;
  perform wedsql._notify_task(p_task);
  if v_owner <> p_actor then
    perform wedsql._send_message(array[v_owner], 'o', p_task.flow_id, p_task.wid, p_task.job_id,
      wedsql._message_facts(p_task) || jsonb_build_object('actor', p_actor, 'reason', left(p_why, 500)),
      wedsql.now());
  end if;
end $$;

-- Gives a task to another person, who alone may take it then. p_force: also one that no person or another
-- person holds, with p_owner only if that is this one. p_reason may be empty.
-- Locks: as _open_task.
-- Raises: WD591 where the other person may not perform it; as _own_task, but for p_force.
create or replace function wedsql.give_task(p_job bigint, p_person text, p_to text, p_reason text default '',
  p_force boolean default false, p_owner text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task wedsql.task;
begin
  perform wedsql._need_person(p_to);
  if p_force then
    v_task := wedsql._open_task(p_job);
  else
    v_task := wedsql._own_task(p_job, p_person, null);
  end if;
  if v_task.audience = 'p:' || p_to and v_task.given_by = p_person
     and coalesce(v_task.owner, p_to) = p_to then
    return;  -- sent again
  end if;
  perform wedsql._check_owner(v_task, p_person, p_owner);
  perform wedsql._check_may_take(v_task, p_to, array[v_task.audience]);
  update wedsql.task t set audience = 'p:' || p_to, given_by = p_person
  where t.job_id = p_job returning t.* into v_task;
  perform wedsql._let_go(v_task, p_person, 'given', concat_ws(': ', p_to, nullif(btrim(p_reason), '')));
end $$;

-- Hides a task of this person from the list of what is to be done until a moment; null ends that.
-- Locks: as _open_task.
-- Raises: WD009 for a moment that is past; as _own_task.
create or replace function wedsql.put_task_aside(p_job bigint, p_person text, p_until timestamptz)
  returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_until <= wedsql.now() or p_until > wedsql.now() + interval '10 years' then
    perform wedsql._raise('WD009', 'A task is put aside until a moment that comes, within ten years.');
  end if;
  perform wedsql._own_task(p_job, p_person, null);
  update wedsql.task t set hidden_until = p_until where t.job_id = p_job;
end $$;
