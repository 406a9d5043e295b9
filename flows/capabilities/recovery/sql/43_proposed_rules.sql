-- A rule for a group of alike cases: a condition that their states have in common, and the values that have
-- repaired them. It is only shown, and added to a draft where a designer asks for that.

-- Returns the cases of the flow with the signature of a case, itself among them, and the state in which each
-- was stuck: the newest 500 open ones, and the last 500 of the last year that are closed.
create or replace function wedsql._alike_states(p_case wedsql.repair_case)
returns table (number bigint, closed_at timestamptz, opened_at timestamptz, state jsonb)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
select c.number, c.closed_at, c.opened_at, t.state
from (
  (select o.* from wedsql.repair_case o
   where o.flow_id = p_case.flow_id and o.signature = p_case.signature and o.signature <> ''
     and o.closed_at is null and o.cause = p_case.cause
   order by o.opened_at desc, o.number desc limit 500)
  union all
  (select o.* from wedsql.repair_case o
   where o.flow_id = p_case.flow_id and o.signature = p_case.signature and o.signature <> ''
     and o.closed_at is not null and o.closed_at > wedsql.now() - interval '1 year'
   order by o.closed_at desc limit 500)) c
cross join lateral (select h.state from wedsql.wed_trace h
                    where h.wid = c.wid and h.seq = c.signed_seq limit 1) t
$$;

-- Returns a value of an attribute as a condition has it; null where conditions do not compare it.
create or replace function wedsql._as_constant(p_value jsonb, p_type text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_type = 'jsonb' or length(p_value #>> '{}') > 100 then null
  when jsonb_typeof(p_value) in ('number', 'boolean') then p_value #>> '{}'
  else '''' || replace(p_value #>> '{}', '''', '''''') || '''' end
$$;

-- Returns the smallest parts of the enabled conditions of a flow with their value on these states, a letter,
-- null where it is not the same on all of them. "tests" is the attribute, if the part is a test of one for
-- certain values or for null.
create or replace function wedsql._leaves_on(p_flow integer, p_types jsonb, p_states jsonb)
returns table (place integer, sql text, reads text[], tests text, letter text)
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_predicates text[] := array(select t.cpred from wedsql.trig t where t.flow_id = p_flow and t.enabled
                               order by t.tgid);
begin
  return query
    with leaf as materialized (
      select p.place, substr(v_predicates[p.n], p."position", p.length) as part, p.reads, p.outline,
             p.canonical, row_number() over (order by p.place)::integer as n
      from wedsql._parts_to_evaluate(v_predicates, p_types) p where p.kind = 'leaf'),
    seen as materialized (
      select distinct v.letters from unnest(wedsql._values(
        array(select row(l.n, null, l.canonical, l.reads, null)::wedsql.condition from leaf l order by l.n),
        p_types, p_states)) v (letters))
    select l.place, l.part, l.reads,
      case when l.outline ->> 'operator' ~ '^(=|<>|!=|in|not in|is .*|isnull|notnull|holds)$'
           then l.outline ->> 'attribute' end,
      (select min(substr(s.letters, l.n, 1)) from seen s
       having min(substr(s.letters, l.n, 1)) = max(substr(s.letters, l.n, 1)))
    from leaf l;
end $$;

-- Returns a condition that holds on these states of a flow: the values that all of them have, of attributes
-- that conditions test for certain values or for null, and the other comparisons of conditions that are true,
-- or false, on all of them. Null where they have nothing in common.
create or replace function wedsql._common_condition(p_flow integer, p_types jsonb, p_states jsonb)
  returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
with leaf as materialized (select * from wedsql._leaves_on(p_flow, p_types, p_states)),
tested as (
  select r.name, min(l.place) as place, bool_or(l.tests is not distinct from r.name) as certain
  from leaf l cross join lateral unnest(l.reads) r (name) group by r.name),
common as (
  select t.name, t.place, t.certain, min(coalesce(s -> t.name, 'null')::text)::jsonb as value
  from tested t cross join lateral jsonb_array_elements(p_states) s
  group by t.name, t.place, t.certain having count(distinct coalesce(s -> t.name, 'null')) = 1),
same as materialized (
  select c.name, c.place, c.name || case when c.value = 'null' then ' is null'
      else ' = ' || wedsql._as_constant(c.value, p_types ->> c.name) end as part
  from common c where c.value = 'null' or c.certain),
parts as (
  select s.part, s.place from same s where s.part is not null
  union all
  select case when l.letter = 't' then l.sql
              when l.sql ~* E'^\\w+\\s+is\\s+null$' then l.tests || ' is not null'
              else 'not (' || l.sql || ')' end, min(l.place)
  from leaf l
  where l.letter in ('t', 'f')
    and not l.reads <@ array(select s.name from same s where s.part is not null)
  group by 1)
select string_agg(p.part, ' and ' order by p.place, p.part) from parts p
$$;

-- Returns the rule that would have continued the cases like this one, whose cause is STUCK, without a person:
-- {"number", "flow", "signature", "condition", "attributes", "values", "repaired", "final", "open",
-- "past", "prevents"}. The condition is what the states of alike cases have in common, open or
-- closed; attributes and values are those of the most successful repair that wrote values, with the number of
-- cases that it repaired, and of their instances that are final. "open" and "past" count the alike cases on
-- whose states the condition holds, "prevents" those of them that were opened after p_since. Null where no
-- repair with values has led to the end, or the states have nothing in common.
-- Raises: WD515, 25006.
create or replace function wedsql.proposed_rule(p_number bigint, p_flows text[] default null,
  p_since timestamptz default '-infinity') returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_repair jsonb := (
    select u.s from wedsql.suggestions(p_number, p_flows) with ordinality u (s, n)
    where u.s ->> 'operation' = 'patch' and u.s -> 'attributes' <> '[]' and (u.s ->> 'final')::integer > 0
    order by u.n limit 1);
  v_case wedsql.repair_case := (select c from wedsql.repair_case c where c.number = p_number);
  v_types jsonb := wedsql._attr_types(v_case.flow_id);
  v_states jsonb;
  v_condition wedsql.condition;
  v_text text;
  v_counts jsonb;
begin
  perform wedsql._need_writable();
  if v_repair is null or v_case.cause <> 'STUCK' then
    return null;
  end if;
  select jsonb_agg(a.state order by a.number) into v_states from wedsql._alike_states(v_case) a;
  v_text := wedsql._common_condition(v_case.flow_id, v_types, v_states);
  if v_text is null then
    return null;
  end if;
  begin
    v_condition := wedsql._compile_one(v_text, v_types, 1, 1);
  exception when sqlstate 'WD005' or sqlstate 'WD006' then
    return null;  -- such as a name that conditions cannot have
  end;
  select jsonb_build_object('open', count(*) filter (where h.closed_at is null),
    'past', count(*) filter (where h.closed_at is not null),
    'prevents', count(*) filter (where h.opened_at >= p_since))
  into v_counts
  from (select a.*, row_number() over (order by a.number) as n from wedsql._alike_states(v_case) a) h
  join unnest(wedsql._values(array[v_condition], v_types, v_states)) with ordinality v (letter, n)
    on v.n = h.n and v.letter = 't';
  return v_counts || jsonb_build_object('number', p_number, 'signature', v_case.signature,
    'flow', (select f.name from wedsql.flow f where f.id = v_case.flow_id),
    'condition', v_text, 'attributes', v_repair -> 'attributes', 'values', v_repair -> 'values',
    'repaired', v_repair -> 'cases', 'final', v_repair -> 'final');
end $$;

grant execute on function wedsql.proposed_rule(bigint, text[], timestamptz) to wed_web;
