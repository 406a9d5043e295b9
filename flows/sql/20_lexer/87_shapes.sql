-- Texts that differ only in the names of their attributes have one shape: `a > 0` and `b > 0`, if both are of
-- the same type. What PostgreSQL says of one text of a shape it says of all, so each shape is parsed, checked
-- and rendered once, however many texts a definition has. In a rendered shape a mark stands for each name:
-- its number between two control characters, which no condition contains.

do $$
begin
  if to_regtype('wedsql.shaped') is null then
    create type wedsql.shaped as (n integer, shape text, params text[], places integer[], marks integer[]);
  end if;
end
$$;

-- Returns the texts with their shapes. params: what the marks of a shape stand for in this text; places and
-- marks: at which characters of it a mark stands, and which. A whole number of at most nine digits with which
-- an attribute alone is compared is a mark, too: PostgreSQL reads only its type. A name that is a word of SQL
-- is none, because it may mean either; the shape has its type. A text that can have no shape is one itself.
create or replace function wedsql._shapes(p_texts text[], p_attrs jsonb)
returns setof wedsql.shaped
language sql stable set search_path = pg_catalog, pg_temp as $$
with given as (
  select t.n::integer as n, t.text, t.text is not null and length(t.text) <= 10000
      and t.text !~ E'[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]' as fits
  from unnest(p_texts) with ordinality t (text, n)),
