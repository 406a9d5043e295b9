-- The parse tree of PostgreSQL as rows. Its text is split at its braces: a regular expression for the same
-- takes longer than all other checks of a condition together.

-- Returns the word that follows p_field in a tree's text, empty where the field does not occur.
create or replace function wedsql.field_of(p_text text, p_field text)
returns text language sql immutable parallel safe as $$
  select split_part(split_part(p_text, p_field, 2), ' ', 1)
$$;

-- Returns the integer that a constant of a tree's text shows as signed bytes, the lowest first; null for
-- fewer than four.
create or replace function wedsql.number_of(p_text text)
returns integer language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v integer[] := string_to_array(split_part(split_part(p_text, ' [ ', 2), ' ]', 1), ' ')::integer[];
begin
  return (v[1] & 255) | ((v[2] & 255) << 8) | ((v[3] & 255) << 16) | ((v[4] & 255) << 24);
end
$$;

-- Returns how an expression is built, in the order of its text: a row opens a node of the tree (kind), or
-- ends the node that was opened last and not ended (closes) and adds to the node around it. An attribute
-- (VAR) and a constant (CONST) are one row each. function and type: what the node calls and returns;
-- attribute: its number; length, number: of a constant. Only the expression is read: before it stands the row
-- of attributes, which has as many nodes as the flow has attributes.
create or replace function wedsql.read_tree(p_tree text)
returns table (closes boolean, kind text, function oid, type oid, attribute text, length numeric,
               number integer)
language plpgsql immutable rows 200 set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select s.j > 1 and not (k.leaf and s.j = 2), case when s.j = 1 and p.i > 1 then k.word end,
    coalesce(nullif(wedsql.field_of(s.part, ':funcid '), ''),
      nullif(wedsql.field_of(s.part, ':opfuncid '), ''))::oid,
    coalesce(nullif(wedsql.field_of(s.part, ':vartype '), ''),
      nullif(wedsql.field_of(s.part, ':funcresulttype '), ''),
      nullif(wedsql.field_of(s.part, ':opresulttype '), ''),
      nullif(wedsql.field_of(s.part, ':resulttype '), ''))::oid,
    wedsql.field_of(s.part, ':varattno '),
    coalesce(nullif(nullif(wedsql.field_of(s.part, ':constvalue '), '<>'), ''), '0')::numeric,
    case when wedsql.field_of(s.part, ':constvalue ') in ('2', '4', '8') then wedsql.number_of(s.part) end
  from string_to_table(split_part(p_tree, ':jointree', -1), '{') with ordinality as p (piece, i)
  cross join lateral (select split_part(p.piece, ' ', 1) as word) w
  cross join lateral (select w.word, w.word in ('VAR', 'CONST') and p.i > 1 as leaf) k
  cross join lateral string_to_table(p.piece, '}') with ordinality as s (part, j)
  where not (k.leaf and s.j = 2 and wedsql.field_of(s.part, ':resulttype ') = '')
  order by p.i, s.j;
end
$$;
