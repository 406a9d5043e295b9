-- The state of the grammar, and how it goes from one word to the next.

do $$
begin
  if to_regtype('wedsql.word') is null then
    -- A token of the text, what scan found wrong with it, and what the vocabulary says about it.
    create type wedsql.word as (
      raw text, low text, class text, pos integer, problem text, known wedsql.vocabulary);
    -- A group that is not closed yet. kind: top (the text itself), paren, call, array, subscript, case, cast,
    -- in or list; word: the number of the word that opened it; opened: of the last word of its opening;
    -- args: how many commas; phase: the dividing word read last; in_between: BETWEEN waits for its AND;
    -- after_like: ESCAPE may follow.
    create type wedsql.open_group as (
      kind text, word integer, opened integer, args integer, phase text, in_between boolean,
      after_like boolean);
    create type wedsql.reading as (
      -- over the whole text: the number of the word that is read; what it must be (target, operand or
      -- operator); the innermost group; the numbers of the words that are the last pattern, the last value
      -- that may have a subscript, and the first text that is no fixed moment
      at integer, wants text, inner_group wedsql.open_group, pattern integer, indexable integer,
      clock integer, temporal boolean, growing integer, targets text[], paths boolean, for_set boolean,
      -- of the word that is read: the kind of its tokens, how many they are, which group they open, whether
      -- they close one, which argument of a call begins after them, and what is wrong
      kind text, take integer, opens text, phase text, closes boolean, argument integer,
      problem text, place integer, info text, hint text);
  end if;
end
$$;

