-- Deadlines: the messages before them, the transfer to the responsible person, and the time that is given to
-- a task besides.

-- Returns the part of a round of the reaper in which messages about deadlines are sent.
create or replace function wedsql._on_reap_parts_tasks() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"deadlines": true}'::jsonb $$;

-- Returns who is responsible for an instance whose exception or late result is about a task of people; null
-- where there is none, or where it is about something else.
create or replace function wedsql._on_decides_tasks(p_flow wedsql.flow, p_wid integer, p_transition text)
  returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._responsible(p_wid)
where p_flow.followed and exists (
  select from wedsql.trig t where t.flow_id = p_flow.id and t.trname = p_transition
    and t.performer = 'person')
$$;

-- Returns the living instances for which a person is responsible, the last first, up to p_limit.
create or replace function wedsql._on_decided_by_tasks(p_person text, p_limit integer) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array(select s.wid from wedsql.task_setting s where s.responsible = p_person and not s.ended
             order by s.wid desc limit p_limit)
$$;

-- Sends the messages about deadlines that are due, each once, also those of a time in which no reaper ran.
-- Locks: jobs, skipping locked ones; as _message_deadline.
create or replace function wedsql._on_reap_part_tasks(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_due record;
begin
  if p_part <> 'deadlines' then
    return;
  end if;
  for v_due in
    select w.job_id, w.wid, w.flow_id from wedsql.task_watch w
    where w.next_at < 'infinity' and w.next_at <= p_now and wedsql._may_try(w.flow_id, 'deadlines', w.wid,
      w.job_id, p_now)
    order by w.next_at, w.job_id limit 500
  loop
    begin
      perform from wedsql.job_pool j where j.wid = v_due.wid and j.id = v_due.job_id for update skip locked;
      if found then
        perform wedsql._message_deadline(v_due.job_id, p_now);
        perform wedsql._no_trouble(v_due.flow_id, 'deadlines', v_due.wid, v_due.job_id);
      end if;
    exception when query_canceled or others then
      perform wedsql._note_trouble(v_due.flow_id, 'deadlines', v_due.wid, v_due.job_id, sqlstate, sqlerrm,
                                   p_now);
      if sqlstate = '57014' then
        perform set_config('wedsql.round_over', 'yes', true);
      end if;
    end;
    exit when wedsql._round_over();
  end loop;
end $$;

-- Returns when the next message about a deadline is due.
create or replace function wedsql._on_next_due_tasks() returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select w.next_at from wedsql.task_watch w
where w.next_at < 'infinity'
  and w.next_at > coalesce((select least(max(b.seen_at), wedsql.now()) from wedsql.beat b
                            where b.name = 'reaper'), '-infinity')
order by w.next_at limit 1
$$;

-- Sends the messages about the deadline of a task that are due: one for each number of hours, to the
-- responsible person and to who holds the task. At the hours of the transfer the task goes to the responsible
-- person.
-- Locks: the task and what is watched of it; the caller has its job.
create or replace function wedsql._message_deadline(p_job bigint, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_task wedsql.task;
  v_watch wedsql.task_watch;
  v_setting wedsql.task_setting;
  v_hours numeric;
  v_facts jsonb;
begin
  select t.* into v_task from wedsql.task t where t.job_id = p_job and t.ended_at is null for update;
  select w.* into v_watch from wedsql.task_watch w where w.job_id = p_job for update;
  if v_task.job_id is null or v_watch.job_id is null or v_watch.next_at > p_now then
    return;
  end if;
  v_setting := wedsql._settings_of(v_task.wid);
  foreach v_hours in array v_watch.hours loop
    exit when v_watch.due_at - v_hours * interval '1 hour' > p_now;
    v_watch.hours := v_watch.hours[2:];
    v_facts := wedsql._message_facts(v_task)
      || jsonb_build_object('hours', v_hours, 'due_at', v_watch.due_at, 'owner', v_task.owner);
    if v_hours = any (wedsql._warning_hours(v_setting.warnings, true))
       and wedsql._is_transferred(v_task, v_setting.responsible)
       and (v_task.owner is not null or (wedsql._excluding_job(v_task)).holder is null) then
      v_facts := v_facts || jsonb_build_object('to', v_setting.responsible);
    end if;
    perform wedsql._send_message(array[v_setting.responsible, v_task.owner], 'd', v_task.flow_id, v_task.wid,
                                 p_job, v_facts, p_now);
    if v_facts ? 'to' then
      v_task := wedsql._transfer_task(v_task, v_setting.responsible, p_now);
    end if;
  end loop;
  update wedsql.task_watch w
  set hours = v_watch.hours, next_at = wedsql._next_message(v_watch.due_at, v_watch.hours)
  where w.job_id = p_job;
end $$;

-- Has open tasks that arrived by a clock which was ahead, and was set back, arrive now: their time counts
-- from now, unless a person has set another deadline.
-- Locks: the tasks, skipping locked ones; what is watched of them.
create or replace function wedsql._on_clock_set_back_tasks(p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wids integer[];
begin
  with ahead as (
    select o.job_id from wedsql.task o
    where o.ended_at is null and greatest(o.arrived_at, o.owned_at) > p_now
    order by o.job_id for update skip locked),
  back as (
    update wedsql.task t
    set arrived_at = least(t.arrived_at, p_now), owned_at = least(t.owned_at, p_now),
        due_at = case when g.deadline is not null and t.arrived_at > p_now
                       and t.due_at = wedsql._task_deadline(g, t.arrived_at)
                      then wedsql._task_deadline(g, p_now) else t.due_at end
    from ahead a, wedsql.trig g where t.job_id = a.job_id and g.tgid = t.tgid
    returning t.wid)
  select array_agg(distinct b.wid) into v_wids from back b;
  perform wedsql._keep_watch(v_wids, p_now);
end $$;

-- Returns whether a task can go to the responsible person: there is one, who does not have it and may.
create or replace function wedsql._is_transferred(p_task wedsql.task, p_to text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_to is not null and p_to is distinct from p_task.owner and p_to <> all (p_task.excluded)
  and p_task.state <> 'H'
$$;

-- Gives a task to the responsible person, who holds it then, whoever held it before.
-- Locks: none; the caller has the job and the task.
create or replace function wedsql._transfer_task(p_task wedsql.task, p_to text, p_now timestamptz)
  returns wedsql.task
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_from text := coalesce(p_task.owner, '');
begin
  update wedsql.job_pool j
  set state = 'L', claim = wedsql._new_claim(), lckid = p_to, lease_until = '9999-01-01 UTC'
  where j.wid = p_task.wid and j.id = p_task.job_id;
  update wedsql.task t
  set state = 'S', audience = 'p:' || p_to, owner = p_to, owned_at = p_now, hidden_until = null,
      given_by = 'kernel'
  where t.job_id = p_task.job_id returning t.* into p_task;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
  select j.id, j.wid, j.tgid, j.flow_id, j.trname, p_now, 'transferred', 'kernel', v_from, j.attempts
  from wedsql.job_pool j where j.wid = p_task.wid and j.id = p_task.job_id;
  perform wedsql._notify_task(p_task);
  return p_task;
end $$;

-- Returns when a task that this person held last went to the responsible person; null where it did not.
create or replace function wedsql._transferred_at(p_task wedsql.task, p_person text) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select max(l.at) from wedsql.job_log l
where l.wid = p_task.wid and l.job_id = p_task.job_id and l.outcome = 'transferred'
  and l.message = p_person and p_person <> '' and p_task.owner is distinct from p_person
$$;

-- Returns whether a task went from this person to the responsible one, and did not come back.
create or replace function wedsql.lost_task(p_job bigint, p_person text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select coalesce((select wedsql._transferred_at(t, p_person) is not null from wedsql.task t
                 where t.job_id = p_job), false)
$$;

-- Raises: WD598 where the task was taken from this person before its deadline.
create or replace function wedsql._refuse_transferred(p_task wedsql.task, p_person text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_at timestamptz := case when p_task.owner is distinct from p_person and p_task.state <> 'W'
                           then wedsql._transferred_at(p_task, p_person) end;
begin
  if v_at is not null then
    perform wedsql._raise('WD598',
      'Task {task} went from you to the person responsible, because its deadline '
      'is near.', 'Hand over what you have as a late result, about which people decide.',
      wedsql._task_facts(p_task) || jsonb_build_object('transferred_at', v_at));
  end if;
end $$;

-- Keeps the result of a person from whom the task went to the responsible person, as a late result with a
-- case, and returns its number; null where as many as can be wait for a decision. Sent again it is the same.
-- Locks: as complete_task; the late result, the case.
-- Raises: WD590, WD593, WD594; WD009, WD211.
create or replace function wedsql.keep_late_task(p_job bigint, p_person text, p_data jsonb default '{}',
  p_outcome text default null) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := wedsql._hold_instance_of(p_job);
  v_task wedsql.task := wedsql._known_task(p_job);
begin
  if wedsql._transferred_at(v_task, p_person) is null then
    perform wedsql._raise('WD593', 'Task {task} did not go from you to another person.', 'Take it first.',
                          wedsql._task_facts(v_task));
  end if;
  return wedsql._call_rejected(v_flow, v_task.wid, p_job, null, wedsql._with_outcome(v_flow, v_task,
    coalesce(p_data, '{}'), p_outcome), null, p_person, 'WD598');
end $$;

-- Gives a task another deadline. p_force: also by who is not the responsible person.
-- Locks: as _open_task; what is watched of it.
-- Raises: WD009 for a moment that is past; WD590, WD593; WD591 for who is not the responsible person.
create or replace function wedsql.extend_task_deadline(p_job bigint, p_person text, p_until timestamptz,
  p_force boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_task wedsql.task := wedsql._open_task(p_job);
begin
  if not p_force then
    perform wedsql._check_responsible(wedsql._settings_of(v_task.wid), p_person);
  end if;
  if p_until is null or p_until <= v_now or p_until > v_now + interval '10 years' then
    perform wedsql._raise('WD009', 'The deadline of a task is a moment that comes, within ten years.');
  elsif v_task.due_at = p_until then
    return;  -- sent again
  end if;
  update wedsql.task t set due_at = p_until where t.job_id = p_job returning t.* into v_task;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
  select j.id, j.wid, j.tgid, j.flow_id, j.trname, v_now, 'extended', p_person,
         to_char(p_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), j.attempts
  from wedsql.job_pool j where j.wid = v_task.wid and j.id = p_job;
  perform wedsql._keep_watch(array[v_task.wid], v_now);
  perform wedsql._notify_task(v_task);
end $$;

grant execute on function wedsql.keep_late_task(bigint, text, jsonb, text),
  wedsql.lost_task(bigint, text),
  wedsql.extend_task_deadline(bigint, text, timestamptz, boolean) to wed_web;
