-- The options of triggers that start child instances: their expressions read the attributes of the instance
-- and counters. They are parsed again whenever they are computed, so what is stored is what was typed.

-- Returns the most children that one job may have, and the most levels below an instance without a parent.
create or replace function wedsql.child_limit() returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 100000 $$;
create or replace function wedsql.child_depth_limit() returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 16 $$;

-- Returns the types of what expressions about children may read besides attributes: the number of the child,
-- from 1; how many there are; of those that have ended how many are done, and how many were cancelled,
-- aborted or count as failed; and the values of those that have ended, as an array by number.
create or replace function wedsql._child_counters() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select '{"child_number": "integer", "children": "integer", "children_done": "integer",
         "children_failed": "integer", "children_states": "jsonb"}'::jsonb
$$;

-- Returns the parts of assignments "attribute = expression"; the name is null where a line is none.
create or replace function wedsql._child_lines(p_lines text[])
returns table (place integer, name text, expression text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select o.place::integer, substring(o.line from E'^\\s*([a-z][a-z0-9_]*)\\s*='),
       substr(o.line, strpos(o.line, '=') + 1)
from unnest(p_lines) with ordinality o (line, place)
$$;

-- Returns whether one of the expressions of a trigger, or the target of its child_result, names an attribute.
create or replace function wedsql._child_names(p_trig wedsql.trig, p_attr text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select regexp_replace(concat_ws(' ', p_trig.child_count, p_trig.child_wait,
    (select string_agg(l.expression, ' ') from wedsql._child_lines(p_trig.child_set) l),
    array_to_string(p_trig.child_result, ' ')), format('%1$s[^%1$s]*%1$s', chr(39)), '', 'g')
  ~ (E'\\m' || p_attr || E'\\M')
$$;

-- Checks an expression of a trigger about children; p_number: its value is a whole number.
-- Raises: WD005, WD006 with the place in the expression and the option in the detail.
create or replace function wedsql._check_child_expression(p_text text, p_types jsonb, p_column text,
  p_number boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[];
  v_source text := wedsql.row_source(p_types);
  v_query text;
  v_tree record;
  v_error record;
  v_why wedsql.why;
begin
  v_tokens := wedsql.parse(p_text, p_types);
  v_query := format('select (%s) as x from %s',
    wedsql.align(v_tokens, 1, cardinality(v_tokens), length(p_text)), v_source);
  v_tree := wedsql.bounded_tree(v_query, v_tokens, false);
  v_error := wedsql.plan_error(v_query);
  if v_error.code is not null then
    perform wedsql.refuse_problem(v_error.code, v_error.message, v_tokens, p_types,
      wedsql.named_token(v_tokens, 1, cardinality(v_tokens), v_error.code, v_error.message), false);
  end if;
  perform wedsql.check_tree(v_tree.nodes, v_tree.functions, v_tokens, false);
  v_query := wedsql.qualify(v_tokens, 1, cardinality(v_tokens));
  if p_number and (wedsql.is_untyped(v_query)
                   or not wedsql.assignable(wedsql.type_of(v_query, v_source)::regtype, 'integer')) then
    perform wedsql.refuse_sense('This is of type {type}; a number of children is a whole number.',
      'Write a number, an attribute of type integer, or compute one.', '42804', v_tokens[1], false,
      'not_a_number', jsonb_build_object('type', wedsql.type_of(v_query, v_source)));
  end if;
exception when sqlstate 'WD005' or sqlstate 'WD006' then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  v_why.detail := (v_why.detail::jsonb || jsonb_build_object('column', p_column))::text;
  perform wedsql._raise(v_why);
end $$;

-- Checks a number of children that is written as a constant.
-- Raises: WD009 for one that no job can have.
create or replace function wedsql._check_child_constant(p_text text, p_column text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_text ~ E'^\\s*[-+]?[0-9]+([.][0-9]*)?\\s*$'
     and p_text::numeric not between 0 and wedsql.child_limit() then
    perform wedsql._raise('WD009', 'The number of children is {number}; it must be from 0 to {limit}.',
      'Write such a number, or an expression over the attributes.', jsonb_build_object('column', p_column,
        'number', left(btrim(p_text), 80), 'limit', wedsql.child_limit()));
  end if;
end $$;

-- Checks the assignments of a trigger about children; p_own: their targets are attributes of the flow.
-- Raises: WD002, WD009; as _check_child_expression.
create or replace function wedsql._check_child_lines(p_lines text[], p_types jsonb, p_column text,
  p_own boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_line record;
begin
  for v_line in select * from wedsql._child_lines(p_lines) l order by l.place loop
    if v_line.name is null then
      perform wedsql._raise('WD009', '"{line}" assigns nothing to an attribute.',
        'Write one assignment per line: attribute = expression.',
        jsonb_build_object('column', p_column, 'line', left(p_lines[v_line.place], 80)));
    elsif p_own and not p_types - array(select jsonb_object_keys(wedsql._child_counters())) ? v_line.name then
      perform wedsql._raise('WD002', '"{attribute}" is not an attribute of this flow.', null,
        jsonb_build_object('column', p_column, 'attribute', v_line.name));
    end if;
    perform wedsql._check_child_expression(v_line.expression, p_types, p_column, false);
  end loop;
end $$;

-- Checks the options of a trigger that starts children. The flow of the children need not exist yet.
-- Raises: WD009, WD302; as _check_child_lines.
create or replace function wedsql._check_child(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_taken text;
begin
  if p_trig.child is null then
    return;
  end if;
  select k into v_taken from jsonb_object_keys(wedsql._child_counters()) k
  where p_types ? k order by k limit 1;
  if found then
    perform wedsql._raise('WD009', 'The attribute "{attribute}" has the name of a counter of children.',
      'Rename it.', jsonb_build_object('column', 'child', 'attribute', v_taken));
  elsif p_trig.child <> session_user and wedsql._is_flow_role() then
    perform wedsql._raise('WD302', 'The role of a flow may define children of its own flow only.', null,
      '{"column": "child"}');
  end if;
  p_types := p_types || wedsql._child_counters();
  if p_trig.child_count is not null then
    perform wedsql._check_child_expression(p_trig.child_count, p_types, 'child_count', true);
    perform wedsql._check_child_constant(p_trig.child_count, 'child_count');
  end if;
  if p_trig.child_wait is not null then
    perform wedsql._check_child_expression(p_trig.child_wait, p_types, 'child_wait', true);
    perform wedsql._check_child_constant(p_trig.child_wait, 'child_wait');
  end if;
  perform wedsql._check_child_lines(p_trig.child_set, p_types, 'child_set', false);
  perform wedsql._check_child_lines(p_trig.child_result, p_types, 'child_result', true);
end $$;

-- Returns whether the session is that of the role of a flow.
create or replace function wedsql._is_flow_role() returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.flow f where f.name = session_user)
$$;

-- Checks that no job is pending of a trigger that begins or ceases to start children.
-- Raises: WD007.
create or replace function wedsql._check_child_change(p_old wedsql.trig, p_new wedsql.trig) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (p_old.child is null) <> (p_new.child is null) and exists (
    select 1 from wedsql.job_pool j
    where j.flow_id = p_new.flow_id and j.tgid = p_new.tgid
      and not wedsql._call_compensates(j.wid, j.id)) then
    perform wedsql._raise('WD007', 'Trigger "{trigger}" has pending jobs, with children or without.',
      'Add another trigger, or withdraw the jobs first with wedsql.withdraw(flow, tgid).',
      jsonb_build_object('column', 'child', 'trigger', coalesce(p_new.tgname, p_new.trname)));
  end if;
end $$;

-- Returns assignments with an attribute renamed in their expressions; p_own: and in their targets.
-- Raises: WD004, WD005.
create or replace function wedsql._rename_in_lines(p_lines text[], p_old text, p_new text, p_types jsonb,
  p_own boolean) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array_agg(case when p_own and l.name = p_old then p_new else l.name end || ' = '
                 || btrim(wedsql.rename_in_predicate(l.expression, p_old, p_new, p_types)) order by l.place)
from wedsql._child_lines(p_lines) l
$$;

-- Returns a trigger with an attribute renamed in its expressions about children.
-- Raises: WD004, WD005.
create or replace function wedsql._rename_in_child(p_trig wedsql.trig, p_old text, p_new text, p_types jsonb)
  returns wedsql.trig
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.child is null then
    return p_trig;
  end if;
  p_types := p_types || wedsql._child_counters();
  if p_trig.child_count is not null then
    p_trig.child_count := wedsql.rename_in_predicate(p_trig.child_count, p_old, p_new, p_types);
  end if;
  if p_trig.child_wait is not null then
    p_trig.child_wait := wedsql.rename_in_predicate(p_trig.child_wait, p_old, p_new, p_types);
  end if;
  p_trig.child_set := wedsql._rename_in_lines(p_trig.child_set, p_old, p_new, p_types, false);
  p_trig.child_result := wedsql._rename_in_lines(p_trig.child_result, p_old, p_new, p_types, true);
  return p_trig;
end $$;
