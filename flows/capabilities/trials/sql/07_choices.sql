-- What the choices of a publication mean for each living instance, for the impact and for publishing alike.

-- Returns the triggers that are held back in an instance, where the conditions have these values.
create or replace function wedsql._held_of(p_plan wedsql.plan, p_status "char", p_before text, p_after text)
  returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_plan.keep_exceptions and p_status = 'E' then wedsql._with_letter(p_after, p_plan.after, 't')
  when p_plan.later = '{}' then '{}'
  else array(select h from unnest(wedsql._with_letter(p_after, p_plan.after, 't')) h
             where h = any (p_plan.later)
               and h <> all (wedsql._with_letter(p_before, p_plan.before, 't'))) end
$$;

-- Returns the jobs of an instance that remain: those of triggers that are not removed, without those that the
-- publication withdraws.
create or replace function wedsql._kept_jobs(p_plan wedsql.plan, p_after text, p_jobs integer[])
  returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(j order by j), '{}') from unnest(p_jobs) j
where j <> all (p_plan.removed)
  and (j <> all (p_plan.withdraw) or j = any (wedsql._with_letter(p_after, p_plan.after, 't')))
$$;

-- Returns in which instances which triggers are held back. New triggers have negative numbers. The caller has
-- locked the definition.
create or replace function wedsql._held_back(p_flow text, p_definition jsonb, p_choices jsonb,
  p_final boolean) returns wedsql.chosen
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_chosen wedsql.chosen;
  v_plan wedsql.plan;
begin
  perform wedsql._check_choices(p_choices, p_definition);
  v_chosen.settled := true;
  v_chosen.keep_exceptions := coalesce((p_choices ->> 'keep_exceptions')::boolean, false);
  v_chosen.held_wids := '{}';
  v_chosen.held_tgids := '{}';
  if coalesce(p_choices -> 'later', '[]') <> '[]' then
    v_plan := wedsql._plan(p_flow, p_definition, false, p_choices);
    v_plan.keep_exceptions := false;
    select coalesce(array_agg(l.wid order by l.wid, h.tgid), '{}'),
           coalesce(array_agg(h.tgid order by l.wid, h.tgid), '{}')
    into v_chosen.held_wids, v_chosen.held_tgids
    from wedsql._living(v_plan, 1, 'infinity', false, p_final) l
    cross join lateral unnest(wedsql._held_of(v_plan, l.status, l.before, l.after)) h (tgid);
  end if;
  return v_chosen;
end $$;

-- Returns the choices of a publication with what they hold back, for the engine that publishes.
create or replace function wedsql._on_chosen_trials(p_flow text, p_definition jsonb, p_choices jsonb,
  p_final boolean) returns wedsql.chosen
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._held_back(p_flow, p_definition, p_choices, p_final)
$$;
