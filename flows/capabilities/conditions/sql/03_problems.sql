-- Finds all problems of a definition for which publishing it would be refused, by the checks that publishing
-- itself calls, each in a block of its own.

-- Calls one check, a call of a function of the kernel with the given row as $1 and the types of the
-- attributes as $2, and returns its problem, if it has one.
create or replace function wedsql._problem_of(p_path jsonb, p_call text, p_row anyelement, p_types jsonb,
  p_table text default null) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_why wedsql.why;
begin
  execute 'select wedsql.' || p_call using p_row, p_types;
exception
  when lock_not_available or insufficient_privilege then raise;
  when insufficient_resources or operator_intervention or system_error then raise;
  when others then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
                            v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    return next wedsql._problem(p_path, v_why.code, v_why.message, v_why.hint, v_why.detail, p_table);
end $$;

-- Calls one check of a row as _problem_of does, of an attribute, trigger or flow as it is given ($1), and
-- again without the option of the problem until it finds none.
create or replace function wedsql._problems_by_option(p_path jsonb, p_call text, p_given jsonb, p_types jsonb,
  p_table text) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_problem wedsql.problem;
begin
  for v_try in 1..100 loop
    select x.* into v_problem from wedsql._problem_of(p_path, p_call, p_given, p_types, p_table) x;
    exit when not found;
    return next v_problem;
    exit when not p_given ? (v_problem.path ->> -1);
    p_given := p_given - (v_problem.path ->> -1);
  end loop;
end $$;

-- Returns what is wrong with the outer form: lists that are missing, words that are no options, numbers and
-- names that occur twice.
create or replace function wedsql._outline_problems(p_definition jsonb) returns setof wedsql.problem
language sql stable set search_path = pg_catalog, pg_temp as $$
with option as materialized (
  select k.kind, o.name from (values ('flow'), ('attr'), ('trig')) k (kind)
  cross join lateral wedsql._options(k.kind) o
  union all
  values ('flow', 'flow'), ('flow', 'version'), ('flow', 'attributes'), ('flow', 'triggers'), ('attr', 'was'),
    ('attr', 'id'), ('trig', 'id')),
item as materialized (
  select l.list, l.kind, e.n - 1 as n, e.j from (values ('attributes', 'attr'), ('triggers',
    'trig')) l (list, kind)
  cross join lateral jsonb_array_elements(p_definition -> l.list) with ordinality e (j, n)),
word as (
  select 'flow' as kind, '[]'::jsonb as path, w from jsonb_object_keys(p_definition) w
  union all
  select i.kind, jsonb_build_array(i.list, i.n), w from item i
  cross join lateral jsonb_object_keys(case when jsonb_typeof(i.j) = 'object' then i.j else '{}' end) w)
select wedsql._problem(jsonb_build_array(i.list, i.n), 'WD009',
  'Each attribute and each trigger of a definition is an object.', null)
from item i where jsonb_typeof(i.j) <> 'object'
union all
select wedsql._problem(w.path || to_jsonb(w.w), 'WD009',
  wedsql._put_facts('The definition has an unknown option "{option}".', jsonb_build_object('option',
    left(w.w, 80))),
  'See docs/defining-flows.md for the options.')
from word w where (w.kind, w.w) not in (select o.kind, o.name from option o)
union all
select wedsql._problem(jsonb_build_array(i.list, i.n, i.word), 'WD009',
  wedsql._put_facts('The definition has {word} "{value}" more than once in the list {list}.',
    jsonb_build_object('word', i.word, 'value', left(i.j ->> i.word, 80), 'list', i.list)),
  'Each must be unique; delete or rename the others.')
from (select i.*, k.word,
        row_number() over (partition by i.list, k.word, i.j ->> k.word order by i.n) as place
      from item i join (values ('attributes', 'name'), ('attributes', 'was'), ('attributes', 'id'),
                               ('triggers', 'id')) k (list, word) on k.list = i.list
      where i.j ->> k.word is not null) i
where i.place > 1
$$;

-- Returns the problems of one attribute by itself; p_allowed: its options have allowed values.
create or replace function wedsql._attribute_problems(p_given jsonb, p_path jsonb, p_options wedsql.option[],
  p_allowed boolean) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_given jsonb := case when p_allowed then p_given else wedsql._well_formed('attr', p_given, p_options) end;
  v_row wedsql.attr := wedsql._attribute_row(v_given, p_options);
  v_wrong boolean := false;
