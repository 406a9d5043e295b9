-- Functions for the steps of the specs. The jobs of a session are kept in its settings. Those that read are stable: in a
-- condition they are called once, and the instance is found by an index among those of all earlier orders.
create schema words;
create table words.present (wid integer);

-- Publish a flow with two branches that join; p_triggers and p_attributes are added to its definition.
create function words.publish(p_triggers jsonb default '[]', p_attributes jsonb default '[]') returns void language sql as $$
select wedsql.publish('iso', jsonb_build_object(
  'attributes', '[{"name": "a", "type": "integer", "default": "0"},
                  {"name": "b", "type": "integer", "default": "0"}]'::jsonb || p_attributes,
  'triggers', '[{"transition": "tr_a", "predicate": "a = 0", "backoff": "0"}, {"transition": "tr_b", "predicate": "b = 0"},
                {"transition": "tr_end", "predicate": "a = 1 and b = 1"}, {"predicate": "a = 2", "final": true}]'::jsonb || p_triggers))
$$;

select wedsql.create_flow('iso');

-- How sessions take and complete (iso.mode): single; batch, jobs of two instances per call; held, by locks of the session.
create function words.mode() returns text language sql stable as
$$ select coalesce(nullif(current_setting('iso.mode', true), ''), 'single') $$;

-- Start the instance that is checked; in a batch a second one has the same steps and is locked after it.
-- Nothing of earlier instances is due any more: a round of the reaper has a time limit.
create function words.start() returns void language sql as $$
delete from wedsql.timer;
update wedsql.job_pool set state = 'P', claim = null, lease_until = null where state = 'L' and lease_until < '9000-01-01';
truncate words.present;
insert into words.present select wedsql.start('iso', '{}', 'iso') from generate_series(1, case words.mode() when 'batch' then 2 else 1 end)
$$;

-- Does all that is next for jobs that start children, also for those of earlier orders. Returns false.
create function words.continue_all() returns boolean language plpgsql as $$
begin
  for n in 1..500 loop
    exit when wedsql.continue_children() is null;
  end loop;
  return false;
end $$;

create function words.wid() returns integer language sql stable as $$ select min(wid) from words.present $$;

create function words.remember(p_wids integer[], p_jobs bigint[], p_claim bigint) returns void language sql as $$
select set_config('iso.wids', coalesce(p_wids, '{}')::text, false), set_config('iso.jobs', coalesce(p_jobs, '{}')::text, false),
       set_config('iso.claim', coalesce(p_claim::text, ''), false)
$$;

create function words.wids() returns integer[] language sql stable as $$ select current_setting('iso.wids')::integer[] $$;

create function words.jobs() returns bigint[] language sql stable as $$ select current_setting('iso.jobs')::bigint[] $$;

create function words.take(p_transition text) returns void language plpgsql as $$
begin
  if words.mode() = 'held' then
    perform words.hold(p_transition);
  else
    perform words.remember(array_agg(t.wid), array_agg(t.job_id), null) from wedsql.take('iso', array[p_transition], 2, 'iso',
      array(select j.id from wedsql.job_pool j where j.wid in (select p.wid from words.present p))) t;
  end if;
end $$;

-- Hold jobs, and keep only the job of the present instance.
create function words.hold(p_transition text) returns void language plpgsql as $$
begin
  create temporary table held on commit drop as select t.wid, t.tgid, t.job_id from iso.hold(array[p_transition], 1000, 'iso') t;
  perform pg_advisory_unlock(h.wid, h.tgid), pg_advisory_unlock(h.wid, -1) from held h where h.wid <> words.wid();
  perform words.remember(array_agg(h.wid), array_agg(h.job_id), null) from held h where h.wid = words.wid();
end $$;

create function words.lease(p_transition text) returns void language sql as $$
select words.remember(array_agg(t.wid), array_agg(t.job_id), max(t.claim))
from wedsql.lease('iso', array[p_transition], 1, 'iso', '1 minute',
  array(select id from wedsql.job_pool where wid = words.wid())) t
$$;

-- Complete the jobs. Raises the error of a rejected result; without jobs it does nothing.
create function words.finish(p_changes jsonb) returns void language plpgsql as $$
declare
  v_answer record;
begin
  if words.mode() = 'held' and current_setting('iso.claim') = '' then
    perform iso.complete_held(u.wid, u.job, p_changes, 'iso') from unnest(words.wids(), words.jobs()) u (wid, job);
    return;
  end if;
  for v_answer in
    select c.* from wedsql.complete_many('iso', words.wids(), words.jobs(),
      array_fill(nullif(current_setting('iso.claim'), '')::bigint, array[cardinality(words.jobs())]),
      array_fill(p_changes, array[cardinality(words.jobs())]), 'iso') c
  loop
    if not v_answer.ok then
      raise exception using errcode = v_answer.sqlstate, message = v_answer.message;
    end if;
  end loop;
end $$;

create function words.extend() returns void language sql as $$
select wedsql.extend(words.wid(), (words.jobs())[1], current_setting('iso.claim')::bigint, '10 minutes')
$$;