-- Returns the words of a text, each with what the vocabulary says about it.
-- Raises: WD005, or WD211 when p_set, when there are none or too many.
create or replace function wedsql._words(p_text text, p_set boolean) returns wedsql.word[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_words wedsql.word[] := array(
    select row(t.raw, t.low, t.class, t.pos, t.problem, k.known)::wedsql.word
    from wedsql.scan(wedsql.bounded(p_text, p_set)) as t
    left join lateral (
      select v as known from wedsql.vocabulary as v
      where v.word = t.low and t.class in ('word', 'operator') offset 0) as k on true
    order by t.pos);
begin
  if cardinality(v_words) = 0 then
    perform wedsql.refuse(p_set, 'empty', 1, '');
  elsif cardinality(v_words) > 1000 then
    perform wedsql.refuse(p_set, 'too_many_tokens', (v_words[1001]).pos, (v_words[1001]).raw);
  end if;
  return v_words;
end
$$;

-- Returns the state before the first word.
create or replace function wedsql._before_first(p_words wedsql.word[], p_set boolean) returns wedsql.reading
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  s wedsql.reading;
begin
  s.at := 0;
  s.take := 1;
  s.wants := case when p_set then 'target' else 'operand' end;
  s.inner_group := row('top', 0, 0, 0, '', false, false);
  s.pattern := -1;
  s.indexable := -1;
  s.temporal := false;
  s.growing := 0;
  s.targets := '{}';
  s.for_set := p_set;
  s.paths := exists (select 1 from unnest(p_words) w where w.low in (
    '@?', '@@', 'jsonb_path_exists', 'jsonb_path_match', 'jsonb_path_query_array', 'jsonb_path_query_first'));
  return s;
end
$$;

-- Returns p_count words from number p_at on, joined by spaces.
create or replace function wedsql._ahead(p_words wedsql.word[], p_at integer, p_count integer) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := (p_words[p_at]).low;
begin
  for i in p_at + 1 .. least(p_at + p_count - 1, cardinality(p_words)) loop
    v_text := v_text || ' ' || (p_words[i]).low;
  end loop;
  return v_text;
end
$$;

-- Rejects the text at the place that the state names and never returns.
-- Raises: WD005, WD211.
create or replace function wedsql._refuse_at(s wedsql.reading, p_words wedsql.word[]) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql.refuse(s.for_set, s.problem, (p_words[s.place]).pos,
    (p_words[s.place]).raw, s.info, s.hint);
end
$$;

-- Returns the kind of token number p_number.
create or replace function wedsql._kind(s wedsql.reading, p_word wedsql.word, p_number integer) returns text
language sql immutable as $$
select case when p_word.class = 'text' then 'text'
            when s.kind = 'target' and p_number > s.at then 'assign'
            when s.kind is not null then s.kind
            when p_word.class <> 'word' then p_word.class
            when p_number = s.at and s.opens = 'call' then 'function'
            else 'keyword' end
$$;

-- Enters the group that the word opens.
create or replace function wedsql._enter_group(s wedsql.reading) returns wedsql.reading
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  s.inner_group := row(s.opens, s.at, s.at + s.take - 1, 0, s.phase, false, false);
  s.wants := 'operand';
  return s;
end
$$;

-- Leaves the group that the word closes for the one around it.
-- Raises: WD005, WD211 for a call with the wrong number of arguments.
create or replace function wedsql._leave_group(
  s wedsql.reading, p_words wedsql.word[], p_around wedsql.open_group)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_opener wedsql.word;
begin
  if (s.inner_group).kind = 'call' then
    v_opener := p_words[(s.inner_group).word];
    perform wedsql.check_arguments(s.for_set, v_opener.known, (s.inner_group).args + 1,
                                   v_opener.pos, v_opener.raw);
    s.growing := s.growing - ((v_opener.known).grows)::integer;
  end if;
  s.indexable := case when (s.inner_group).kind in ('paren', 'subscript') then s.at else -1 end;
  s.inner_group := p_around;
  s.wants := 'operator';
  return s;
end
$$;

-- Goes on to the next word, and checks what does not depend on its place, also of the words that were read
-- with the one before.
-- Raises: WD005, WD211.
create or replace function wedsql._read_on(s wedsql.reading, p_words wedsql.word[], p_attrs jsonb)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_before integer := s.at;
begin
  s.at := s.at + s.take;
  if s.argument is not null then
    if s.at <= cardinality(p_words) then
      perform wedsql._check_argument(s, p_words, p_attrs);
    end if;
    s.argument := null;
  end if;
  s.kind := null;
  s.take := 1;
  s.opens := null;
  s.phase := '';
  s.closes := false;
  s.info := null;
  for i in v_before + 1 .. s.at loop
    s.place := i;
    s.problem := (p_words[i]).problem;
    if s.problem is not null then
      perform wedsql._refuse_at(s, p_words);
    elsif (p_words[i]).class = 'text' then
      s := wedsql._check_text(s, p_words);
    end if;
  end loop;
  return s;
end
$$;

-- Checks the text at s.place: as a path of jsonb, and whether it is a moment that is not fixed.
-- Raises: WD005, WD211.
create or replace function wedsql._check_text(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := (p_words[s.place]).low;
begin
  if strpos(v_text, 'like_regex') > 0 or s.paths and strpos(v_text, E'\\') > 0 then
    s.problem := wedsql.path_problem(v_text);
    if s.problem is not null then
      perform wedsql._refuse_at(s, p_words);
    end if;
  end if;
  if s.clock is null and (wed_match.moment_problem(v_text) is not null
    or (p_words[s.place - 1]).low = 'zone' and wed_match.is_abbreviation(trim(v_text, ''''))) then
    s.clock := s.place;
  end if;
  return s;
end
$$;

-- Checks the argument of a call that begins with the present word.
-- Raises: WD005, WD211.
create or replace function wedsql._check_argument(s wedsql.reading, p_words wedsql.word[], p_attrs jsonb)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w wedsql.word := p_words[s.at];
  v_function wedsql.vocabulary := (p_words[(s.inner_group).word]).known;
  v_problem text := wedsql.argument_problem(v_function, s.argument, w.class, w.raw,
    coalesce((p_words[s.at + 1]).low, ')') in (',', ')', 'for'), p_attrs ->> w.low = 'integer');
begin
  if v_problem is not null then
    perform wedsql.refuse(s.for_set, v_problem, w.pos, w.raw, v_function.max_count::text);
  end if;
end
$$;

-- Checks that the text may end after its last word.
-- Raises: WD005, WD211.
create or replace function wedsql._check_end(s wedsql.reading, p_words wedsql.word[]) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  s.problem := case
    when s.wants <> 'operator' then 'ends_early'
    when (s.inner_group).kind <> 'top' then 'unclosed'
    when (s.inner_group).in_between then 'between'
    when s.temporal and s.clock is not null
      then coalesce(wed_match.moment_problem((p_words[s.clock]).low), 'zone') || '_literal' end;
  if s.problem is not null then
    s.place := case when s.problem = 'unclosed' then (s.inner_group).word
                    when s.problem ~ '_literal$' then s.clock else cardinality(p_words) end;
    s.info := wedsql.partner((s.inner_group).kind);
    perform wedsql._refuse_at(s, p_words);
  end if;
end
$$;
