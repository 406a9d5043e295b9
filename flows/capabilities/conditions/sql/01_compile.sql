-- Compiles the conditions of a definition that is not published. Everything in this folder that evaluates
-- conditions (checks, trial, impact, what-if) compiles them here and evaluates them by 12_evaluate.sql.

-- Returns attribute name -> type of a definition, in the form that the lexer expects.
create or replace function wedsql._given_types(p_definition jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(a ->> 'name', coalesce(nullif(a ->> 'type', ''), 'text')), '{}')
from jsonb_array_elements(p_definition -> 'attributes') a where a ->> 'name' is not null
$$;

-- Returns the published form of a condition that means the same over the given attributes, null where it has
-- to be compiled: its text, the types of the attributes that it reads, and which of its words are attributes
-- are the same.
create or replace function wedsql._published_form(p_flow integer, p_predicate text, p_types jsonb,
  p_published jsonb) returns wedsql.trig
language sql stable set search_path = pg_catalog, pg_temp as $$
select t from wedsql.trig t
where t.flow_id = p_flow and t.cpred = p_predicate and t.canonical is not null
  and not exists (select 1 from unnest(t.reads) r where p_types ->> r is distinct from p_published ->> r)
  and not exists (select 1 from jsonb_object_keys(p_types) k
                  where not p_published ? k and strpos(lower(p_predicate), k) > 0)
order by t.tgid limit 1
$$;

-- Returns whether a condition has such a form.
create or replace function wedsql._has_published_form(p_flow integer, p_predicate text, p_types jsonb,
  p_published jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select (wedsql._published_form(p_flow, p_predicate, p_types, p_published)).tgid is not null
$$;

-- Returns the conditions of a definition as the matcher would evaluate them, numbered by their places from 1;
-- p_which: those places only. Conditions that the published flow has already are not parsed again.
-- Raises: WD005, WD006 for the first that is rejected.
create or replace function wedsql._compile(p_flow integer, p_definition jsonb, p_which integer[] default null)
  returns setof wedsql.condition
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
  v_published jsonb := wedsql._attr_types(p_flow);
  v_kept wedsql.trig;
  v_one record;
begin
  for v_one in
    select e.j ->> 'predicate' as predicate, case when jsonb_typeof(e.j -> 'id') = 'number'
      then (e.j ->> 'id')::integer end as tgid, e.n::integer as n
    from jsonb_array_elements(p_definition -> 'triggers') with ordinality e (j, n)
    where p_which is null or e.n = any (p_which) order by e.n
  loop
    v_kept := wedsql._published_form(p_flow, v_one.predicate, v_types, v_published);
    if v_kept.tgid is null then
      return next wedsql._compile_one(v_one.predicate, v_types, v_one.n, v_one.tgid);
    else
      return next row(v_one.n, v_one.tgid, v_kept.canonical, v_kept.reads,
        v_kept.disjuncts)::wedsql.condition;
    end if;
  end loop;
end $$;