create function words.fail() returns void language sql as $$
select wedsql.fail_many('iso', words.wids(), words.jobs(), array[nullif(current_setting('iso.claim'), '')::bigint], array['no'])
$$;

create function words.later() returns void language sql as $$ select set_config('wedsql.test_offset', '2 minutes', false) $$;

-- Start an instance that becomes an exception: no condition holds on its state.
create function words.stick() returns void language sql as $$
select words.start();
select wedsql.repair(words.wid(), 'complete', jsonb_build_object('job', j.id, 'changes', '{"a": 3, "b": 3}'::jsonb), 'a result', 'iso')
from wedsql.job_pool j where j.wid = words.wid() and j.trname = 'tr_a';
select wedsql.repair(words.wid(), 'skip', jsonb_build_object('job', j.id), 'not needed', 'iso')
from wedsql.job_pool j where j.wid = words.wid() and j.trname = 'tr_b'
$$;

-- Keep the step and a value of the instance as a person sees them in a preview.
create function words.see() returns void language plpgsql as $$
begin
  perform set_config('iso.seen', i.seq::text, false), set_config('iso.a', w.a::text, false)
  from wedsql.instance i join iso.wed_flow w using (wid) where i.wid = words.wid();
end $$;

-- Repair the instance as it was seen.
create function words.patch(p_changes jsonb, p_actor text) returns void language sql as $$
select wedsql.repair(words.wid(), 'patch', jsonb_build_object('changes', p_changes), 'a reason', p_actor,
                     current_setting('iso.seen')::integer)
$$;

-- Request new values for the instance as a bulk operation.
create function words.request(p_changes jsonb) returns void language sql as $$
delete from wedsql.bulk;
select wedsql.request_bulk('patch', array[words.wid()], 1, 'a reason', 'iso', p_arguments => jsonb_build_object('changes', p_changes))
$$;

-- Enter the result of the oldest job on behalf of its worker.
create function words.record(p_changes jsonb, p_actor text) returns void language sql as $$
select wedsql.repair(words.wid(), 'complete', jsonb_build_object('changes', p_changes, 'job',
  (select min(j.id) from wedsql.job_pool j where j.wid = words.wid())), 'a reason', p_actor, current_setting('iso.seen')::integer)
$$;

-- Repair the instance: add 1 to the value that was seen.
create function words.add(p_actor text) returns void language sql as $$
select words.patch(jsonb_build_object('a', current_setting('iso.a')::integer + 1), p_actor)
$$;

-- Propose new values, which need an approval, for one hour; later_by lets the hour pass in a session.
create function words.propose(p_changes jsonb) returns void language sql as $$
select wedsql.save_approval_rules('iso', '[{"approvals": 1, "operations": ["patch"]}]', 'iso');
select wedsql.propose_repair(words.wid(), 'patch', jsonb_build_object('changes', p_changes), 'a reason', 'ana', p_hours => 1);
delete from wedsql.approval_rule r using wedsql.flow f where f.id = r.flow_id and f.name = 'iso'
$$;

create function words.approve(p_actor text) returns void language sql as $$
select wedsql.approve_repair(max(p.number), p_actor) from wedsql.proposal p where p.wid = words.wid()
$$;

create function words.later_by(p_time text) returns void language sql as $$ select set_config('wedsql.test_offset', p_time, false) $$;

-- Another operation on the instance as it was seen.
create function words.operate(p_operation text, p_arguments jsonb, p_actor text) returns void language sql as $$
select wedsql.repair(words.wid(), p_operation, p_arguments, 'a reason', p_actor, current_setting('iso.seen')::integer)
$$;

-- Publish a flow with a task of clerks besides, with more options of its trigger.
create function words.office(p_options jsonb default '{}') returns void language sql as $$
select words.publish(jsonb_build_array(
    '{"transition": "tr_task", "predicate": "t = 0", "performer": "person", "role": "Clerk"}'::jsonb || p_options),
                     '[{"name": "t", "type": "integer", "default": "0"}]')
$$;

create function words.task() returns bigint language sql stable as $$
select min(t.job_id) from wedsql.task t where t.wid = words.wid()
$$;

-- Take the task as a clerk, and note in a setting of the session that this was answered.
create function words.hold_task(p_person text, p_keys text[] default '{r:Clerk}') returns void language sql as $$
select set_config('iso.claim', (wedsql.take_task(words.task(), p_person, p_keys)).claim::text, false)
$$;

-- Start an instance whose task a person has.
create function words.started_task(p_person text) returns void language sql as $$
select words.start();
select words.hold_task(p_person)
$$;

create function words.complete_task(p_person text, p_value integer) returns void language sql as $$
select wedsql.complete_task(words.task(), p_person, jsonb_build_object('t', p_value))
$$;

-- Returns how often a result of the task was applied, and who has the task now.
create function words.results() returns bigint language sql stable as $$
select count(*) from wedsql.wed_trace h where h.wid = words.wid() and h.job_id = words.task()
$$;

create function words.owner() returns text language sql stable as $$
select t.owner from wedsql.task t where t.job_id = words.task() and t.ended_at is null
$$;
