-- What stands in the place of a value: a literal, an attribute, a call, an opening sign, a prefix operator.

-- Reads the name of an attribute that a SET string assigns, and the equals sign behind it.
create or replace function wedsql._read_target(s wedsql.reading, p_words wedsql.word[], p_attrs jsonb)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w wedsql.word := p_words[s.at];
begin
  s.problem := case
    when w.low = 'wid' then 'set_wid'
    when w.class <> 'word' or not p_attrs ? w.low then 'set_target'
    when w.low = any (s.targets) then 'set_twice'
    when (p_words[s.at + 1]).low is distinct from '=' then 'set_equals' end;
  if s.problem is not null then
    s.place := case when s.problem = 'set_equals' then least(s.at + 1, cardinality(p_words)) else s.at end;
    s.problem := coalesce((p_words[s.place]).problem, s.problem);
    s.info := wedsql.names(p_attrs);
  end if;
  s.targets := s.targets || w.low;
  s.kind := 'target';
  s.take := 2;
  s.wants := 'operand';
  return s;
end
$$;

-- Reads the first token of a value.
create or replace function wedsql._read_operand(s wedsql.reading, p_words wedsql.word[], p_attrs jsonb)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w wedsql.word := p_words[s.at];
begin
  if w.class in ('number', 'text') then
    s.wants := 'operator';
  elsif w.low = '(' then
    s.opens := 'paren';
  elsif w.class = 'word' then
    return wedsql._read_word(s, p_words, p_attrs);
  elsif (s.inner_group).opened = s.at - 1 and (w.low || (s.inner_group).kind) in (')call', ']array') then
    s.inner_group.args := -1;
    s.closes := true;
  elsif w.low = '[' and (s.inner_group).kind = 'array' and (p_words[s.at - 1]).low in ('[', ',') then
    s.opens := 'array';
  else
    s.kind := 'prefix';
    s.problem := case
      when w.class <> 'operator' or (w.known).infix and not (w.known).prefix then 'expected_operand'
      when (w.known).prefix is not true then 'unknown_operator' end;
  end if;
  return s;
end
$$;

-- Reads a value that begins with a word.
-- Raises: WD005, WD211.
create or replace function wedsql._read_word(s wedsql.reading, p_words wedsql.word[], p_attrs jsonb)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w text := (p_words[s.at]).low;
  v_next text := coalesce((p_words[s.at + 1]).low, '');
  v_known wedsql.vocabulary := (p_words[s.at]).known;
begin
  if v_next in ('(', '[') and w || v_next in ('cast(', 'array[') then
    s.opens := w;
    s.take := 2;
  elsif v_next = '(' and v_known.func = 'ok' then
    return wedsql._read_call(s, p_words, v_known);
  elsif v_next = '(' and v_known.func is not null and v_known.refusal is null and not p_attrs ? w then
    s.problem := v_known.func;
    s.hint := v_known.hint;
  elsif w in ('null', 'true', 'false') then
    s.wants := 'operator';
  elsif w = 'not' and not (s.inner_group).in_between then
    s.wants := 'operand';
  elsif w = 'case' then
    s.opens := 'case';
    s.take := case when v_next = 'when' then 2 else 1 end;
    s.phase := case when v_next = 'when' then 'when' else 'case' end;
  else
    return wedsql._read_name(s, p_words, p_attrs, v_known);
  end if;
  return s;
end
$$;

-- Reads the beginning of a call of a function that conditions may use.
create or replace function wedsql._read_call(
  s wedsql.reading, p_words wedsql.word[], p_function wedsql.vocabulary)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  s.opens := 'call';
  s.argument := 1;
  s.take := 2;
  s.temporal := s.temporal or p_function.temporal;
  if p_function.grows then
    s.problem := case when s.growing > 0 then 'nested_growth' end;
    s.growing := s.growing + 1;
  end if;
  if p_function.word in ('extract', 'trim', 'position', 'overlay', 'substring') then
    s.phase := case when p_function.word = 'extract' then '' else p_function.word end;
    s.take := wedsql.special_head(wedsql._ahead(p_words, s.at, 6));
    if s.take = 0 then
      s.problem := 'special_form';
      s.info := wedsql.special_hint(p_function.word);
    end if;
  end if;
  return s;
end
$$;

-- Reads a text with its type before it, or an attribute.
-- Raises: WD005, WD211 when the word is neither.
create or replace function wedsql._read_name(
  s wedsql.reading, p_words wedsql.word[], p_attrs jsonb, p_known wedsql.vocabulary)
returns wedsql.reading language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  w wedsql.word := p_words[s.at];
  v_type text := p_attrs ->> w.low;
  v_part record;
begin
  if p_known.type is not null then
    v_part := wedsql.type_phrase(wedsql._ahead(p_words, s.at, 13), p_known.type);
    if v_part.take > 0 and v_part.problem is null and (p_words[s.at + v_part.take]).class = 'text'
       and (p_words[s.at + v_part.take - 1]).low <> ']' then
      s.take := v_part.take + 1;
      s.kind := 'type';
      s.wants := 'operator';
      s.temporal := s.temporal or p_known.temporal;
      return s;
    end if;
  end if;
  if not p_attrs ? w.low or coalesce(p_known.keyword, 'U') not in ('U', 'C') or w.low = 'between' then
    perform wedsql.refuse_word(s.for_set, p_known, w.pos, w.raw, coalesce((p_words[s.at + 1]).low, ''),
                               p_attrs);
  elsif (p_words[s.at + 1]).low = '(' then  -- a function of that name, which a condition may not call
    s.problem := p_known.func;
    s.hint := p_known.hint;
  end if;
  s.kind := 'attribute';
  s.wants := 'operator';
  s.indexable := s.at;
  s.temporal := s.temporal
    or coalesce(v_type in ('date', 'timestamptz', 'timestamp', 'time', 'interval'), false);
  return s;
end
$$;