piece as materialized (
  select g.n, m.ord, m.part[1] as text, lower(m.part[1] collate "C") as low,
         sum(length(m.part[1])) over w - length(m.part[1]) + 1 as place,
         lag(m.part[1]) over w as text1, lower((lag(m.part[1], 2) over w) collate "C") as low2,
         lead(m.part[1]) over w as after1, lower(lead(m.part[1], 2) over w) as after2
  from given g cross join lateral regexp_matches(g.text,
    E'[A-Za-z_][A-Za-z0-9_]*|(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?'
    || E'|''(?:[^'']|'''')*''|[^A-Za-z_0-9''.]+|.', 'g') with ordinality m (part, ord)
  where g.fits window w as (partition by g.n order by m.ord)),
attribute as materialized (
  select a.key as name, a.value as type,
         not exists (select from wedsql.vocabulary v where v.word = a.key) as free
  from jsonb_each_text(p_attrs) a where a.key in (select p.low from piece p)),
marked as materialized (
  select p.*, a.type, case
    when a.free then p.low
    when p.text ~ '^[0-9]{1,9}$' and p.text1 ~ E'^[ \\t\\n\\r]*(=|<>|!=|<=?|>=?)[ \\t\\n\\r]*$'
      and exists (select from attribute o where o.name = p.low2 and o.free)
      and (p.after1 is null or p.after1 ~ E'^[ \\t\\n\\r]*\\)'
           or p.after1 ~ E'^[ \\t\\n\\r]+$' and p.after2 in ('and', 'or')) then '#' || p.ord end as key
  from piece p left join attribute a on a.name = p.low),
param as materialized (
  select m.n, m.key, min(m.ord) as ord,
         (row_number() over (partition by m.n order by min(m.ord)))::integer as mark
  from marked m where m.key is not null group by m.n, m.key)
select g.n,
  case when not g.fits then E'\x01' || g.n else string_agg(
    case when q.mark is null then m.text || coalesce(E'\x02' || m.type || E'\x02', '')
         else E'\x01' || q.mark || coalesce(m.type, '') || E'\x01' end, '' order by m.ord) end,
  coalesce(array_agg(case when starts_with(m.key, '#') then m.text else m.key end order by q.mark)
    filter (where q.ord = m.ord), '{}'),
  coalesce(array_agg(m.place::integer order by m.ord) filter (where q.mark is not null), '{}'),
  coalesce(array_agg(q.mark order by m.ord) filter (where q.mark is not null), '{}')
from given g left join marked m on m.n = g.n left join param q on q.n = m.n and q.key = m.key
group by g.n, g.fits
$$;

-- Returns the tokens with marks at these places.
create or replace function wedsql._with_marks(p_tokens wedsql.token[], p_places integer[], p_marks integer[])
returns wedsql.token[] language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(select row(t.position, t.length, t.kind, coalesce(E'\x01' || m.mark || E'\x01', t.text),
                        t.depth)::wedsql.token
  from unnest(p_tokens) with ordinality t (position, length, kind, text, depth, ord)
  left join unnest(p_places, p_marks) m (place, mark) on m.place = t.position order by t.ord)
$$;

-- Returns whether each mark stands for an attribute or a number in these tokens. A name may be read as
-- another word, as in extract(epoch from a), and then says more than its type.
create or replace function wedsql._has_plain_marks(p_tokens wedsql.token[], p_places integer[])
returns boolean language sql immutable set search_path = pg_catalog, pg_temp as $$
select count(*) = cardinality(p_places) from unnest(p_tokens) t
where t.position = any (p_places) and t.kind in ('attribute', 'target', 'number')
$$;

-- Returns a rendered shape with the names of one text.
create or replace function wedsql._named(p_rendered text, p_params text[]) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  for i in 1..cardinality(p_params) loop
    p_rendered := replace(p_rendered, E'\x01' || i || E'\x01', p_params[i]);
  end loop;
  return p_rendered;
end
$$;

-- Returns the shapes of texts, with the first text of each and all of them, in the order of the first ones.
create or replace function wedsql._by_shape(p_texts text[], p_attrs jsonb)
returns table (text text, places integer[], marks integer[], texts wedsql.shaped[])
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_texts[(g.texts[1]).n], (g.texts[1]).places, (g.texts[1]).marks, g.texts
from (select array_agg(s order by s.n) as texts from wedsql._shapes(p_texts, p_attrs) s group by s.shape) g
order by (g.texts[1]).n
$$;

-- Returns conditions as check_predicate_text returns each of them.
-- Raises: WD005, WD006 for the first that is rejected, as check_predicate_text.
create or replace function wedsql._check_predicates(p_texts text[], p_attrs jsonb)
returns table (n integer, qualified text, reads text[], disjuncts text[])
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v record; v_tokens wedsql.token[]; v_rendered wedsql.rendered;
begin
  for v in select * from wedsql._by_shape(p_texts, p_attrs) loop
    v_tokens := wedsql.parse(coalesce(v.text, ''), p_attrs);
    if not wedsql._has_plain_marks(v_tokens, v.places) then
      return query select t.n, c.qualified, c.reads, c.disjuncts
        from unnest(v.texts) t cross join lateral wedsql.check_predicate_text(p_texts[t.n], p_attrs) c;
      continue;
    end if;
    perform wedsql._check_tokens(v.text, v_tokens, p_attrs);
    v_tokens := wedsql._with_marks(v_tokens, v.places, v.marks);
    v_rendered := wedsql.render(v_tokens, 1, cardinality(v_tokens), length(v.text));
    return query
      select t.n, wedsql._named(v_rendered.qualified, t.params),
        array(select distinct x.name from unnest(t.params || v_rendered.reads) x (name)
              where p_attrs ? x.name order by 1),
        string_to_array(wedsql._named(array_to_string(v_rendered.disjuncts, E'\x02'), t.params), E'\x02')
      from unnest(v.texts) t;
  end loop;
end
$$;

-- Checks SET strings as check_set_text checks each of them, and returns what they compute: an expression
-- over r for an object of the attributes, each value of the type of its attribute. Raises: WD211 for the
-- first that is rejected, as check_set_text.
create or replace function wedsql._check_sets(p_texts text[], p_attrs jsonb)
returns table (n integer, computed text)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v record; v_tokens wedsql.token[]; v_computed text; v_plain boolean;
begin
  for v in select * from wedsql._by_shape(p_texts, p_attrs) loop
    v_tokens := wedsql.parse(coalesce(v.text, ''), p_attrs, true);
    v_plain := wedsql._has_plain_marks(v_tokens, v.places);
    if not v_plain and cardinality(v.texts) > 1 then
      return query select t.n, (select c.computed from wedsql._check_sets(array[p_texts[t.n]], p_attrs) c)
        from unnest(v.texts) t;
      continue;
    end if;
    perform wedsql._check_set_tokens(v.text, v_tokens, p_attrs);
    v_computed := wedsql._computed(v_tokens, case when v_plain
      then wedsql._with_marks(v_tokens, v.places, v.marks) else v_tokens end, p_attrs);
    return query select t.n, wedsql._named(v_computed, t.params) from unnest(v.texts) t;
  end loop;
end
$$;

-- Returns the expression, of type jsonb, for what a SET string computes, as it is written in p_written,
-- with the types of its tokens. It is no query, which would cost several times as much; a function has at
-- most 100 arguments.
create or replace function wedsql._computed(p_tokens wedsql.token[], p_written wedsql.token[], p_attrs jsonb)
returns text language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(o.made, ' || ' order by o.n)
from (select p.n, format('jsonb_build_object(%s)', string_agg(p.pair, ', ' order by p.first)) as made
      from (select (row_number() over (order by a.first) - 1) / 40 as n, a.first,
                   format($t$'%s', (%s)::%s$t$, w.attribute, w.qualified,
                          wedsql.sql_type(p_attrs ->> a.attribute)) as pair
            from wedsql.assignments(p_tokens) a
            join wedsql.assignments(p_written) w on w.first = a.first) p
      group by p.n) o
$$;

-- Returns which of some conditions, or SET strings with p_set, are accepted, in their order. What is not may
-- be accepted by itself, which the caller finds out.
create or replace function wedsql._accepted(p_texts text[], p_attrs jsonb, p_set boolean) returns boolean[]
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v record; v_tokens wedsql.token[]; v_each integer;
  v_accepted boolean[] := array_fill(false, array[coalesce(cardinality(p_texts), 0)]);
begin
  for v in select * from wedsql._by_shape(p_texts, p_attrs) s where btrim(s.text) <> '' loop
    begin
      v_tokens := wedsql.parse(v.text, p_attrs, p_set);
      continue when not wedsql._has_plain_marks(v_tokens, v.places);
      if p_set then
        perform wedsql._check_set_tokens(v.text, v_tokens, p_attrs);
      else
        perform wedsql._check_tokens(v.text, v_tokens, p_attrs);
      end if;
      for v_each in select t.n from unnest(v.texts) t loop
        v_accepted[v_each] := true;
      end loop;
    exception when sqlstate 'WD005' or sqlstate 'WD006' or sqlstate 'WD211' then
      null;
    end;
  end loop;
  return v_accepted;
end
$$;
