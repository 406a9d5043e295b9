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

-- Returns who performed these transitions in an instance, the last first; steps that were undone do not
-- count.
create or replace function wedsql._performers(p_wid integer, p_transitions text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  return (
    select coalesce(array_agg(h.actor order by h.seq desc), '{}') from wedsql.wed_trace h
    where h.wid = p_wid and h.trw = any (p_transitions) and h.actor <> ''
      and not exists (
        select from wedsql.wed_trace b
        where b.wid = h.wid and b.seq > h.seq and b.cause_seq < h.seq and wedsql._goes_back(b.trw)));
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
