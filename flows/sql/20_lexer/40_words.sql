-- Helpers of the grammar: fixed arguments, phrases of several words.

-- Returns the text that a quoted token stands for.
create or replace function wedsql.unquote(p_raw text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select replace(substr(p_raw, 2, length(p_raw) - 2), '''''', '''')
$$;

-- Returns the reason for which a token cannot be the pattern of an operator, or null.
create or replace function wedsql.fixed_pattern(p_class text, p_raw text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when p_class = 'text' then wedsql.pattern_problem(wedsql.unquote(p_raw))
    else 'pattern_not_literal' end
$$;

-- Returns the reason for which a text with like_regex, a path of jsonb, is rejected, or null. A path doubles
-- the backslashes of its pattern; other escapes could hide a repetition, or the word like_regex.
create or replace function wedsql.path_problem(p_raw text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when strpos(replace(p_raw, E'\\\\', ''), E'\\') > 0 then 'pattern_form'
              else wedsql.pattern_problem(replace(wedsql.unquote(p_raw), E'\\\\', E'\\')) end
$$;

-- Returns the reason for which argument p_argument of p_function, starting with this token, is rejected, or
-- null. p_alone: the token is the whole argument; p_integer: it is an attribute of type integer.
create or replace function wedsql.argument_problem(
  p_function wedsql.vocabulary, p_argument integer, p_class text, p_raw text, p_alone boolean,
  p_integer boolean)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when p_argument = p_function.pattern_arg then
      case when p_alone then wedsql.fixed_pattern(p_class, p_raw) else 'pattern_not_literal' end
    when p_function.word = 'substring' and p_argument = 2 then
      case when p_alone and p_class = 'text' then wedsql.pattern_problem(wedsql.unquote(p_raw))
           when not (p_alone and (p_class = 'number' or p_integer)) then 'substring' end
    when p_argument = any (p_function.flag_args) then
      case when not (p_alone and (p_class = 'number' or p_class = 'text' and p_raw ~ '^''[ginspwmc]*''$'))
        then 'flags' end
    when p_argument = 2 and p_function.max_count is not null then
      case when not coalesce(p_alone and p_raw ~ '^[0-9]{1,4}$'
                             and left(p_raw, 4)::integer <= p_function.max_count, false)
           then 'count' end
  end
$$;

-- Returns how many tokens at the start of p_ahead (tokens joined by spaces) form one of the fixed phrases
-- that follow a value, 0 when none fits. wants is what must come next: operator, operand, or which kind of
-- operand.
create or replace function wedsql.phrase(p_ahead text, out take integer, out wants text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_phrase text := substring(p_ahead from '^(is(?: not)? (?:null|true|false|unknown|distinct '
                                          'from)|isnull|notnull'
    || E'|(?:not )?(?:between(?: symmetric| asymmetric)?|in \\(|i?like (?:any|all|some) \\(|i?like|similar '
        'to)'
    || '|escape|at time zone)(?: |$)');
  v_word text := replace(v_phrase, 'not ', '');
begin
  take := coalesce(cardinality(string_to_array(v_phrase, ' ')), 0);
  wants := case
    when v_word = 'is distinct from' then 'operand'
    when v_word ~ '^(is|notnull)' then 'operator'
    when v_word ~ '^between' then 'between'
    when v_word = 'in (' then 'in'
    when v_word ~ '[(]$' then 'list'
    when v_word ~ 'like$' then 'like'
    when v_word = 'similar to' then 'similar'
    when v_word = 'escape' then 'escape'
    when v_word = 'at time zone' then 'zone' end;
end
$$;

-- Returns how many tokens of p_ahead open the special call (its name and parenthesis included), 0 when it is
-- malformed.
create or replace function wedsql.special_head(p_ahead text)
returns integer language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(cardinality(string_to_array(substring(p_ahead from
    E'^(extract \\( (?:''[A-Za-z]+''|[a-z]+) from|trim \\( (?:both|leading|trailing) from|trim \\( '
     '(?:both|leading|trailing)'
    || E'|trim \\( from|(?:trim|position|overlay|substring) \\()(?: |$)'), ' ')), 0)
$$;

-- Returns the hint for a call with words inside: its usual form, and a plain function to use instead.
create or replace function wedsql.special_hint(p_function text)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case p_function
    when 'extract' then 'Write extract(year from attribute), or date_part(''year'', attribute).'
    when 'position' then 'Write position(''x'' in attribute), or strpos(attribute, ''x'').'
    when 'trim' then 'Write trim(both '' '' from attribute), or btrim(attribute, '' '').'
    when 'overlay'
      then 'Write overlay(attribute placing ''x'' from 1 for 2), or overlay(attribute, ''x'', 1, 2).'
    else 'Write substring(attribute from 1 for 2), or substr(attribute, 1, 2) with computed numbers.' end
$$;

-- Returns the names of the attributes as a list for messages, at most twenty.
create or replace function wedsql.names(p_attrs jsonb)
returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(string_agg(k, ', ' order by k), '-') || case when max(total) > 20 then ', ...' else '' end
  from (select k, count(*) over () as total from jsonb_object_keys(p_attrs) as k order by k limit 20) as few
$$;

-- Rejects a word in the place of a value and never returns.
-- Raises: WD005; WD211 when p_set.
create or replace function wedsql.refuse_word(
  p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text, p_attrs jsonb)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_word text := lower(p_raw collate "C");
  v_near text;
  v_reason text := case
    when p_known.refusal is not null then p_known.refusal
    when p_next = '.' then 'qualified'
    when v_word in ('any', 'some', 'all') then 'quantifier'
    when p_known.keyword in ('R', 'T') or v_word = 'between' and p_attrs ? v_word then 'reserved'
    when p_next = '(' and p_known.func is not null then p_known.func
    when p_next = '(' then 'unknown_function'
    else 'unknown_name' end;
begin
  if v_reason = 'unknown_function' then
    v_near := wedsql.suggest(v_word, array(select word from wedsql.vocabulary
      where func = 'ok' and left(word, 1) = left(v_word, 1)));
  elsif v_reason = 'unknown_name' then
    v_near := wedsql.suggest(v_word, array(select jsonb_object_keys(p_attrs)));
  end if;
  perform wedsql.refuse(p_set, v_reason, p_position, p_raw, wedsql.names(p_attrs),
    case when v_near is null then p_known.hint else 'Did you mean {near}?' end,
    jsonb_strip_nulls(jsonb_build_object('near', v_near)));
end
$$;
