-- Who may take a task. Each task has one audience, the key by which lists of open tasks are read: r:ROLE, for
-- the persons of a role, r:ROLE + SKILL, for those of them who have a skill, f:FLOW, for those who handle the
-- cases of the flow, or p:PERSON. Which keys a person has, the site says with each call.

-- Returns the audience of a task: the candidate that the state names, who is a person, those of a role, or
-- those of the role of the trigger who have a skill (without a role all who have it); else who performed the
-- transition that the same person performs, else the role of the trigger, else the people of the flow.
create or replace function wedsql._audience(p_trig wedsql.trig, p_wid integer, p_state jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := nullif(btrim(p_state ->> p_trig.candidate), '');
  v_performer text;
begin
  if v_name is not null then
    return case when v_name like 'role:%' then 'r:' || btrim(substr(v_name, 6))
                when v_name like 'skill:%' then
                  concat('r:', nullif(p_trig.role, '') || ' ', '+ ', btrim(substr(v_name, 7)))
                else 'p:' || v_name end;
  elsif p_trig.same_as is not null then
    v_performer := (wedsql._performers(p_wid, array[p_trig.same_as]))[1];
  end if;
  return coalesce('p:' || v_performer, 'r:' || nullif(p_trig.role, ''),
                  (select 'f:' || f.name from wedsql.flow f where f.id = p_trig.flow_id));
end $$;

-- Returns who performed these transitions in an instance, each person once, the last first; steps that were
-- undone do not count. Of a long history only the steps are read that came since it was read last.
create or replace function wedsql._performers(p_wid integer, p_transitions text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_known wedsql.task_performers;
  v_from integer := 0;
begin
  select k.* into v_known from wedsql.task_performers k
  where k.wid = p_wid and k.transitions = p_transitions;
  if found and not exists (select from wedsql.wed_trace h where h.wid = p_wid and h.seq > v_known.seq
                             and wedsql._goes_back(h.trw)) then
    v_from := v_known.seq;
  else
    v_known.persons := '{}';
  end if;
  return (
    with back as materialized (
      select h.seq, h.cause_seq from wedsql.wed_trace h
      where h.wid = p_wid and h.seq > v_from and wedsql._goes_back(h.trw)),
    later as materialized (
      select h.actor, max(h.seq) as seq from wedsql.wed_trace h
      where h.wid = p_wid and h.seq > v_from and h.trw = any (p_transitions) and h.actor <> ''
        and not exists (select from back b where b.seq > h.seq and b.cause_seq < h.seq)
      group by h.actor)
    select coalesce((select array_agg(l.actor order by l.seq desc) from later l), '{}')
      || array(select k.actor from unnest(v_known.persons) with ordinality k (actor, place)
               where k.actor <> all (array(select l.actor from later l)) order by k.place));
end $$;

-- Keeps who performed the transitions by which the triggers of these new jobs choose persons, where many
-- steps would have to be read again.
-- Locks: what is kept; the caller holds the instances.
create or replace function wedsql._keep_performers(p_jobs wedsql.job_pool[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  insert into wedsql.task_performers (wid, flow_id, transitions, seq, persons)
  select n.wid, n.flow_id, n.transitions, n.seq, wedsql._performers(n.wid, n.transitions)
  from (select distinct j.wid, j.flow_id, x.transitions, i.seq
        from unnest(p_jobs) j join wedsql.trig t on t.tgid = j.tgid
        cross join lateral (values (t.not_by), (array[t.same_as])) x (transitions)
        join wedsql.instance i on i.wid = j.wid
        left join wedsql.task_performers k on k.wid = j.wid and k.transitions = x.transitions
        where x.transitions[1] is not null and i.seq - coalesce(k.seq, 0) >= 50) n
  on conflict (wid, transitions) do update set seq = excluded.seq, persons = excluded.persons;
end $$;

-- Returns whether a person with these keys may take a task.
create or replace function wedsql._may_take(p_task wedsql.task, p_person text, p_keys text[]) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return p_person <> all (p_task.excluded) and (p_task.audience = any (p_keys)
    or case when left(p_task.audience, 2) = 'n:'
         then exists (select from wedsql.task_watch w
                      where w.job_id = p_task.job_id and p_person = any (w.offered))
         else p_task.audience = any (wedsql.person_keys(p_person)) end);
end $$;
