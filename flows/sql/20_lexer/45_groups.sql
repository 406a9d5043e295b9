-- Opening, dividing and closing groups.

-- Returns what closes a group of this kind, for messages; null for the text itself.
create or replace function wedsql.partner(p_kind text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when p_kind in ('array', 'subscript') then ']' when p_kind = 'case' then 'END'
              when p_kind <> 'top' then ')' end
$$;

-- Returns the reason for which the sign or word p_word cannot close its group, or null.
create or replace function wedsql.close_problem(p_word text, p_kind text, p_phase text, p_between boolean)
returns text language sql immutable as $$
  select case
    when p_kind = 'top' then case when p_word = 'end' then 'case' else 'unopened' end
    when p_word = 'end' and p_kind <> 'case' then 'case'
    when p_word <> case when p_kind in ('array', 'subscript') then ']' when p_kind = 'case' then 'end'
      else ')' end then 'unclosed'
    when p_between then 'between'
    when p_kind = 'case' and p_phase not in ('then', 'else') then 'case'
    when p_kind = 'cast' and p_phase <> 'done' or p_phase in ('position', 'placing') then 'special_form'
  end
$$;

-- Returns the phase of a group after the dividing word p_word, or null when the word does not divide the
-- group there.
create or replace function wedsql.next_phase(p_kind text, p_phase text, p_word text)
returns text language sql immutable as $$
  select case p_kind
    when 'case' then case
      when p_word = 'when' and p_phase in ('case', 'then') then 'when'
      when p_word = 'then' and p_phase = 'when' then 'then'
      when p_word = 'else' and p_phase = 'then' then 'else' end
    when 'call' then case p_phase || ' ' || p_word
      when 'trim from' then ''
      when 'position in' then 'position in'
      when 'overlay placing' then 'placing'
      when 'placing from' then 'placed'
      when 'placed for' then 'overlay for'
      when 'substring from' then 'substring from'
      when 'substring for' then 'substring for'
      when 'substring from for' then 'substring from for' end
  end
$$;

-- Rejects a call with the wrong number of arguments. p_given is 0 for empty parentheses.
-- Raises: WD005; WD211 when p_set.
create or replace function wedsql.check_arguments(
  p_set boolean, p_function wedsql.vocabulary, p_given integer, p_position integer, p_raw text)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_min integer := p_function.min_args;
  v_max integer := p_function.max_args;
begin
  if p_function.word in ('extract', 'trim', 'position', 'overlay', 'substring', 'normalize') and p_given > 0
     or p_given between coalesce(v_min, 1) and coalesce(v_max, p_given) then
    return;
  end if;
  perform wedsql.refuse(p_set,
                        case when p_function.word = 'age' and p_given < 2 then 'clock' else 'arguments' end,
    p_position, p_raw,
    case when v_max is null then format('>= %s', coalesce(v_min, 1))
         when v_max = v_min then v_max::text else format('%s-%s', v_min, v_max) end, p_function.hint);
end
$$;

-- Returns p_text when it is short enough and has no control character except tabs and line ends.
-- Raises: WD005, or WD211 when p_set, when it is not.
create or replace function wedsql.bounded(p_text text, p_set boolean)
returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_control text := substring(p_text from E'[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]');
begin
  if length(p_text) > 10000 then
    perform wedsql.refuse(p_set, 'too_long', 10001, substr(p_text, 10001, 1));
  elsif v_control is not null then
    perform wedsql.refuse(p_set, 'control_character', strpos(p_text, v_control), v_control);
  end if;
  return p_text;
end
$$;

-- Rejects a word or sign in the place of an operator and never returns.
-- Raises: WD005; WD211 when p_set.
create or replace function wedsql.refuse_operator(
  p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql.refuse(p_set, case
    when p_raw = '[' then 'subscript'
    when p_known.refusal in ('collate', 'statement', 'subquery') then p_known.refusal
    when p_known.word = 'is' then 'is'
    when p_known.word in ('in', 'not') and (p_known.word = 'in' or p_next = 'in') then 'in_list'
    when p_known.word in ('any', 'some', 'all') then 'quantifier'
    when p_known.word in ('when', 'then', 'else') then 'case'
    when p_known.word in ('over', 'filter', 'within') then 'window'
    else 'expected_operator' end, p_position, p_raw);
end
$$;
