-- Splits a text into words, numbers, texts and operators where PostgreSQL's own lexer would.

-- Returns one row per token, in order, without white space; p_text is never interpreted, only split. problem
-- is the reason for which the token is rejected in any position, or null. An operator is the longest run of
-- operator signs, from which trailing + and - are cut off unless the run has one of ~ ! @ # ^ & | ` ? %
-- before them; that is PostgreSQL's rule, and it makes =- two operators and @- one. A token is matched with
-- the white space before it; joined says that there is none.
create or replace function wedsql.scan(p_text text)
returns table (raw text, low text, class text, pos integer, problem text)
language sql immutable rows 50 set search_path = pg_catalog, pg_temp as $$
  with piece as (
    select m.ord, m.part[1] as piece, ltrim(m.part[1], e' \t\n\r') collate "C" as raw,
           sum(length(m.part[1])) over (order by m.ord)::integer as ends
    from regexp_matches(p_text,
      E'[ \\t\\n\\r]*(?:[A-Za-z_][A-Za-z0-9_]*'
      || E'|(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?'
      || '|''(?:[^'']|'''')*'''
      || '|[~!@#^&|`?+*/%<>=-]*[~!@#^&|`?%][~!@#^&|`?+*/%<>=-]*'
      || '|[+*/<>=-]*[*/<>=]|[+-]'
      || E'|::|[^ \\t\\n\\r])', 'g') with ordinality as m(part, ord)),
  classed as (
    select ord, raw, ends - length(raw) + 1 as pos, length(raw) = length(piece) as joined,
           case when left(raw, 1) = '''' then raw else lower(raw) end as low,
           case when left(raw, 1) between 'a' and 'z' or left(raw, 1) between 'A' and 'Z'
                     or left(raw, 1) = '_' then 'word'
                when left(raw, 1) = '''' and length(raw) > 1 then 'text'
                when left(raw, 1) between '0' and '9' or left(raw, 1) = '.' and length(raw) > 1 then 'number'
                when strpos('~!@#^&|`?+*/%<>=-', left(raw, 1)) > 0 then 'operator'
                when raw in ('(', ')', '[', ']', ',', '::') then 'sign'
                else 'stray' end as class
    from piece),
  beside as (
    select *,
           case when joined then lag(class) over w end as class1,
           case when joined then lag(low) over w end as low1,
           case when joined and lag(joined) over w then lag(low, 2) over w end as low2,
           case when lead(joined) over w then lead(low) over w end as after
    from classed window w as (order by ord))
  select raw, low, class, pos,
    case class
      when 'stray' then case raw
        when '''' then 'unclosed_text' when '"' then 'quoted_name' when ';' then 'statement'
        when '.' then 'dot' when ':' then 'named_argument' when '$' then 'dollar' when E'\\' then 'backslash'
        when '{' then 'brace' when '}' then 'brace'
        else case when ascii(raw) > 127 then 'non_ascii' else 'control_character' end end
      when 'text' then case
        when class1 in ('word', 'number') or low1 = '&' and low2 = 'u' then 'touches_quote'
        when length(raw) < octet_length(raw)
             and raw ~ E'[\\u202A-\\u202E\\u2066-\\u2069\\u200B-\\u200F\\uFEFF]' then 'control_character'
        -- Paths of jsonb: two ** cost the square of the document.
        when strpos(raw, '**') > 0 and raw ~ E'\\$.*\\*\\*.*\\*\\*' then 'pattern_nested' end
      when 'word' then case class1 when 'text' then 'touches_quote' when 'number' then 'touches_number' end
      when 'number' then case
        when class1 = 'text' then 'touches_quote'
        when class1 in ('word', 'number') then 'dot'
        when length(raw) > 100 or abs(coalesce(substring(low from 'e(.*)'), '0')::numeric) > 308
        then 'number_too_large' end
      when 'operator' then case
        when strpos(low, '--') > 0 or strpos(low, '/*') > 0 or right(low, 1) = '-' and left(after, 1) = '-'
        then 'comment'
        when low = '=>' then 'named_argument' end
    end
  from beside
  order by ord
$$;

-- Returns how many tokens at the start of p_ahead (tokens joined by spaces) name a type, 0 when none, and
-- what is wrong with it.
create or replace function wedsql.type_phrase(
  p_ahead text, p_modifier text, out take integer, out problem text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_part text[];
  v_size integer[];
begin
  take := 0;
  v_part := regexp_match(p_ahead,
    E'^(double precision|character varying|[a-z0-9_]+)( \\( [0-9]{1,8}(?: , [0-9]{1,8})? \\))?( '
     '(?:with|without) time zone)?'
    || E'((?: \\[ \\])*)(?: |$)');
  if p_modifier is null or v_part is null or (p_modifier = 'double') <> (v_part[1] = 'double precision') then
    problem := 'unknown_type';
    return;
  end if;
  v_size := array(select s[1]::integer from regexp_matches(v_part[2], '[0-9]+', 'g') as s);
  take := cardinality(string_to_array(rtrim(concat(v_part[1], v_part[2], v_part[3], v_part[4])), ' '));
  if cardinality(v_size) > 0 and not (case
      when p_modifier in ('length', 'character') then cardinality(v_size) = 1
        and v_size[1] between 1 and 10000
      when p_modifier = 'digits' then v_size[1] between 1 and 1000 and coalesce(v_size[2], 0) <= v_size[1]
      when p_modifier = 'seconds' then cardinality(v_size) = 1 and v_size[1] <= 6
      else false end)
    or v_part[3] is not null and v_part[1] not in ('time', 'timestamp')
    or length(v_part[4]) > 18 then
    problem := 'type_modifier';
  end if;
end
$$;

-- Returns the reason for which a regular expression is rejected, or null. Written out, with every bounded
-- repetition repeated, it may have at most 1,000 signs: PostgreSQL's automaton grows with that number.
-- Unbounded repetitions may be nested, as they do not enlarge that automaton. Look-around and back references
-- cost the square of the text or more, and embedded options could hide a repetition from this count.
create or replace function wedsql.pattern_problem(p_pattern text)
returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_piece text; v_cost numeric[] := array[0]; v_last numeric := 0; v_depth integer := 1; v_times numeric;
begin
  if length(p_pattern) > 200 then
    return 'pattern_too_long';
  elsif p_pattern ~ E'^\\*\\*\\*|\\[[.=]|[\\n\\r]' then
    return 'pattern_form';
  end if;
  for v_piece in
    select m[1] from regexp_matches(p_pattern,
      E'\\\\.|\\[\\^?\\]?(?:\\\\.|\\[:[a-z]+:\\]|[^]\\\\])*\\]|\\{[0-9]+(?:,[0-9]*)?\\}|\\(\\?[^:]|\\(|.',
      'g') as m
  loop
    if v_piece ~ E'^\\\\[1-9]' or v_piece ~ E'^\\(\\?' then
      return 'pattern_form';
    elsif v_piece = '(' then
      v_depth := v_depth + 1;
      v_cost[v_depth] := 0;
    elsif v_piece = ')' and v_depth > 1 then
      v_last := v_cost[v_depth];
      v_depth := v_depth - 1;
      v_cost[v_depth] := v_cost[v_depth] + v_last;
    elsif v_piece ~ E'^\\{[0-9]' then
      v_times := (select max(n[1]::numeric) from regexp_matches(v_piece, '[0-9]+', 'g') as n);
      if v_times > 255 then
        return 'pattern_bounds';
      end if;
      v_cost[v_depth] := v_cost[v_depth] + v_last * (greatest(v_times, 1) - 1);
      v_last := v_last * greatest(v_times, 1);
    elsif v_piece !~ '^[*+?]' then
      v_cost[v_depth] := v_cost[v_depth] + 1;
      v_last := 1;
    end if;
    if v_cost[v_depth] > 1000 then
      return 'pattern_nested';
    end if;
  end loop;
  return null;
end
$$;