begin
  v_row.type := coalesce(nullif(v_row.type, ''), 'text');
  return query select * from wedsql._problem_of(p_path || '"name"', 'check_name(($1).aname, ''attribute'')',
    v_row, null);
  if not p_allowed then
    return query select * from wedsql._form_problems('attr', p_given, p_path, p_options);
    return query select * from wedsql._problems_by_option(p_path,
      '_check_values(''attr'', wedsql._attribute_row($1, wedsql._option_list(''attr'')))',
      v_given || jsonb_build_object('type', v_row.type), null, 'attr');
    v_wrong := found;
  end if;
  if not v_wrong then  -- the type becomes part of a statement
    return query select * from wedsql._problem_of(
      p_path || case when v_row.type = 'enum' and coalesce(cardinality(v_row.options), 0) = 0
                     then '"options"'::jsonb else '"default"' end,
      '_check_default(($1).aname, ($1).type, ($1).options, ($1).adv)', v_row, null);
    return query select * from wedsql._problem_of(p_path || '"business_key"',
      '_check_key(($1).aname, ($1).type, ($1).business_key)', v_row, null);
    return query select * from wedsql._problem_of(p_path || '"start_source"',
      '_check_start_source(($1).aname, ($1).type, ($1).start_source)', v_row, null);
    return query select * from wedsql._problem_of(p_path || '"option_labels"',
      '_check_option_labels(($1).aname, ($1).type, ($1).options, ($1).option_labels)', v_row, null);
  end if;
end $$;

-- Returns the problems of one trigger over attributes of these types; p_allowed: its options have allowed
-- values; p_checked: its condition has no problem; p_sets_checked: nor has its SET string.
create or replace function wedsql._trigger_problems(p_given jsonb, p_path jsonb, p_options wedsql.option[],
  p_types jsonb, p_allowed boolean, p_checked boolean, p_sets_checked boolean) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_given jsonb := case when p_allowed then p_given else wedsql._well_formed('trig', p_given, p_options) end;
  v_row wedsql.trig := wedsql._trigger_row(v_given, p_options, 'null');
begin
  return query select * from wedsql._problem_of(p_path || '"transition"', '_with_names($1)', v_row, null);
  if not p_allowed then
    return query select * from wedsql._form_problems('trig', p_given, p_path, p_options);
  end if;
  if not p_allowed or exists (
    select from wedsql._problem_of(p_path, '_check_references($1, $2)', v_row, p_types)) then
    return query select * from wedsql._problems_by_option(p_path,
      '_check_options(wedsql._trigger_row($1, wedsql._option_list(''trig''), ''null''), $2)',
      v_given || case when v_row.cpred is null then '{"predicate": ""}' else '{}' end::jsonb, p_types,
      'trig');
  end if;
  if not p_checked then
    return query select * from wedsql._problem_of(p_path || '"predicate"', '_compile_one(($1).cpred, $2)',
      v_row, p_types);
  end if;
  if v_row.sets is not null and v_row.enabled and not p_sets_checked then
    return query select * from wedsql._problem_of(p_path || '"sets"', 'check_set_text(($1).sets, $2)', v_row,
      p_types);
  end if;
end $$;

-- Returns the triggers that are final conditions besides the first.
create or replace function wedsql._final_problems(p_triggers jsonb) returns setof wedsql.problem
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._problem(jsonb_build_array('triggers', f.n - 1, 'final'), 'WD008',
  'The flow has a final condition already.',
  'Join both with OR: several final states are one condition.')
from (select e.n, row_number() over (order by e.n) as place
      from jsonb_array_elements(p_triggers) with ordinality e (j, n)
      where lower(e.j ->> 'final') in ('true', 't', 'yes', 'y', 'on', '1')) f
where f.place > 1
$$;

-- Returns all problems for which publishing the definition would be refused, in its order; for a flow that
-- does not exist, those of publishing it as a new one. It reads the table of a flow whose attributes get
-- another type or other options, and locks nothing. p_known has the places, from 0, of attributes and
-- triggers that were checked before and had no problem of their own, of triggers over attributes of the same
-- types: {"attributes": [0, 1], "triggers": [5]}. These are not checked again by themselves.
-- Raises: 25006.
create or replace function wedsql.check_definition(p_flow text, p_definition jsonb,
  p_known jsonb default '{}') returns setof wedsql.problem
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow integer := (select f.id from wedsql.flow f where f.name = p_flow);
begin
  perform wedsql._need_writable();
  if jsonb_typeof(p_definition) is distinct from 'object'
    or jsonb_typeof(p_definition -> 'attributes') is distinct from 'array'
     or jsonb_typeof(p_definition -> 'triggers') is distinct from 'array' then
    return next wedsql._problem('[]', 'WD009',
      'A definition is an object with the lists "attributes" and "triggers".', null);
    return;
  end if;
  return query select * from wedsql._outline_problems(p_definition);
  return query select * from wedsql._setting_problems(p_definition);
  return query select * from wedsql._item_problems(v_flow, p_definition, p_known);
  return query select * from wedsql._final_problems(p_definition -> 'triggers');
  if v_flow is not null then
    return query select * from wedsql._change_problems(v_flow, p_flow, p_definition);
  end if;
