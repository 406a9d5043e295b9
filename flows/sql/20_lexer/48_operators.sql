-- What stands in the place of an operator: an operator, a cast, a word that continues the expression, a sign
-- that closes or divides a group.

-- Reads the first token after a value.
-- Raises: WD005, WD211.
create or replace function wedsql._read_operator(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w text := (p_words[s.at]).low;
  v_phase text;
begin
  if (p_words[s.at]).class = 'operator' then
    return wedsql._read_infix(s, p_words);
  elsif s.pattern = s.at - 1 and w in ('::', 'at', '[', 'collate') then
    s.problem := 'pattern_not_literal';
    s.place := s.at - 1;
  elsif w = '::' or w = 'as' and (s.inner_group).kind = 'cast' and (s.inner_group).phase = '' then
    return wedsql._read_cast(s, p_words);
  elsif w in (')', ']', 'end') then
    return wedsql._read_closing(s, p_words);
  elsif w = ',' then
    return wedsql._read_comma(s, p_words);
  elsif w = '[' and s.indexable = s.at - 1 then
    s.opens := 'subscript';
  elsif (s.inner_group).in_between and (p_words[s.at]).class = 'word' and w not in ('and', 'is') then
    s.problem := 'between';
  elsif w in ('and', 'or') then
    s.kind := case when (s.inner_group).in_between then 'keyword' else w end;
    s.inner_group.in_between := false;
    s.inner_group.after_like := false;
    s.wants := 'operand';
  else
    v_phase := wedsql.next_phase((s.inner_group).kind, (s.inner_group).phase, w);
    if v_phase is null then
      return wedsql._read_phrase(s, p_words);
    end if;
    s.inner_group.phase := v_phase;
    s.argument := case when v_phase = 'substring from' then 2 end;
    s.inner_group.after_like := false;
    s.wants := 'operand';
  end if;
  return s;
end
$$;

-- Reads the sign or word that closes the innermost group.
create or replace function wedsql._read_closing(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  g wedsql.open_group := s.inner_group;
begin
  s.problem := wedsql.close_problem((p_words[s.at]).low, g.kind, g.phase, g.in_between);
  if s.problem = 'unclosed' then
    s.place := g.word;
    s.info := wedsql.partner(g.kind);
  elsif s.problem is not null then
    s.info := wedsql.special_hint((p_words[g.word]).low);
  end if;
  s.closes := true;
  return s;
end
$$;

-- Reads an operator between two values, with ANY, SOME or ALL behind it.
create or replace function wedsql._read_infix(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w text := (p_words[s.at]).low;
begin
  s.problem := case
    when ((p_words[s.at]).known).infix is not true then 'unknown_operator'
    when s.pattern = s.at - 1 and w not in ('=', '<>', '!=', '<', '>', '<=', '>=')
    then 'pattern_not_literal' end;
  if s.problem is null and w in ('~', '~*', '!~', '!~*') then
    s := wedsql._read_pattern(s, p_words, s.at + 1);
    s.pattern := s.at + 1;
  elsif s.problem is null and (p_words[s.at + 1]).low in ('any', 'some', 'all') then
    s.opens := 'list';
    s.take := 3;
    s.place := s.at + 1;
    s.problem := case when (p_words[s.at + 2]).low is distinct from '(' then 'quantifier' end;
  end if;
  s.wants := 'operand';
  return s;
end
$$;

-- Reads the type of a cast, which follows "::" or AS.
create or replace function wedsql._read_cast(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_known wedsql.vocabulary := (p_words[s.at + 1]).known;
  v_part record := wedsql.type_phrase(wedsql._ahead(p_words, s.at + 1, 13), v_known.type);
begin
  s.problem := v_part.problem;
  s.place := least(s.at + 1, cardinality(p_words));
  s.take := 1 + v_part.take;
  s.kind := 'type';
  s.temporal := s.temporal or coalesce(v_known.temporal, false);
  if (p_words[s.at]).low = 'as' then
    s.inner_group.phase := 'done';
  end if;
  return s;
end
$$;

-- Reads a comma between the values of a list, the arguments of a call or the assignments of a SET string.
create or replace function wedsql._read_comma(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  g wedsql.open_group := s.inner_group;
begin
  s.problem := case
    when g.in_between then 'between'
    when s.for_set and g.kind = 'top' then null
    when g.kind not in ('call', 'in', 'array') then 'row'
    when g.phase not in ('', 'trim', 'overlay', 'substring') then 'special_form' end;
  if s.problem is not null then
    s.info := wedsql.special_hint((p_words[g.word]).low);
  end if;
  g.after_like := false;
  g.phase := '';
  g.args := g.args + 1;
  s.inner_group := g;
  s.kind := case when g.kind = 'top' then 'separator' end;
  s.wants := case when g.kind = 'top' then 'target' else 'operand' end;
  s.argument := case when g.kind = 'call' then g.args + 1 end;
  if (p_words[g.word]).low = 'normalize' and (p_words[s.at + 1]).low ~ '^nfk?[cd]$'
     and (p_words[s.at + 2]).low = ')' then
    s.take := 2;
    s.wants := 'operator';
    s.argument := null;
  end if;
  return s;
end
$$;

-- Reads one of the phrases that follow a value, for instance IS NOT NULL.
-- Raises: WD005, WD211 when the word begins none.
create or replace function wedsql._read_phrase(s wedsql.reading, p_words wedsql.word[])
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_part record := wedsql.phrase(wedsql._ahead(p_words, s.at, 5));
begin
  if v_part.take = 0 or v_part.wants = 'escape' and not (s.inner_group).after_like then
    perform wedsql.refuse_operator(s.for_set, (p_words[s.at]).known, (p_words[s.at]).pos, (p_words[s.at]).raw,
      coalesce((p_words[s.at + 1]).low, ''));
  end if;
  s.take := v_part.take;
  s.problem := case when (s.inner_group).in_between and v_part.wants = 'operator' then 'between' end;
  s.kind := case when v_part.wants not in ('in', 'list') then 'keyword' end;
  s.opens := case when v_part.wants in ('in', 'list') then v_part.wants end;
  s.wants := case when v_part.wants = 'operator' then 'operator' else 'operand' end;
  s.inner_group.in_between := (s.inner_group).in_between or v_part.wants = 'between';
  s.inner_group.after_like := v_part.wants in ('like', 'similar');
  s.temporal := s.temporal or v_part.wants = 'zone';
  if v_part.wants in ('similar', 'escape') and s.problem is null then
    s := wedsql._read_pattern(s, p_words, s.at + s.take);
    s.pattern := s.place;
  end if;
  return s;
end
$$;

-- Checks that the word after an operator is a fixed pattern.
create or replace function wedsql._read_pattern(s wedsql.reading, p_words wedsql.word[], p_place integer)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  s.place := least(p_place, cardinality(p_words));
  s.problem := wedsql.fixed_pattern((p_words[s.place]).class, (p_words[s.place]).raw);
  return s;
end
$$;
