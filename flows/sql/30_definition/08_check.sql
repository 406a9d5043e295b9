-- Checks of a definition before it is published.
do $$
begin
  if to_regtype('wedsql.condition') is null then
    create type wedsql.condition as (n integer, tgid integer, canonical text, reads text[], disjuncts text[]);
  end if;
end $$;

-- Checks that no two attributes of the definition have the same name, earlier name or id, and no two triggers
-- the same id.
-- Raises: WD009 naming it.
create or replace function wedsql._check_twice(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad record;
begin
  select w.list, w.word, e ->> w.word as value into v_bad
  from (values ('attributes', 'name'), ('attributes', 'was'), ('attributes', 'id'),
        ('triggers', 'id')) w (list, word)
  cross join lateral jsonb_array_elements(p_definition -> w.list) e
  where e ->> w.word is not null group by w.list, w.word, e ->> w.word having count(*) > 1 limit 1;
  if found then
    perform wedsql._raise('WD009', 'The definition has {word} "{value}" more than once in the list {list}.',
      'Each must be unique; delete or rename the others.',
      jsonb_build_object('list', v_bad.list, 'word', v_bad.word, 'value', left(v_bad.value, 80)));
  end if;
end $$;

-- Checks that the definition has the outer form of one; what is inside each attribute and trigger is checked
-- where it is stored.
-- Raises: WD009.
create or replace function wedsql._check_definition(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bad text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object'
     or jsonb_typeof(p_definition -> 'attributes') is distinct from 'array'
     or jsonb_typeof(p_definition -> 'triggers') is distinct from 'array' then
    perform wedsql._raise('WD009', 'A definition is an object with the lists "attributes" and "triggers".');
  end if;
  if exists (select 1
             from jsonb_array_elements((p_definition -> 'attributes') || (p_definition -> 'triggers')) e
             where jsonb_typeof(e) <> 'object') then
    perform wedsql._raise('WD009', 'Each attribute and each trigger of a definition is an object.');
  end if;
  with k (kind, word) as (
    select 'flow', w from jsonb_object_keys(p_definition) w
    union
    select 'attr', w from jsonb_array_elements(p_definition -> 'attributes') a
    cross join lateral jsonb_object_keys(a) w
    union
    select 'trig', w from jsonb_array_elements(p_definition -> 'triggers') t
    cross join lateral jsonb_object_keys(t) w)
  select k.word into v_bad from k
  where (k.kind, k.word) not in (('flow', 'flow'), ('flow', 'version'), ('flow', 'attributes'),
    ('flow', 'triggers'),
                                 ('attr', 'was'), ('attr', 'id'), ('trig', 'id'))
    and not exists (select 1 from wedsql._options(k.kind) o where o.name = k.word) limit 1;
  if v_bad is not null then
    perform wedsql._raise('WD009', 'The definition has an unknown option "{option}".',
      'See docs/defining-flows.md for the options.', jsonb_build_object('option', left(v_bad, 80)));
  end if;
  perform wedsql._check_twice(p_definition);
end $$;

-- Returns one condition as the matcher would evaluate it over attributes of these types.
-- Raises: WD005, WD006.
create or replace function wedsql._compile_one(p_predicate text, p_types jsonb, p_n integer default 1,
  p_tgid integer default null) returns wedsql.condition
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.rendered;
begin
  perform wedsql._need_predicate(p_predicate);
  v_found := wedsql.check_predicate_text(p_predicate, p_types);
  return row(p_n, p_tgid, v_found.qualified, v_found.reads, v_found.disjuncts)::wedsql.condition;
end $$;

-- Returns a condition of something that would never happen if it were true on no state, compiled.
-- Raises: WD005, also where it is true on no state; WD006.
create or replace function wedsql._compile_possible(p_predicate text, p_types jsonb)
  returns wedsql.condition
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.condition := wedsql._compile_one(p_predicate, p_types);
begin
  if wedsql._is_never_true(p_predicate, p_types) then
    perform wedsql._raise('WD005', 'The condition is true on no state.',
      'Two parts of it exclude each other, or one is compared with null: use or, or is null.',
      jsonb_build_object('position', 1, 'length', length(p_predicate), 'token', '',
                         'reason', 'never_true'));
  end if;
  return v_found;
end $$;

-- Returns whether a condition that is accepted is true on no state, as far as PostgreSQL can prove it.
-- Raises: WD005, WD006.
create or replace function wedsql._is_never_true(p_predicate text, p_types jsonb) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp as $$
select wedsql.is_never_true(format('select true from %s where (%s)', wedsql.row_source(p_types), c.aligned))
from wedsql.check_predicate_text(p_predicate, p_types) c
$$;

-- Returns the numbers, from 1, of those of some accepted conditions that are true on no state.
-- Raises: WD005, WD006.
create or replace function wedsql.never_true(p_types jsonb, p_predicates text[]) returns integer[]
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
select array(select n::integer from unnest(p_predicates) with ordinality u (p, n)
             where wedsql._is_never_true(p, p_types) order by n)
$$;