end $$;

-- Returns of the triggers of a list, in its order, whether their conditions are accepted, those included that
-- the published flow has and that mean the same.
create or replace function wedsql._accepted_predicates(p_flow integer, p_items jsonb, p_types jsonb,
  p_published jsonb) returns boolean[]
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_texts text[] := array(
    select case when jsonb_typeof(e.j -> 'predicate') = 'string' then e.j ->> 'predicate' end
    from jsonb_array_elements(p_items) with ordinality e (j, n) order by e.n);
  v_known boolean[] := array(
    select k.known from unnest(v_texts) with ordinality t (text, n)
    left join lateral wedsql._has_published_form(p_flow, t.text, p_types, p_published) k (known) on true
    order by t.n);
  v_accepted boolean[];
begin
  v_accepted := wedsql._accepted(array(
    select case when not v_known[t.n] then t.text end from unnest(v_texts) with ordinality t (text, n)
    order by t.n), p_types, false);
  return array(select x.a or v_known[x.n] from unnest(v_accepted) with ordinality x (a, n) order by x.n);
end $$;

-- Returns of the attributes of a list, in its order, whether they certainly have no problem by themselves.
-- Those that differ in their names only are checked once; where one of them is wrong, none is certain.
create or replace function wedsql._fine_attributes(p_items jsonb, p_allowed bigint[],
  p_options wedsql.option[]) returns boolean[]
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_count integer := jsonb_array_length(p_items);
begin
  perform wedsql.check_name(e.j ->> 'name', 'attribute')
  from jsonb_array_elements(p_items) with ordinality e (j, n)
  where e.n = any (p_allowed);
  perform wedsql._check_default(a.aname, a.type, a.options, a.adv),
          wedsql._check_key(a.aname, a.type, a.business_key),
          wedsql._check_start_source(a.aname, a.type, a.start_source),
          wedsql._check_option_labels(a.aname, a.type, a.options, a.option_labels)
  from (select (array_agg(e.j))[1] as j from jsonb_array_elements(p_items) with ordinality e (j, n)
        where e.n = any (p_allowed) group by e.j - '{id,was,name,label,description}'::text[]) g
  cross join lateral wedsql._attribute_row(g.j || case when coalesce(g.j ->> 'type', '') = ''
    then '{"type": "text"}' else '{}' end::jsonb, p_options) a;
  return array(select coalesce(n = any (p_allowed), false) from generate_series(1, v_count) n order by n);
exception when others then
  if wedsql._passes(sqlstate) then
    raise;
  end if;
  return array_fill(false, array[v_count]);
end $$;

-- Does what _fine_attributes does, for triggers. p_predicates, p_sets: which of their texts are accepted.
create or replace function wedsql._fine_triggers(p_items jsonb, p_allowed bigint[], p_options wedsql.option[],
  p_types jsonb, p_predicates boolean[], p_sets boolean[]) returns boolean[]
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_count integer := jsonb_array_length(p_items);
begin
  perform wedsql._check_references(r, p_types), wedsql._with_names(r)
  from (select (array_agg(e.j))[1] as j from jsonb_array_elements(p_items) with ordinality e (j, n)
        where e.n = any (p_allowed)
        group by e.j - '{id,name,transition,condition,label,description,predicate,sets}'::text[],
          e.j ->> 'sets' is null) g
  cross join lateral wedsql._trigger_row(g.j, p_options, 'null') r;
  perform wedsql.check_name(e.j ->> 'transition', 'transition')
  from jsonb_array_elements(p_items) with ordinality e (j, n)
  where e.n = any (p_allowed) and wedsql._fires_transition(e.j);
  return array(
    select coalesce(e.n = any (p_allowed) and wedsql._fires_transition(e.j) and p_predicates[e.n]
                    and (e.j -> 'sets' is null or p_sets[e.n]), false)
    from jsonb_array_elements(p_items) with ordinality e (j, n) order by e.n);
exception when others then
  if wedsql._passes(sqlstate) then
    raise;
  end if;
  return array_fill(false, array[v_count]);
end $$;

-- Returns whether a trigger of a definition is neither a final nor an integrity condition.
create or replace function wedsql._fires_transition(p_given jsonb) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select not p_given ? 'integrity' and coalesce(p_given -> 'final', 'false') = 'false'
$$;

