-- The grammar: a state machine that expects a value or an operator next and keeps open groups on a stack.
-- PostgreSQL parses the text after it. What stands in the place of a value is read in 47_values.sql, what
-- stands in the place of an operator in 48_operators.sql.

-- Returns the tokens of one expression (or, with p_set, of a SET list), all of them known and in a permitted
-- place.
-- Raises: WD005, or WD211 when p_set, at the first token that is not permitted.
create or replace function wedsql.parse(p_text text, p_attrs jsonb, p_set boolean default false)
returns wedsql.token[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_words wedsql.word[] := wedsql._words(p_text, p_set);
  v_groups wedsql.open_group[] := '{}';  -- the groups around the innermost
  v_tokens wedsql.token[] := '{}';
  s wedsql.reading := wedsql._before_first(v_words, p_set);
begin
  loop
    s := wedsql._read_on(s, v_words, p_attrs);
    exit when s.at > cardinality(v_words);
    s := case s.wants when 'target' then wedsql._read_target(s, v_words, p_attrs)
                      when 'operand' then wedsql._read_operand(s, v_words, p_attrs)
                      else wedsql._read_operator(s, v_words) end;
    if s.opens is not null and cardinality(v_groups) = 50 then
      s.problem := coalesce(s.problem, 'too_deep');
    end if;
    if s.problem is not null then
      perform wedsql._refuse_at(s, v_words);
    end if;
    for i in s.at .. s.at + s.take - 1 loop
      v_tokens := v_tokens || row((v_words[i]).pos, length((v_words[i]).raw), wedsql._kind(s, v_words[i], i),
        (v_words[i]).low, cardinality(v_groups) - s.closes::integer)::wedsql.token;
    end loop;
    if s.closes then
      s := wedsql._leave_group(s, v_words, v_groups[cardinality(v_groups)]);
      v_groups := trim_array(v_groups, 1);
    elsif s.opens is not null then
      v_groups := v_groups || s.inner_group;
      s := wedsql._enter_group(s);
    end if;
  end loop;
  perform wedsql._check_end(s, v_words);
  return v_tokens;
end
$$;
