-- Short words for the steps of the specs. The job that a session works on is remembered in its settings.
create schema words;
create table words.present (wid integer);

-- A flow with two branches that meet; p_triggers and p_attributes are added to its definition.
create function words.publish(p_triggers jsonb default '[]', p_attributes jsonb default '[]') returns void language sql as $$
select wedsql.publish('iso', jsonb_build_object(
  'attributes', '[{"name": "a", "type": "integer", "default": "0"}, {"name": "b", "type": "integer", "default": "0"}]'::jsonb || p_attributes,
  'triggers', '[{"transition": "tr_a", "predicate": "a = 0", "backoff": "0"}, {"transition": "tr_b", "predicate": "b = 0"},
                {"transition": "tr_end", "predicate": "a = 1 and b = 1"}, {"predicate": "a = 2", "final": true}]'::jsonb || p_triggers))
$$;

select wedsql.create_flow('iso');

create function words.start() returns void language sql as $$
truncate words.present;
insert into words.present select wedsql.start('iso', '{}', 'iso');
$$;

create function words.wid() returns integer language sql as $$ select wid from words.present $$;

create function words.remember(p_job bigint, p_claim bigint) returns void language sql as $$
select set_config('iso.job', coalesce(p_job::text, ''), false), set_config('iso.claim', coalesce(p_claim::text, ''), false)
$$;

create function words.take(p_transition text) returns void language plpgsql as $$
declare
  v_job record;
begin
  select t.* into v_job from wedsql.take('iso', array[p_transition], 1, 'iso',
    array(select id from wedsql.job_pool where wid = words.wid())) t;
  perform words.remember(v_job.job_id, null);
end $$;

create function words.lease(p_transition text) returns void language plpgsql as $$
declare
  v_job record;
begin
  select t.* into v_job from wedsql.lease('iso', array[p_transition], 1, 'iso', '1 minute',
    array(select id from wedsql.job_pool where wid = words.wid())) t;
  perform words.remember(v_job.job_id, v_job.claim);
end $$;

-- Hands the result in; an error is raised, no job is no error.
create function words.finish(p_changes jsonb) returns void language plpgsql as $$
declare
  v_answer record;
begin
  if current_setting('iso.job', true) = '' then
    return;
  end if;
  select c.* into v_answer from wedsql.complete_many('iso', array[words.wid()], array[current_setting('iso.job')::bigint],
    array[nullif(current_setting('iso.claim'), '')::bigint], array[p_changes], 'iso') c;
  if not v_answer.ok then
    raise exception using errcode = v_answer.sqlstate, message = v_answer.message;
  end if;
end $$;

create function words.extend() returns void language sql as $$
select wedsql.extend(words.wid(), current_setting('iso.job')::bigint, current_setting('iso.claim')::bigint, '10 minutes')
$$;

create function words.fail() returns void language sql as $$
select wedsql.fail_many('iso', array[words.wid()], array[current_setting('iso.job')::bigint],
                        array[nullif(current_setting('iso.claim'), '')::bigint], array['no'])
$$;

create function words.later() returns void language sql as $$ select set_config('wedsql.test_offset', '2 minutes', false) $$;