-- Returns the problems that the attributes and triggers have by themselves.
create or replace function wedsql._item_problems(p_flow integer, p_definition jsonb, p_known jsonb)
  returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._given_types(p_definition);
  v_published jsonb := wedsql._attr_types(p_flow);
  v_options wedsql.option[] := wedsql._option_list('attr');
  v_items jsonb := wedsql._unknown_items(p_definition -> 'attributes', p_known -> 'attributes');
  v_allowed bigint[] := wedsql._allowed_items('attr', v_items, v_options);
  v_fine boolean[];
  v_predicates boolean[];
  v_sets boolean[];
begin
  v_fine := wedsql._fine_attributes(v_items, v_allowed, v_options);
  return query select x.* from jsonb_array_elements(v_items) with ordinality e (j, n)
    cross join lateral wedsql._attribute_problems(e.j, jsonb_build_array('attributes', e.n - 1), v_options,
      e.n = any (v_allowed)) x
    where jsonb_typeof(e.j) = 'object' and not v_fine[e.n] order by e.n;
  v_options := wedsql._option_list('trig');
  v_items := wedsql._unknown_items(p_definition -> 'triggers', p_known -> 'triggers');
  v_allowed := wedsql._allowed_items('trig', v_items, v_options);
  v_predicates := wedsql._accepted_predicates(p_flow, v_items, v_types, v_published);
  v_sets := wedsql._accepted(array(
    select case when jsonb_typeof(e.j -> 'sets') = 'string' then e.j ->> 'sets' end
    from jsonb_array_elements(v_items) with ordinality e (j, n) order by e.n), v_types, true);
  v_fine := wedsql._fine_triggers(v_items, v_allowed, v_options, v_types, v_predicates, v_sets);
  return query select x.* from jsonb_array_elements(v_items) with ordinality e (j, n)
    cross join lateral wedsql._trigger_problems(e.j, jsonb_build_array('triggers', e.n - 1), v_options,
      v_types, e.n = any (v_allowed), v_predicates[e.n], v_sets[e.n]) x
    where jsonb_typeof(e.j) = 'object' and not v_fine[e.n] order by e.n;
end $$;

-- Returns the list with null in the places, from 0, of the known items.
create or replace function wedsql._unknown_items(p_items jsonb, p_known jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg(case when k.n is null then e.j else 'null' end order by e.n), '[]')
from jsonb_array_elements(p_items) with ordinality e (j, n)
left join (select distinct (x #>> '{}')::bigint as n from jsonb_array_elements(p_known) x) k on k.n = e.n - 1
$$;

-- Returns the problems of the settings of a definition.
create or replace function wedsql._setting_problems(p_definition jsonb) returns setof wedsql.problem
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_options wedsql.option[] := wedsql._option_list('flow');
  v_given jsonb := wedsql._well_formed('flow', p_definition - 'attributes' - 'triggers', v_options);
  v_row text := 'jsonb_populate_record(null::wedsql.flow, '
    'wedsql._as_columns($1, wedsql._option_list(''flow''), true))';
begin
  return query select * from wedsql._form_problems('flow', p_definition, '[]', v_options);
  return query select * from wedsql._problems_by_option('[]', format('_check_values(''flow'', %s)', v_row),
    v_given, null, 'flow');
  return query select * from wedsql._problems_by_option('[]', format('_check_spans(''flow'', %s)', v_row),
    v_given, null, 'flow');
  return query select * from wedsql._problems_by_option('[]', format('_check_start_times(%s)', v_row),
    v_given, null, 'flow');
  return query select * from wedsql._problems_by_option('[]', format('_check_queue_labels(%s)', v_row),
    v_given, null, 'flow');
end $$;

-- Returns what one call checks while a condition is typed: its problem, or the attributes that it reads.
-- Raises: 25006.
create or replace function wedsql.check_condition(p_types jsonb, p_predicate text, out problem wedsql.problem,
  out reads text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_compiled wedsql.condition;
  v_why wedsql.why;
begin
  perform wedsql._need_writable();
  v_compiled := wedsql._compile_one(p_predicate, p_types);
  reads := v_compiled.reads;
exception when sqlstate 'WD005' or sqlstate 'WD006' then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
                          v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  problem := wedsql._problem('[]', v_why.code, v_why.message, v_why.hint, v_why.detail);
end $$;

-- Returns which of some conditions are certainly accepted, in their order; check_condition says of the others
-- what is wrong with them.
-- Raises: 25006.
create or replace function wedsql.accepted_conditions(p_types jsonb, p_predicates text[]) returns boolean[]
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._need_writable();
  return wedsql._accepted(p_predicates, p_types, false);
end $$;

grant execute on function
  wedsql.check_definition(text, jsonb, jsonb), wedsql.check_condition(jsonb, text),
  wedsql.accepted_conditions(jsonb, text[])
to wed_web;
